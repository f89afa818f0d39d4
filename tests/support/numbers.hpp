// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers of any type, with bitwise comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "numpact/numpact.hpp"
#include "support/bytes.hpp"

namespace numpact::testing {

using Numbers = NumberArray;

// Concatenates the parts as text.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

inline Numbers zeros(NumberType type, std::size_t n) {
  Numbers numbers(type);
  numbers.storage().resize(n * size_of(type));
  return numbers;
}

// Uses the low bits of each word.
Numbers from_bits(NumberType type, const std::vector<std::uint64_t>& bits);
std::uint64_t bits_at(const Numbers& numbers, std::size_t i);
void set_bits(Numbers& numbers, std::size_t i, std::uint64_t bits);

template <Number T>
Numbers from_values(const std::vector<T>& values) {
  Numbers numbers = zeros(kNumberTypeOf<T>, values.size());
  if (!values.empty()) {
    std::memcpy(numbers.storage().data(), values.data(), values.size() * sizeof(T));
  }
  return numbers;
}

inline MutableNumberView writable(Numbers& numbers) {
  return {numbers.type(), numbers.storage().data(), numbers.count()};
}
inline NumberView part(const Numbers& numbers, std::size_t first, std::size_t n) {
  const auto* const at = static_cast<const std::byte*>(numbers.data());
  return {numbers.type(), at + first * size_of(numbers.type()), n};
}
inline ByteSpan raw(const Numbers& numbers) {
  return {static_cast<const std::byte*>(numbers.data()), numbers.count() * size_of(numbers.type())};
}

::testing::AssertionResult same_numbers(const Numbers& got, const Numbers& expected);
// Compares the first got.count() numbers.
::testing::AssertionResult is_prefix(const Numbers& got, const Numbers& all);
::testing::AssertionResult is_ok(const Status& status);

inline Status status_of(const Status& status) { return status; }
template <class T>
Status status_of(const Result<T>& result) {
  return result.status();
}
// Sets `count` to the count of a decoding function, or after an error to that of the good numbers.
template <class N>
Status count_into(const Result<std::size_t>& result, N& count) {
  count = result.ok() ? *result : static_cast<std::size_t>(result.status().good_numbers());
  return result.status();
}

#define EXPECT_OK(expression) \
  EXPECT_TRUE(::numpact::testing::is_ok(::numpact::testing::status_of(expression)))
#define ASSERT_OK(expression) \
  ASSERT_TRUE(::numpact::testing::is_ok(::numpact::testing::status_of(expression)))
#define EXPECT_KIND(expression, expected)                                   \
  EXPECT_STREQ(to_string(::numpact::testing::status_of(expression).kind()), \
               to_string(::numpact::ErrorKind::expected))

// Calls f with a value of the C++ type.
template <class F>
decltype(auto) visit_type(NumberType type, F&& f) {
  switch (type) {
    case NumberType::kU8:
      return f(std::uint8_t{});
    case NumberType::kI8:
      return f(std::int8_t{});
    case NumberType::kU16:
      return f(std::uint16_t{});
    case NumberType::kI16:
      return f(std::int16_t{});
    case NumberType::kF16:
      return f(Float16{});
    case NumberType::kU32:
      return f(std::uint32_t{});
    case NumberType::kI32:
      return f(std::int32_t{});
    case NumberType::kF32:
      return f(float{});
    case NumberType::kU64:
      return f(std::uint64_t{});
    case NumberType::kI64:
      return f(std::int64_t{});
    default:
      return f(double{});
  }
}

// Fails the test and returns an empty result if compressing fails.
Bytes compressed(const Numbers& numbers, const EncodeConfig& config = {});
// Uses decompress_any; fails the test on an error.
Numbers decompressed(ByteSpan file);

}  // namespace numpact::testing
