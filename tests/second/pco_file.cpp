// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Standalone files", and the public functions that do not throw.
#include "second/pco_parts.hpp"

namespace numpact::second {
namespace {

using Bytes = std::span<const std::byte>;

class File {
 public:
  File(Bytes bytes, const PlainLimits& limits, PlainNumbers& result)
      : bytes_(bytes), limits_(limits), result_(result) {}

  void read() {
    read_front();
    while (read_chunk()) {
    }
    result_.used = position_;
  }

 private:
  Bytes rest() const { return bytes_.subspan(position_); }
  std::uint64_t read_bytes(unsigned n) {
    BitReader reader(rest());
    const std::uint64_t value = reader.read(8 * n);
    position_ += n;
    return value;
  }

  void read_front() {
    for (const char expected : {'p', 'c', 'o', '!'}) {
      refuse_if(read_bytes(1) != static_cast<unsigned char>(expected), "other magic bytes");
    }
    const std::uint64_t standalone = read_bytes(1);
    refuse_if(standalone > 3, "standalone version over 3");
    if (standalone < 2) {
      version_.major = static_cast<unsigned>(standalone);
      return;
    }
    if (standalone == 3) read_uniform_type();
    read_hint();
    std::size_t used = 0;
    version_ = read_wrapped_header(rest(), used);
    position_ += used;
  }
  void read_uniform_type() {
    const std::uint64_t byte = read_bytes(1);
    if (byte != 0) set_type(byte);
  }
  void read_hint() {
    BitReader reader(rest());
    const auto p = static_cast<unsigned>(reader.read(6)) + 1;
    reader.read(p);
    reader.read_padding();
    position_ += reader.byte_position();
  }
  void set_type(std::uint64_t byte) {
    result_.bits = kind_of_type(byte).bits;
    refuse_if(result_.type != 0 && byte != result_.type, "chunks of different types");
    result_.type = static_cast<std::uint8_t>(byte);
  }

  bool read_chunk() {
    const std::uint64_t type = read_bytes(1);
    if (type == 0) return false;
    set_type(type);
    const std::uint64_t n = read_bytes(3) + 1;
    const Chunk chunk = read_chunk_meta(rest(), version_, result_.type);
    position_ += chunk.meta_bytes;
    if (n > limits_.max_numbers - result_.numbers.size()) over_limit("more numbers than asked for");
    std::size_t used = 0;
    const Latents page = read_page(rest(), chunk, static_cast<std::size_t>(n), used);
    position_ += used;
    result_.numbers.insert(result_.numbers.end(), page.begin(), page.end());
    return true;
  }

  Bytes bytes_;
  const PlainLimits& limits_;
  PlainNumbers& result_;
  Version version_;
  std::size_t position_ = 0;
};

template <class Read>
PlainNumbers caught(const Read& read) {
  PlainNumbers result;
  try {
    read(result);
  } catch (const Refusal& refusal) {
    result.refusal = refusal;
    result.numbers.clear();
  }
  return result;
}

}  // namespace

PlainNumbers decode_pco(Bytes file, const PlainLimits& limits) {
  return caught([&](PlainNumbers& result) { File(file, limits, result).read(); });
}

PlainNumbers decode_wrapped(Bytes meta, Bytes page, Version version, std::uint8_t type,
                            std::uint64_t n, const PlainLimits& limits) {
  return caught([&](PlainNumbers& result) {
    result.type = type;
    const Chunk chunk = read_chunk_meta(meta, version, type);
    result.bits = chunk.kind.bits;
    if (n > limits.max_numbers) over_limit("more numbers than asked for");
    result.numbers = read_page(page, chunk, static_cast<std::size_t>(n), result.used);
  });
}

}  // namespace numpact::second
