// SPDX-License-Identifier: Apache-2.0
// The parts of a CVC file (versions, columns, chunks, sections) and views of vectors in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "numpact/types.hpp"
#include "numpact/version.hpp"

namespace numpact::cvc {

// How the values of a chunk, or of a column in it, are stored.
enum class Compression : std::uint8_t {
  kFp16 = 0,      // rounded to half precision, 2 bytes
  kInt8 = 1,      // 256 equal steps over the chunk's range, 1 byte
  kLossless = 2,  // float32, split into four packed byte planes
  kNone = 3,      // uncompressed; columns only
  // The rest are numpact's extensions (docs/format/cvc.md).
  kBFloat16 = 4,  // rounded to the upper half of a float32, 2 bytes
  kInt4 = 5,      // 16 equal steps over each dimension's range, half a byte
  kInt8Row = 6,   // 256 equal steps over each row's range, 1 byte
  kInt8Dim = 7,   // 256 equal steps over each dimension's range, 1 byte
  kPco = 8,       // exact (float32, float16, integer columns), as Pco chunks
  // Rotated at random, then 2^bits levels times a scale of each row; for searches.
  kRot1 = 9,   // 1 bit
  kRot2 = 10,  // 2 bits
  kRot3 = 11,  // 3 bits
  kRot4 = 12,  // 4 bits
};

inline constexpr Compression kCompressions[] = {
    Compression::kFp16,     Compression::kInt8, Compression::kLossless, Compression::kNone,
    Compression::kBFloat16, Compression::kInt4, Compression::kInt8Row,  Compression::kInt8Dim,
    Compression::kPco,      Compression::kRot1, Compression::kRot2,     Compression::kRot3,
    Compression::kRot4};

// The name in headers: "fp16", "int8", "lossless", "none", "bfloat16", "int4", "int8_row",
// "int8_dim", "pco", "rot1", "rot2", "rot3", "rot4"; a static string.
NUMPACT_API std::string_view name_of(Compression compression) noexcept;
NUMPACT_API std::optional<Compression> compression_of_name(std::string_view name) noexcept;

// The type of values in memory or of a column.
enum class Dtype : std::uint8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kBFloat16 = 2,  // the upper half of a float32; not a column type
  kFloat64 = 3,   // input of writers only
  kInt32 = 4,
  kInt64 = 5,
  kInt8 = 6,
  kUInt8 = 7,
};

inline constexpr Dtype kDtypes[] = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBFloat16,
                                    Dtype::kFloat64, Dtype::kInt32,   Dtype::kInt64,
                                    Dtype::kInt8,    Dtype::kUInt8};

constexpr std::size_t size_of(Dtype dtype) noexcept {
  constexpr std::uint8_t kSizes[] = {4, 2, 2, 8, 4, 8, 1, 1};
  const auto index = static_cast<std::size_t>(dtype);
  return index < sizeof(kSizes) ? kSizes[index] : 0;
}

// "float32", "float16", "bfloat16", ...; a static string.
NUMPACT_API std::string_view name_of(Dtype dtype) noexcept;
NUMPACT_API std::optional<Dtype> dtype_of_name(std::string_view name) noexcept;

// The bits of a bfloat16 number.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) = default;  // compares bits
};

namespace detail {
template <class T>
constexpr std::optional<Dtype> dtype_of() {
  if constexpr (std::is_same_v<T, float>) return Dtype::kFloat32;
  if constexpr (std::is_same_v<T, Float16>) return Dtype::kFloat16;
  if constexpr (std::is_same_v<T, BFloat16>) return Dtype::kBFloat16;
  if constexpr (std::is_same_v<T, double>) return Dtype::kFloat64;
  if constexpr (std::is_same_v<T, std::int32_t>) return Dtype::kInt32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Dtype::kInt64;
  if constexpr (std::is_same_v<T, std::int8_t>) return Dtype::kInt8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Dtype::kUInt8;
  return std::nullopt;
}
}  // namespace detail

// The C++ value types: float, double, Float16, BFloat16, (u)int8, int32, int64.
template <class T>
concept Value = detail::dtype_of<std::remove_cv_t<T>>()
.has_value();

template <Value T>
inline constexpr Dtype kDtypeOf = *detail::dtype_of<std::remove_cv_t<T>>();

namespace detail {
// An array, vector, span etc. of values that outlives the call.
template <class R>
concept ValueRange = numpact::detail::OutlivingRange<R> && Value<numpact::detail::ElementOf<R>> &&
    requires(R& range) {
  std::size(range);
};
}  // namespace detail

// A view of rows in memory: row r starts r * stride bytes after `data`; its values are contiguous.
// Aligned for the type. From a contiguous range of values: rows of `d` values without gaps.
template <class Void>  // void or const void
struct BasicRows {
  Dtype dtype = Dtype::kFloat32;
  Void* data = nullptr;
  std::uint64_t count = 0;      // rows
  std::uint64_t dimension = 0;  // values per row
  std::size_t stride = 0;       // bytes from row to row; 0: no gaps

  BasicRows() = default;
  BasicRows(Dtype type, Void* at, std::uint64_t n, std::uint64_t d, std::size_t s = 0)
      : dtype(type), data(at), count(n), dimension(d), stride(s) {}
  template <detail::ValueRange R>
  requires(std::is_const_v<Void> || !std::is_const_v<numpact::detail::ElementOf<R>>)
      BasicRows(R&& values, std::uint64_t d)
      : dtype(kDtypeOf<numpact::detail::ElementOf<R>>),
        data(std::data(values)),
        count(d == 0 ? 0 : std::size(values) / d),
        dimension(d) {}
};
using Rows = BasicRows<const void>;
using MutableRows = BasicRows<void>;

// Rows first to first + count - 1.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// A column of the schema; a file of one array has a single unnamed one.
struct Column {
  std::string name;
  std::uint64_t dimension = 0;                   // 1: scalars
  Dtype dtype = Dtype::kFloat32;                 // of the values written
  Compression compression = Compression::kFp16;  // default for chunks that do not specify one
  // Columnar files, dimension 1: rows are vectors of one value, shape (rows, 1), not scalars.
  bool is_vector = false;
};

// The values of one column in one chunk.
struct Slice {
  Compression compression = Compression::kFp16;
  double min = 0;            // int8: the value of code 0
  double scale = 0;          // int8: the step between codes
  std::uint64_t offset = 0;  // from the start of the chunk's payload
  std::uint64_t size = 0;    // in bytes; or Chunk::kUnknown
};

struct Chunk {
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  // Where its record (length, checksum if the version has one, payload) starts in the file, and the
  // size of the payload. kUnknown if only the record itself says so: when only the header was read
  // and this chunk holds lossless data, or (for `offset`) an earlier one does.
  std::uint64_t offset = 0;
  std::uint64_t payload_bytes = 0;
  // JSON text of its `metadata`, part of Info::header; none if the key is missing.
  std::optional<std::string_view> metadata;
};

// Consecutive rows with metadata of their own. Sections and chunks may end at different rows.
struct Section {
  RowRange rows;
  std::string_view metadata;  // JSON text, part of Info::header
};

// A validated header. Copies share the header text; views into it are valid while a copy lives.
struct Info {
  unsigned major = 0;  // 0.1, 1.0, 2.0; other minor versions occur
  unsigned minor = 0;
  bool is_columnar = false;
  bool is_paged = false;   // records are page-aligned ("mmap_optimized")
  std::uint64_t rows = 0;  // total
  std::vector<Column> columns;
  std::vector<Chunk> chunks;
  std::vector<Slice> slices;  // of chunk 0 in column order, then of chunk 1, ...
  std::vector<Section> sections;
  std::optional<std::string_view> metadata;   // JSON text of the header's `metadata`
  std::shared_ptr<const std::string> header;  // the full JSON text
  std::uint64_t header_bytes = 0;             // where it ends in the file

  // Whether records have a CRC-32 of their payload.
  bool has_checksums() const noexcept { return major != 0; }
  std::size_t record_head_bytes() const noexcept { return has_checksums() ? 8 : 4; }
  const Slice& slice(std::size_t chunk, std::size_t column) const noexcept {
    return slices[chunk * columns.size() + column];
  }
  NUMPACT_API std::optional<std::size_t> find_column(std::string_view name) const noexcept;
};

// Whether rows of two files fit together: columns of the same names, dimensions and, in columnar
// files, types.
NUMPACT_API bool same_columns(const Info& a, const Info& b) noexcept;

}  // namespace numpact::cvc
