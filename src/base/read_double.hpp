// SPDX-License-Identifier: Apache-2.0
// std::from_chars for double, which libc++ has from version 20 on.
#pragma once

#include <charconv>
#include <system_error>

#ifndef __cpp_lib_to_chars
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#endif

namespace numpact::internal {

#ifdef __cpp_lib_to_chars

inline std::from_chars_result read_double(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}

#else

// Where the locale is always "C", as in WebAssembly, strtod differs in what it accepts: signs and
// white space in front, hexadecimal digits.
inline std::from_chars_result read_double(const char* first, const char* last, double& value) {
  const std::string_view given(first, static_cast<std::size_t>(last - first));
  if (given.empty() || given[0] == '+' || given[0] == ' ')
    return {first, std::errc::invalid_argument};
  const std::string text(given.substr(0, given.find_first_not_of("+-.0123456789eEinfatyINFATY")));
  char* end = nullptr;
  const double found = std::strtod(text.c_str(), &end);
  const auto used = static_cast<std::size_t>(end - text.c_str());
  if (used == 0) return {first, std::errc::invalid_argument};
  const std::string_view digits(text.data(), used);
  const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
  const bool is_number = digits.find_first_of("nN") == std::string_view::npos;
  const bool is_zero = mantissa.find_first_of("123456789") == std::string_view::npos;
  if (is_number && (std::isinf(found) || (found == 0 && !is_zero))) {
    return {first + used, std::errc::result_out_of_range};
  }
  value = found;
  return {first + used, std::errc()};
}

#endif

}  // namespace numpact::internal
