// SPDX-License-Identifier: Apache-2.0
// std::to_chars for float and double. WebAssembly has its own, for messages and descriptions: the
// tables of libc++'s are 104 KB, nearly a fifth of the compressed decoder, and printf imports
// files.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace numpact::internal::platform {

// A decimal number 0.DIGITS * 10^point, without zeros in front.
struct Decimal {
  std::string digits;
  int point;
};

// mantissa * 2^exponent, exactly. The mantissa is not 0.
inline Decimal exact_decimal(std::uint64_t mantissa, int exponent) {
  // m / 2^k is m * 5^k / 10^k. Nine digits a limb, the lowest first.
  constexpr std::uint32_t kLimb = 1'000'000'000;
  std::vector<std::uint32_t> limbs;
  for (; mantissa != 0; mantissa /= kLimb) {
    limbs.push_back(static_cast<std::uint32_t>(mantissa % kLimb));
  }
  for (int i = 0; i < std::abs(exponent); ++i) {
    std::uint32_t carry = 0;
    for (std::uint32_t& limb : limbs) {
      const std::uint64_t product = std::uint64_t{limb} * (exponent < 0 ? 5 : 2) + carry;
      limb = static_cast<std::uint32_t>(product % kLimb);
      carry = static_cast<std::uint32_t>(product / kLimb);
    }
    if (carry != 0) limbs.push_back(carry);
  }
  std::string digits = std::to_string(limbs.back());
  for (std::size_t i = limbs.size() - 1; i-- > 0;) {
    digits += std::to_string(std::uint64_t{kLimb} + limbs[i]).substr(1);
  }
  const int point = static_cast<int>(digits.size()) + (exponent < 0 ? exponent : 0);
  return {digits, point};
}

// The first n digits, rounded to the nearest, and to an even last one if two are as near.
inline Decimal rounded(Decimal number, std::size_t n) {
  std::string& digits = number.digits;
  if (digits.size() <= n) {
    digits.append(n - digits.size(), '0');
    return number;
  }
  const bool is_tie = digits[n] == '5' && digits.find_first_not_of('0', n + 1) == std::string::npos;
  const bool is_up = is_tie ? (digits[n - 1] - '0') % 2 != 0 : digits[n] >= '5';
  digits.resize(n);
  if (!is_up) return number;
  std::size_t i = n;
  while (i > 0 && digits[i - 1] == '9') digits[--i] = '0';
  if (i > 0) {
    ++digits[i - 1];
  } else {
    digits = "1" + digits.substr(0, n - 1);
    ++number.point;
  }
  return number;
}

// As "1.25e-07".
inline std::string scientific_text(const Decimal& number) {
  std::string text = number.digits.substr(0, 1);
  if (number.digits.size() > 1) text += "." + number.digits.substr(1);
  const int exponent = number.point - 1;
  const std::string magnitude = std::to_string(std::abs(exponent));
  return text + (exponent < 0 ? "e-" : "e+") + (magnitude.size() < 2 ? "0" : "") + magnitude;
}

// As "0.00125"; a number without digits behind the point has those of the exact value.
inline std::string fixed_text(const Decimal& shortest, const Decimal& exact) {
  if (shortest.point <= 0) {
    return "0." + std::string(static_cast<std::size_t>(-shortest.point), '0') + shortest.digits;
  }
  const auto point = static_cast<std::size_t>(shortest.point);
  if (point < shortest.digits.size()) {
    return shortest.digits.substr(0, point) + "." + shortest.digits.substr(point);
  }
  return rounded(exact, static_cast<std::size_t>(exact.point)).digits;
}

// The shortest text that is read as `value` again, in the form of `format`; without a format, in
// the shorter of the two forms.
template <std::floating_point T>
std::string shortest_text(T value, std::chars_format format) {
  const bool is_scientific = format == std::chars_format::scientific;
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) return sign + "nan";
  const T magnitude = std::fabs(value);
  if (std::isinf(value)) return sign + "inf";
  if (magnitude == 0) return sign + (is_scientific ? "0e+00" : "0");
  constexpr int kMantissaBits = 53;  // at least those of T
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(magnitude), &exponent);
  const Decimal exact = exact_decimal(
      static_cast<std::uint64_t>(std::ldexp(fraction, kMantissaBits)), exponent - kMantissaBits);
  const auto is_value = [&](const std::string& text) {
    if constexpr (std::is_same_v<T, float>) return std::strtof(text.c_str(), nullptr) == magnitude;
    return std::strtod(text.c_str(), nullptr) == static_cast<double>(magnitude);
  };
  std::size_t n = 1;
  while (!is_value(scientific_text(rounded(exact, n)))) ++n;
  const Decimal shortest = rounded(exact, n);
  const std::string scientific = scientific_text(shortest);
  const std::string fixed = fixed_text(shortest, exact);
  const bool is_fixed =
      !is_scientific && (format == std::chars_format::fixed || fixed.size() <= scientific.size());
  return sign + (is_fixed ? fixed : scientific);
}

// The shortest text that is read as `value` again; "inf" or "nan" of what is not finite.
template <std::floating_point T>
std::string number_text(T value, std::chars_format format = {}) {
#ifdef __wasi__
  return shortest_text(value, format);
#else
  char text[400] = {};  // initialised: MemorySanitizer does not see the writes of to_chars
  const auto end = format == std::chars_format{}
                       ? std::to_chars(text, text + sizeof text, value)
                       : std::to_chars(text, text + sizeof text, value, format);
  return std::string(text, end.ptr);
#endif
}

}  // namespace numpact::internal::platform
