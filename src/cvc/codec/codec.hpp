// SPDX-License-Identifier: Apache-2.0
// What the compressions have in common. codecs.hpp lists them all.
#ifndef NUMPACT_CVC_CODEC_CODEC_HPP
#define NUMPACT_CVC_CODEC_CODEC_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "cvc/codec/planes.hpp"
#include "cvc/codec/source.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

static_assert(std::endian::native == std::endian::little, "values are copied as they are stored");

// Values that can be multiplied by the size of any type.
inline constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 60;

// ---- reading ----

struct Plane {
  const std::byte* packed = nullptr;
  std::uint64_t size = 0;  // bytes from `packed` on that may be read
  unsigned width = 8;
  bool is_plain = false;  // codes are the bytes themselves
  DecodeTable table;
};

// The bytes of a slice, and what the header says of them.
struct Encoded {
  Compression compression = Compression::kFp16;
  Dtype dtype = Dtype::kFloat32;  // of the column
  std::span<const std::byte> bytes;
  std::uint64_t n = 0;       // values, at most kMaxValues
  std::uint64_t offset = 0;  // of the bytes in the file, for errors
  float min = 0;
  float scale = 0;
};

// Checked, and ready to decode from any value on. Refers to the bytes.
struct Prepared {
  Encoded encoded;
  std::array<Plane, kPlanes> planes;  // lossless
  bool streams = false;               // the output is larger than caches are
};

// ---- writing ----

struct EncodeRules {
  bool range_in_double = false;  // version 0.1
  bool allow_nonfinite = false;
};

struct PlanePlan {
  unsigned size = 0;  // of the dictionary
  unsigned width = 1;
  std::array<std::uint8_t, 256> entries;
  EncodeTable codes;
};

// What a slice will look like: all that the header needs to know before it is encoded.
struct Plan {
  std::uint64_t bytes = 0;
  // int8: as the header has them, and as values are divided.
  double min = 0;
  double scale = 0;
  bool is_flat = false;                                    // all codes are 0
  bool in_double = false;                                  // codes are made from doubles
  std::unique_ptr<std::array<PlanePlan, kPlanes>> planes;  // lossless
};

// Takes the bytes of a slice, in order.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  virtual Status put(std::span<const std::byte> bytes) = 0;
  std::uint64_t fp16_overflows = 0;
};

// ---- the table's columns ----

struct Codec {
  Compression compression;
  std::string_view name;
  bool has_range;   // the header holds min and scale
  bool in_single;   // may be written to files of one array
  bool in_columns;  // may be written to columns

  // Bytes that n values take; none if only they themselves can tell.
  std::optional<std::uint64_t> (*size)(std::uint64_t n, Dtype dtype);
  // Of a value's code; none if codes have no type.
  std::optional<Dtype> (*code_type)(Dtype dtype);
  // Checks all but the values.
  Status (*prepare)(const Encoded& encoded, Prepared& prepared);
  // Values [first, first + n) as floats; not for integers that are stored as they are.
  Status (*decode)(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out);

  Status (*plan)(const Source& source, const EncodeRules& rules, Plan& plan);
  Status (*encode)(const Source& source, const Plan& plan, BlockSink& sink);
};

extern const Codec kFp16Codec;
extern const Codec kInt8Codec;
extern const Codec kLosslessCodec;
extern const Codec kNoneCodec;

// For those whose size is known.
Status check_size(const Encoded& encoded, std::uint64_t size);

}  // namespace numpact::cvc

#endif
