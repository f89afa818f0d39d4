// SPDX-License-Identifier: Apache-2.0
#include "pco/verifier.hpp"
#include "base/internal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "failure.hpp"
#include "numpact/pco.hpp"

namespace numpact::cli {
namespace {

std::vector<std::int64_t> numbers_to(std::int64_t end) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// The verifier's message for these bytes, fed in blocks of `block` bytes; empty if it accepts them.
std::string verify(const std::vector<std::int64_t>& expected, std::span<const std::byte> bytes,
                   std::size_t block) {
  Verifier verifier(NumberType::kI64);
  verifier.expect(std::span<const std::int64_t>(expected));
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    verifier.feed(bytes.subspan(at, std::min(block, bytes.size() - at)));
  }
  try {
    verifier.finish("FILE");
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kFailure);
    return failure.what();
  }
  return "";
}

TEST(Verifier, AcceptsEncodedNumbers) {
  const std::vector<std::int64_t> numbers = numbers_to(100'000);
  const std::vector<std::byte> file = compress(std::span<const std::int64_t>(numbers)).value();
  for (const std::size_t block : {std::size_t{1}, std::size_t{1000}, file.size()}) {
    EXPECT_EQ(verify(numbers, file, block), "");
  }
}

TEST(Verifier, DetectsOtherNumbers) {
  std::vector<std::int64_t> numbers = numbers_to(100'000);
  const std::vector<std::byte> file = compress(std::span<const std::int64_t>(numbers)).value();
  numbers[77'777] += 1;
  EXPECT_EQ(verify(numbers, file, 4096),
            "FILE: what was written decodes to other numbers (100000 of 100000)");
  numbers.pop_back();
  EXPECT_EQ(verify(numbers, file, 4096),
            "FILE: what was written decodes to other numbers (100000 of 99999)");
}

TEST(Verifier, DetectsUndecodableBytes) {
  const std::vector<std::int64_t> numbers = numbers_to(100'000);
  std::vector<std::byte> file = compress(std::span<const std::int64_t>(numbers)).value();
  const auto front = std::span(file).first(file.size() - 1);
  EXPECT_NE(verify(numbers, front, 4096).find("does not decode: truncated"), std::string::npos);
  file[0] ^= std::byte{1};
  EXPECT_NE(verify(numbers, file, 4096).find("does not decode: corrupt"), std::string::npos);
}

TEST(Verifier, StopsTakingBytesAfterAnError) {
  Verifier verifier(NumberType::kI64);
  const std::vector<std::byte> junk(std::size_t{1} << 20);
  for (int i = 0; i < 40; ++i) verifier.feed(junk);  // more than may be pending
  EXPECT_THROW(verifier.finish("FILE"), Failure);
}

TEST(Verifier, MayBeAbandoned) {
  Verifier verifier(NumberType::kI64);
  verifier.feed(std::vector<std::byte>(3));
}

}  // namespace
}  // namespace numpact::cli
