// SPDX-License-Identifier: Apache-2.0
// Reads a manifest.
#include <algorithm>
#include <array>
#include <utility>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "json/characters.hpp"
#include "json/json.hpp"
#include "numpact/table.hpp"
#include "table/manifest_object.hpp"
#include "table/manifest_reader.hpp"

namespace numpact::table {
namespace {

namespace json = internal::json;
using json::View;
using namespace internal::member;  // NOLINT(google-build-using-namespace)
using internal::ManifestObject;
using internal::named;
using internal::printable;

// Versions: 2 has nulls, metadata and the reasons why columns were left out, 3 has other columns, 4
// has them with checksums, 5 has CVC files.
constexpr std::uint64_t kLastVersion = 5;
constexpr std::uint64_t kFirstWithOthers = 3;
constexpr std::uint64_t kFirstWithParts = 4;
constexpr std::uint64_t kFirstWithVectors = 5;

// Memory that is counted for each entry and pair, in addition to its texts.
constexpr std::uint64_t kColumnMemory = 256;
constexpr std::uint64_t kOtherMemory = 128;
constexpr std::uint64_t kPartMemory = 128;  // of either kind
constexpr std::uint64_t kSkippedMemory = 96;
constexpr std::uint64_t kPairMemory = 64;
constexpr std::uint64_t kNameMemory = 32;
constexpr std::uint64_t kTextMemory = 96;
constexpr std::uint64_t kBlockMemory = sizeof(std::uint64_t) + sizeof(std::uint32_t);
static_assert(sizeof(Column) <= kColumnMemory);
static_assert(sizeof(Other) <= kOtherMemory);
static_assert(sizeof(Part) <= kPartMemory && sizeof(NumberPart) <= kPartMemory);
static_assert(sizeof(Skipped) <= kSkippedMemory);
static_assert(sizeof(TextFile) <= kTextMemory);
static_assert(sizeof(std::string) <= kNameMemory);
static_assert(sizeof(Metadata::value_type) <= kPairMemory);

class Parser : private internal::ManifestReader {
 public:
  Parser(std::string_view text, std::string* why) : ManifestReader(text, why) {}

  Status parse(Manifest& manifest);

 private:
  Status metadata(const ManifestObject& object, Metadata& out);
  Status metadata_text(const View& value, std::string& out);
  Status column(const View& value, std::uint64_t version, Column& out);
  Status type_of(const ManifestObject& object, std::uint64_t version, Column& out);
  Status texts_of(const ManifestObject& object, Column& out);
  Status decimals_of(const ManifestObject& object, DecimalType& out);
  Status nulls(const ManifestObject& object, std::string& file, std::uint64_t& count, FileSum* sum);
  Status sum_of(const ManifestObject& object, FileSum& out);
  Status number_parts(const ManifestObject& object, Column& out);
  Status number_part(const View& value, NumberPart& out);
  Status other(const View& value, std::uint64_t version, Other& out);
  Status part(const View& value, std::uint64_t version, Part& out);
  Status vectors_of(const ManifestObject& object, Other& out);
  template <class Number>
  Status numbers(const ManifestObject& object, Name name, std::uint64_t limit,
                 std::vector<Number>& out);
  Status skipped(const View& value, Skipped& out);
  Status obsolete(const ManifestObject& object, std::vector<std::string>& out);
  Status check_positions(const View& list, const Manifest& manifest);
  Status check_rows(const View& root, const Manifest& manifest);

  // Reads the entries of a list by one of the functions above.
  template <class Entry, class Read>
  Status entries(const ManifestObject& object, Name name, std::uint64_t bytes,
                 std::vector<Entry>& out, Read&& read) {
    NUMPACT_TRY(list(object, name));
    std::size_t count = 0;
    NUMPACT_TRY(size_of(*object[name], bytes, count));
    out.reserve(count);
    for (auto item = object[name]->first(); item; item = item->next()) {
      NUMPACT_TRY(require_object(*item));
      NUMPACT_TRY(read(*item, out.emplace_back()));
      column_.reset();
    }
    return {};
  }

  // Reads the parts of a column, and counts their rows by rows_of(part).
  template <class Entry, class Read, class RowsOf>
  Status parts(const ManifestObject& object, std::vector<Entry>& out, std::uint64_t& rows,
               Read&& read, RowsOf&& rows_of) {
    NUMPACT_TRY(list(object, kParts));
    const View& list = *object[kParts];
    std::size_t count = 0;
    NUMPACT_TRY(size_of(list, kPartMemory, count));
    if (count == 0) return bad(list, "'parts' is empty", "'parts' is empty");
    out.reserve(count);
    rows = 0;
    for (auto item = list.first(); item; item = item->next()) {
      NUMPACT_TRY(require_object(*item));
      NUMPACT_TRY(read(*item, out.emplace_back()));
      const std::uint64_t more = rows_of(out.back());
      if (more == 0 && count > 1) {
        return bad(*item, "one of several parts has no rows", "one of its parts has no rows");
      }
      rows += more;  // both are below 2^63
      NUMPACT_TRY(check_rows_of(*item, rows));
    }
    return {};
  }
  Status check_rows_of(const View& at, std::uint64_t rows) const {
    if (rows < kCountLimit) return {};
    return bad(at, "a column has more rows than can be counted",
               "has more rows than can be counted");
  }
};

// Text, or an object with hexadecimal digits of bytes that are not.
Status Parser::metadata_text(const View& value, std::string& out) {
  if (value.is(json::Kind::kString)) return text_of(value, out);
  const auto bad_pair = [&] {
    return bad_value(value, "metadata is not a list of pairs of text",
                     "'metadata' is not a list of pairs of text");
  };
  if (!value.is(json::Kind::kObject)) return bad_pair();
  const ManifestObject object(value);
  if (object.count() != 1 || !object[kHex] || !object[kHex]->is(json::Kind::kString))
    return bad_pair();
  NUMPACT_TRY(take(value, object[kHex]->text().size()));
  const std::string digits = object[kHex]->string();
  if (digits.size() % 2 != 0) return bad_pair();
  out.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = json::hex_digit(digits[i]);
    const int low = json::hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return bad_pair();
    out += static_cast<char>(high << 4 | low);
  }
  return {};
}

Status Parser::metadata(const ManifestObject& object, Metadata& out) {
  const std::optional<View>& value = object[kMetadata];
  if (!value) return {};
  constexpr const char* kWhat = "metadata is not a list of pairs of text";
  const std::string sentence = "'metadata' is not a list of pairs of text";
  if (!value->is(json::Kind::kArray)) return bad_value(*value, kWhat, sentence);
  std::size_t count = 0;
  NUMPACT_TRY(size_of(*value, kPairMemory, count));
  out.reserve(count);
  for (auto pair = value->first(); pair; pair = pair->next()) {
    if (!pair->is(json::Kind::kArray) || pair->count() != 2)
      return bad_value(*pair, kWhat, sentence);
    auto& [key, content] = out.emplace_back();
    const std::optional<View> first = pair->first();
    NUMPACT_TRY(metadata_text(*first, key));
    NUMPACT_TRY(metadata_text(*first->next(), content));
  }
  return {};
}

// The texts of a column, of which its numbers are the places.
Status Parser::texts_of(const ManifestObject& object, Column& out) {
  NUMPACT_TRY(take(object.view(), kTextMemory));
  TextFile& made = out.text.emplace_back();
  std::string type_name;
  NUMPACT_TRY(text(object, kTextType, type_name));
  if (!set_type(made, type_name)) {
    return bad(*object[kTextType], "a type of texts is unknown",
               "text type '" + printable(type_name) + "' is unknown");
  }
  NUMPACT_TRY(require(object, kValues));
  const View& value = *object[kValues];
  if (!value.is(json::Kind::kObject)) {
    return bad_value(value, "'values' is not an object", "'values' is not an object");
  }
  const ManifestObject entry(value);
  NUMPACT_TRY(file_name(entry, made.file));
  NUMPACT_TRY(number(entry, kCount, made.count));
  NUMPACT_TRY(require(entry, kCrc32));
  NUMPACT_TRY(sum_of(entry, made.sum));
  const bool is_place =
      out.type == NumberType::kU8 || out.type == NumberType::kU16 || out.type == NumberType::kU32;
  if (!is_place) {
    return bad(*object[kNumberType], "a logical type is not stored as this number type",
               "logical type 'text' is not stored as " + std::string(name_of(out.type)));
  }
  std::uint64_t max_count = std::uint64_t{1} << (8 * numpact::size_of(out.type));
  if (made.index_type) max_count = std::min(max_count, max_categories(*made.index_type));
  if (made.count <= max_count && (made.count > 0 || out.count == 0)) return {};
  return bad(*entry[kCount], "the count of texts does not fit their numbers",
             "has " + std::to_string(made.count) + " texts for " + std::to_string(out.count) +
                 " numbers of type " + std::string(name_of(out.type)));
}

Status Parser::decimals_of(const ManifestObject& object, DecimalType& out) {
  constexpr std::uint64_t kLimit = 1'000;  // of each number; all that are valid are below
  std::uint64_t precision = 0;
  std::uint64_t scale = 0;
  std::uint64_t bits = 0;
  for (const auto& [name, to] : {std::pair{kPrecision, &precision}, std::pair{kScale, &scale},
                                 std::pair{kTypeBits, &bits}}) {
    NUMPACT_TRY(require(object, name));
    NUMPACT_TRY(number_of(*object[name], named(name), kLimit, *to));
  }
  constexpr std::uint64_t kMaxByte = 255;
  out = {static_cast<std::uint8_t>(std::min(precision, kMaxByte)),
         static_cast<std::uint8_t>(std::min(scale, kMaxByte)), static_cast<std::uint16_t>(bits)};
  if (is_valid(out)) return {};
  return bad(*object[kPrecision], "a type of decimals is not stored as numbers",
             "decimals of " + std::to_string(bits) + " bits with " + std::to_string(precision) +
                 " digits, " + std::to_string(scale) +
                 " of them behind the point, are not stored as numbers");
}

Status Parser::type_of(const ManifestObject& object, std::uint64_t version, Column& out) {
  std::string type_name;
  std::string kind_name;
  std::string unit_name;
  NUMPACT_TRY(text(object, kNumberType, type_name));
  const std::optional<NumberType> type = number_type_of_name(type_name);
  if (!type || name_of(*type) != type_name) {  // not NumPy's names
    return bad(*object[kNumberType], "a number type is unknown",
               "number type '" + printable(type_name) + "' is unknown");
  }
  NUMPACT_TRY(text(object, kLogicalType, kind_name));
  const std::optional<Kind> kind = kind_of_name(kind_name);
  if (!kind || (*kind >= Kind::kText && version < kFirstWithParts)) {
    return bad(*object[kLogicalType], "a logical type is unknown",
               "logical type '" + printable(kind_name) + "' is unknown");
  }
  out.type = *type;
  out.kind = *kind;
  if (stored_type(*kind).value_or(*type) != *type) {
    return bad(*object[kNumberType], "a logical type is not stored as this number type",
               "logical type '" + kind_name + "' is not stored as " + type_name);
  }
  // Of a kind without units it is not used, but must be text.
  NUMPACT_TRY(has_unit(*kind) ? text(object, kUnit, unit_name)
                              : optional_text(object, kUnit, unit_name));
  if (!has_unit(*kind)) return {};
  const std::optional<Unit> unit = unit_of_name(unit_name);
  if (!unit || !may_have(*kind, *unit)) {
    return bad(*object[kUnit], "a unit is not one of the logical type",
               "'" + printable(unit_name) + "' is not a unit of " + kind_name);
  }
  out.unit = *unit;
  return {};
}

// A file of nulls: its count, and what is known of its bytes if `sum` is not null.
Status Parser::nulls(const ManifestObject& object, std::string& file, std::uint64_t& count,
                     FileSum* sum) {
  const std::optional<View>& value = object[kNulls];
  if (!value) return {};
  if (!value->is(json::Kind::kObject)) {
    return bad_value(*value, "'nulls' is not an object", "'nulls' is not an object");
  }
  const ManifestObject entry(*value);
  NUMPACT_TRY(file_name(entry, file));
  NUMPACT_TRY(number(entry, kCount, count));
  if (sum != nullptr) NUMPACT_TRY(sum_of(entry, *sum));
  if (count > 0) return {};
  return bad(*entry[kCount], "a column with nulls has none", "'nulls' has a count of 0");
}

Status Parser::sum_of(const ManifestObject& object, FileSum& out) {
  NUMPACT_TRY(optional_number(object, kBytes, out.bytes));
  if (object[kBytes] && out.bytes == 0) {
    return bad(*object[kBytes], "a file cannot have no bytes", "'bytes' of a file is 0");
  }
  if (!object[kCrc32]) return {};
  NUMPACT_TRY(require(object, kBytes));
  std::uint64_t crc = 0;
  NUMPACT_TRY(number_of(*object[kCrc32], named(kCrc32), std::uint64_t{1} << 32, crc));
  out.crc32 = static_cast<std::uint32_t>(crc);
  return {};
}

Status Parser::number_part(const View& value, NumberPart& out) {
  const ManifestObject object(value);
  NUMPACT_TRY(file_name(object, out.file));
  NUMPACT_TRY(number(object, kCount, out.count));
  NUMPACT_TRY(sum_of(object, out.sum));
  NUMPACT_TRY(nulls(object, out.null_file, out.null_count, &out.null_sum));
  return check_rows_of(value, out.rows());
}

Status Parser::number_parts(const ManifestObject& object, Column& out) {
  std::uint64_t rows = 0;
  NUMPACT_TRY(parts(
      object, out.parts, rows,
      [&](const View& value, NumberPart& part) { return number_part(value, part); },
      [](const NumberPart& part) { return part.rows(); }));
  for (const NumberPart& part : out.parts) {
    out.count += part.count;
    out.null_count += part.null_count;
  }
  if (out.parts.size() > 1) return {};
  out.file = out.parts[0].file;
  out.null_file = out.parts[0].null_file;
  return {};
}

Status Parser::column(const View& value, std::uint64_t version, Column& out) {
  const ManifestObject object(value);
  NUMPACT_TRY(name(object, out.name));
  if (version >= kFirstWithParts && object[kParts]) {
    NUMPACT_TRY(number_parts(object, out));
  } else {
    NUMPACT_TRY(file_name(object, out.file));
    NUMPACT_TRY(number(object, kCount, out.count));
    NUMPACT_TRY(nulls(object, out.null_file, out.null_count, nullptr));
  }
  NUMPACT_TRY(type_of(object, version, out));
  if (out.kind == Kind::kText) NUMPACT_TRY(texts_of(object, out));
  if (out.kind == Kind::kDecimal) NUMPACT_TRY(decimals_of(object, out.decimal));
  NUMPACT_TRY(optional_text(object, kTimezone, out.timezone));
  if (out.kind != Kind::kTimestamp) out.timezone.clear();
  if (const std::optional<View>& flag = object[kNullable]) {
    if (!flag->is(json::Kind::kTrue) && !flag->is(json::Kind::kFalse)) {
      return bad_value(*flag, "'nullable' is neither true nor false",
                       "'nullable' is neither true nor false");
    }
    out.nullable = flag->is(json::Kind::kTrue);
  }
  NUMPACT_TRY(metadata(object, out.metadata));
  NUMPACT_TRY(optional_number(object, kNullsDropped, out.nulls_dropped));
  // Each is below 2^63, and so is the sum of the first two.
  NUMPACT_TRY(check_rows_of(value, out.rows()));
  return check_rows_of(value, out.rows() + out.nulls_dropped);
}

template <class Number>
Status Parser::numbers(const ManifestObject& object, Name name, std::uint64_t limit,
                       std::vector<Number>& out) {
  NUMPACT_TRY(list(object, name));
  std::size_t count = 0;
  NUMPACT_TRY(size_of(*object[name], sizeof(Number), count));
  out.reserve(count);
  const std::string what = "an element of " + named(name);
  for (auto item = object[name]->first(); item; item = item->next()) {
    std::uint64_t value = 0;
    NUMPACT_TRY(number_of(*item, what, limit, value));
    out.push_back(static_cast<Number>(value));
  }
  return {};
}

Status Parser::part(const View& value, std::uint64_t version, Part& out) {
  const ManifestObject object(value);
  NUMPACT_TRY(file_name(object, out.file));
  NUMPACT_TRY(number(object, kRows, out.rows));
  NUMPACT_TRY(number(object, kBytes, out.bytes));
  NUMPACT_TRY(numbers(object, kEnds, kCountLimit, out.ends));
  NUMPACT_TRY(numbers(object, kCrc32, std::uint64_t{1} << 32, out.crc32));
  std::uint64_t blocks = (out.rows + kOtherBatchRows - 1) / kOtherBatchRows + 2;
  if (version >= kFirstWithVectors && out.has_vectors()) {
    blocks = std::max<std::uint64_t>(out.ends.size(), 2);  // a header, and chunks of any rows
  }
  if (out.ends.size() != blocks || out.crc32.size() != blocks) {
    return bad(*object[kEnds], "a file has another count of blocks than its rows",
               "has " + std::to_string(out.ends.size()) + " ends and " +
                   std::to_string(out.crc32.size()) + " checksums of blocks, not " +
                   std::to_string(blocks) + " for " + std::to_string(out.rows) + " rows");
  }
  std::uint64_t before = 0;
  for (const std::uint64_t end : out.ends) {
    if (end <= before) {
      return bad(*object[kEnds], "the ends of blocks do not increase",
                 "the ends of its blocks do not increase");
    }
    before = end;
  }
  if (before == out.bytes) return {};
  return bad(*object[kBytes], "blocks do not end with the file",
             "its blocks end at byte " + std::to_string(before) + ", its file at " +
                 std::to_string(out.bytes));
}

Status Parser::vectors_of(const ManifestObject& object, Other& out) {
  std::string name;
  NUMPACT_TRY(optional_text(object, kVectors, name));
  if (!object[kVectors]) return {};
  if (const std::optional<Vectors> found = vectors_of_name(name)) {
    out.vectors = *found;
    return {};
  }
  return bad(*object[kVectors], "a compression of vectors is unknown",
             "the compression '" + printable(name) + "' of vectors is unknown");
}

Status Parser::other(const View& value, std::uint64_t version, Other& out) {
  const ManifestObject object(value);
  NUMPACT_TRY(name(object, out.name));
  NUMPACT_TRY(text(object, kType, out.type));
  NUMPACT_TRY(number(object, kPosition, out.position));
  NUMPACT_TRY(number(object, kRows, out.rows));
  if (version < kFirstWithParts) {
    NUMPACT_TRY(take(value, kPartMemory));
    out.parts.emplace_back().rows = out.rows;
    return file_name(object, out.parts[0].file);
  }
  if (version >= kFirstWithVectors) NUMPACT_TRY(vectors_of(object, out));
  std::uint64_t rows = 0;
  NUMPACT_TRY(parts(
      object, out.parts, rows, [&](const View& at, Part& made) { return part(at, version, made); },
      [](const Part& made) { return made.rows; }));
  if (rows == out.rows) return {};
  return bad(*object[kParts], "the parts of a column do not have its rows",
             "its parts have " + std::to_string(rows) + " rows, the column has " +
                 std::to_string(out.rows));
}

Status Parser::skipped(const View& value, Skipped& out) {
  const ManifestObject object(value);
  NUMPACT_TRY(name(object, out.name));
  NUMPACT_TRY(text(object, kType, out.type));
  return optional_text(object, kReason, out.reason);
}

Status Parser::obsolete(const ManifestObject& object, std::vector<std::string>& out) {
  if (!object[kObsolete]) return {};
  NUMPACT_TRY(list(object, kObsolete));
  const View& list = *object[kObsolete];
  std::size_t count = 0;
  NUMPACT_TRY(size_of(list, kNameMemory, count));
  out.reserve(count);
  for (auto item = list.first(); item; item = item->next()) {
    if (!item->is(json::Kind::kString)) {
      return bad_value(*item, "a value is not text", "an element of 'obsolete' is not text");
    }
    NUMPACT_TRY(text_of(*item, out.emplace_back()));
    NUMPACT_TRY(check_file_name(*item, out.back()));
  }
  return {};
}

Status Parser::check_positions(const View& list, const Manifest& manifest) {
  const std::size_t width = manifest.columns.size() + manifest.others.size();
  std::uint64_t first_free = 0;
  for (const Other& other : manifest.others) {
    if (other.position < first_free || other.position >= width) {
      return bad(list, "an other column cannot be at its position",
                 "column '" + printable(other.name) + "' cannot be at position " +
                     std::to_string(other.position) + " of " + std::to_string(width));
    }
    first_free = other.position + 1;
  }
  return {};
}

// All columns have the rows of the table, but for the nulls that were left out.
Status Parser::check_rows(const View& root, const Manifest& manifest) {
  std::optional<std::uint64_t> expected;
  const auto check = [&](const std::string& name, std::uint64_t rows) -> Status {
    if (expected.value_or(rows) == rows) {
      expected = rows;
      return {};
    }
    return bad(root, "columns differ in their rows",
               "columns differ in their rows: column '" + printable(name) + "' has " +
                   std::to_string(rows) + ", the table has " + std::to_string(*expected));
  };
  for (const Column& column : manifest.columns) {
    NUMPACT_TRY(check(column.name, column.rows() + column.nulls_dropped));
  }
  for (const Other& other : manifest.others) NUMPACT_TRY(check(other.name, other.rows));
  return {};
}

Status Parser::parse(Manifest& manifest) {
  const auto whole = [&](const char* what, const std::string& sentence) {
    if (why_ != nullptr) *why_ = sentence;
    return Status(ErrorKind::kCorrupt, what);
  };
  if (text_.size() > kMaxManifestBytes) {
    return whole("is too long", "is too long: " + std::to_string(text_.size()) + " bytes");
  }
  static_assert(kMaxManifestLevels == json::kMaxStrictDepth);
  const std::optional<View> root = json::parse_strict(text_, kMaxManifestValues);
  if (!root) {
    return whole("is no JSON, or nested too deeply, or has too many values",
                 "is no JSON, or deeper than " + std::to_string(kMaxManifestLevels) +
                     " levels, or of more than " + std::to_string(kMaxManifestValues) + " values");
  }
  NUMPACT_TRY(internal::ensure_memory(memory_left_));
  NUMPACT_TRY(require_object(*root));
  const ManifestObject object(*root);
  std::string format;
  NUMPACT_TRY(text(object, kFormat, format));
  if (format != "numpact-table") {
    return bad(*object[kFormat], "is not a manifest of numpact", "is not a manifest of numpact");
  }
  std::uint64_t version = 0;
  NUMPACT_TRY(number(object, kVersion, version));
  if (version < 1 || version > kLastVersion) {
    return bad(*object[kVersion], "the version of the manifest is not supported",
               "version " + std::to_string(version), ErrorKind::kUnsupportedVersion);
  }
  manifest.version = static_cast<unsigned>(version);
  NUMPACT_TRY(entries(object, kColumns, kColumnMemory, manifest.columns,
                      [&](const View& value, Column& out) { return column(value, version, out); }));
  if (object[kOthers]) {
    if (version < kFirstWithOthers) {
      return bad(*object[kOthers], "'others' is not a member of this version",
                 "has 'others', which version " + std::to_string(version) + " does not have");
    }
    NUMPACT_TRY(entries(object, kOthers, kOtherMemory, manifest.others,
                        [&](const View& value, Other& out) { return other(value, version, out); }));
    NUMPACT_TRY(check_positions(*object[kOthers], manifest));
  }
  NUMPACT_TRY(entries(object, kSkipped, kSkippedMemory, manifest.skipped,
                      [&](const View& value, Skipped& out) { return skipped(value, out); }));
  NUMPACT_TRY(metadata(object, manifest.metadata));
  NUMPACT_TRY(obsolete(object, manifest.obsolete));
  return check_rows(*root, manifest);
}

}  // namespace

std::vector<NumberPart> Column::all_parts() const {
  if (!parts.empty()) return parts;
  return {{file, null_count > 0 ? null_file : std::string(), count, null_count, {}, {}}};
}

std::optional<std::uint64_t> Manifest::joined_rows() const noexcept {
  const std::size_t width = columns.size() + others.size();
  if (width == 0) return 0;
  if (columns.empty()) return others[0].rows;
  const bool is_dropped = std::any_of(columns.begin(), columns.end(), [](const Column& column) {
    return column.nulls_dropped > 0;
  });
  if (is_dropped && width > 1) return std::nullopt;
  return columns[0].rows();
}

Result<Manifest> parse_manifest(std::string_view text, std::string* why) noexcept {
  return internal::guarded_value<Manifest>([&](Manifest& manifest) {
    if (why != nullptr) why->clear();
    return Parser(text, why).parse(manifest);
  });
}

}  // namespace numpact::table
