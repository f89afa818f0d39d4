// SPDX-License-Identifier: Apache-2.0
#include "support/numbers.hpp"

#include <bit>
#include <iomanip>
#include <sstream>

namespace numpact::testing {

namespace {

// The bytes of a word that hold a number of this size.
std::byte* number_in(std::uint64_t& word, std::size_t size) {
  const bool is_big = std::endian::native == std::endian::big;
  return reinterpret_cast<std::byte*>(&word) + (is_big ? sizeof word - size : 0);
}

}  // namespace

std::uint64_t bits_at(const Numbers& numbers, std::size_t i) {
  const std::size_t size = size_of(numbers.type());
  std::uint64_t bits = 0;
  std::memcpy(number_in(bits, size), static_cast<const std::byte*>(numbers.data()) + i * size,
              size);
  return bits;
}

void set_bits(Numbers& numbers, std::size_t i, std::uint64_t bits) {
  const std::size_t size = size_of(numbers.type());
  std::memcpy(numbers.storage().data() + i * size, number_in(bits, size), size);
}

Numbers from_bits(NumberType type, const std::vector<std::uint64_t>& bits) {
  Numbers numbers = zeros(type, bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) set_bits(numbers, i, bits[i]);
  return numbers;
}

::testing::AssertionResult is_prefix(const Numbers& got, const Numbers& all) {
  if (got.type() != all.type()) {
    return ::testing::AssertionFailure()
           << name_of(got.type()) << " numbers instead of " << name_of(all.type());
  }
  if (got.count() > all.count()) {
    return ::testing::AssertionFailure()
           << got.count() << " numbers where there are " << all.count();
  }
  for (std::size_t i = 0; i < got.count(); ++i) {
    if (bits_at(got, i) == bits_at(all, i)) continue;
    std::ostringstream text;
    text << name_of(all.type()) << " number " << i << " of " << all.count() << " is 0x" << std::hex
         << bits_at(got, i) << " instead of 0x" << bits_at(all, i);
    return ::testing::AssertionFailure() << text.str();
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult same_numbers(const Numbers& got, const Numbers& expected) {
  if (got.count() != expected.count()) {
    return ::testing::AssertionFailure()
           << got.count() << " numbers instead of " << expected.count();
  }
  return is_prefix(got, expected);
}

::testing::AssertionResult is_ok(const Status& status) {
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.message();
}

Bytes compressed(const Numbers& numbers, const EncodeConfig& config) {
  Bytes file;
  EXPECT_OK(compress(numbers.view(), config).into(file));
  return file;
}

Numbers decompressed(ByteSpan file) {
  Numbers numbers;
  EXPECT_OK(decompress_any(file).into(numbers));
  return numbers;
}

}  // namespace numpact::testing
