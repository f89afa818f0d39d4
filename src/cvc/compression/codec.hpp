// SPDX-License-Identifier: Apache-2.0
// What the compressions have in common. codecs.hpp lists them all.
#ifndef NUMPACT_CVC_COMPRESSION_CODEC_HPP
#define NUMPACT_CVC_COMPRESSION_CODEC_HPP

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/load.hpp"
#include "base/task_pool.hpp"
#include "cvc/compression/pco_payload.hpp"
#include "cvc/compression/planes.hpp"
#include "cvc/compression/source.hpp"
#include "cvc/compression/steps.hpp"
#include "cvc/compression/values.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/cvc/write_config.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

// Values that can be multiplied by the size of any type.
inline constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 60;

// ---- reading ----

// Of a slice: n() values.
struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  constexpr std::uint64_t n() const { return rows * dimension; }
};

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
  Shape shape;               // of at most kMaxValues
  std::uint64_t offset = 0;  // of the bytes in the file, for errors
  float min = 0;
  float scale = 0;
};

// Checked, and ready to decode from any value on. Refers to the bytes.
struct Prepared {
  Encoded encoded;
  std::array<Plane, kPlanes> planes;  // lossless
  PcoPayload pco;
  bool streams = false;  // the output is larger than caches are
  // For what decoding needs besides: pco's tables.
  std::uint64_t max_memory = DecodeLimits().max_memory;
};

// Rows that lie side by side, here and where they are wanted.
struct RowRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t out_row = 0;
};

// What can be decoded with little that is not wanted: rows from a multiple of `rows` on, and
// dimensions likewise.
struct Block {
  std::uint64_t rows = 1;
  std::uint64_t dimensions = 1;
};

// ---- writing ----

struct EncodeRules {
  bool range_in_double = false;  // version 0.1
  bool allow_nonfinite = false;
  bool keeps_integers = false;  // columns
  Rounding rounding = Rounding::kNearest;
  const TaskPool* helpers = nullptr;  // for one slice that is planned by itself
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
  bool is_flat = false;           // all codes are 0
  bool is_nonfinite = false;      // int8: all values decode to NaN
  bool in_double = false;         // codes are made from doubles
  bool allows_nonfinite = false;  // int8_row
  Rounding rounding = Rounding::kNearest;
  std::vector<char> is_kept;  // int8_dim, int4: dimensions of whole numbers
  std::unique_ptr<std::array<PlanePlan, kPlanes>> planes;  // lossless
  std::vector<StepRange> ranges;                           // int8_dim, int4
  std::vector<std::vector<std::byte>> parts;               // pco: all bytes, in order
  std::optional<Refused> refused;                          // where planning fails
};

// Takes the bytes of a slice, in order.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  virtual Status put(std::span<const std::byte> bytes) = 0;
  std::uint64_t overflows = 0;     // finite values that became infinite
  std::uint64_t lost = 0;          // finite values that share a range with one that is not
  std::optional<Refused> refused;  // where encoding fails
};

// ---- the table's columns ----

// Where min and scale are.
enum class RangeScope : std::uint8_t {
  kNone,
  kHeader,     // one for the slice
  kRow,        // behind the codes: all minima, then all scales
  kDimension,  // likewise
};

struct Codec {
  Compression compression = Compression::kFp16;
  std::string_view name;
  RangeScope ranges = RangeScope::kNone;
  bool in_single = true;        // may be written to files of one array
  bool in_columns = true;       // may be written to columns
  bool in_v01 = false;          // and to version 0.1
  bool keeps_integers = false;  // integer columns keep their type

  // Bytes that values take; none if only they themselves can tell.
  std::optional<std::uint64_t> (*size)(const Shape& shape, Dtype dtype) = nullptr;
  // Of a code, and bytes of a row of codes; null if there are none of one size.
  Dtype (*code_type)(Dtype dtype) = nullptr;
  std::uint64_t (*code_bytes)(std::uint64_t dimension, Dtype dtype) = nullptr;
  // Checks all but the values.
  Status (*prepare)(const Encoded& encoded, Prepared& prepared) = nullptr;

  // One of these two is null.
  // Values [first, first + n) as floats; not for integers that are stored as they are.
  Status (*decode)(const Prepared& prepared, std::uint64_t first, std::uint64_t n,
                   float* out) = nullptr;
  // Runs in the order of rows; of dimensions [first, first + out.dimension) alone. Where out.data
  // is null values are decoded and dropped.
  Status (*decode_runs)(const Prepared& prepared, std::span<const RowRun> runs,
                        std::uint64_t first_dimension, const MutableRows& out) = nullptr;
  Block (*block)(const Prepared& prepared) = nullptr;  // where decode is null

  bool checks_values = false;  // decoding can fail where preparing did not
  bool is_slow_to_prepare = false;

  Status (*plan)(const Source& source, const EncodeRules& rules, Plan& plan) = nullptr;
  Status (*encode)(const Source& source, const Plan& plan, BlockSink& sink) = nullptr;
};

extern const Codec kFp16Codec;
extern const Codec kInt8Codec;
extern const Codec kLosslessCodec;
extern const Codec kNoneCodec;
extern const Codec kBFloat16Codec;
extern const Codec kInt4Codec;
extern const Codec kInt8RowCodec;
extern const Codec kInt8DimCodec;
extern const Codec kPcoCodec;

// For those whose size is known.
Status check_size(const Encoded& encoded, std::uint64_t size);
// All minima, then all scales, as they stand behind codes.
Status put_ranges(std::span<const StepRange> ranges, BlockSink& sink);

// Puts values of `size` bytes.
Status put_values(std::span<const std::byte> values, std::size_t size, BlockSink& sink);
// Stored values as floats.
void stored_halves_to_floats(const std::byte* halves, std::size_t n, float* out,
                             bool streams = false);
void stored_bfloats_to_floats(const std::byte* bfloats, std::size_t n, float* out,
                              bool streams = false);
// Stored values as they are in memory.
void copy_stored(const std::byte* from, std::size_t n, std::size_t size, void* out);

inline float load_float(const std::byte* at) { return load_le<float>(at); }

}  // namespace numpact::cvc

#endif
