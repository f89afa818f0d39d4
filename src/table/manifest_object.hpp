// SPDX-License-Identifier: Apache-2.0
// The objects of a manifest: the members that have a meaning.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "json/json.hpp"

namespace numpact::internal {

// Bytes of a name or value that a message quotes.
inline constexpr std::size_t kMaxQuoted = 80;

namespace member {

enum Name : std::size_t {
  kTypeBits,
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
  kObsolete,
  kOthers,
  kParts,
  kPosition,
  kPrecision,
  kReason,
  kRows,
  kScale,
  kSkipped,
  kTextType,
  kTimezone,
  kType,
  kUnit,
  kValues,
  kVectors,
  kVersion
};

}  // namespace member

inline constexpr std::array<std::string_view, member::kVersion + 1> kNames = {
    "bits",     "bytes",     "columns",       "count",        "crc32",    "ends",
    "file",     "format",    "hex",           "logical_type", "metadata", "name",
    "nullable", "nulls",     "nulls_dropped", "number_type",  "obsolete", "others",
    "parts",    "position",  "precision",     "reason",       "rows",     "scale",
    "skipped",  "text_type", "timezone",      "type",         "unit",     "values",
    "vectors",  "version"};

inline std::string printable(std::string_view text) {
  if (text.size() <= kMaxQuoted) return std::string(text);
  std::size_t end = kMaxQuoted;
  while ((text[end] & 0xc0) == 0x80) --end;  // not within a character
  return std::string(text.substr(0, end)) + "...";
}

inline std::string named(member::Name name) { return "'" + std::string(kNames[name]) + "'"; }

// An object: the known members that it has, of repeated ones the last.
class ManifestObject {
 public:
  explicit ManifestObject(const json::View& view) : view_(view) {
    for (auto name = view.first(); name;) {
      const std::optional<json::View> value = name->next();
      for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (name->says(kNames[i])) members_[i] = value;
      }
      ++count_;
      name = value->next();
    }
  }

  const json::View& view() const { return view_; }
  const std::optional<json::View>& operator[](member::Name name) const { return members_[name]; }
  std::size_t count() const { return count_; }

 private:
  json::View view_;
  std::array<std::optional<json::View>, kNames.size()> members_;
  std::size_t count_ = 0;
};

}  // namespace numpact::internal
