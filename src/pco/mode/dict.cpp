// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/dict.hpp"

namespace numpact::internal {

Status Dict::parse(BitReader& reader, const ModeContext& context, Dict& out) {
  const std::size_t entry_n = static_cast<std::size_t>(reader.read(wire::kDictLengthBits));
  NUMPACT_TRY(reader.finish_byte("padding after the dictionary's length is not zero"));
  const unsigned bits = latent_bits(context.type);
  const bool is_guess = context.guessed_n > 0;
  if (is_guess && entry_n > context.guessed_n) {
    return reader.corrupt("a dictionary of more entries than numbers");
  }
  if (std::uint64_t{entry_n} * bits > reader.bits_left()) {
    return Status(ErrorKind::kTruncated, "the input ends inside the dictionary",
                  reader.byte_position());
  }
  out.count = entry_n;
  if (is_guess) {
    reader.skip(std::uint64_t{entry_n} * bits);
    return {};
  }
  NUMPACT_TRY(context.arena.ensure<std::byte>(std::uint64_t{entry_n} * bits / 8));
  visit_latent(bits, [&](auto width) {
    using L = decltype(width);
    const std::span<L> read = context.arena.make<L>(entry_n);
    for (L& entry : read) entry = static_cast<L>(reader.read(kBits<L>));
    out.entries = read.data();
  });
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

}  // namespace numpact::internal
