// SPDX-License-Identifier: Apache-2.0
#include "json/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "platform/write_number.hpp"

namespace numpact::internal::json {
namespace {

void append_escape(std::string& out, std::uint32_t unit) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kDigits[unit >> shift & 15]);
}

// The code point at `i`, which is moved behind it. The text is UTF-8, except for lone surrogates.
std::uint32_t take_code(std::string_view text, std::size_t& i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::uint32_t first = byte(i++);
  if (first < 0x80) return first;
  const int rest = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  std::uint32_t code = first & (0x3fu >> rest);
  for (int k = 0; k < rest && i < text.size(); ++k) code = code << 6 | (byte(i++) & 0x3fu);
  return code;
}

std::string integer_text(std::string_view digits) {
  return std::string(digits == "-0" ? "0" : digits);
}

}  // namespace

std::string string_text(std::string_view utf8) {
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  std::string out = "\"";
  for (std::size_t i = 0; i < utf8.size();) {
    const std::uint32_t code = take_code(utf8, i);
    const std::size_t index =
        code < 0x80 ? kShort.find(static_cast<char>(code)) : std::string_view::npos;
    if (index != std::string_view::npos) {
      out.push_back('\\');
      out.push_back(kNames[index]);
    } else if (code >= 0x20 && code < 0x7f) {
      out.push_back(static_cast<char>(code));
    } else if (code < 0x10000) {
      append_escape(out, code);
    } else {
      append_escape(out, 0xd800 + ((code - 0x10000) >> 10));
      append_escape(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
    }
  }
  out.push_back('"');
  return out;
}

std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  const auto magnitude = std::fabs(number);
  const bool is_fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  std::string text = platform::number_text(
      number, is_fixed ? std::chars_format::fixed : std::chars_format::scientific);
  if (is_fixed && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string value_text(const Value& value, Style style) {
  switch (value.kind()) {
    case Kind::kInteger:
      return integer_text(value.text());
    case Kind::kFloat:
      return number_text(*value.number());
    case Kind::kString:
      return string_text(value.string());
    case Kind::kArray: {
      ArrayText array(style);
      for (auto item = value.first(); item; item = item->next()) {
        array.add(value_text(*item, style));
      }
      return array.text();
    }
    case Kind::kObject: {
      ObjectText object;
      for (auto key = value.first(); key;) {
        const std::optional<Value> member = key->next();
        object.add(key->string(), value_text(*member, style));
        key = member->next();
      }
      return object.text(style);
    }
    default:
      return std::string(value.text());
  }
}

std::string ObjectText::text(Style style) {
  // Sorted by key and then by position, so that the last of equal keys is behind the others.
  std::vector<std::size_t> order(members_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return members_[a].first < members_[b].first;
  });
  std::vector<std::size_t> kept;
  for (const std::size_t i : order) {
    if (!kept.empty() && members_[kept.back()].first == members_[i].first) {
      members_[kept.back()].second = std::move(members_[i].second);
    } else {
      kept.push_back(i);
    }
  }
  if (style == Style::kOrdered) std::sort(kept.begin(), kept.end());
  std::string text = "{";
  for (const std::size_t i : kept) {
    if (text.size() > 1) text += style == Style::kSorted ? "," : ", ";
    text += string_text(members_[i].first);
    text += style == Style::kSorted ? ":" : ": ";
    text += members_[i].second;
  }
  text += "}";
  return text;
}

}  // namespace numpact::internal::json
