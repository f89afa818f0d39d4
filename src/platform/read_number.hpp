// SPDX-License-Identifier: Apache-2.0
// std::from_chars, which libc++ has for float and double from version 20 on.
#pragma once

#include <charconv>
#include <concepts>
#include <system_error>

#ifndef __cpp_lib_to_chars
#include <locale.h>
#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#if defined(__APPLE__) || defined(__FreeBSD__)
#include <xlocale.h>
#endif
#endif

namespace numpact::internal::platform {

template <std::integral T>
std::from_chars_result read_number(const char* first, const char* last, T& value) {
  return std::from_chars(first, last, value);
}

#ifdef __cpp_lib_to_chars

template <std::floating_point T>
std::from_chars_result read_number(const char* first, const char* last, T& value) {
  return std::from_chars(first, last, value);
}

#else

#ifdef __wasi__

// A module of WebAssembly has the locale "C" alone. newlocale() would read the environment, which
// the module then imports.
inline float read_c(const char* text, char** end, float) { return std::strtof(text, end); }
inline double read_c(const char* text, char** end, double) { return std::strtod(text, end); }

#else

// The locale "C", whatever the program has set. It is made once and never freed.
inline locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", locale_t{});
  return locale;
}

inline float read_c(const char* text, char** end, float) { return strtof_l(text, end, c_locale()); }
inline double read_c(const char* text, char** end, double) {
  return strtod_l(text, end, c_locale());
}

#endif

// strtod differs in what it accepts: signs and white space in front, hexadecimal digits; and it
// sets errno.
template <std::floating_point T>
std::from_chars_result read_number(const char* first, const char* last, T& value) {
  const std::string_view given(first, static_cast<std::size_t>(last - first));
  if (given.empty() || given[0] == '+' || given[0] == ' ') {
    return {first, std::errc::invalid_argument};
  }
  const std::string text(given.substr(0, given.find_first_not_of("+-.0123456789eEinfatyINFATY")));
  const int error_number = errno;
  char* end = nullptr;
  const T found = read_c(text.c_str(), &end, T{});
  errno = error_number;
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

}  // namespace numpact::internal::platform
