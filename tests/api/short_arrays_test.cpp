// SPDX-License-Identifier: Apache-2.0
// For short arrays the automatic choice takes hardly more than the best explicitly requested order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/numbers.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kLengths[] = {32,  50,  64,  100, 128,  200,  250, 256,
                                    300, 400, 500, 700, 1000, 1500, 2000};
constexpr unsigned kLevels[] = {4, 8, 12};

// Maximum size of the automatic choice relative to the smallest explicit one.
constexpr double kMaxSizeRatio = 1.02;

class ShortArrays : public ::testing::Test {
 protected:
  // make(i): the number at index i, called in order.
  template <Number T, class Make>
  void check(const std::string& name, Make&& make) {
    for (const std::size_t n : kLengths) {
      std::vector<T> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(make(i));
      const Numbers numbers = from_values(values);
      for (const unsigned level : kLevels) {
        EncodeConfig config;
        config.level = level;
        const std::size_t automatic = compressed(numbers, config).size();
        const std::size_t smallest = smallest_requested(numbers, config);
        EXPECT_LE(static_cast<double>(automatic), kMaxSizeRatio * static_cast<double>(smallest))
            << name << ", " << name_of(numbers.type()) << ", " << n << " numbers, level " << level;
      }
    }
  }

  Random random_{7102};

 private:
  static std::size_t smallest_requested(const Numbers& numbers, EncodeConfig config) {
    std::size_t smallest = ~std::size_t{0};
    for (const ModeSpec& mode : {ModeSpec::automatic(), ModeSpec::classic()}) {
      config.mode = mode;
      for (const unsigned order : {0u, 1u, 2u, 3u}) {
        config.delta = order == 0 ? DeltaSpec::none() : DeltaSpec::try_consecutive(order);
        smallest = std::min(smallest, compressed(numbers, config).size());
      }
    }
    return smallest;
  }
};

TEST_F(ShortArrays, Counters) {
  const auto count = [](std::size_t i) { return 1000 + i; };
  check<std::uint16_t>("counter", count);
  check<std::uint32_t>("counter", count);
  check<std::int64_t>("counter", count);
  check<float>("counter", count);
  check<double>("counter", count);
  check<std::int64_t>("steps", [&](std::size_t i) { return 60'000 * i + random_.below(400); });
  std::uint64_t at = 0;
  check<std::uint32_t>("gaps", [&](std::size_t) { return at += random_.one_in(10) ? 2 : 1; });
  check<std::int64_t>("times", [&](std::size_t) { return at += random_.below(400); });
}

TEST_F(ShortArrays, Walks) {
  for (const double scale : {3.0, 40.0, 3000.0}) {
    double at = 0;
    const auto walk = [&](std::size_t) { return at += std::round(scale * random_.normal()); };
    check<std::int64_t>("walk", walk);
    check<std::int32_t>("walk", walk);
    check<double>("walk", walk);
    double step = 0;
    check<std::int32_t>("smooth walk", [&](std::size_t) {
      step += std::round(random_.normal());
      return at += step;
    });
  }
}

TEST_F(ShortArrays, Decimals) {
  double cents = 10'000;
  const auto price = [&](std::size_t) {
    cents += std::round(5 * random_.normal());
    return cents / 100;
  };
  check<double>("price", price);
  check<float>("price", price);
  const auto purchase = [&](std::size_t) {
    return std::round(-4000 * std::log(1 - random_.unit())) / 100;
  };
  check<double>("purchase", purchase);
  check<float>("purchase", purchase);
  check<double>("degrees", [&](std::size_t) {
    cents += std::round(2 * random_.normal());
    return cents / 10;
  });
}

TEST_F(ShortArrays, Sines) {
  for (const double period : {12.63, 25.26, 62.71, 99.37, 365.24, 1000.3}) {
    const auto sine = [=](std::size_t i) {
      return std::sin(2 * std::numbers::pi * static_cast<double>(i) / period);
    };
    check<std::int16_t>("sine", [&](std::size_t i) { return std::round(1000 * sine(i)); });
    check<std::int32_t>("sine", [&](std::size_t i) { return std::round(1e6 * sine(i)); });
    check<std::int32_t>("noisy sine", [&](std::size_t i) {
      return std::round(1000 * sine(i) + 2 * random_.normal());
    });
    check<double>("sine of places", [&](std::size_t i) { return std::round(1e6 * sine(i)) / 1e6; });
    check<float>("sine", [&](std::size_t i) { return static_cast<float>(sine(i)); });
    check<double>("sine", sine);
  }
}

// Too short for the sample of a search, but not for its saving.
TEST_F(ShortArrays, PeriodsOfFewNumbers) {
  for (const std::size_t period : {13u, 25u, 40u}) {
    std::vector<std::int32_t> one(period);
    for (std::int32_t& number : one) number = static_cast<std::int32_t>(random_.bits(30));
    for (const std::size_t n : {128u, 200u, 250u}) {
      std::vector<std::int32_t> values(n);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = one[i % period] + static_cast<std::int32_t>(random_.below(3));
      }
      const Numbers numbers = from_values(values);
      // 30 bits per number of one period, 4 for the others and their lookbacks, and metadata.
      EXPECT_LT(compressed(numbers).size(), (30 * period + 4 * (n - period)) / 8 + 80)
          << period << ", " << n << " numbers";
    }
  }
}

}  // namespace
}  // namespace numpact::testing
