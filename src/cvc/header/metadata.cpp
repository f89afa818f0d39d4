// SPDX-License-Identifier: Apache-2.0
#include "cvc/header/metadata.hpp"

#include <cmath>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "json/json.hpp"

namespace numpact::cvc::internal {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

Status check_number(const json::Value& value) {
  const std::string_view text = value.text();
  if (text == "NaN") return invalid("the metadata has NaN, which is not JSON");
  if (text.ends_with("Infinity")) return invalid("the metadata has Infinity, which is not JSON");
  const double number = *value.number();
  if (!std::isfinite(number)) {
    return invalid("the metadata has a number past binary64, which would become infinite");
  }
  const std::string_view digits = text.substr(0, text.find_first_of("eE"));
  if (number == 0 && digits.find_first_of("123456789") != std::string_view::npos) {
    return invalid("the metadata has a number too small for binary64, which would become 0");
  }
  return {};
}

// `depth_left`: how many levels of objects and arrays are still allowed; at most json::kMaxDepth.
Status check_value(const json::Value& value, std::size_t depth_left) {
  switch (value.kind()) {
    case json::Kind::kFloat:
      return check_number(value);
    case json::Kind::kString:
      return json::is_utf8(value.string())
                 ? Status()
                 : invalid("the metadata has a string with half of a surrogate pair");
    case json::Kind::kArray:
    case json::Kind::kObject:
      if (depth_left == 0) return invalid("the metadata is nested too deeply");
      for (auto item = value.first(); item; item = item->next()) {
        NUMPACT_TRY(check_value(*item, depth_left - 1));
      }
      return {};
    default:
      return {};
  }
}

}  // namespace

Status restyle(std::string_view text, json::Style style, std::size_t levels, std::string& out) {
  json::Document document;
  if (!document.parse(text).ok()) {
    return Status(ErrorKind::kInvalidArgument, "the metadata is not JSON, or nested too deeply");
  }
  NUMPACT_TRY(check_value(document.root(), json::kMaxDepth - levels));
  out = json::value_text(document.root(), style);
  return {};
}

}  // namespace numpact::cvc::internal
