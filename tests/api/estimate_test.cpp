// SPDX-License-Identifier: Apache-2.0
// estimate_size() is near the size of the file that compress() makes, and always the same.
#include <gtest/gtest.h>

#include "numpact/estimate.hpp"
#include "numpact/inspect.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

SizeEstimate estimate(const Numbers& numbers, const EncodeConfig& config = {}) {
  return estimate_size(numbers.view(), config).value();
}

bool is_within(const SizeEstimate& estimate, std::size_t bytes) {
  const std::uint64_t difference =
      bytes > estimate.bytes ? bytes - estimate.bytes : estimate.bytes - bytes;
  return difference <= estimate.error_bytes;
}

// The shared columns are measured in tests/data; these are the same for everyone.
TEST(Estimate, HoldsForDistributions) {
  Random random(701);
  int within = 0;
  int all = 0;
  for (const std::string_view name : distribution_names()) {
    for (const NumberType type : {NumberType::kU8, NumberType::kI32, NumberType::kI64,
                                  NumberType::kF32, NumberType::kF64}) {
      for (const std::size_t n : {300, 9000, 140'000}) {
        const Numbers numbers = make_numbers(name, type, n, random);
        const std::size_t bytes = compressed(numbers, {}).size();
        const SizeEstimate found = estimate(numbers);
        EXPECT_LE(found.bytes, compress_bound(type, n));
        within += is_within(found, bytes);
        ++all;
      }
    }
  }
  EXPECT_GE(10 * within, 9 * all) << within << " of " << all;
}

TEST(Estimate, CountsChunksAndTrailers) {
  Random random(702);
  const Numbers numbers = make_numbers("decimals", NumberType::kF64, 50'000, random);
  EncodeConfig config;
  const SizeEstimate plain = estimate(numbers, config);
  config.paging = PagingSpec::equal_pages_up_to(500);
  const SizeEstimate pages = estimate(numbers, config);
  EXPECT_GT(pages.bytes, plain.bytes);
  EXPECT_TRUE(is_within(pages, compressed(numbers, config).size()));
  config.trailer = TrailerSpec::index();
  const SizeEstimate trailer = estimate(numbers, config);
  const std::size_t added = compressed(numbers, config).size();
  config.trailer = TrailerSpec::none();
  EXPECT_EQ(trailer.bytes - pages.bytes, added - compressed(numbers, config).size());
}

TEST(Estimate, IsDeterministicAndNamesTheChoice) {
  std::vector<double> prices(100'000);
  double price = 1000;
  Random random(703);
  for (double& number : prices) {
    price += static_cast<double>(random.between(0, 20)) - 10;
    number = price / 100;
  }
  const NumberView view(NumberType::kF64, prices.data(), prices.size());
  EncodeContext context;
  const SizeEstimate first = estimate_size(view).value();
  for (int i = 0; i < 3; ++i) {
    const SizeEstimate again = estimate_size(view, {}, &context).value();
    EXPECT_EQ(again.bytes, first.bytes);
    EXPECT_EQ(again.error_bytes, first.error_bytes);
    EXPECT_EQ(again.mode_text, first.mode_text);
    EXPECT_EQ(again.delta_text, first.delta_text);
  }
  const FileInfo file = inspect(compress(view).value()).value();
  ASSERT_EQ(file.chunks.size(), 1u);
  EXPECT_EQ(first.mode, Mode::kFloatMult);
  EXPECT_EQ(first.mode_text, file.chunks[0].mode_text());
  EXPECT_EQ(first.delta, Delta::kConsecutive);
  EXPECT_EQ(first.delta_text, file.chunks[0].delta_text());
  EncodeConfig classic;
  classic.mode = ModeSpec::classic();
  classic.delta = DeltaSpec::none();
  const SizeEstimate other = estimate_size(view, classic).value();
  EXPECT_EQ(other.mode_text, "classic");
  EXPECT_EQ(other.delta_text, "none");
  EXPECT_GT(other.bytes, first.bytes);
}

TEST(Estimate, ShortArraysAndErrors) {
  for (const NumberType type : kNumberTypes) {
    for (const std::size_t n : {0, 1, 2, 17}) {
      const Numbers numbers = zeros(type, n);
      EXPECT_TRUE(is_within(estimate(numbers), compressed(numbers, {}).size())) << n;
    }
  }
  EncodeConfig config;
  config.level = 13;
  const Numbers numbers = zeros(NumberType::kI32, 100);
  EXPECT_KIND(estimate_size(numbers.view(), config).status(), kInvalidArgument);
  config = {};
  config.paging = PagingSpec::exact({40, 61});
  EXPECT_KIND(estimate_size(numbers.view(), config).status(), kInvalidArgument);
  config = {};
  config.mode = ModeSpec::try_float_mult(0.1);
  EXPECT_KIND(estimate_size(numbers.view(), config).status(), kInvalidArgument);
  EXPECT_KIND(estimate_size({NumberType::kI32, nullptr, 3}).status(), kInvalidArgument);
}

}  // namespace
}  // namespace numpact::testing
