// SPDX-License-Identifier: Apache-2.0
// The interface of compressions (Codec) and the data that they exchange with readers and writers.
// codecs.hpp lists all compressions.
#pragma once

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

#include "base/internal.hpp"
#include "base/load.hpp"
#include "base/task_pool.hpp"
#include "cvc/compression/pco_payload.hpp"
#include "cvc/compression/planes.hpp"
#include "cvc/compression/source.hpp"
#include "cvc/compression/steps.hpp"
#include "cvc/compression/values.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc::internal {

// Limit of values in a slice: such a count times the size of any type fits 64 bits.
inline constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 60;

// ---- reading ----

// The shape of a slice with n() values.
struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  constexpr std::uint64_t n() const { return rows * dimension; }
};

// lossless: one byte plane of a slice.
struct Plane {
  const std::byte* packed = nullptr;
  std::uint64_t size = 0;  // readable bytes from `packed` on
  unsigned width = 8;      // bits of a code
  bool is_plain = false;   // codes are the bytes themselves
  DecodeTable table;
};

// The bytes of a slice, and their description in the header.
struct Encoded {
  Compression compression = Compression::kFp16;
  Dtype dtype = Dtype::kFloat32;  // type of the column
  std::span<const std::byte> bytes;
  Shape shape;               // at most kMaxValues values
  std::uint64_t offset = 0;  // offset of the bytes in the file, for errors
  float min = 0;             // RangeScope::kHeader only
  float scale = 0;           // likewise
};

// A slice that Codec::prepare has checked; decoding can begin at any value. Refers to the bytes of
// `encoded`. A union of the state of all compressions: each sets and reads only its own fields.
struct Prepared {
  // Set by every prepare(), read by every decoder.
  Encoded encoded;
  // Set by prepare() of lossless; read by its decode() and by describe_planes() of stored.cpp.
  std::array<Plane, kPlanes> planes;
  // Set by prepare() of pco; read by its decode_runs() and block().
  PcoPayload pco;
  // Set by the caller of decode or decode_runs if the output is larger than the caches: fp16,
  // bfloat16, int8 and pco then write with non-temporal stores. Others ignore it.
  bool streams = false;
  // May be set by the caller of decode_runs: the limit of pco's memory for tables and pages, in
  // bytes.
  std::uint64_t max_memory = DecodeLimits().max_memory;
};

// Consecutive rows of a slice that go to consecutive rows of the output.
struct RowRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t out_row = 0;
};

// The size of blocks that can be decoded separately at little extra cost. Blocks begin at multiples
// of `rows` and of `dimensions`.
struct Block {
  std::uint64_t rows = 1;
  std::uint64_t dimensions = 1;
};

// ---- writing ----

struct EncodeRules {
  bool range_in_double = false;  // int8: compute the range in double, for version 0.1
  bool allow_nonfinite = false;
  bool keeps_integers = false;  // pco: store integers as they are, for columns of version 2.0
  Rounding rounding = Rounding::kNearest;
  // pco: encodes one slice in parallel. Null if slices are planned in parallel instead.
  const TaskPool* helpers = nullptr;
};

// lossless: the dictionary of one byte plane.
struct PlanePlan {
  unsigned size = 0;   // entries of the dictionary
  unsigned width = 1;  // bits of a code
  std::array<std::uint8_t, 256> entries;
  EncodeTable codes;
};

// The plan of a slice: everything that the header and encode() need. Made by Codec::plan. A union
// of the state of all compressions: plan() sets and encode() reads the fields of its own
// compression; only `bytes`, `min`, `scale` and `refused` are read by others.
struct Plan {
  // All: size of the encoded slice. Read by plan_chunk() for the header and offsets.
  std::uint64_t bytes = 0;
  // int8: the range in the header; encode() divides by the same scale. Also read by plan_chunk().
  double min = 0;
  double scale = 0;
  // int8: encode() writes zeros for all codes.
  bool all_codes_zero = false;
  // int8: all values decode to NaN; encode() counts the finite ones as lost.
  bool is_nonfinite = false;
  // int8: encode() computes codes in double, for float64 values in version 0.1.
  bool in_double = false;
  // int8_row, rot1 to rot4: encode(), which finds the ranges of rows, accepts non-finite ones.
  bool allows_nonfinite = false;
  // int8_row, int8_dim, int4: encode() rounds to nearest or with error feedback.
  Rounding rounding = Rounding::kNearest;
  // int8_dim, int4: for each dimension, 1 if its values are integers that codes hold exactly.
  // encode() excludes these dimensions from error feedback.
  std::vector<char> is_exact;
  // lossless: the dictionaries of the byte planes.
  std::unique_ptr<std::array<PlanePlan, kPlanes>> planes;
  // int8_dim, int4: the range of each dimension.
  std::vector<StepRange> ranges;
  // pco: all bytes of the slice, in order; plan() has to encode it to know the size.
  std::vector<std::vector<std::byte>> parts;
  // All: the value that made plan() fail. Read by plan_chunk() for the message.
  std::optional<Refused> refused;
};

// Receives the bytes of a slice, in order, and counts values that are not kept.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  virtual Status put(std::span<const std::byte> bytes) = 0;
  std::uint64_t overflows = 0;     // finite values that became infinite
  std::uint64_t underflows = 0;    // values that are too small, see count_underflows()
  std::uint64_t lost = 0;          // finite values that share a range with a non-finite one
  std::optional<Refused> refused;  // the value that made encoding fail
};

// ---- compressions ----

using PlanFunction = Status (*)(const Source& source, const EncodeRules& rules, Plan& plan);
using EncodeFunction = Status (*)(const Source& source, const Plan& plan, BlockSink& sink);

// Functions that write; null in a library that only reads CVC, where nothing refers to them then.
#ifdef NUMPACT_NO_EXCEPTIONS
constexpr PlanFunction plan_of(PlanFunction) { return nullptr; }
constexpr EncodeFunction encode_of(EncodeFunction) { return nullptr; }
#else
constexpr PlanFunction plan_of(PlanFunction function) { return function; }
constexpr EncodeFunction encode_of(EncodeFunction function) { return function; }
#endif

// Where the minimum and scale of a code are stored.
enum class RangeScope : std::uint8_t {
  kNone,
  kHeader,     // one pair for the slice, in the header
  kRow,        // one for each row, behind the codes: all minima, then all scales
  kDimension,  // one for each dimension, likewise
  kRotation,   // a scale in front of the codes of each row; behind all, mean and seed (rotated.cpp)
};

struct Codec {
  Compression compression = Compression::kFp16;
  std::string_view name;
  RangeScope ranges = RangeScope::kNone;
  bool in_single = true;        // may be written to files of one array
  bool in_columns = true;       // may be written to columns
  bool in_v01 = false;          // may be written to version 0.1
  bool keeps_integers = false;  // integer columns keep their type

  // Encoded size of a slice; empty if it depends on the values.
  std::optional<std::uint64_t> (*size)(const Shape& shape, Dtype dtype) = nullptr;
  // Type of a code, and bytes of a row of codes; null if codes have no fixed size.
  Dtype (*code_type)(Dtype dtype) = nullptr;
  std::uint64_t (*code_bytes)(std::uint64_t dimension, Dtype dtype) = nullptr;
  // Checks everything except the values.
  Status (*prepare)(const Encoded& encoded, Prepared& prepared) = nullptr;

  // Exactly one of decode and decode_runs is set.
  // Decodes values [first, first + n) as floats; not for integers that are stored as they are.
  Status (*decode)(const Prepared& prepared, std::uint64_t first, std::uint64_t n,
                   float* out) = nullptr;
  // Decodes runs, which are sorted by row; only dimensions [first_dimension, first_dimension +
  // out.dimension). If out.data is null, values are decoded and discarded.
  Status (*decode_runs)(const Prepared& prepared, std::span<const RowRun> runs,
                        std::uint64_t first_dimension, const MutableRows& out) = nullptr;
  Block (*block)(const Prepared& prepared) = nullptr;  // set if decode_runs is

  bool checks_values = false;       // decoding can fail although prepare() succeeded
  bool is_slow_to_prepare = false;  // prepare() takes longer than decoding a row

  PlanFunction plan = nullptr;
  EncodeFunction encode = nullptr;
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
extern const Codec kRot1Codec;
extern const Codec kRot2Codec;
extern const Codec kRot3Codec;
extern const Codec kRot4Codec;

// kCorrupt if the slice is not `size` bytes long; for compressions whose size is known.
Status check_size(const Encoded& encoded, std::uint64_t size);
// Writes all minima, then all scales, which follow the codes.
Status put_ranges(std::span<const StepRange> ranges, BlockSink& sink);

// Writes values of `size` bytes each, little-endian.
Status put_values(std::span<const std::byte> values, std::size_t size, BlockSink& sink);
// Convert stored (little-endian) values to floats. `streams`: use non-temporal stores.
void stored_halves_to_floats(const std::byte* halves, std::size_t n, float* out,
                             bool streams = false);
void stored_bfloats_to_floats(const std::byte* bfloats, std::size_t n, float* out,
                              bool streams = false);
// Copies n stored values of `size` bytes to memory, in the byte order of this machine.
void copy_stored(const std::byte* from, std::size_t n, std::size_t size, void* out);

inline float load_float(const std::byte* at) { return load_le<float>(at); }

}  // namespace numpact::cvc::internal
