// SPDX-License-Identifier: Apache-2.0
// Tests distances, nearest neighbours, row samples and recall.
#include "base/internal.hpp"
#include "cvc/quality/recall.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "cvc/quality/row_sample.hpp"

namespace numpact::cvc::quality {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> normal_rows(std::size_t rows, std::size_t dimension, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(rows * dimension);
  for (float& value : values) value = normal(engine);
  return values;
}

std::vector<float> with_noise(std::vector<float> rows, float noise) {
  std::mt19937 engine(9);
  std::normal_distribution<float> normal(0, noise);
  for (float& value : rows) value += normal(engine);
  return rows;
}

std::span<const float> row_of(const std::vector<float>& rows, std::size_t row, std::size_t d) {
  return std::span(rows).subspan(row * d, d);
}

// Tiles give the same bits as single distances.
TEST(Distance, TilesAgreeWithSinglePairs) {
  for (const std::size_t d : {1u, 3u, 255u, 256u, 257u, 700u}) {
    const std::vector<float> rows = normal_rows(21, d);
    const std::vector<float> queries = normal_rows(kTileQueries, d, 2);
    const Panels panels(rows, d);
    ASSERT_EQ(panels.panels(), 2u);
    for (const Measure measure : {Measure::kSquares, Measure::kProducts}) {
      for (std::size_t row = 0; row < 21; ++row) {
        float tile[kTileQueries * kPanelRows];
        tile_distances(measure, queries.data(), panels.panel(row / kPanelRows), d, tile);
        for (std::size_t q = 0; q < kTileQueries; ++q) {
          EXPECT_EQ(tile[q * kPanelRows + row % kPanelRows],
                    distance(measure, row_of(queries, q, d), row_of(rows, row, d)));
        }
      }
    }
  }
}

TEST(Distance, MatchesItsDefinition) {
  const std::vector<float> a = {1, 2, 3};
  const std::vector<float> b = {2, 0, -1};
  EXPECT_EQ(distance(Measure::kSquares, a, b), 21);
  EXPECT_EQ(distance(Measure::kProducts, a, b), 1);
  EXPECT_EQ(distance(Measure::kSquares, a, std::vector<float>{1, kNan, 3}), kInfinity);
  EXPECT_EQ(distance(Measure::kProducts, a, std::vector<float>{1, kInfinity, 3}), kInfinity);
}

TEST(Neighbours, MatchFullSorting) {
  constexpr std::size_t kRows = 300;
  constexpr std::size_t kDimension = 5;
  constexpr std::size_t kNeighbours = 7;
  std::vector<float> rows = normal_rows(kRows, kDimension);
  for (float& value : rows) value = std::round(value);  // creates many ties
  for (const unsigned threads : {1u, 3u}) {
    ThreadExecutor executor(threads);
    std::size_t reported = 0;
    const std::vector<Neighbour> found =
        nearest(Panels(rows, kDimension), std::span(rows).first(201 * kDimension), kNeighbours,
                Measure::kSquares, executor, [&](std::size_t queries) { reported += queries; });
    EXPECT_EQ(reported, 201u);
    ASSERT_EQ(found.size(), 201 * kNeighbours);
    for (std::size_t query = 0; query < 201; ++query) {
      std::vector<Neighbour> all;
      for (std::size_t row = 0; row < kRows; ++row) {
        if (row == query) continue;
        all.push_back({distance(Measure::kSquares, row_of(rows, query, kDimension),
                                row_of(rows, row, kDimension)),
                       row});
      }
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < kNeighbours; ++i) {
        EXPECT_EQ(found[query * kNeighbours + i].row, all[i].row);
        EXPECT_EQ(found[query * kNeighbours + i].distance, all[i].distance);
      }
    }
  }
}

TEST(RowSample, TakesAllUpToItsCapacity) {
  RowSample sample(10);
  for (std::uint64_t row = 0; row < 10; ++row) EXPECT_EQ(sample.offer(row), row);
  const std::vector<std::size_t> order = sample.order();
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 10u);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(RowSample, IsUniform) {
  constexpr std::size_t kCapacity = 1000;
  RowSample sample(kCapacity);
  std::vector<std::uint64_t> kept(kCapacity);
  for (std::uint64_t row = 0; row < 10 * kCapacity; ++row) {
    const std::optional<std::size_t> place = sample.offer(row);
    if (place) kept.at(*place) = row;
  }
  EXPECT_EQ(sample.size(), kCapacity);
  EXPECT_EQ(std::set<std::uint64_t>(kept.begin(), kept.end()).size(), kCapacity);
  for (std::uint64_t tenth = 0; tenth < 10; ++tenth) {
    const auto in_tenth = std::count_if(
        kept.begin(), kept.end(), [&](std::uint64_t row) { return row / kCapacity == tenth; });
    EXPECT_NEAR(static_cast<double>(in_tenth), 100, 40);
  }
  RowSample none(0);
  EXPECT_FALSE(none.offer(0));
}

Recall search(const std::vector<float>& original, const std::vector<float>& decoded,
              std::size_t dimension, RecallSearch::Plan plan) {
  ThreadExecutor executor(2);
  if (plan.queries == 0) plan.queries = original.size() / dimension;
  return RecallSearch(original, dimension, plan, executor).measure(decoded);
}

// On a line: 0, 1, 3, 7, 15. The nearest neighbour is to the left for each row but 0.
const std::vector<float> kLine = {0, 1, 3, 7, 15};

TEST(Recall, CountsLostNeighbours) {
  EXPECT_EQ(search(kLine, kLine, 1, {Metric::kL2, 1}).mean, 1);
  // 0 and 7 change places: only 3 still finds the row of 1. 0 and 1 find the row of 7, 7 and 15
  // that of 0.
  const Recall recall = search(kLine, {7, 1, 3, 0, 15}, 1, {Metric::kL2, 1});
  EXPECT_DOUBLE_EQ(recall.mean, 0.2);
  EXPECT_LT(recall.low, 0.2);
  EXPECT_GT(recall.high, 0.2);
}

TEST(Recall, DecodedQueriesUseDecodedPositions) {
  // All rows move together: seen from the original positions, the neighbours change.
  const std::vector<float> moved = {8, 9, 11, 15, 23};
  EXPECT_LT(search(kLine, moved, 1, {Metric::kL2, 1}).mean, 1);
  EXPECT_EQ(search(kLine, moved, 1, {Metric::kL2, 1, 0, Queries::kDecoded}).mean, 1);
}

TEST(Recall, EquidistantRowsAreAllCorrect) {
  // Twelve equal rows and a distant one: which of the twelve are found is arbitrary.
  std::vector<float> rows(12, 1.0f);
  rows.push_back(100);
  std::vector<float> decoded = rows;
  for (std::size_t i = 0; i < 12; ++i) decoded[i] += 0.01f * static_cast<float>(i % 5);
  EXPECT_EQ(search(rows, decoded, 1, {Metric::kL2, 3, 12}).mean, 1);
  // Two rows at the same distance from 0, of which one must be found.
  EXPECT_EQ(search({0, -1, 1, 5}, {0, -1.1f, 1, 5}, 1, {Metric::kL2, 1, 1}).mean, 1);
  EXPECT_EQ(search({0, -1, 1, 5}, {0, -1, 1.1f, 5}, 1, {Metric::kL2, 1, 1}).mean, 1);
}

TEST(Recall, EqualDecodedRowsAreChance) {
  const std::vector<float> rows = normal_rows(400, 8);
  const Recall recall = search(rows, std::vector<float>(rows.size()), 8, {Metric::kL2, 10});
  EXPECT_LT(recall.mean, 0.1);
  EXPECT_GT(recall.high, 10.0 / 399);
}

TEST(Recall, NonfiniteRowsAreFarthest) {
  const std::vector<float> rows = normal_rows(50, 4);
  std::vector<float> decoded = rows;
  for (std::size_t i = 0; i < 4 * 25; i += 2) {
    decoded[i] = kNan;
    decoded[i + 1] = kInfinity;
  }
  for (const Metric metric : {Metric::kL2, Metric::kCosine, Metric::kDot}) {
    const Recall recall = search(rows, decoded, 4, {metric, 5});
    EXPECT_GT(recall.mean, 0.2);
    EXPECT_LT(recall.mean, 0.8);
  }
}

TEST(Recall, IsScaleInvariant) {
  const std::vector<float> rows = normal_rows(100, 6);
  const std::vector<float> noisy = with_noise(rows, 0.3f);
  for (const Metric metric : {Metric::kL2, Metric::kCosine, Metric::kDot}) {
    const double mean = search(rows, noisy, 6, {metric, 10}).mean;
    EXPECT_LT(mean, 0.95);
    for (const float factor : {0x1p-120f, 0x1p120f}) {  // squares are 0 or infinite
      std::vector<float> small = rows;
      std::vector<float> small_noisy = noisy;
      for (float& value : small) value *= factor;
      for (float& value : small_noisy) value *= factor;
      EXPECT_EQ(search(small, small_noisy, 6, {metric, 10}).mean, mean);
    }
  }
}

TEST(Recall, MetricsDiffer) {
  // From (1, 0): nearest by l2 is (1, 1), by cosine (5, 1), by dot product (9, 9).
  const std::vector<float> rows = {1, 0, 1, 1, 5, 1, 9, 9};
  ThreadExecutor executor(1);
  for (const auto& [metric, row] :
       {std::pair<Metric, std::size_t>(Metric::kL2, 1), {Metric::kCosine, 2}, {Metric::kDot, 3}}) {
    const RecallSearch search(rows, 2, {metric, 1, 1}, executor);
    for (std::size_t moved = 1; moved < 4; ++moved) {
      std::vector<float> decoded = rows;
      decoded[2 * moved] = -50;
      decoded[2 * moved + 1] = 0;
      EXPECT_EQ(search.measure(decoded).mean, moved == row ? 0 : 1);
    }
    EXPECT_EQ(metric_of_name(name_of(metric)), metric);
  }
  EXPECT_FALSE(metric_of_name("hamming"));
}

TEST(RecallInterval, HasTheNominalCoverage) {
  // Two kinds of queries: the neighbours of a query are lost together.
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> share(0.6, 1.0);
  std::uniform_real_distribution<double> unit;
  constexpr int kRounds = 1000;
  int covered = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::size_t> right(100);
    for (std::size_t& count : right) {
      const double chance = share(engine);
      for (int i = 0; i < 10; ++i) count += unit(engine) < chance ? 1 : 0;
    }
    const Recall recall = recall_of(right, 10);
    covered += recall.low <= 0.8 && 0.8 <= recall.high ? 1 : 0;
  }
  EXPECT_GT(covered, 0.925 * kRounds);
  EXPECT_LT(covered, 0.975 * kRounds);
}

TEST(RecallInterval, IsWideForFewQueries) {
  const std::vector<std::size_t> all(1000, 10);
  const Recall recall = recall_of(all, 10);
  EXPECT_EQ(recall.mean, 1);
  EXPECT_EQ(recall.high, 1);
  EXPECT_NEAR(recall.low, 1 - 3.84 / 1000, 1e-4);
  const std::vector<std::size_t> one = {0};
  EXPECT_EQ(recall_of(one, 10).low, 0);
  EXPECT_GT(recall_of(one, 10).high, 0.5);
}

}  // namespace
}  // namespace numpact::cvc::quality
