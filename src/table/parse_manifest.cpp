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

namespace numpact::table {
namespace {

namespace json = internal::json;
using json::View;

// Versions: 2 has nulls, metadata and the reasons why columns were left out, 3 has other columns, 4
// has them with checksums.
constexpr std::uint64_t kLastVersion = 4;
constexpr std::uint64_t kFirstWithOthers = 3;
constexpr std::uint64_t kFirstWithParts = 4;

// Memory that the contents may take, and what is counted for each entry and pair beside its texts.
constexpr std::uint64_t kFixedMemory = std::uint64_t{4} << 20;
constexpr std::uint64_t kMemoryPerTextByte = 2;
constexpr std::uint64_t kColumnMemory = 256;
constexpr std::uint64_t kOtherMemory = 256;
constexpr std::uint64_t kSkippedMemory = 96;
constexpr std::uint64_t kPairMemory = 64;
constexpr std::uint64_t kBlockMemory = sizeof(std::uint64_t) + sizeof(std::uint32_t);
static_assert(sizeof(Column) <= kColumnMemory);
static_assert(sizeof(Other) + sizeof(Part) <= kOtherMemory);
static_assert(sizeof(Skipped) <= kSkippedMemory);
static_assert(sizeof(Metadata::value_type) <= kPairMemory);

// Bytes of a name or value that a message quotes.
constexpr std::size_t kMaxQuoted = 80;

enum Name : std::size_t {
  kBytes,
  kColumns,
  kCount,
  kCrc32,
  kEnds,
  kFile,
  kFormat,
  kHex,
  kLogicalType,
  kMetadata,
  kName,
  kNullable,
  kNulls,
  kNullsDropped,
  kNumberType,
  kOthers,
  kParts,
  kPosition,
  kReason,
  kRows,
  kSkipped,
  kTimezone,
  kType,
  kUnit,
  kVersion
};
constexpr std::array<std::string_view, kVersion + 1> kNames = {
    "bytes",       "columns",      "count",    "crc32",    "ends",     "file",  "format",
    "hex",         "logical_type", "metadata", "name",     "nullable", "nulls", "nulls_dropped",
    "number_type", "others",       "parts",    "position", "reason",   "rows",  "skipped",
    "timezone",    "type",         "unit",     "version"};

std::string quoted(std::string_view text) {
  if (text.size() <= kMaxQuoted) return std::string(text);
  std::size_t end = kMaxQuoted;
  while ((text[end] & 0xc0) == 0x80) --end;  // not within a character
  return std::string(text.substr(0, end)) + "...";
}

std::string named(Name name) { return "'" + std::string(kNames[name]) + "'"; }

// An object: the known members that it has, of repeated ones the last.
class Object {
 public:
  explicit Object(const View& view) : view_(view) {
    for (auto name = view.first(); name;) {
      const std::optional<View> value = name->next();
      for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (name->says(kNames[i])) members_[i] = value;
      }
      ++count_;
      name = value->next();
    }
  }

  const View& view() const { return view_; }
  const std::optional<View>& operator[](Name name) const { return members_[name]; }
  std::size_t count() const { return count_; }

 private:
  View view_;
  std::array<std::optional<View>, kNames.size()> members_;
  std::size_t count_ = 0;
};

class Parser {
 public:
  Parser(std::string_view text, std::string* why)
      : memory_left_(kFixedMemory + kMemoryPerTextByte * text.size()), text_(text), why_(why) {}

  Status parse(Manifest& manifest);

 private:
  // An error at a value: its fixed text, and a sentence.
  Status bad(const View& at, const char* what, const std::string& sentence,
             ErrorKind kind = ErrorKind::kCorrupt) const {
    const auto offset = static_cast<std::uint64_t>(at.text().data() - text_.data());
    if (why_ != nullptr) {
      why_->clear();
      const std::string whole =
          column_ ? "column '" + quoted(*column_) + "': " + sentence : sentence;
      // Zero bytes of names would end a string of C.
      for (const char c : whole) *why_ += c == '\0' ? "\\0" : std::string(1, c);
      *why_ += " (at byte " + std::to_string(offset) + ")";
    }
    return Status(kind, what, offset);
  }
  // The same, with the value.
  Status bad_value(const View& at, const char* what, const std::string& sentence) const {
    return bad(at, what, sentence + ": " + quoted(at.text()));
  }

  Status take(const View& at, std::uint64_t bytes) {
    if (bytes > memory_left_) {
      return bad(at, "it says more than a table of its size can hold",
                 "it says more than a table of its size can hold", ErrorKind::kLimitExceeded);
    }
    memory_left_ -= bytes;
    return {};
  }

  // Elements of a list, each of which takes `bytes`.
  Status size_of(const View& list, std::uint64_t bytes, std::size_t& count) {
    count = static_cast<std::size_t>(list.count());
    return take(list, count * bytes);
  }

  // The contents of a string that the result keeps.
  Status text_of(const View& value, std::string& out) {
    NUMPACT_TRY(take(value, value.text().size() - 2));  // without the quotes
    out = value.string();
    if (json::is_utf8(out)) return {};
    return bad_value(value, "half of a surrogate pair is no character",
                     "text has half of a surrogate pair, which is no character");
  }

  Status require_object(const View& value) const {
    if (value.is(json::Kind::kObject)) return {};
    return bad_value(value, "an entry is not an object", "is not an object");
  }

  Status require(const Object& object, Name name) const {
    if (object[name]) return {};
    return bad(object.view(), "a member is missing", "has no " + named(name));
  }

  Status text(const Object& object, Name name, std::string& out) {
    NUMPACT_TRY(require(object, name));
    return optional_text(object, name, out);
  }

  Status optional_text(const Object& object, Name name, std::string& out) {
    const std::optional<View>& value = object[name];
    if (!value) return {};
    if (!value->is(json::Kind::kString)) {
      return bad_value(*value, "a value is not text", named(name) + " is not text");
    }
    return text_of(*value, out);
  }

  Status number_of(const View& value, const std::string& what, std::uint64_t limit,
                   std::uint64_t& out) const {
    const std::optional<std::uint64_t> number = value.unsigned_integer();
    if (!number || *number >= limit) {
      return bad_value(value, "a value is not a count", what + " is not a count");
    }
    out = *number;
    return {};
  }

  Status number(const Object& object, Name name, std::uint64_t& out) const {
    NUMPACT_TRY(require(object, name));
    return optional_number(object, name, out);
  }

  Status optional_number(const Object& object, Name name, std::uint64_t& out) const {
    if (!object[name]) return {};
    return number_of(*object[name], named(name), kCountLimit, out);
  }

  Status list(const Object& object, Name name) const {
    NUMPACT_TRY(require(object, name));
    const View& value = *object[name];
    if (value.is(json::Kind::kArray)) return {};
    return bad_value(value, "a value is not a list", named(name) + " is not a list");
  }

  Status file_name(const Object& object, std::string& out) {
    NUMPACT_TRY(text(object, kFile, out));
    if (is_file_name(out)) return {};
    return bad(*object[kFile], "a file name leads out of the folder",
               "file name '" + quoted(out) + "' leads out of the folder");
  }

  Status name(const Object& object, std::string& out) {
    NUMPACT_TRY(text(object, kName, out));
    column_ = out;
    return {};
  }

  Status metadata(const Object& object, Metadata& out);
  Status metadata_text(const View& value, std::string& out);
  Status column(const View& value, Column& out);
  Status type_of(const Object& object, Column& out);
  Status nulls(const Object& object, Column& out);
  Status other(const View& value, std::uint64_t version, Other& out);
  Status parts(const Object& object, Other& out);
  Status part(const View& value, Part& out);
  template <class Number>
  Status numbers(const Object& object, Name name, std::uint64_t limit, std::vector<Number>& out);
  Status skipped(const View& value, Skipped& out);
  Status check_positions(const View& list, const Manifest& manifest);
  Status check_rows(const View& root, const Manifest& manifest);

  // Reads the entries of a list by one of the functions above.
  template <class Entry, class Read>
  Status entries(const Object& object, Name name, std::uint64_t bytes, std::vector<Entry>& out,
                 Read&& read) {
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

  std::uint64_t memory_left_;
  std::string_view text_;
  std::string* why_;
  std::optional<std::string> column_;  // that is read
};

// Text, or an object with hexadecimal digits of bytes that are not.
Status Parser::metadata_text(const View& value, std::string& out) {
  if (value.is(json::Kind::kString)) return text_of(value, out);
  const auto bad_pair = [&] {
    return bad_value(value, "metadata is not a list of pairs of text",
                     "'metadata' is not a list of pairs of text");
  };
  if (!value.is(json::Kind::kObject)) return bad_pair();
  const Object object(value);
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

Status Parser::metadata(const Object& object, Metadata& out) {
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

Status Parser::type_of(const Object& object, Column& out) {
  std::string type_name;
  std::string kind_name;
  std::string unit_name;
  NUMPACT_TRY(text(object, kNumberType, type_name));
  const std::optional<NumberType> type = number_type_of_name(type_name);
  if (!type || name_of(*type) != type_name) {  // not NumPy's names
    return bad(*object[kNumberType], "a number type is unknown",
               "number type '" + quoted(type_name) + "' is unknown");
  }
  NUMPACT_TRY(text(object, kLogicalType, kind_name));
  const std::optional<Kind> kind = kind_of_name(kind_name);
  if (!kind) {
    return bad(*object[kLogicalType], "a logical type is unknown",
               "logical type '" + quoted(kind_name) + "' is unknown");
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
               "'" + quoted(unit_name) + "' is not a unit of " + kind_name);
  }
  out.unit = *unit;
  return {};
}

Status Parser::nulls(const Object& object, Column& out) {
  const std::optional<View>& value = object[kNulls];
  if (!value) return {};
  if (!value->is(json::Kind::kObject)) {
    return bad_value(*value, "'nulls' is not an object", "'nulls' is not an object");
  }
  const Object entry(*value);
  NUMPACT_TRY(file_name(entry, out.null_file));
  NUMPACT_TRY(number(entry, kCount, out.null_count));
  if (out.null_count > 0) return {};
  return bad(*entry[kCount], "a column with nulls has none", "'nulls' has a count of 0");
}

Status Parser::column(const View& value, Column& out) {
  const Object object(value);
  NUMPACT_TRY(name(object, out.name));
  NUMPACT_TRY(file_name(object, out.file));
  NUMPACT_TRY(number(object, kCount, out.count));
  NUMPACT_TRY(type_of(object, out));
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
  NUMPACT_TRY(nulls(object, out));
  // Each is below 2^63, and so is the sum of the first two.
  if (out.rows() < kCountLimit && out.rows() + out.nulls_dropped < kCountLimit) return {};
  return bad(value, "a column has more rows than can be counted",
             "has more rows than can be counted");
}

template <class Number>
Status Parser::numbers(const Object& object, Name name, std::uint64_t limit,
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

Status Parser::part(const View& value, Part& out) {
  NUMPACT_TRY(require_object(value));
  const Object object(value);
  NUMPACT_TRY(file_name(object, out.file));
  NUMPACT_TRY(number(object, kRows, out.rows));
  NUMPACT_TRY(number(object, kBytes, out.bytes));
  NUMPACT_TRY(numbers(object, kEnds, kCountLimit, out.ends));
  NUMPACT_TRY(numbers(object, kCrc32, std::uint64_t{1} << 32, out.crc32));
  const std::uint64_t batches = (out.rows + kOtherBatchRows - 1) / kOtherBatchRows;
  if (out.ends.size() != batches + 2 || out.crc32.size() != out.ends.size()) {
    return bad(*object[kEnds], "a file has another count of blocks than its rows",
               "has " + std::to_string(out.ends.size()) + " ends and " +
                   std::to_string(out.crc32.size()) + " checksums of blocks, not " +
                   std::to_string(batches + 2) + " for " + std::to_string(out.rows) + " rows");
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

Status Parser::parts(const Object& object, Other& out) {
  NUMPACT_TRY(list(object, kParts));
  const View& list = *object[kParts];
  const std::uint64_t count = list.count();
  if (count == 0) return bad(list, "'parts' is empty", "'parts' is empty");
  if (count > 1) {
    column_.reset();
    return bad(list, "a column has several parts: written by a newer numpact",
               "the column '" + quoted(out.name) + "' has " + std::to_string(count) +
                   " parts: written by a newer numpact",
               ErrorKind::kUnsupportedVersion);
  }
  NUMPACT_TRY(part(*list.first(), out.parts.emplace_back()));
  if (out.parts[0].rows == out.rows) return {};
  return bad(list, "the parts of a column do not have its rows",
             "its parts have " + std::to_string(out.parts[0].rows) + " rows, the column has " +
                 std::to_string(out.rows));
}

Status Parser::other(const View& value, std::uint64_t version, Other& out) {
  const Object object(value);
  NUMPACT_TRY(name(object, out.name));
  NUMPACT_TRY(text(object, kType, out.type));
  NUMPACT_TRY(number(object, kPosition, out.position));
  NUMPACT_TRY(number(object, kRows, out.rows));
  if (version >= kFirstWithParts) return parts(object, out);
  out.parts.emplace_back().rows = out.rows;
  return file_name(object, out.parts[0].file);
}

Status Parser::skipped(const View& value, Skipped& out) {
  const Object object(value);
  NUMPACT_TRY(name(object, out.name));
  NUMPACT_TRY(text(object, kType, out.type));
  return optional_text(object, kReason, out.reason);
}

Status Parser::check_positions(const View& list, const Manifest& manifest) {
  const std::size_t width = manifest.columns.size() + manifest.others.size();
  std::uint64_t first_free = 0;
  for (const Other& other : manifest.others) {
    if (other.position < first_free || other.position >= width) {
      return bad(list, "an other column cannot be at its position",
                 "column '" + quoted(other.name) + "' cannot be at position " +
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
               "columns differ in their rows: column '" + quoted(name) + "' has " +
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
  const Object object(*root);
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
                      [&](const View& value, Column& out) { return column(value, out); }));
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
  return check_rows(*root, manifest);
}

}  // namespace

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
