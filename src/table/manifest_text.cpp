// SPDX-License-Identifier: Apache-2.0
// Writes a manifest.
#include <algorithm>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "json/indented.hpp"
#include "json/json.hpp"
#include "numpact/table.hpp"

namespace numpact::table {
namespace {

namespace json = internal::json;

class Writer {
 public:
  Writer(const Manifest& manifest, std::string* why) : manifest_(manifest), why_(why) {}

  Status write(std::string& out);

 private:
  Status bad(ErrorKind kind, const char* what, const std::string& sentence) const {
    if (why_ != nullptr) *why_ = sentence;
    return Status(kind, what);
  }
  // Readers could not read more; stops before much more memory is used.
  Status check_size() const {
    if (text_.size() <= kMaxManifestBytes) return {};
    return bad(ErrorKind::kLimitExceeded, "the manifest would be too long",
               "the manifest would have more than " + std::to_string(kMaxManifestBytes) +
                   " bytes: names and metadata of the columns are too long");
  }
  Status text(std::string_view name, const std::string& value, const std::string& column);
  void people_text(std::string_view name, const std::string& value);
  void number(std::string_view name, std::uint64_t value) {
    text_.name(name);
    text_.natural(value);
  }
  void metadata(const Metadata& pairs);
  void metadata_text(const std::string& value);
  Status column(const Column& column);
  Status nulls(const std::string& file, std::uint64_t count, const FileSum& sum,
               const std::string& column);
  Status parts(const Column& column);
  void sum(const FileSum& sum);
  Status texts(const Column& column);
  Status other(const Other& other, bool has_checksums);

  const Manifest& manifest_;
  std::string* why_;
  json::IndentedText text_;
};

Status Writer::text(std::string_view name, const std::string& value, const std::string& column) {
  if (!json::is_utf8(value)) {
    return bad(ErrorKind::kInvalidArgument, "a text of a column is not UTF-8",
               "column '" + column + "': its " + std::string(name) + " is not UTF-8");
  }
  text_.name(name);
  text_.string(value);
  return check_size();
}

// Replaces bytes that are not UTF-8.
void Writer::people_text(std::string_view name, const std::string& value) {
  text_.name(name);
  if (json::is_utf8(value)) {
    text_.string(value);
    return;
  }
  std::string replaced;
  std::size_t at = 0;
  while (at < value.size()) {
    std::size_t length = 1;
    while (length < 4 && !json::is_utf8(std::string_view(value).substr(at, length))) {
      ++length;
    }
    const std::string_view character = std::string_view(value).substr(at, length);
    const bool is_one = json::is_utf8(character);
    replaced += is_one ? character : std::string_view("\xef\xbf\xbd");
    at += is_one ? character.size() : 1;
  }
  text_.string(replaced);
}

void Writer::metadata_text(const std::string& value) {
  if (json::is_utf8(value)) {
    text_.string(value);
    return;
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * value.size());
  for (const char c : value) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[c & 15];
  }
  text_.open_object();
  text_.name("hex");
  text_.string(hex);
  text_.close();
}

void Writer::metadata(const Metadata& pairs) {
  if (pairs.empty()) return;
  text_.name("metadata");
  text_.open_array();
  for (const auto& [key, value] : pairs) {
    if (!check_size().ok()) break;
    text_.open_array();
    metadata_text(key);
    metadata_text(value);
    text_.close();
  }
  text_.close();
}

void Writer::sum(const FileSum& sum) {
  if (sum.bytes > 0) number("bytes", sum.bytes);
  if (sum.crc32) number("crc32", *sum.crc32);
}

Status Writer::nulls(const std::string& file, std::uint64_t count, const FileSum& of,
                     const std::string& column) {
  if (count == 0) return {};
  text_.name("nulls");
  text_.open_object();
  NUMPACT_TRY(text("file", file, column));
  number("count", count);
  sum(of);
  text_.close();
  return {};
}

Status Writer::parts(const Column& column) {
  std::uint64_t count = 0;
  std::uint64_t null_count = 0;
  text_.name("parts");
  text_.open_array();
  for (const NumberPart& part : column.parts) {
    text_.open_object();
    NUMPACT_TRY(text("file", part.file, column.name));
    number("count", part.count);
    sum(part.sum);
    NUMPACT_TRY(nulls(part.null_file, part.null_count, part.null_sum, column.name));
    text_.close();
    count += part.count;
    null_count += part.null_count;
  }
  text_.close();
  if (count == column.count && null_count == column.null_count) return {};
  return bad(ErrorKind::kInvalidArgument, "the parts of a column do not have its rows",
             "column '" + column.name + "': its parts do not have its rows");
}

Status Writer::texts(const Column& column) {
  const TextFile& file = column.text.at(0);
  text_.name("text_type");
  text_.string(type_text(file));
  text_.name("values");
  text_.open_object();
  NUMPACT_TRY(text("file", file.file, column.name));
  number("count", file.count);
  sum(file.sum);
  text_.close();
  return {};
}

Status Writer::column(const Column& column) {
  if ((column.kind == Kind::kText) != (column.text.size() == 1)) {
    return bad(ErrorKind::kInvalidArgument, "a column has no file of texts",
               "column '" + column.name + "': it has no file of texts");
  }
  text_.open_object();
  NUMPACT_TRY(text("name", column.name, column.name));
  if (column.parts.empty()) NUMPACT_TRY(text("file", column.file, column.name));
  text_.name("logical_type");
  text_.string(to_string(column.kind));
  if (has_unit(column.kind)) {
    text_.name("unit");
    text_.string(to_string(column.unit));
  }
  if (!column.timezone.empty()) NUMPACT_TRY(text("timezone", column.timezone, column.name));
  text_.name("number_type");
  text_.string(name_of(column.type));
  if (column.kind == Kind::kText) NUMPACT_TRY(texts(column));
  if (column.kind == Kind::kDecimal) {
    number("precision", column.decimal.precision);
    number("scale", column.decimal.scale);
    number("bits", column.decimal.bits);
  }
  if (column.parts.empty()) {
    number("count", column.count);
    NUMPACT_TRY(nulls(column.null_file, column.null_count, {}, column.name));
  } else {
    NUMPACT_TRY(parts(column));
  }
  if (!column.nullable) {
    text_.name("nullable");
    text_.boolean(false);
  }
  metadata(column.metadata);
  if (column.nulls_dropped > 0) number("nulls_dropped", column.nulls_dropped);
  text_.close();
  return check_size();
}

Status Writer::other(const Other& other, bool has_checksums) {
  text_.open_object();
  NUMPACT_TRY(text("name", other.name, other.name));
  if (!has_checksums) {
    NUMPACT_TRY(text("file", other.parts.empty() ? "" : other.parts[0].file, other.name));
  }
  number("position", other.position);
  people_text("type", other.type);
  number("rows", other.rows);
  if (other.vectors != Vectors::kExact) {
    text_.name("vectors");
    text_.string(to_string(other.vectors));
  }
  if (has_checksums) {
    text_.name("parts");
    text_.open_array();
    for (const Part& part : other.parts) {
      text_.open_object();
      NUMPACT_TRY(text("file", part.file, other.name));
      number("rows", part.rows);
      number("bytes", part.bytes);
      text_.name("ends");
      text_.naturals(std::span<const std::uint64_t>(part.ends));
      text_.name("crc32");
      text_.naturals(std::span<const std::uint32_t>(part.crc32));
      text_.close();
    }
    text_.close();
  }
  text_.close();
  return check_size();
}

Status Writer::write(std::string& out) {
  const std::vector<Other>& others = manifest_.others;
  const auto has_checksums = [](const Other& other) {
    return std::all_of(other.parts.begin(), other.parts.end(),
                       [](const Part& part) { return part.has_checksums(); });
  };
  const auto checked = std::count_if(others.begin(), others.end(), has_checksums);
  const bool is_checked = checked == static_cast<std::ptrdiff_t>(others.size());
  const bool has_parts = std::any_of(manifest_.columns.begin(), manifest_.columns.end(),
                                     [](const Column& column) {
                                       return !column.parts.empty() || column.kind >= Kind::kText;
                                     }) ||
                         std::any_of(others.begin(), others.end(),
                                     [](const Other& other) { return other.parts.size() > 1; });
  const bool has_vectors = std::any_of(others.begin(), others.end(), [](const Other& other) {
    return other.vectors != Vectors::kExact ||
           std::any_of(other.parts.begin(), other.parts.end(),
                       [](const Part& part) { return part.has_vectors(); });
  });
  if (!is_checked && (checked > 0 || has_parts || has_vectors)) {
    return bad(ErrorKind::kInvalidArgument, "some other columns have no checksums",
               "some other columns have no checksums, which others or lists of parts need");
  }
  text_.open_object();
  text_.name("format");
  text_.string("numpact-table");
  number("version", has_vectors ? 5 : has_parts ? 4 : others.empty() ? 2 : is_checked ? 4 : 3);
  text_.name("columns");
  text_.open_array();
  for (const Column& one : manifest_.columns) NUMPACT_TRY(column(one));
  text_.close();
  if (!others.empty()) {
    text_.name("others");
    text_.open_array();
    for (const Other& one : others) NUMPACT_TRY(other(one, is_checked));
    text_.close();
  }
  text_.name("skipped");
  text_.open_array();
  for (const Skipped& one : manifest_.skipped) {
    text_.open_object();
    NUMPACT_TRY(text("name", one.name, one.name));
    people_text("type", one.type);
    people_text("reason", one.reason);
    text_.close();
  }
  text_.close();
  metadata(manifest_.metadata);
  if (!manifest_.obsolete.empty()) {
    text_.name("obsolete");
    text_.open_array();
    for (const std::string& file : manifest_.obsolete) {
      if (json::is_utf8(file)) text_.string(file);  // others were in no manifest
    }
    text_.close();
  }
  text_.close();
  NUMPACT_TRY(check_size());
  out = text_.take();
  return {};
}

}  // namespace

Result<std::string> manifest_text(const Manifest& manifest, std::string* why) noexcept {
  return internal::guarded_value<std::string>([&](std::string& out) -> Status {
    if (why != nullptr) why->clear();
    NUMPACT_TRY(Writer(manifest, why).write(out));
    // What readers would refuse is not written.
    const Status status = parse_manifest(out, why).status();
    if (status.ok()) return {};
    const bool is_limit =
        status.kind() == ErrorKind::kLimitExceeded || status.offset() == Status::kNoOffset;
    if (why != nullptr) *why = "readers would refuse the manifest: it " + *why;
    return Status(is_limit ? ErrorKind::kLimitExceeded : ErrorKind::kInvalidArgument,
                  status.what());
  });
}

}  // namespace numpact::table
