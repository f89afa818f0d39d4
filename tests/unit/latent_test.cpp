// SPDX-License-Identifier: Apache-2.0
// The decoding of latents on every target against decoding by the letter, and encoding back.
#include <gtest/gtest.h>

#include "naive.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "support/numbers.hpp"
#include "support/random.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

template <class T>
class Latents : public ::testing::Test {};
using Widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Latents, Widths);

template <Latent L>
std::vector<Bin> random_bins(unsigned size_log, unsigned max_offset_bits, Random& random) {
  const std::size_t size = std::size_t{1} << size_log;
  const std::size_t n =
      size_log == 0 ? 1 : random.between(2, std::min<std::size_t>(size, random.between(2, 200)));
  std::vector<Bin> bins(n);
  for (Bin& bin : bins) {
    bin.weight = 1;
    bin.lower = random.bits(kBits<L>);
    bin.offset_bits = static_cast<std::uint32_t>(random.below(max_offset_bits + 1));
  }
  bins[random.below(n)].offset_bits = max_offset_bits;
  bins[random.below(n)].weight += static_cast<std::uint32_t>(size - n);
  return bins;
}

struct Batch {
  std::vector<std::uint64_t> latents;
  std::uint64_t position = 0;
  AnsStates states{};
  SkippedBits bits;
};

template <Latent L>
Batch naive_decode(const std::vector<Bin>& bins, unsigned size_log, const AnsStates& states,
                   ByteSpan in, std::uint64_t position, std::size_t n) {
  Batch batch{std::vector<std::uint64_t>(n), position, states, {}};
  const std::vector<NaiveState> table = naive_table(bins, size_log);
  std::vector<unsigned> symbols(n);
  for (std::size_t i = 0; i < n && bins.size() > 1; ++i) {
    std::uint32_t& state = batch.states[i % kAnsStates];
    const NaiveState& entry = table[state];
    symbols[i] = entry.symbol;
    batch.bits.codes += entry.code_bits;
    state = entry.next + static_cast<std::uint32_t>(get_bits(in, batch.position, entry.code_bits));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Bin& bin = bins[symbols[i]];
    batch.bits.offsets += bin.offset_bits;
    batch.latents[i] = static_cast<L>(bin.lower + get_bits(in, batch.position, bin.offset_bits));
  }
  return batch;
}

template <Latent L>
void check_decode(unsigned size_log, unsigned offset_bits, std::size_t n, Random& random) {
  const std::vector<Bin> bins = random_bins<L>(size_log, offset_bits, random);
  Arena arena(std::pmr::new_delete_resource());
  const auto tables = LatentTables<L>::make(Binning{kBits<L>, size_log, bins}, arena);
  const std::uint64_t start = random.below(8);
  Bytes noise(start / 8 + 1 + (start + n * tables.max_bits()) / 8 + kReadSlack);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random.bits(8));
  const ExactCopy in(noise);
  AnsStates states{};
  for (std::uint32_t& state : states) {
    state = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << tables.ans_size_log));
  }
  const Batch expected = naive_decode<L>(bins, size_log, states, in.span(), start, n);
  std::vector<L> out(n);
  AnsStates got_states = states;
  const std::uint64_t end =
      decode_latents(tables, got_states, in.span().data(), start, n, out.data());
  ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.latents.begin()));
  ASSERT_EQ(end, expected.position);
  const SkippedBits skipped = skip_latents(tables, states, in.span().data(), start, n);
  ASSERT_EQ(skipped.codes, expected.bits.codes);
  ASSERT_EQ(skipped.offsets, expected.bits.offsets);
  if (bins.size() > 1) {
    ASSERT_EQ(got_states, expected.states);
    ASSERT_EQ(states, expected.states);
  }
}

TYPED_TEST(Latents, DecodeOnEveryTarget) {
  Random random(12);
  for_each_target([&] {
    for (unsigned offset_bits = 0; offset_bits <= kBits<TypeParam>; ++offset_bits) {
      for (const unsigned size_log : {0u, 1u, 4u, 9u, 14u}) {
        for (const std::size_t n : {1u, 2u, 3u, 5u, 31u, 254u, 255u, 256u}) {
          SCOPED_TRACE(text(offset_bits, " offset bits, size log ", size_log, ", n ", n));
          check_decode<TypeParam>(size_log, offset_bits, n, random);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TYPED_TEST(Latents, NoBinsAreZeros) {
  for_each_target([] {
    Arena arena(std::pmr::new_delete_resource());
    const auto tables = LatentTables<TypeParam>::make(Binning{kBits<TypeParam>, 0, {}}, arena);
    std::vector<TypeParam> out(100, 7);
    AnsStates states{};
    const Bytes in(kReadSlack + 1, std::byte{0xff});
    EXPECT_EQ(decode_latents(tables, states, in.data(), 3, out.size(), out.data()), 3u);
    EXPECT_EQ(out, std::vector<TypeParam>(100, 0));
  });
}

// Ascending bins that hold every latent made here, as encoders have them.
template <Latent L>
std::vector<Bin> ascending_bins(std::size_t n, Random& random) {
  std::vector<std::uint64_t> lowers;
  for (std::size_t i = 0; i < n; ++i) lowers.push_back(random.bits(kBits<L>));
  std::sort(lowers.begin(), lowers.end());
  lowers.erase(std::unique(lowers.begin(), lowers.end()), lowers.end());
  std::vector<Bin> bins;
  for (std::size_t i = 0; i < lowers.size(); ++i) {
    const std::uint64_t end = i + 1 < lowers.size() ? lowers[i + 1] - 1 : L(~L{0});
    bins.push_back({lowers[i], 1, static_cast<std::uint32_t>(std::bit_width(end - lowers[i]))});
  }
  return bins;
}

TYPED_TEST(Latents, SymbolsAreTheBinsThatHoldThem) {
  Random random(13);
  for (int round = 0; round < 400; ++round) {
    std::vector<Bin> bins = ascending_bins<TypeParam>(random.between(1, 300), random);
    if (random.one_in(3)) {  // narrow: looked up instead of searched
      std::uint64_t lower = random.below(100);
      for (Bin& bin : bins) {
        bin = {lower, 1, static_cast<std::uint32_t>(random.below(4))};
        lower += std::uint64_t{1} << bin.offset_bits;
        if (lower > TypeParam(~TypeParam{0}) - 20u) {
          bins.resize(static_cast<std::size_t>(&bin - bins.data()) + 1);
          break;
        }
      }
    }
    std::vector<TypeParam> latents(random.between(1, 3000));
    std::vector<std::uint16_t> expected(latents.size());
    for (std::size_t i = 0; i < latents.size(); ++i) {
      expected[i] = static_cast<std::uint16_t>(random.below(bins.size()));
      const Bin& bin = bins[expected[i]];
      const std::uint64_t mask =
          bin.offset_bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bin.offset_bits);
      const std::uint64_t width = expected[i] + 1u < bins.size()
                                      ? bins[expected[i] + 1u].lower - 1 - bin.lower
                                      : std::min(mask, TypeParam(~TypeParam{0}) - bin.lower);
      const std::uint64_t offset = width == ~0ull ? random.bits() : random.below(width + 1);
      latents[i] = static_cast<TypeParam>(bin.lower + offset);
    }
    Arena arena(std::pmr::new_delete_resource());
    std::vector<std::uint16_t> symbols(latents.size(), 0xffff);
    find_symbols(Binning{kBits<TypeParam>, 0, bins}, std::span<const TypeParam>(latents),
                 symbols.data(), arena);
    ASSERT_EQ(symbols, expected) << "round " << round;
  }
}

TYPED_TEST(Latents, WrittenBatchesDecode) {
  Random random(14);
  for (int round = 0; round < 100; ++round) {
    std::vector<Bin> bins = ascending_bins<TypeParam>(random.between(1, 60), random);
    const unsigned size_log = bins.size() == 1 ? 0 : 8;
    bins[0].weight += (1u << size_log) - static_cast<std::uint32_t>(bins.size());
    const Binning binning{kBits<TypeParam>, size_log, bins};
    std::vector<TypeParam> latents(random.between(1, 256));
    for (auto& latent : latents) {
      const auto above = static_cast<TypeParam>(random.bits(kBits<TypeParam>));
      latent = std::max(static_cast<TypeParam>(bins[0].lower), above);
    }
    Arena arena(std::pmr::new_delete_resource());
    std::vector<std::uint16_t> symbols(latents.size());
    const std::span<const TypeParam> view(latents);
    find_symbols(binning, view, symbols.data(), arena);
    std::vector<AnsCode> codes(latents.size());
    AnsStates states{};
    std::uint64_t bits = offset_bits_of(binning, symbols);
    if (size_log > 0) {
      bits += encode_symbols(AnsEncodeTable::make(binning, arena), symbols, codes.data(), states);
    }
    Bytes page((bits + 7) / 8);
    BitWriter writer(page);
    write_batch(binning, view, symbols.data(), size_log > 0 ? codes.data() : nullptr, writer);
    writer.finish_byte();
    ASSERT_OK(writer.status());
    ASSERT_EQ(writer.size(), page.size());
    const auto tables = LatentTables<TypeParam>::make(binning, arena);
    page.resize(1 + latents.size() * tables.max_bits() / 8 + kReadSlack);
    std::vector<TypeParam> out(latents.size());
    ASSERT_EQ(decode_latents(tables, states, page.data(), 0, out.size(), out.data()), bits);
    ASSERT_EQ(out, latents);
    ASSERT_EQ(states, AnsStates{});
  }
}

}  // namespace
}  // namespace numpact::testing
