// SPDX-License-Identifier: Apache-2.0
// Reads JSON from untrusted files in place. A document of objects takes many times the memory of
// its text, and the file decides how much; a view takes none.
#ifndef NUMPACT_CLI_JSON_VIEW_HPP
#define NUMPACT_CLI_JSON_VIEW_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace numpact::cli {

// A value in a text that was validated as JSON (RFC 8259). It refers to the text. To iterate over
// the values inside: for (auto item = array.first(); item; item = item->next()) ... In objects
// names and values alternate.
class JsonView {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  // Maximum nesting depth. The files read here use three or four levels.
  static constexpr std::size_t kMaxDepth = 64;

  // Returns none if the text is not JSON or not UTF-8, is nested too deeply, or has more than
  // `max_values` values: scalars, arrays and objects, without the names in objects.
  static std::optional<JsonView> of(std::string_view text, std::size_t max_values = SIZE_MAX);

  Kind kind() const;
  bool is(Kind expected) const { return kind() == expected; }
  // The raw text of the value.
  std::string_view text() const { return text_; }

  std::optional<JsonView> first() const;
  std::optional<JsonView> next() const;
  // Number of values in an array, or of members of an object.
  std::size_t count() const;
  // The value of the member `name`, the last one if it is repeated; none if there is none or this
  // is not an object.
  std::optional<JsonView> find(std::string_view name) const;

  bool is_true() const { return text_ == "true"; }
  // A string in UTF-8. An unpaired surrogate is encoded like a character.
  std::string string() const;
  bool says(std::string_view utf8) const;
  // An integer from 0 to 2^64 - 1; none for any other value.
  std::optional<std::uint64_t> natural() const;

 private:
  JsonView(std::string_view text, std::string_view behind) : text_(text), behind_(behind) {}
  static std::optional<JsonView> begin_of(std::string_view rest);

  std::string_view text_;
  std::string_view behind_;  // from this value to the end of the whole text
};

}  // namespace numpact::cli

#endif
