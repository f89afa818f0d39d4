// SPDX-License-Identifier: Apache-2.0
#include "verifier.hpp"

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

// What a verifier says of these bytes, given in pieces of `piece`; empty if it is content.
std::string verdict(const std::vector<std::int64_t>& expected, std::span<const std::byte> bytes,
                    std::size_t piece) {
  Verifier verifier(NumberType::kI64);
  verifier.expect(std::span<const std::int64_t>(expected));
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    verifier.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  try {
    verifier.finish("FILE");
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kFailure);
    return failure.what();
  }
  return "";
}

TEST(Digest, DoesNotDependOnTheCuts) {
  std::vector<std::byte> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  Digest whole;
  whole.add(bytes);
  for (std::size_t piece = 1; piece < 20; ++piece) {
    Digest cut;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      cut.add(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    }
    EXPECT_EQ(cut, whole) << piece;
  }
}

TEST(Digest, SeesEveryBitAndTheLength) {
  std::vector<std::byte> bytes(21);
  Digest plain;
  plain.add(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<std::byte> changed = bytes;
    changed[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    Digest other;
    other.add(changed);
    EXPECT_FALSE(other == plain) << bit;
  }
  Digest longer = plain;
  longer.add(std::vector<std::byte>(1));
  EXPECT_FALSE(longer == plain);
}

TEST(Verifier, IsContentWithWhatWasEncoded) {
  const std::vector<std::int64_t> numbers = numbers_to(100'000);
  const std::vector<std::byte> file = compress(std::span<const std::int64_t>(numbers));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, file.size()}) {
    EXPECT_EQ(verdict(numbers, file, piece), "");
  }
}

TEST(Verifier, SeesOtherNumbers) {
  std::vector<std::int64_t> numbers = numbers_to(100'000);
  const std::vector<std::byte> file = compress(std::span<const std::int64_t>(numbers));
  numbers[77'777] += 1;
  EXPECT_EQ(verdict(numbers, file, 4096),
            "FILE: what was written decodes to other numbers (100000 of 100000)");
  numbers.pop_back();
  EXPECT_EQ(verdict(numbers, file, 4096),
            "FILE: what was written decodes to other numbers (100000 of 99999)");
}

TEST(Verifier, SeesWhatDoesNotDecode) {
  const std::vector<std::int64_t> numbers = numbers_to(100'000);
  std::vector<std::byte> file = compress(std::span<const std::int64_t>(numbers));
  const auto front = std::span(file).first(file.size() - 1);
  EXPECT_NE(verdict(numbers, front, 4096).find("does not decode: truncated"), std::string::npos);
  file[0] ^= std::byte{1};
  EXPECT_NE(verdict(numbers, file, 4096).find("does not decode: corrupt"), std::string::npos);
}

TEST(Verifier, StopsTakingBytesAfterAnError) {
  Verifier verifier(NumberType::kI64);
  const std::vector<std::byte> junk(std::size_t{1} << 20);
  for (int i = 0; i < 40; ++i) verifier.feed(junk);  // more than may wait
  EXPECT_THROW(verifier.finish("FILE"), Failure);
}

TEST(Verifier, MayBeGivenUp) {
  Verifier verifier(NumberType::kI64);
  verifier.feed(std::vector<std::byte>(3));
}

}  // namespace
}  // namespace numpact::cli
