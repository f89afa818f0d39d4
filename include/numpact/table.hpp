// SPDX-License-Identifier: Apache-2.0
// The manifest of a folder of columns (docs/format/table-folder.md): reads and writes its text, and
// makes the names of its files. Opens no files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact::table {

// The name of the manifest's file.
inline constexpr const char* kManifestName = "manifest.json";
// Limits of a manifest: bytes of its text, levels of arrays and objects, and values (numbers,
// strings, literals, arrays and objects; enough for 600,000 columns).
inline constexpr std::size_t kMaxManifestBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxManifestLevels = 64;
inline constexpr std::size_t kMaxManifestValues = std::size_t{1} << 22;
// Counts and sizes are below this: Arrow's counts of rows are signed.
inline constexpr std::uint64_t kCountLimit = std::uint64_t{1} << 63;
// Rows of a record batch of the file of another column, but for the last one.
inline constexpr std::uint64_t kOtherBatchRows = 65'536;
// The ending of the CVC files of other columns.
inline constexpr std::string_view kVectorEnding = ".cvc";
// Digits of decimals that are stored as numbers: all such numbers are i64.
inline constexpr unsigned kMaxDecimalDigits = 18;

// The meaning of a column's numbers, and the type in which they are stored.
enum class Kind : std::uint8_t {
  kNumber,     // any type
  kBool,       // u8: 0 or 1
  kDate32,     // i32: days since 1970
  kDate64,     // i64: milliseconds since 1970
  kTime32,     // i32: seconds or milliseconds since midnight
  kTime64,     // i64: microseconds or nanoseconds since midnight
  kTimestamp,  // i64: units since 1970, in UTC if there is a time zone
  kDuration,   // i64: units
  kText,       // u8, u16 or u32: places among the column's texts
  kDecimal,    // i64: multiples of 10 to the power of -scale
};

// The types of Arrow that the texts of a column have; those of binary may be any bytes, others are
// UTF-8.
enum class TextType : std::uint8_t {
  kString,
  kLargeString,
  kBinary,
  kLargeBinary,
  kStringView,
  kBinaryView
};

// The decimals that numbers of kDecimal stand for: 1250 of scale 2 is 12.50. Those of more digits
// are columns that Pco cannot hold.
struct DecimalType {
  std::uint8_t precision = 0;  // decimal digits, 1 to kMaxDecimalDigits
  std::uint8_t scale = 0;      // how many of them are behind the point
  std::uint16_t bits = 128;    // of a value in Arrow: 32, 64, 128 or 256

  friend bool operator==(const DecimalType&, const DecimalType&) = default;
};

enum class Unit : std::uint8_t { kSecond, kMilli, kMicro, kNano };

// How fixed-size lists of numbers are compressed in CVC files (docs/format/cvc.md): all but kExact
// change values.
enum class Vectors : std::uint8_t {
  kExact,
  kFp16,
  kBFloat16,
  kInt8,
  kInt8Row,
  kInt8Dim,
  kInt4,
  kRot1,
  kRot2,
  kRot3,
  kRot4
};

// "number", "bool", "date32", ...; "s", "ms", "us", "ns".
NUMPACT_API std::string_view to_string(Kind kind) noexcept;
NUMPACT_API std::string_view to_string(Unit unit) noexcept;
NUMPACT_API std::optional<Kind> kind_of_name(std::string_view name) noexcept;
NUMPACT_API std::optional<Unit> unit_of_name(std::string_view name) noexcept;
// "string", "large_string", "binary", "large_binary", "string_view", "binary_view", as Arrow prints
// them.
NUMPACT_API std::string_view to_string(TextType type) noexcept;
NUMPACT_API std::optional<TextType> text_type_of_name(std::string_view name) noexcept;
// The name that CVC has for the compression: "pco", "fp16", "bfloat16", ...
NUMPACT_API std::string_view to_string(Vectors vectors) noexcept;
NUMPACT_API std::optional<Vectors> vectors_of_name(std::string_view name) noexcept;
// "decimal128(18, 2)", as Arrow prints it; whether such a type exists and i64 holds its values.
NUMPACT_API std::string to_string(const DecimalType& type);
NUMPACT_API bool is_valid(const DecimalType& type) noexcept;
inline bool is_bytes(TextType type) noexcept {
  return type == TextType::kBinary || type == TextType::kLargeBinary ||
         type == TextType::kBinaryView;
}
// The type that stores the values; none: any, or of kText one of several.
NUMPACT_API std::optional<NumberType> stored_type(Kind kind) noexcept;
// Whether values of the kind have a unit, and whether they may have this one.
NUMPACT_API bool has_unit(Kind kind) noexcept;
NUMPACT_API bool may_have(Kind kind, Unit unit) noexcept;

// Pairs of key and value, in order; both may be any bytes.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// What the manifest says of the bytes of a file.
struct FileSum {
  std::uint64_t bytes = 0;             // 0: nothing
  std::optional<std::uint32_t> crc32;  // of the whole file, as checksum_of() computes it

  friend bool operator==(const FileSum&, const FileSum&) = default;
};

// Consecutive rows of a column of numbers, in files of their own.
struct NumberPart {
  std::string file;
  std::string null_file;         // the lengths of runs; empty: no row is null
  std::uint64_t count = 0;       // numbers in the file
  std::uint64_t null_count = 0;  // null rows
  FileSum sum;
  FileSum null_sum;

  std::uint64_t rows() const noexcept { return count + null_count; }

  friend bool operator==(const NumberPart&, const NumberPart&) = default;
};

// The texts of a column whose values repeat, in a file of their own.
struct TextFile {
  TextType type = TextType::kString;
  std::string file;
  std::uint64_t count = 0;  // of texts, which differ
  FileSum sum;
  // Of categories (Arrow's dictionaries): the type of their indices, which are integers, and
  // whether their order has a meaning. None: the values are texts.
  std::optional<NumberType> index_type = std::nullopt;
  bool is_ordered = false;

  // The same column, before it has texts.
  TextFile without_file() const { return {type, {}, 0, {}, index_type, is_ordered}; }

  friend bool operator==(const TextFile&, const TextFile&) = default;
};

// As Arrow prints the type of the values: "string",
// "dictionary<values=string, indices=int8, ordered=0>".
NUMPACT_API std::string type_text(const TextFile& text);
// The most categories that indices of a type, an integer, number.
NUMPACT_API std::uint64_t max_categories(NumberType index_type) noexcept;
// Sets the type that has this text. False: there is none.
NUMPACT_API bool set_type(TextFile& text, std::string_view type) noexcept;

// A column of numbers, or of texts that numbers stand for.
struct Column {
  std::string name;                 // UTF-8; may repeat, be empty and contain zero bytes
  std::string file;                 // empty: there are several parts
  std::string null_file;            // the lengths of runs; empty: no row is null, or several parts
  std::string timezone;             // of kTimestamp; empty: none
  Metadata metadata;                // of the field
  std::vector<NumberPart> parts;    // empty: one, which the other members describe
  std::vector<TextFile> text;       // of kText one; else empty
  std::uint64_t count = 0;          // numbers in all files
  std::uint64_t null_count = 0;     // null rows in the folder
  std::uint64_t nulls_dropped = 0;  // null rows of the table that the folder does not have
  NumberType type = NumberType::kU8;
  Kind kind = Kind::kNumber;
  Unit unit = Unit::kSecond;  // if has_unit(kind)
  DecimalType decimal = {};   // of kDecimal
  bool nullable = true;       // false: the table declares that no value may be null

  std::uint64_t rows() const noexcept { return count + null_count; }
  // The parts in their order, also of a column that does not list them.
  NUMPACT_API std::vector<NumberPart> all_parts() const;
  const std::string& first_file() const noexcept {
    return parts.empty() ? file : parts.front().file;
  }

  friend bool operator==(const Column&, const Column&) = default;
};

// A file with rows of another column: one of Arrow, or, if its name ends in kVectorEnding, a CVC
// file of fixed-size lists of numbers.
struct Part {
  std::string file;
  std::uint64_t rows = 0;
  // Checksums; absent in version 3. Consecutive blocks cover the file. Of Arrow: one up to the
  // first record batch, one for each batch, with the dictionaries before it, and the rest. Of CVC:
  // the header, and the record of each chunk.
  std::uint64_t bytes = 0;           // size of the file
  std::vector<std::uint64_t> ends;   // of the blocks in the file, exclusive
  std::vector<std::uint32_t> crc32;  // CRC-32 of each block, as checksum_of() computes it

  bool has_checksums() const noexcept { return !ends.empty(); }
  bool has_vectors() const noexcept { return file.ends_with(kVectorEnding); }

  friend bool operator==(const Part&, const Part&) = default;
};

// A column that Pco cannot hold.
struct Other {
  std::string name;
  std::string type;            // as Arrow prints it, for people
  std::uint64_t position = 0;  // among all columns of the table
  std::uint64_t rows = 0;
  std::vector<Part> parts;            // at least one
  Vectors vectors = Vectors::kExact;  // how its CVC files are compressed

  const std::string& first_file() const noexcept { return parts.front().file; }

  friend bool operator==(const Other&, const Other&) = default;
};

// A column that the table had and the folder does not.
struct Skipped {
  std::string name;
  std::string type;
  std::string reason;

  friend bool operator==(const Skipped&, const Skipped&) = default;
};

struct Manifest {
  unsigned version = 2;         // as read; writing chooses it
  std::vector<Column> columns;  // in the order of the table
  std::vector<Other> others;    // by position; `columns` have the other positions
  std::vector<Skipped> skipped;
  Metadata metadata;  // of the table
  // Files that are no longer of the table, and which the next writer removes if they are there.
  std::vector<std::string> obsolete;

  // Rows of all columns, if they can be joined row by row; 0 without columns. None: nulls of a
  // column were left out, and there are other columns. Each can be read alone.
  NUMPACT_API std::optional<std::uint64_t> joined_rows() const noexcept;

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

// Parses a manifest, which is untrusted. Needs at most 4 MiB and twice the memory of the text for
// the result. `why`, if not null, is set to a sentence that names the column and the value, such as
// "column 'a': 'count' is not a count: -1"; status.offset() is where it is in the text.
//
// Errors: kCorrupt; kUnsupportedVersion: written by a newer version; kLimitExceeded: the contents
// need more memory.
NUMPACT_API Result<Manifest> parse_manifest(std::string_view text,
                                            std::string* why = nullptr) noexcept;

// The text of a manifest: version 2; with other columns, lists of parts, texts or decimals version
// 4, or 3 if no part of any other column has checksums and none is listed; 5 with CVC files. `type`
// and `reason`, which are for people, may be any bytes.
//
// Errors: parse_manifest() would refuse it; kLimitExceeded if it would be too long or have too many
// values, else kInvalidArgument, such as a name that is not UTF-8. `why` as there.
NUMPACT_API Result<std::string> manifest_text(const Manifest& manifest,
                                              std::string* why = nullptr) noexcept;

// Whether bytes are those of a CVC file, by its first ones.
NUMPACT_API bool is_vector_file(std::span<const std::byte> file) noexcept;

// Describes a file of Arrow IPC or CVC that belongs to another column, with the ends and checksums
// of its blocks. `file`: all its bytes, which are untrusted; they are not decoded. The result needs
// 12 bytes for each batch or chunk.
//
// Errors: kCorrupt: it is not such a file, or has not the batches that `rows` need; chunks are not
// compared with the rows.
NUMPACT_API Result<Part> checked_part(std::string_view name, std::span<const std::byte> file,
                                      std::uint64_t rows) noexcept;

// Whether a name is that of a file in the folder: one that cannot lead out of it.
NUMPACT_API bool is_file_name(std::string_view name) noexcept;

// Names the files of a table. The names differ, also if case is ignored.
class NUMPACT_API FileNames {
 public:
  // The file of a column: its name, in which bytes but letters, digits, '_' and '-' are %XX, at
  // most 120 bytes of it, and the ending, ".pco", ".arrow" or ".cvc".
  std::string add(std::string_view column, std::string_view ending);

 private:
  std::map<std::string, std::uint64_t, std::less<>> taken_;  // how often, by name in lower case
};

// Which files of the folder of a table are there since a writer died: parts that the manifest does
// not name, and files that it says to be obsolete. `names`: of the files in the folder.
NUMPACT_API std::vector<std::string> left_files(const Manifest& manifest,
                                                std::span<const std::string> names);

// The file of the nulls of a column: "a.nulls.pco" for "a.pco". No column has it, since the names
// of their files have no other dot.
NUMPACT_API std::string null_file_name(std::string_view column_file);

// The file of the texts of a column: "a.values" for "a.pco".
NUMPACT_API std::string text_file_name(std::string_view column_file);

// The texts of a column, which differ.
class NUMPACT_API TextValues {
 public:
  // Reads a file of texts, which is untrusted. Takes the memory of its bytes, and 8 bytes for each
  // text, 24 while it compares them. kCorrupt: it is none, or has not `count` texts that differ
  // and, unless `is_bytes`, are UTF-8.
  static Result<TextValues> parse(std::span<const std::byte> file, std::uint64_t count,
                                  bool is_bytes) noexcept;
  // The bytes of such a file.
  std::string file() const;

  std::size_t size() const noexcept { return offsets_.size() - 1; }
  std::string_view operator[](std::size_t index) const noexcept {
    const auto first = static_cast<std::size_t>(offsets_[index]);
    return bytes().substr(first, static_cast<std::size_t>(offsets_[index + 1]) - first);
  }
  // All bytes without gaps, where each text begins, and the end of the last one.
  std::string_view bytes() const noexcept { return bytes_; }
  std::span<const std::uint64_t> offsets() const noexcept { return offsets_; }
  void add(std::string_view text) {
    bytes_ += text;
    offsets_.push_back(bytes_.size());
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
};

// The most runs that rows with this many numbers and nulls can have.
NUMPACT_API std::uint64_t max_null_runs(std::uint64_t numbers, std::uint64_t nulls) noexcept;

// Checks the lengths of the runs of a column against its counts: alternately rows with numbers and
// null rows, of which only the first may be 0.
class NUMPACT_API NullRunCheck {
 public:
  // The sum of the counts is below kCountLimit.
  NullRunCheck(std::uint64_t numbers, std::uint64_t nulls) noexcept
      : numbers_left_(numbers), nulls_left_(nulls) {}

  // Takes the next lengths. kCorrupt: they contradict the counts.
  Status add(std::span<const std::uint64_t> lengths) noexcept;
  // After the last ones: kCorrupt if runs are missing.
  Status finish() const noexcept;

 private:
  std::uint64_t numbers_left_;
  std::uint64_t nulls_left_;
  std::uint64_t runs_ = 0;
};

}  // namespace numpact::table
