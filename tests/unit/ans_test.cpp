// SPDX-License-Identifier: Apache-2.0
// tANS: spreading, weights, and codes that decode to the encoded symbols.
#include <gtest/gtest.h>

#include <numeric>

#include "base/internal.hpp"
#include "naive.hpp"
#include "pco/ans/encode_table.hpp"
#include "pco/ans/spread.hpp"
#include "pco/bins/weights.hpp"
#include "support/random.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

std::vector<Bin> random_bins(unsigned size_log, Random& random) {
  const std::uint32_t size = 1u << size_log;
  const auto max_n = std::min<std::uint64_t>(size, random.one_in(2) ? 5 : 3000);
  std::vector<Bin> bins(size_log == 0 ? 1 : random.between(2, std::max<std::uint64_t>(2, max_n)));
  for (Bin& bin : bins) bin.weight = 1;
  std::uint32_t left = size - static_cast<std::uint32_t>(bins.size());
  while (left > 0) {
    const auto more = static_cast<std::uint32_t>(random.between(1, left));
    bins[random.below(bins.size())].weight += more;
    left -= more;
  }
  return bins;
}

TEST(Spread, MatchesTheDescription) {
  Random random(9);
  for (unsigned size_log = 0; size_log <= kMaxAnsSizeLog; ++size_log) {
    for (int round = 0; round < 8; ++round) {
      const std::vector<Bin> bins = random_bins(size_log, random);
      std::vector<std::uint16_t> symbols(std::size_t{1} << size_log, 0xffff);
      spread_symbols(
          bins.size(), [&](std::size_t i) { return bins[i].weight; }, symbols);
      const std::vector<unsigned> expected = spread(bins, size_log);
      ASSERT_TRUE(std::equal(symbols.begin(), symbols.end(), expected.begin(), expected.end()));
      std::vector<std::uint32_t> counts(bins.size());
      for (const std::uint16_t symbol : symbols) ++counts.at(symbol);
      for (std::size_t i = 0; i < bins.size(); ++i) ASSERT_EQ(counts[i], bins[i].weight);
    }
  }
}

TEST(Ans, CodesDecodeToTheirSymbols) {
  Random random(10);
  for_each_target([&] {
    for (unsigned size_log = 1; size_log <= kMaxAnsSizeLog; ++size_log) {
      for (const std::size_t n : {0, 1, 2, 3, 4, 5, 255, 256, 1000}) {
        std::vector<Bin> bins = random_bins(size_log, random);
        for (Bin& bin : bins) bin.offset_bits = static_cast<std::uint32_t>(random.below(65));
        std::vector<std::uint16_t> symbols(n);
        for (auto& symbol : symbols) symbol = static_cast<std::uint16_t>(random.below(bins.size()));
        Arena arena(std::pmr::new_delete_resource());
        const auto table = AnsEncodeTable::make(Binning{32, size_log, bins}, arena);
        std::vector<AnsCodes> codes(ans_codes_n(n));
        std::array<std::uint32_t, kAnsStates> states{};
        const SymbolBits bits = encode_symbols(table, symbols, codes.data(), states);

        const std::vector<NaiveState> naive = naive_table(bins, size_log);
        std::uint64_t total = 0;
        std::uint64_t offsets = 0;
        for (std::size_t i = 0; i < n; ++i) {
          std::uint32_t& state = states[i % kAnsStates];
          ASSERT_LT(state, naive.size());
          ASSERT_EQ(naive[state].symbol, symbols[i]);
          const unsigned width = naive[state].code_bits;
          AnsCodes& group = codes[i / kAnsStates];
          ASSERT_GE(group >> kAnsCodesBits, width);
          total += width;
          offsets += bins[symbols[i]].offset_bits;
          state = naive[state].next + static_cast<std::uint32_t>(group & ((1u << width) - 1));
          // The rest of the group: the bits behind this code.
          const AnsCodes bits_left = (group >> kAnsCodesBits) - width;
          group = (group & ((AnsCodes{1} << kAnsCodesBits) - 1)) >> width | bits_left
                                                                                << kAnsCodesBits;
        }
        for (const AnsCodes group : codes) ASSERT_EQ(group, 0u) << "all bits are codes";
        ASSERT_EQ(bits.codes, total);
        ASSERT_EQ(bits.offsets, offsets);
        for (const std::uint32_t state : states) ASSERT_EQ(state, 0u) << "initial states";
      }
    }
  });
}

void expect_valid_weights(const std::vector<std::uint32_t>& counts, unsigned max_size_log) {
  Arena arena(std::pmr::new_delete_resource());
  const WeightsChoice choice = choose_weights(counts, {max_size_log, 0}, arena);
  ASSERT_EQ(choice.weights.size(), counts.size());
  ASSERT_LE(choice.size_log, kMaxAnsSizeLog);
  if (counts.empty()) return;
  const auto sum = std::accumulate(choice.weights.begin(), choice.weights.end(), 0ull);
  ASSERT_EQ(sum, 1ull << choice.size_log);
  for (const std::uint32_t weight : choice.weights) ASSERT_GE(weight, 1u);
  if (counts.size() == 1) {
    ASSERT_EQ(choice.size_log, 0u);
  } else {
    ASSERT_GE(choice.size_log, 1u);
    const auto min_log = static_cast<unsigned>(std::bit_width(counts.size() - 1));
    ASSERT_LE(choice.size_log, std::max({min_log, max_size_log, 1u}));
  }
}

TEST(Weights, AddUpToATable) {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint32_t> counts(random.between(1, random.one_in(20) ? 4096 : 60));
    for (auto& count : counts) {
      const auto width = static_cast<unsigned>(random.below(13));
      count = static_cast<std::uint32_t>(1 + random.bits(width));
    }
    if (random.one_in(5)) counts[0] = 1 << 23;
    expect_valid_weights(counts, static_cast<unsigned>(random.below(13)));
    if (HasFatalFailure()) return;
  }
}

TEST(Weights, LargeTablesNeedASaving) {
  Random random(12);
  for (int round = 0; round < 300; ++round) {
    Arena arena(std::pmr::new_delete_resource());
    std::vector<std::uint32_t> counts(random.between(2, 3000));
    for (auto& count : counts) {
      count = static_cast<std::uint32_t>(1 + random.bits(static_cast<unsigned>(random.below(16))));
    }
    const unsigned min_log = std::max(1u, static_cast<unsigned>(std::bit_width(counts.size() - 1)));
    const unsigned free = choose_weights(counts, {12, 0}, arena).size_log;
    const unsigned penalized = choose_weights(counts, {12, 0.004}, arena).size_log;
    EXPECT_LE(penalized, free);
    EXPECT_LE(choose_weights(counts, {12, 0.9}, arena).size_log,
              std::max(kSmallTableSizeLog, min_log));
    if (free <= kSmallTableSizeLog) {
      EXPECT_EQ(penalized, free);
    }
  }
}

TEST(Weights, Corners) {
  expect_valid_weights({}, 12);
  expect_valid_weights({5}, 12);
  expect_valid_weights({1, 1}, 0);
  expect_valid_weights({1, (1u << 24) - 1}, 12);
  expect_valid_weights(std::vector<std::uint32_t>(kMaxBins, 1), 12);
  expect_valid_weights(std::vector<std::uint32_t>(kMaxBins - 1, 3), 12);
  std::vector<std::uint32_t> skewed(5000, 1);
  skewed[77] = (1u << 24) - 5000;
  expect_valid_weights(skewed, 12);
}

TEST(Weights, FollowTheCounts) {
  Arena arena(std::pmr::new_delete_resource());
  const std::vector<std::uint32_t> counts = {1000, 1000, 2000};
  const WeightsChoice choice = choose_weights(counts, {10, 0}, arena);
  EXPECT_EQ(choice.weights[0], choice.weights[1]);
  EXPECT_EQ(choice.weights[2], 2 * choice.weights[0]);
}

}  // namespace
}  // namespace numpact::testing
