// SPDX-License-Identifier: Apache-2.0
// JSON text that comes from outside, read in place. A document of objects takes many times the
// memory of its text, which a file may choose; a view takes none.
#ifndef NUMPACT_CLI_JSON_VIEW_HPP
#define NUMPACT_CLI_JSON_VIEW_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace numpact::cli {

// A value in a text that was found to be JSON (RFC 8259), and refers to it. Values within are
// walked:
//   for (auto item = array.first(); item; item = item->next()) ...
// In objects names and values take turns.
class JsonView {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  // Values within values, at most: what is read here has three or four.
  static constexpr std::size_t kMaxDepth = 64;

  // None where the text is no JSON, no UTF-8, nested too deeply, or of more values than that:
  // scalars, arrays and objects, without the names in objects.
  static std::optional<JsonView> of(std::string_view text, std::size_t max_values = SIZE_MAX);

  Kind kind() const;
  bool is(Kind wanted) const { return kind() == wanted; }
  // As it stands in the text.
  std::string_view text() const { return text_; }

  std::optional<JsonView> first() const;
  std::optional<JsonView> next() const;
  // Values in an array or object; of an object those with a name.
  std::size_t count() const;
  // The value of a name, of several the last; none where there is none, or this is no object.
  std::optional<JsonView> find(std::string_view name) const;

  bool is_true() const { return text_ == "true"; }
  // A string in UTF-8; half of a surrogate pair as if it were a character.
  std::string string() const;
  bool says(std::string_view utf8) const;
  // An integer from 0 to 2^64 - 1.
  std::optional<std::uint64_t> natural() const;

 private:
  JsonView(std::string_view text, std::string_view behind) : text_(text), behind_(behind) {}
  static std::optional<JsonView> begin_of(std::string_view rest);

  std::string_view text_;
  std::string_view behind_;  // up to the end of the whole text
};

}  // namespace numpact::cli

#endif
