// SPDX-License-Identifier: Apache-2.0
// lossless: floats as four planes of bytes, each with a dictionary and codes of as few bits as it
// needs.
#include <algorithm>
#include <vector>

#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"

namespace numpact::cvc {
namespace {

// Values that are decoded at a time, through buffers on the stack.
constexpr std::size_t kStep = 1024;

std::optional<std::uint64_t> size(const Shape&, Dtype) { return std::nullopt; }

std::uint64_t packed_bytes(std::uint64_t n, unsigned width) { return (n * width + 7) / 8; }

// ---- reading ----

struct Walker {
  const Encoded& encoded;
  std::size_t at = 0;  // inside the bytes

  std::uint64_t left() const { return encoded.bytes.size() - at; }
  unsigned byte(std::size_t i) const { return static_cast<unsigned>(encoded.bytes[at + i]); }
  Status corrupt(const char* what) const {
    return Status(ErrorKind::kCorrupt, what, encoded.offset + at);
  }
};

Status take_count(Walker& walker) {
  if (walker.left() < 8) return walker.corrupt("lossless: the payload is shorter than its head");
  std::uint64_t count = 0;
  for (unsigned i = 0; i < 4; ++i) count |= std::uint64_t{walker.byte(i)} << (8 * i);
  if (count != walker.encoded.shape.n()) {
    return walker.corrupt("lossless: the count of values is not rows times dimension");
  }
  return {};
}

Status read_plane(Walker& walker, unsigned width, Plane& plane) {
  if (walker.left() < 2) return walker.corrupt("lossless: a dictionary is missing");
  const unsigned entries = walker.byte(0) | walker.byte(1) << 8;
  if (entries > 256 || (entries == 0 && walker.encoded.shape.n() > 0)) {
    return walker.corrupt("lossless: a dictionary's size is not from 1 to 256");
  }
  walker.at += 2;
  if (walker.left() < entries) return walker.corrupt("lossless: a dictionary passes the payload");
  plane.table.fill(kNoEntry);
  bool is_plain = entries == 256 && width == 8;
  for (unsigned i = 0; i < entries; ++i) {
    plane.table[i] = static_cast<std::uint16_t>(walker.byte(i));
    is_plain = is_plain && plane.table[i] == i;
  }
  walker.at += entries;
  const std::uint64_t bytes = packed_bytes(walker.encoded.shape.n(), width);
  if (walker.left() < bytes) return walker.corrupt("lossless: the codes pass the payload");
  plane.packed = walker.encoded.bytes.data() + walker.at;
  plane.size = walker.left();
  plane.width = width;
  plane.is_plain = is_plain;
  walker.at += to_size(bytes);
  return {};
}

Status prepare(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  Walker walker{encoded};
  NUMPACT_TRY(take_count(walker));
  unsigned widths[kPlanes];
  walker.at = 4;
  for (std::size_t k = 0; k < kPlanes; ++k) {
    widths[k] = walker.byte(k);
    if (widths[k] < 1 || widths[k] > 8) {
      return walker.corrupt("lossless: a width of codes is not from 1 to 8");
    }
  }
  walker.at = 8;
  for (std::size_t k = 0; k < kPlanes; ++k) {
    NUMPACT_TRY(read_plane(walker, widths[k], prepared.planes[k]));
  }
  return {};
}

Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  std::uint8_t buffers[kPlanes][kStep];
  while (n > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(n, kStep));
    const std::uint8_t* bytes[kPlanes];
    for (std::size_t k = 0; k < kPlanes; ++k) {
      const Plane& plane = prepared.planes[k];
      if (plane.is_plain) {
        bytes[k] = reinterpret_cast<const std::uint8_t*>(plane.packed) + first;
        continue;
      }
      bytes[k] = buffers[k];
      if (!unpack_codes(plane.packed, plane.size, first, count, plane.width, plane.table,
                        buffers[k])) {
        return Status(ErrorKind::kCorrupt, "lossless: a code is past its dictionary",
                      prepared.encoded.offset);
      }
    }
    join_planes(bytes, count, out);
    out += count;
    first += count;
    n -= count;
  }
  return {};
}

// ---- writing ----

constexpr unsigned width_of(unsigned entries) {
  unsigned width = 1;
  while ((1u << width) < entries) ++width;
  return width;
}

Status plan(const Source& source, const EncodeRules&, Plan& plan) {
  const std::uint64_t n = source.n();
  if (n > UINT32_MAX) {
    return Status(ErrorKind::kInvalidArgument, "lossless: a chunk holds more than 2^32 - 1 values");
  }
  NUMPACT_TRY(check_floats(source, Compression::kLossless, plan.refused));
  std::uint8_t seen[kPlanes][256] = {};
  float buffer[kBlockValues];
  (void)source.for_blocks([&](std::uint64_t first, std::size_t count) {
    const float* const values = source.floats(first, count, buffer);
    for (std::size_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(values[i]);
      for (unsigned k = 0; k < kPlanes; ++k) seen[k][bits >> (8 * k) & 0xff] = 1;
    }
    return Status();
  });
  plan.planes = std::make_unique<std::array<PlanePlan, kPlanes>>();
  plan.bytes = 8;
  for (std::size_t k = 0; k < kPlanes; ++k) {
    PlanePlan& plane = (*plan.planes)[k];
    plane.codes.fill(0);
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (seen[k][byte] == 0) continue;
      plane.codes[byte] = static_cast<std::uint8_t>(plane.size);
      plane.entries[plane.size++] = static_cast<std::uint8_t>(byte);
    }
    plane.width = width_of(plane.size);
    plan.bytes += 2 + plane.size + packed_bytes(n, plane.width);
  }
  return {};
}

Status put_byte(BlockSink& sink, std::uint64_t byte) {
  const std::byte one{static_cast<std::uint8_t>(byte)};
  return sink.put({&one, 1});
}

Status encode(const Source& source, const Plan& plan, BlockSink& sink) {
  for (unsigned i = 0; i < 4; ++i) NUMPACT_TRY(put_byte(sink, source.n() >> (8 * i) & 0xff));
  for (const PlanePlan& plane : *plan.planes) NUMPACT_TRY(put_byte(sink, plane.width));
  for (std::size_t k = 0; k < kPlanes; ++k) {
    const PlanePlan& plane = (*plan.planes)[k];
    NUMPACT_TRY(put_byte(sink, plane.size & 0xff));
    NUMPACT_TRY(put_byte(sink, plane.size >> 8));
    NUMPACT_TRY(sink.put({reinterpret_cast<const std::byte*>(plane.entries.data()), plane.size}));
    NUMPACT_TRY(source.for_blocks([&](std::uint64_t first, std::size_t n) {
      float buffer[kBlockValues];
      std::uint8_t bytes[kBlockValues];
      std::byte packed[kBlockValues + 8];
      take_plane(source.floats(first, n, buffer), n, k, bytes);
      const std::size_t size = pack_codes(bytes, n, plane.width, plane.codes, packed);
      return sink.put({packed, size});
    }));
  }
  return {};
}

}  // namespace

const Codec kLosslessCodec = {.compression = Compression::kLossless,
                              .name = "lossless",
                              .in_columns = false,
                              .size = size,
                              .prepare = prepare,
                              .decode = decode,
                              .checks_values = true,
                              .is_slow_to_prepare = true,
                              .plan = plan,
                              .encode = encode};

}  // namespace numpact::cvc
