// SPDX-License-Identifier: Apache-2.0
// Linear prediction of latents from those before them, and the search for Conv1 weights.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/internal.hpp"
#include "pco/encode/conv1/equations.hpp"
#include "pco/encode/conv1/equations_kernel.hpp"
#include "pco/encode/conv1/fit.hpp"
#include "support/random.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

std::vector<double> oscillations(std::size_t n, Random& random) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double before = i < 2 ? 0 : 1.6 * values[i - 1] - 0.9 * values[i - 2];
    values[i] = before + static_cast<double>(random.below(1000)) - 500;
  }
  return values;
}

TEST(LinearFit, LagSumsAreAddedUpInOrder) {
  Random random(41);
  for (int round = 0; round < 200; ++round) {
    const std::size_t max_lag = random.between(0, 32);
    const std::vector<double> values = oscillations(max_lag + random.between(1, 100), random);
    std::vector<double> expected(max_lag + 1);
    for (std::size_t lag = 0; lag <= max_lag; ++lag) {
      for (std::size_t i = max_lag; i < values.size(); ++i) {
        const volatile double product = values[i] * values[i - lag];  // rounded before the sum
        expected[lag] += product;
      }
    }
    for_each_target([&] {
      std::vector<double> sums(max_lag + 1, -1);
      lag_sums(values.data(), values.size(), max_lag, sums.data());
      ASSERT_EQ(sums, expected);
    });
  }
}

TEST(LinearFit, ProductsAreAddedUpInOrder) {
  Random random(44);
  for (int round = 0; round < 100; ++round) {
    const unsigned order = static_cast<unsigned>(random.between(0, kMaxConv1Order));
    const std::size_t n = random.between(0, 70);
    std::vector<double> buffer(kLagPad, -1e300);  // read, but without effect
    const std::vector<double> values = oscillations(order + n, random);
    buffer.insert(buffer.end(), values.begin(), values.end());
    std::vector<double> importances(n);
    for (double& importance : importances) {
      importance = 1 / static_cast<double>(1 + random.below(9));
    }
    LagProducts before{};
    for (auto& row : before) row.fill(0.1);
    LagProducts expected = before;
    for (std::size_t i = 0; i < n; ++i) {
      for (unsigned j = 0; j <= order; ++j) {
        const volatile double weighted = importances[i] * values[order + i - j];
        for (unsigned k = 0; k <= j; ++k) {
          const volatile double product = weighted * values[order + i - k];
          expected[j][k] += product;
        }
      }
    }
    for_each_target([&] {
      LagProducts products = before;
      add_lag_products({buffer.data() + kLagPad + order, importances.data(), n}, order, products);
      ASSERT_EQ(products, expected) << order << " lags, " << n << " values";
    });
  }
}

TEST(LinearFit, ErrorsAreTakenOffInOrder) {
  Random random(45);
  for (int round = 0; round < 100; ++round) {
    const unsigned order = static_cast<unsigned>(random.between(0, kMaxConv1Order));
    const std::size_t n = random.between(0, 150);
    const std::vector<double> values = oscillations(order + n, random);
    std::vector<double> weights(order);
    for (double& weight : weights) weight = static_cast<double>(random.below(2000)) / 997 - 1;
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = values[order + i];
      for (unsigned j = 0; j < order; ++j) {
        const volatile double part = weights[j] * values[order + i - 1 - j];
        expected[i] -= part;
      }
    }
    for_each_target([&] {
      std::vector<double> errors(n);
      lag_errors(values.data() + order, n, weights.data(), order, errors.data());
      ASSERT_EQ(errors, expected) << order << " lags, " << n << " values";
    });
  }
}

TEST(LinearFit, EqualImportancesHaveNoEffect) {
  Random random(42);
  for (const unsigned order : {1u, 2u, 7u, 32u}) {
    const std::vector<double> values = oscillations(6 * 128, random);
    const CentredRuns runs{values, 128};
    const std::vector<double> importances(values.size(), 1);
    const LagErrors errors = LagEquations(runs, order).errors();
    const LagErrors expected = LagEquations(runs, importances, order).errors();
    for (unsigned lags = 0; lags <= order; ++lags) {
      EXPECT_NEAR(errors[lags], expected[lags], 1e-6 * expected[0]) << lags << " of " << order;
    }
  }
}

// Long runs are processed in slices.
TEST(LinearFit, SlicesOfARunAddUp) {
  Random random(46);
  for (const unsigned order : {2u, 7u, 32u}) {
    for (const std::size_t run_n : {order + 256, order + 257, 700 + order}) {
      const std::vector<double> values = oscillations(2 * run_n, random);
      std::vector<double> importances(values.size());
      for (double& importance : importances) {
        importance = 1 / static_cast<double>(1 + random.below(9));
      }
      std::vector<double> buffer(kLagPad);
      buffer.insert(buffer.end(), values.begin(), values.end());
      LagProducts products{};
      double total = 0;
      for (std::size_t from = 0; from < values.size(); from += run_n) {
        const std::size_t first = from + order;
        const std::size_t n = run_n - order;
        add_lag_products({buffer.data() + kLagPad + first, importances.data() + first, n}, order,
                         products);
        for (std::size_t i = 0; i < n; ++i) total += importances[first + i];
      }
      const LagEquations equations({values, run_n}, importances, order);
      EXPECT_DOUBLE_EQ(equations.errors()[0], products[0][0] / total);
      EXPECT_DOUBLE_EQ(equations.difference_error(),
                       (products[0][0] - 2 * products[1][0] + products[1][1]) / total);
    }
  }
}

TEST(LinearFit, FindsTheWeights) {
  Random random(43);
  const std::vector<double> values = oscillations(20'000, random);
  const LagEquations equations({values, 1000}, 4);
  LagWeights weights{};
  ASSERT_TRUE(equations.solve(2, weights));
  EXPECT_NEAR(weights[0], 1.6, 0.02);
  EXPECT_NEAR(weights[1], -0.9, 0.02);
  // From two lags on, the remaining error is the noise.
  const LagErrors errors = equations.errors();
  EXPECT_GT(errors[1], 1.5 * errors[2]);
  EXPECT_NEAR(errors[2], 1e6 / 12, 3e3);
  EXPECT_NEAR(errors[4], errors[2], 1e3);
}

// Rounds of reweighting that make the estimate worse are discarded.
TEST(Conv1Search, MoreRoundsNeverTakeMoreBits) {
  constexpr float kBitsToBeat = 12;
  Random random(45);
  Arena arena(std::pmr::new_delete_resource());
  EncodeConfig config;
  EncodeEffort effort = EncodeEffort::of(config);
  std::size_t found = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t spikes = random.between(2, 100);
    std::vector<std::uint16_t> latents(4000);
    const std::vector<double> smooth = oscillations(latents.size(), random);
    for (std::size_t i = 0; i < latents.size(); ++i) {
      const double spike = random.one_in(spikes) ? static_cast<double>(random.below(1500)) : 0;
      latents[i] = static_cast<std::uint16_t>(30000 + smooth[i] / 2 + spike);
    }
    const LatentArray page{std::span<std::uint16_t>(latents)};
    const ArenaScope scratch(arena);
    const Sample sample = take_sample(page, page.n, arena);
    float last = HUGE_VALF;
    for (unsigned rounds = 0; rounds <= 3; ++rounds) {
      effort.conv1_reweight_rounds = rounds;
      const std::optional<FittedDelta> estimate =
          estimate_fitted(sample, page, kBitsToBeat, effort, arena);
      const float bits = estimate ? estimate->bits : HUGE_VALF;
      EXPECT_LE(bits, last) << "round " << round << ", " << rounds;
      last = bits;
    }
    found += last < HUGE_VALF ? 1 : 0;
  }
  EXPECT_GT(found, 30u);
}

// Similar waves of 24 latents: for few latents 24 lags are not fitted.
TEST(Conv1Search, FewLatentsGetFewWeights) {
  Random random(46);
  Arena arena(std::pmr::new_delete_resource());
  for (const std::size_t n : {kMinLongFitN - 1, kMinLongFitN}) {
    std::vector<std::uint16_t> latents(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t before = i < 24 ? 30000 + random.below(4000) : latents[i - 24];
      latents[i] = static_cast<std::uint16_t>(before + random.below(9) - 4);
    }
    const LatentArray page{std::span<std::uint16_t>(latents)};
    const auto order_at = [&](unsigned level) {
      EncodeConfig config;
      config.level = level;
      const ArenaScope scratch(arena);
      const Sample sample = take_sample(page, page.n, arena);
      const auto estimate = estimate_fitted(sample, page, 12, EncodeEffort::of(config), arena);
      return estimate ? std::get<Conv1>(estimate->delta).order : 0;
    };
    EXPECT_GE(order_at(kDefaultLevel + 1), 24u) << n;
    if (n < kMinLongFitN) {
      EXPECT_LE(order_at(kDefaultLevel), 16u);
    } else {
      EXPECT_GE(order_at(kDefaultLevel), 24u);
    }
  }
}

}  // namespace
}  // namespace numpact::testing
