// SPDX-License-Identifier: Apache-2.0
// lossless: the four bytes of all floats as four planes, each with a dictionary of its bytes and
// codes of the minimum width.
#include <algorithm>
#include <vector>

#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"

namespace numpact::cvc::internal {
namespace {

// Values that are decoded at a time, through buffers on the stack.
constexpr std::size_t kDecodeValues = 1024;

std::optional<std::uint64_t> size(const Shape&, Dtype) { return std::nullopt; }

std::uint64_t packed_bytes(std::uint64_t n, unsigned width) { return (n * width + 7) / 8; }

// ---- reading ----

// A position within the bytes of a slice.
struct Cursor {
  const Encoded& encoded;
  std::size_t at = 0;  // offset of the next byte

  std::uint64_t left() const { return encoded.bytes.size() - at; }
  unsigned byte(std::size_t i) const { return static_cast<unsigned>(encoded.bytes[at + i]); }
  Status corrupt(const char* what) const {
    return Status(ErrorKind::kCorrupt, what, encoded.offset + at);
  }
};

Status check_count(Cursor& cursor) {
  if (cursor.left() < 8) return cursor.corrupt("lossless: the payload is shorter than its head");
  std::uint64_t count = 0;
  for (unsigned i = 0; i < 4; ++i) count |= std::uint64_t{cursor.byte(i)} << (8 * i);
  if (count != cursor.encoded.shape.n()) {
    return cursor.corrupt("lossless: the count of values is not rows times dimension");
  }
  return {};
}

Status read_plane(Cursor& cursor, unsigned width, Plane& plane) {
  if (cursor.left() < 2) return cursor.corrupt("lossless: a dictionary is missing");
  const unsigned entries = cursor.byte(0) | cursor.byte(1) << 8;
  if (entries > 256 || (entries == 0 && cursor.encoded.shape.n() > 0)) {
    return cursor.corrupt("lossless: a dictionary's size is not from 1 to 256");
  }
  cursor.at += 2;
  if (cursor.left() < entries) return cursor.corrupt("lossless: a dictionary passes the payload");
  plane.table.fill(kNoEntry);
  bool is_plain = entries == 256 && width == 8;
  for (unsigned i = 0; i < entries; ++i) {
    plane.table[i] = static_cast<std::uint16_t>(cursor.byte(i));
    is_plain = is_plain && plane.table[i] == i;
  }
  cursor.at += entries;
  const std::uint64_t bytes = packed_bytes(cursor.encoded.shape.n(), width);
  if (cursor.left() < bytes) return cursor.corrupt("lossless: the codes pass the payload");
  plane.packed = cursor.encoded.bytes.data() + cursor.at;
  plane.size = cursor.left();
  plane.width = width;
  plane.is_plain = is_plain;
  cursor.at += to_size(bytes);
  return {};
}

Status prepare(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  Cursor cursor{encoded};
  NUMPACT_TRY(check_count(cursor));
  unsigned widths[kPlanes];
  cursor.at = 4;
  for (std::size_t k = 0; k < kPlanes; ++k) {
    widths[k] = cursor.byte(k);
    if (widths[k] < 1 || widths[k] > 8) {
      return cursor.corrupt("lossless: a width of codes is not from 1 to 8");
    }
  }
  cursor.at = 8;
  for (std::size_t k = 0; k < kPlanes; ++k) {
    NUMPACT_TRY(read_plane(cursor, widths[k], prepared.planes[k]));
  }
  return {};
}

Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  std::uint8_t buffers[kPlanes][kDecodeValues];
  while (n > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(n, kDecodeValues));
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

// Bits of a code for a dictionary of `entries`, at least 1.
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
                              .plan = plan_of(plan),
                              .encode = encode_of(encode)};

}  // namespace numpact::cvc::internal
