// SPDX-License-Identifier: Apache-2.0
// Where runs of numbers are cut: the cost of a histogram in a tree of bins, the joining of blocks,
// and the plans that come of it.
#include "pco/encode/segment/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "choose_cases.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/segment/histogram_kernel.hpp"
#include "pco/encode/segment/join.hpp"
#include "pco/stats/log2.hpp"
#include "support/distributions.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

// A node and what is below it, by the letter. Nodes of a level of `size` lie from `begin` on.
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

TEST(TreeCost, IsTheCheapestBinsOfTheTree) {
  Random random(501);
  for_each_target([&] {
    for (int round = 0; round < 200; ++round) {
      const TreeShape shape{static_cast<unsigned>(random.below(kCutLeavesLog + 1))};
      std::vector<std::uint32_t> counts(shape.leaves());
      const std::uint64_t rare = random.between(1, 8);
      const auto bits = static_cast<unsigned>(random.between(1, 20));
      for (auto& count : counts) {
        if (random.one_in(rare)) count = static_cast<std::uint32_t>(random.bits(bits));
      }
      std::vector<float> widths(shape.room());
      for (std::size_t node = 0; node < shape.nodes(); ++node) {
        widths[node] = static_cast<float>(random.below(65));
      }
      const float meta_bits = 40 * static_cast<float>(random.unit());
      std::vector<std::uint32_t> sums(shape.room());
      std::vector<float> costs(shape.room());
      const float cost =
          tree_cost(shape, counts.data(), widths.data(), meta_bits, sums.data(), costs.data());
      ASSERT_EQ(cost, NaiveTree(shape, counts, widths, meta_bits).cost())
          << "round " << round << ", seed " << seed();
    }
  });
}

TEST(TreeCost, OfNothingIsNothing) {
  const std::vector<std::uint32_t> counts(kCutLeaves);
  std::vector<std::uint32_t> sums(kCutShape.room());
  std::vector<float> widths(kCutShape.room(), 7.0f);
  std::vector<float> costs(kCutShape.room());
  EXPECT_EQ(tree_cost(kCutShape, counts.data(), widths.data(), 30, sums.data(), costs.data()), 0);
}

// Blocks of 1000 latents, each in one of several groups of 16 bins.
class Joining : public ::testing::Test {
 protected:
  Joining() {
    std::vector<std::uint32_t> bounds(kCutLeaves);
    for (std::size_t i = 0; i < kCutLeaves; ++i) bounds[i] = static_cast<std::uint32_t>(4096 * i);
    std::vector<std::uint32_t> uppers = bounds;
    for (std::uint32_t& upper : uppers) upper += 4095;
    const std::vector<std::uint32_t> counts(kCutLeaves, 1);
    for (BinTree& tree : trees_) tree.set_leaves(Histogram<std::uint32_t>{bounds, uppers, counts});
  }

  std::vector<CutSegment> blocks_of(const std::vector<int>& groups) {
    std::vector<CutSegment> blocks;
    for (const int group : groups) {
      CutSegment block;
      block.n = 1000;
      for (std::uint32_t*& counts : block.counts) {
        counts = arena_.make<std::uint32_t>(kCutLeaves).data();
        std::fill_n(counts, kCutLeaves, 0);
        for (int i = 0; i < 1000; ++i) {
          const std::size_t leaf = 16 * static_cast<std::size_t>(group) + random_.below(16);
          ++counts[kCutShape.leaf_at(leaf)];
        }
      }
      blocks.push_back(block);
    }
    return blocks;
  }
  std::vector<std::size_t> joined(const std::vector<int>& groups, float chunk_bits = 300) {
    std::vector<CutSegment> blocks = blocks_of(groups);
    const CutCosts costs{trees_, 56, chunk_bits};
    float apart = 0;
    std::vector<std::uint32_t> sums(kCutLeaves);
    for (const CutSegment& block : blocks) {
      apart += costs.of(block.counts);
      for (std::size_t leaf = 0; leaf < kCutLeaves; ++leaf) sums[leaf] += block.counts[0][leaf];
    }
    std::vector<std::size_t> sizes;
    float together = 0;
    for (const CutSegment& segment : join_segments(blocks, costs, arena_)) {
      sizes.push_back(segment.n);
      together += segment.cost;
      EXPECT_EQ(segment.cost, costs.of(segment.counts));
      for (std::size_t leaf = 0; leaf < kCutLeaves; ++leaf) sums[leaf] -= segment.counts[0][leaf];
    }
    EXPECT_LE(together, apart);
    EXPECT_EQ(std::count(sums.begin(), sums.end(), 0u), static_cast<std::ptrdiff_t>(kCutLeaves));
    return sizes;
  }
  using Sizes = std::vector<std::size_t>;

  Arena arena_{std::pmr::new_delete_resource()};
  Random random_{502};
  std::array<BinTree, kCutDeltas> trees_{BinTree(arena_), BinTree(arena_)};
};

TEST_F(Joining, AlikeBlocksBecomeOne) {
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

TEST_F(Joining, ChunksThatCostMuchAreFew) {
  EXPECT_EQ(joined({1, 1, 1, 9, 9, 9}, 1e6f), (Sizes{6000}));
}

class Cutting : public ::testing::Test {
 protected:
  static EncodeConfig config_of(NumberType type) {
    EncodeConfig config;
    if (kind_of(type) != NumberKind::kFloat) config.mode = ModeSpec::classic();
    return config;
  }
  CutPlan plan_for(const Numbers& numbers) {
    arena_.reset();
    const LatentArray ordered = ordered_latents(numbers.view(), arena_);
    const EncodeConfig config = config_of(numbers.type());
    const Choices choices = choose_plain(numbers.type(), ordered, numbers.count(), config, arena_);
    CutPlanner planner(ordered, choices.all()[0], config.level, arena_);
    return planner.look_first() > 0 ? planner.look_closely() : planner.even();
  }
  template <class T>
  CutPlan plan_for(const std::vector<T>& numbers) {
    return plan_for(from_values(numbers));
  }
  // Of numbers that take so many bits each as they are.
  std::size_t chunks_at(unsigned level, const Numbers& numbers, float bits = 9) {
    arena_.reset();
    const LatentArray ordered = ordered_latents(numbers.view(), arena_);
    CutPlanner planner(ordered, Choice{Classic{}, NoDelta{}, {}, bits}, level, arena_);
    return planner.look_first() > 0 ? planner.look_closely().sizes.size() : 1;
  }
  // A cut near each of the places, few others.
  static void expect_cuts(const CutPlan& plan, const std::vector<std::size_t>& places,
                          std::size_t others = 0, std::size_t near = 1024) {
    EXPECT_LT(plan.bits, plan.uncut_bits);
    std::vector<std::size_t> cuts;
    std::size_t at = 0;
    for (const std::size_t size : plan.sizes) cuts.push_back(at += size);
    for (const std::size_t place : places) {
      const bool is_cut = std::any_of(cuts.begin(), cuts.end(), [&](std::size_t cut) {
        return cut + near >= place && cut <= place + near;
      });
      EXPECT_TRUE(is_cut) << place << " is not among " << ::testing::PrintToString(cuts);
    }
    EXPECT_LE(plan.sizes.size(), places.size() + 1 + others) << ::testing::PrintToString(cuts);
  }

  Arena arena_{std::pmr::new_delete_resource()};
  Random random_{503};
};

TEST_F(Cutting, WhereTheScaleChanges) {
  std::vector<std::int64_t> numbers(200'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double scale = i < 70'000 ? 20 : i < 130'000 ? 1e7 : 300;
    numbers[i] = std::llround(scale * random_.normal());
  }
  expect_cuts(plan_for(numbers), {70'000, 130'000}, 1);
}

TEST_F(Cutting, WhereOtherValuesBegin) {
  std::vector<std::uint32_t> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(random_.bits(8) << (i < 40'000 ? 0 : 20));
  }
  expect_cuts(plan_for(numbers), {40'000}, 1);
}

TEST_F(Cutting, WhereItBecomesSmooth) {
  std::vector<std::int32_t> numbers(150'000);
  std::int32_t walk = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    walk += static_cast<std::int32_t>(random_.below(7)) - 3;
    numbers[i] = i < 90'000 ? static_cast<std::int32_t>(random_.bits(24)) : walk;
  }
  expect_cuts(plan_for(numbers), {90'000}, 1);
}

// Looking takes longer than it saves, unless size counts.
TEST_F(Cutting, FewNumbersForSizeOnly) {
  std::vector<std::uint32_t> numbers(8191);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(random_.bits(i < 4000 ? 8 : 24));
  }
  const auto chunks_at = [&](unsigned level) {
    return Cutting::chunks_at(level, from_values(numbers), 18);
  };
  EXPECT_EQ(chunks_at(kLevelForSize - 1), 1u);
  EXPECT_EQ(chunks_at(kLevelForSize), 2u);
  numbers.push_back(0);
  EXPECT_EQ(chunks_at(kLevelForSize - 1), 2u);
}

// Of few numbers the first look promises too much: they must save more.
TEST_F(Cutting, ManyNumbersForLess) {
  for (const std::size_t n : {60'000u, 70'000u}) {
    std::vector<std::int32_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double scale = i < n / 2 ? 100 : 200;
      numbers[i] = static_cast<std::int32_t>(std::lround(scale * random_.normal()));
    }
    EXPECT_EQ(chunks_at(kLevelForSize - 1, from_values(numbers)), n < 65'536 ? 1u : 2u) << n;
  }
}

TEST_F(Cutting, FloatsWhereTheyAreNoLongerWhole) {
  std::vector<double> numbers(60'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i < 30'000 ? std::round(100 * random_.normal()) : random_.normal();
  }
  const CutPlan plan = plan_for(numbers);
  ASSERT_GT(plan.sizes.size(), 1u);
  expect_cuts(plan, {30'000}, 2, 4096);
}

// What is too little for a closer look, but is there for the taking.
TEST_F(Cutting, AsTheReferenceDoesWhereThatSavesALittle) {
  constexpr std::size_t kN = 400'000;
  std::vector<std::int32_t> numbers(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    numbers[i] =
        static_cast<std::int32_t>(std::lround((i < kN / 2 ? 100 : 145) * random_.normal()));
  }
  const CutPlan plan = plan_for(numbers);
  ASSERT_EQ(plan.sizes.size(), 2u);
  EXPECT_EQ(plan.sizes[0], kN / 2);
  EXPECT_EQ(plan.sizes[1], kN / 2);
  EXPECT_LT(plan.bits, 0.9985f * plan.uncut_bits);
  for (std::int32_t& number : numbers) {
    number = static_cast<std::int32_t>(std::lround(100 * random_.normal()));
  }
  EXPECT_EQ(plan_for(numbers).sizes.size(), 1u);
}

TEST_F(Cutting, NotWhereNothingChanges) {
  for (const std::string_view name :
       {"uniform", "constant", "few-values", "small", "walk", "smooth", "multiples", "decimals",
        "noisy-decimals", "quantised", "nans", "specials", "subnormals", "extremes", "outliers"}) {
    for (const NumberType type : {NumberType::kI16, NumberType::kU64, NumberType::kF64}) {
      // The sum of a walk soon wraps in 16 bits.
      if (name == "walk" && type == NumberType::kI16) continue;
      const CutPlan plan = plan_for(make_numbers(name, type, 100'000, random_));
      EXPECT_EQ(plan.sizes.size(), 1u) << name << " " << name_of(type) << ", seed " << seed();
      EXPECT_EQ(plan.sizes[0], 100'000u);
    }
  }
}

TEST_F(Cutting, RunsOfAnySize) {
  for (const std::size_t n :
       {1u, 2u, 3u, 1023u, 1024u, 1025u, 4095u, 4096u, 4097u, 5119u, 8193u, 16'385u, 65'537u}) {
    for (const NumberType type : {NumberType::kU8, NumberType::kF32, NumberType::kI64}) {
      const CutPlan plan = plan_for(make_numbers("segments", type, n, random_));
      ASSERT_GE(plan.sizes.size(), 1u);
      EXPECT_EQ(std::accumulate(plan.sizes.begin(), plan.sizes.end(), std::size_t{0}), n);
      EXPECT_EQ(std::count(plan.sizes.begin(), plan.sizes.end(), 0u), 0);
      if (n < 4096) {
        EXPECT_EQ(plan.sizes.size(), 1u);
      }
    }
  }
}

TEST_F(Cutting, SameForEveryTarget) {
  std::vector<Numbers> all;
  for (const NumberType type : kNumberTypes) {
    Numbers numbers = make_numbers("segments", type, 30'000, random_);
    const Numbers tail = make_numbers("small", type, 40'000, random_);
    numbers.storage().insert(numbers.storage().end(), raw(tail).begin(), raw(tail).end());
    all.push_back(std::move(numbers));
  }
  std::vector<std::vector<std::size_t>> expected;
  std::size_t cuts = 0;
  {
    const TargetScope scope(all_targets().back());
    for (const Numbers& numbers : all) {
      const CutPlan plan = plan_for(numbers);
      expected.emplace_back(plan.sizes.begin(), plan.sizes.end());
      cuts += plan.sizes.size() - 1;
    }
  }
  EXPECT_GE(cuts, all.size());
  for_each_target([&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const CutPlan plan = plan_for(all[i]);
      ASSERT_EQ(std::vector<std::size_t>(plan.sizes.begin(), plan.sizes.end()), expected[i])
          << name_of(all[i].type());
    }
  });
}

}  // namespace
}  // namespace numpact::testing
