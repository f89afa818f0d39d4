// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/dict.hpp"

#include <algorithm>

namespace numpact {

Status Dict::parse(BitReader& reader, const ModeContext& context, Dict& out) {
  const std::size_t entry_n = static_cast<std::size_t>(reader.read(wire::kDictLengthBits));
  NUMPACT_TRY(reader.finish_byte("padding after the dictionary's length is not zero"));
  const unsigned bits = latent_bits(context.type);
  if (entry_n > reader.bits_left() / bits) {
    return Status(ErrorKind::kTruncated, "the input ends inside the dictionary",
                  reader.byte_position());
  }
  visit_latent(bits, [&](auto width) {
    using L = decltype(width);
    const std::span<L> read = context.arena.make<L>(entry_n);
    for (L& entry : read) entry = static_cast<L>(reader.read(kBits<L>));
    out.entries = read.data();
  });
  out.count = entry_n;
  return {};
}

void Dict::write(BitWriter& writer, NumberType type) const {
  writer.write(count, wire::kDictLengthBits);
  writer.finish_byte();
  visit_latent(latent_bits(type), [&](auto width) {
    using L = decltype(width);
    for (const L entry : as<L>()) writer.write(entry, kBits<L>);
  });
}

std::uint64_t Dict::payload_bits(NumberType type, unsigned at) const {
  const unsigned padding = (8 - (at + wire::kDictLengthBits) % 8) % 8;
  return wire::kDictLengthBits + padding + std::uint64_t{count} * latent_bits(type);
}

template <Latent L>
bool join_dict(std::span<const L> entries, const std::uint32_t* indices, std::size_t n, L* out) {
  if (entries.empty()) return n == 0;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, indices[i]);
  if (most >= entries.size()) {
    std::fill_n(out, n, L{0});
    return false;
  }
  const L* const at = entries.data();
  for (std::size_t i = 0; i < n; ++i) out[i] = at[indices[i]];
  return true;
}

template bool join_dict(std::span<const std::uint8_t>, const std::uint32_t*, std::size_t,
                        std::uint8_t*);
template bool join_dict(std::span<const std::uint16_t>, const std::uint32_t*, std::size_t,
                        std::uint16_t*);
template bool join_dict(std::span<const std::uint32_t>, const std::uint32_t*, std::size_t,
                        std::uint32_t*);
template bool join_dict(std::span<const std::uint64_t>, const std::uint32_t*, std::size_t,
                        std::uint64_t*);

}  // namespace numpact
