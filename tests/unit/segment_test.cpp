// SPDX-License-Identifier: Apache-2.0
// Where runs of numbers are divided into segments: the cost of a histogram in a tree of bins, the
// joining of blocks, and plans.
#include "base/internal.hpp"
#include "pco/encode/segment/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "choose_cases.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/segment/histogram_kernel.hpp"
#include "pco/encode/segment/join.hpp"
#include "pco/encode/session.hpp"
#include "pco/stats/log2.hpp"
#include "support/distributions.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

// The cost of a tree straight from its definition. The nodes of a level of `size` lie from `begin`
// on.
class NaiveTree {
 public:
  NaiveTree(const TreeShape& shape, const std::vector<std::uint32_t>& counts,
            const std::vector<float>& widths, float meta_bits)
      : counts_(counts),
        widths_(widths),
        meta_bits_(meta_bits),
        top_(shape.nodes() - 1),
        total_(std::accumulate(counts.begin(), counts.end(), std::uint32_t{0})) {}

  float cost() const { return below(top_, 0, 1).cost; }

 private:
  struct Node {
    std::uint32_t count;
    float cost;
  };

  Node below(std::size_t begin, std::size_t at, std::size_t size) const {
    if (begin == 0) return own(at, counts_[at]);
    const Node left = below(begin - 2 * size, at, 2 * size);
    const Node right = below(begin - 2 * size, at + size, 2 * size);
    const Node node = own(begin + at, left.count + right.count);
    return {node.count, std::min(left.cost + right.cost, node.cost)};
  }
  Node own(std::size_t node, std::uint32_t count) const {
    if (count == 0) return {0, 0};
    const float total = static_cast<float>(total_);
    const float own = static_cast<float>(count);
    const float each = fast_log2(total) - fast_log2(own) + widths_[node];
    return {count, meta_bits_ + own * each};
  }

  const std::vector<std::uint32_t>& counts_;
  const std::vector<float>& widths_;
  float meta_bits_;
  std::size_t top_;
  std::uint32_t total_;
};

TEST(TreeCost, IsThatOfTheCheapestBins) {
  Random random(501);
  for_each_target([&] {
    for (int round = 0; round < 200; ++round) {
      const TreeShape shape{static_cast<unsigned>(random.below(kMaxTreeLeavesLog + 1))};
      std::vector<std::uint32_t> counts(shape.leaves());
      const std::uint64_t rare = random.between(1, 8);
      const auto bits = static_cast<unsigned>(random.between(1, 20));
      for (auto& count : counts) {
        if (random.one_in(rare)) count = static_cast<std::uint32_t>(random.bits(bits));
      }
      std::vector<float> widths(shape.capacity());
      for (std::size_t node = 0; node < shape.nodes(); ++node) {
        widths[node] = static_cast<float>(random.below(65));
      }
      const float meta_bits = 40 * static_cast<float>(random.unit());
      std::vector<std::uint32_t> sums(shape.capacity());
      std::vector<float> costs(shape.capacity());
      const float cost =
          tree_cost(shape, counts.data(), widths.data(), meta_bits, sums.data(), costs.data());
      ASSERT_EQ(cost, NaiveTree(shape, counts, widths, meta_bits).cost())
          << "round " << round << ", seed " << seed();
    }
  });
}

TEST(TreeCost, NoLatentsCostNothing) {
  const std::vector<std::uint32_t> counts(kMaxTreeLeaves);
  std::vector<std::uint32_t> sums(kMaxTreeShape.capacity());
  std::vector<float> widths(kMaxTreeShape.capacity(), 7.0f);
  std::vector<float> costs(kMaxTreeShape.capacity());
  EXPECT_EQ(tree_cost(kMaxTreeShape, counts.data(), widths.data(), 30, sums.data(), costs.data()),
            0);
}

// Blocks of 1000 latents, each in one of several groups of 16 bins.
class Joining : public ::testing::Test {
 protected:
  Joining() {
    std::vector<std::uint32_t> bounds(kMaxTreeLeaves);
    for (std::size_t i = 0; i < kMaxTreeLeaves; ++i)
      bounds[i] = static_cast<std::uint32_t>(4096 * i);
    std::vector<std::uint32_t> uppers = bounds;
    for (std::uint32_t& upper : uppers) upper += 4095;
    const std::vector<std::uint32_t> counts(kMaxTreeLeaves, 1);
    for (BinTree& tree : trees_) tree.set_leaves(Histogram<std::uint32_t>{bounds, uppers, counts});
  }

  std::vector<CountedSegment> blocks_of(const std::vector<int>& groups) {
    std::vector<CountedSegment> blocks;
    for (const int group : groups) {
      CountedSegment block;
      block.n = 1000;
      for (std::uint32_t*& counts : block.counts) {
        counts = arena_.make<std::uint32_t>(kMaxTreeLeaves).data();
        std::fill_n(counts, kMaxTreeLeaves, 0);
        for (int i = 0; i < 1000; ++i) {
          const std::size_t leaf = 16 * static_cast<std::size_t>(group) + random_.below(16);
          ++counts[kMaxTreeShape.leaf_at(leaf)];
        }
      }
      blocks.push_back(block);
    }
    return blocks;
  }
  std::vector<std::size_t> joined(const std::vector<int>& groups, float chunk_bits = 300) {
    std::vector<CountedSegment> blocks = blocks_of(groups);
    const SegmentCosts costs{trees_, 56, chunk_bits};
    float apart = 0;
    std::vector<std::uint32_t> sums(kMaxTreeLeaves);
    for (const CountedSegment& block : blocks) {
      apart += costs.of(block.counts);
      for (std::size_t leaf = 0; leaf < kMaxTreeLeaves; ++leaf) sums[leaf] += block.counts[0][leaf];
    }
    std::vector<std::size_t> sizes;
    float together = 0;
    for (const CountedSegment& segment : join_segments(blocks, costs, arena_)) {
      sizes.push_back(segment.n);
      together += segment.cost;
      EXPECT_EQ(segment.cost, costs.of(segment.counts));
      for (std::size_t leaf = 0; leaf < kMaxTreeLeaves; ++leaf)
        sums[leaf] -= segment.counts[0][leaf];
    }
    EXPECT_LE(together, apart);
    EXPECT_EQ(std::count(sums.begin(), sums.end(), 0u),
              static_cast<std::ptrdiff_t>(kMaxTreeLeaves));
    return sizes;
  }
  using Sizes = std::vector<std::size_t>;

  Arena arena_{std::pmr::new_delete_resource()};
  Random random_{502};
  std::array<BinTree, kSegmentDeltas> trees_{BinTree(arena_), BinTree(arena_)};
};

TEST_F(Joining, SimilarBlocksBecomeOneSegment) {
  EXPECT_EQ(joined({3}), (Sizes{1000}));
  EXPECT_EQ(joined({3, 3}), (Sizes{2000}));
  EXPECT_EQ(joined(std::vector<int>(37, 5)), (Sizes{37'000}));
}

TEST_F(Joining, DifferentBlocksStayApart) {
  EXPECT_EQ(joined({1, 1, 1, 1, 9, 9, 9, 9, 9}), (Sizes{4000, 5000}));
  EXPECT_EQ(joined({1, 1, 1, 9, 9, 9, 9, 9}), (Sizes{3000, 5000}));
  EXPECT_EQ(joined({0, 0, 0, 0, 7, 7, 7, 7, 7, 0, 0, 0, 15, 15, 15}),
            (Sizes{4000, 5000, 3000, 3000}));
}

TEST_F(Joining, ExpensiveChunksAreFew) {
  EXPECT_EQ(joined({1, 1, 1, 9, 9, 9}, 1e6f), (Sizes{6000}));
}

class Segmentation : public ::testing::Test {
 protected:
  static EncodeConfig config_of(NumberType type) {
    EncodeConfig config;
    if (kind_of(type) != NumberKind::kFloat) config.mode = ModeSpec::classic();
    return config;
  }
  SegmentPlan plan_for(const Numbers& numbers) {
    arena_.reset();
    const LatentArray ordered = ordered_latents(numbers.view(), arena_);
    const EncodeConfig config = config_of(numbers.type());
    ChoiceSession session({numbers.type(), ordered, numbers.count()}, config, arena_);
    session.choose_plain();
    SegmentPlanner planner(ordered, session.best(), session.level().segments, arena_);
    planner.coarse_plan();
    return planner.plan();
  }
  template <class T>
  SegmentPlan plan_for(const std::vector<T>& numbers) {
    return plan_for(from_values(numbers));
  }
  // The segments of numbers that are estimated at `bits` each without a delta.
  std::size_t segments_at(unsigned level, const Numbers& numbers, float bits = 9) {
    arena_.reset();
    const LatentArray ordered = ordered_latents(numbers.view(), arena_);
    const SegmentLevel& row = level_row(level).segments;
    SegmentPlanner planner(ordered, Choice{Classic{}, NoDelta{}, {}, bits}, row, arena_);
    planner.coarse_plan();
    return planner.plan().sizes.size();
  }
  // Expects a boundary near each of the positions, and at most `others` more.
  static void expect_boundaries(const SegmentPlan& plan, const std::vector<std::size_t>& positions,
                                std::size_t others = 0, std::size_t near = 1024) {
    EXPECT_LT(plan.bits, plan.single_bits);
    std::vector<std::size_t> boundaries;
    std::size_t at = 0;
    for (const std::size_t size : plan.sizes) boundaries.push_back(at += size);
    for (const std::size_t position : positions) {
      const bool is_found =
          std::any_of(boundaries.begin(), boundaries.end(), [&](std::size_t boundary) {
            return boundary + near >= position && boundary <= position + near;
          });
      EXPECT_TRUE(is_found) << position << " is not among " << ::testing::PrintToString(boundaries);
    }
    EXPECT_LE(plan.sizes.size(), positions.size() + 1 + others)
        << ::testing::PrintToString(boundaries);
  }

  Arena arena_{std::pmr::new_delete_resource()};
  Random random_{503};
};

TEST_F(Segmentation, WhereTheScaleChanges) {
  std::vector<std::int64_t> numbers(200'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double scale = i < 70'000 ? 20 : i < 130'000 ? 1e7 : 300;
    numbers[i] = std::llround(scale * random_.normal());
  }
  expect_boundaries(plan_for(numbers), {70'000, 130'000}, 1);
}

TEST_F(Segmentation, WhereOtherValuesBegin) {
  std::vector<std::uint32_t> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(random_.bits(8) << (i < 40'000 ? 0 : 20));
  }
  expect_boundaries(plan_for(numbers), {40'000}, 1);
}

TEST_F(Segmentation, WhereItBecomesSmooth) {
  std::vector<std::int32_t> numbers(150'000);
  std::int32_t walk = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    walk += static_cast<std::int32_t>(random_.below(7)) - 3;
    numbers[i] = i < 90'000 ? static_cast<std::int32_t>(random_.bits(24)) : walk;
  }
  expect_boundaries(plan_for(numbers), {90'000}, 1);
}

// Short runs are divided only where size counts most: a plan takes more time than it saves.
TEST_F(Segmentation, FewNumbersFromLevelNineOn) {
  std::vector<std::uint32_t> numbers(8191);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(random_.bits(i < 4000 ? 8 : 24));
  }
  const auto segments_at = [&](unsigned level) {
    return Segmentation::segments_at(level, from_values(numbers), 18);
  };
  EXPECT_EQ(segments_at(kDefaultLevel), 1u);
  EXPECT_EQ(segments_at(kDefaultLevel + 1), 2u);
  numbers.push_back(0);
  EXPECT_EQ(segments_at(kDefaultLevel), 2u);
}

// Coarse plans of short runs are too optimistic, so they must save more.
TEST_F(Segmentation, ManyNumbersForLess) {
  for (const std::size_t n : {60'000u, 70'000u}) {
    std::vector<std::int32_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double scale = i < n / 2 ? 100 : 200;
      numbers[i] = static_cast<std::int32_t>(std::lround(scale * random_.normal()));
    }
    EXPECT_EQ(segments_at(kDefaultLevel, from_values(numbers)), n < 65'536 ? 1u : 2u) << n;
  }
}

TEST_F(Segmentation, FloatsWhereTheyAreNoLongerIntegers) {
  std::vector<double> numbers(60'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i < 30'000 ? std::round(100 * random_.normal()) : random_.normal();
  }
  const SegmentPlan plan = plan_for(numbers);
  ASSERT_GT(plan.sizes.size(), 1u);
  expect_boundaries(plan, {30'000}, 2, 4096);
}

// A saving that is too small for a full plan is used if even segments provide it.
TEST_F(Segmentation, EvenSegmentsWhereTheySaveALittle) {
  constexpr std::size_t kN = 400'000;
  std::vector<std::int32_t> numbers(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    numbers[i] =
        static_cast<std::int32_t>(std::lround((i < kN / 2 ? 100 : 145) * random_.normal()));
  }
  const SegmentPlan plan = plan_for(numbers);
  ASSERT_EQ(plan.sizes.size(), 2u);
  EXPECT_NEAR(static_cast<double>(plan.sizes[0]), kN / 2.0, 8192);
  EXPECT_LT(plan.bits, 0.9985f * plan.single_bits);
  for (std::int32_t& number : numbers) {
    number = static_cast<std::int32_t>(std::lround(100 * random_.normal()));
  }
  EXPECT_EQ(plan_for(numbers).sizes.size(), 1u);
}

TEST_F(Segmentation, NotWhereNothingChanges) {
  for (const std::string_view name :
       {"uniform", "constant", "few-values", "small", "walk", "smooth", "multiples", "decimals",
        "noisy-decimals", "quantised", "nans", "specials", "subnormals", "extremes", "outliers"}) {
    for (const NumberType type : {NumberType::kI16, NumberType::kU64, NumberType::kF64}) {
      // A walk soon wraps around in 16 bits.
      if (name == "walk" && type == NumberType::kI16) continue;
      const SegmentPlan plan = plan_for(make_numbers(name, type, 100'000, random_));
      EXPECT_EQ(plan.sizes.size(), 1u) << name << " " << name_of(type) << ", seed " << seed();
      EXPECT_EQ(plan.sizes[0], 100'000u);
    }
  }
}

TEST_F(Segmentation, RunsOfAnySize) {
  for (const std::size_t n :
       {1u, 2u, 3u, 1023u, 1024u, 1025u, 4095u, 4096u, 4097u, 5119u, 8193u, 16'385u, 65'537u}) {
    for (const NumberType type : {NumberType::kU8, NumberType::kF32, NumberType::kI64}) {
      const SegmentPlan plan = plan_for(make_numbers("segments", type, n, random_));
      ASSERT_GE(plan.sizes.size(), 1u);
      EXPECT_EQ(std::accumulate(plan.sizes.begin(), plan.sizes.end(), std::size_t{0}), n);
      EXPECT_EQ(std::count(plan.sizes.begin(), plan.sizes.end(), 0u), 0);
      if (n < 4096) {
        EXPECT_EQ(plan.sizes.size(), 1u);
      }
    }
  }
}

TEST_F(Segmentation, SameForEveryTarget) {
  std::vector<Numbers> all;
  for (const NumberType type : kNumberTypes) {
    Numbers numbers = make_numbers("segments", type, 30'000, random_);
    const Numbers tail = make_numbers("small", type, 40'000, random_);
    numbers.storage().insert(numbers.storage().end(), raw(tail).begin(), raw(tail).end());
    all.push_back(std::move(numbers));
  }
  std::vector<std::vector<std::size_t>> expected;
  std::size_t boundaries = 0;
  {
    const TargetScope scope(all_targets().back());
    for (const Numbers& numbers : all) {
      const SegmentPlan plan = plan_for(numbers);
      expected.emplace_back(plan.sizes.begin(), plan.sizes.end());
      boundaries += plan.sizes.size() - 1;
    }
  }
  EXPECT_GE(boundaries, all.size());
  for_each_target([&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const SegmentPlan plan = plan_for(all[i]);
      ASSERT_EQ(std::vector<std::size_t>(plan.sizes.begin(), plan.sizes.end()), expected[i])
          << name_of(all[i].type());
    }
  });
}

}  // namespace
}  // namespace numpact::testing
