// SPDX-License-Identifier: Apache-2.0
// docs/format/cvc.md, "JSON": parses the text of a header.
#pragma once

#include <map>
#include <span>
#include <string_view>

#include "second/refusal.hpp"

namespace numpact::second {

struct Json {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kList, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  // contents of a string, or the source text of a number
  std::vector<Json> list;
  std::map<std::string, Json> members;  // the last value of repeated keys

  // Null if there is no such key.
  const Json* find(const std::string& key) const;
  // These refuse a value that is missing or of another kind.
  const Json& at(const std::string& key) const;
  const Json& as(Kind expected, const char* what) const;
  const std::string& string_at(const std::string& key) const;
  const std::vector<Json>& list_at(const std::string& key) const;
  std::uint64_t integer_at(const std::string& key) const;  // 0 to 2^63 - 1
  float float_at(const std::string& key) const;            // through binary64
};

// Strings become UTF-8; a lone half of a surrogate pair becomes three bytes.
Json parse_json(std::string_view text);

inline bool is_white_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace numpact::second
