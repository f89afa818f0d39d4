// SPDX-License-Identifier: Apache-2.0
// Values of a manifest, which is untrusted: each is checked, and errors name the column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "json/characters.hpp"
#include "json/json.hpp"
#include "numpact/table.hpp"
#include "table/manifest_object.hpp"

namespace numpact::internal {

using json::View;
using member::Name;

// Memory that the contents may take: they are counted as they are read.
inline constexpr std::uint64_t kFixedMemory = std::uint64_t{4} << 20;
inline constexpr std::uint64_t kMemoryPerTextByte = 2;

class ManifestReader {
 protected:
  ManifestReader(std::string_view text, std::string* why)
      : memory_left_(kFixedMemory + kMemoryPerTextByte * text.size()), text_(text), why_(why) {}

  // An error at a value: its fixed text, and a sentence.
  Status bad(const View& at, const char* what, const std::string& sentence,
             ErrorKind kind = ErrorKind::kCorrupt) const {
    const auto offset = static_cast<std::uint64_t>(at.text().data() - text_.data());
    if (why_ != nullptr) {
      why_->clear();
      const std::string whole =
          column_ ? "column '" + printable(*column_) + "': " + sentence : sentence;
      // Zero bytes of names would end a string of C.
      for (const char c : whole) *why_ += c == '\0' ? "\\0" : std::string(1, c);
      *why_ += " (at byte " + std::to_string(offset) + ")";
    }
    return Status(kind, what, offset);
  }
  // The same, with the value.
  Status bad_value(const View& at, const char* what, const std::string& sentence) const {
    return bad(at, what, sentence + ": " + printable(at.text()));
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

  Status require(const ManifestObject& object, Name name) const {
    if (object[name]) return {};
    return bad(object.view(), "a member is missing", "has no " + named(name));
  }

  Status text(const ManifestObject& object, Name name, std::string& out) {
    NUMPACT_TRY(require(object, name));
    return optional_text(object, name, out);
  }

  Status optional_text(const ManifestObject& object, Name name, std::string& out) {
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

  Status number(const ManifestObject& object, Name name, std::uint64_t& out) const {
    NUMPACT_TRY(require(object, name));
    return optional_number(object, name, out);
  }

  Status optional_number(const ManifestObject& object, Name name, std::uint64_t& out) const {
    if (!object[name]) return {};
    return number_of(*object[name], named(name), table::kCountLimit, out);
  }

  Status list(const ManifestObject& object, Name name) const {
    NUMPACT_TRY(require(object, name));
    const View& value = *object[name];
    if (value.is(json::Kind::kArray)) return {};
    return bad_value(value, "a value is not a list", named(name) + " is not a list");
  }

  Status file_name(const ManifestObject& object, std::string& out) {
    NUMPACT_TRY(text(object, member::kFile, out));
    return check_file_name(*object[member::kFile], out);
  }
  Status check_file_name(const View& at, const std::string& name) const {
    if (table::is_file_name(name)) return {};
    return bad(at, "a file name leads out of the folder",
               "file name '" + printable(name) + "' leads out of the folder");
  }

  Status name(const ManifestObject& object, std::string& out) {
    NUMPACT_TRY(text(object, member::kName, out));
    column_ = out;
    return {};
  }

  std::uint64_t memory_left_;
  std::string_view text_;
  std::string* why_;
  std::optional<std::string> column_;  // that is read
};

}  // namespace numpact::internal
