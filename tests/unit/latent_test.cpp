// SPDX-License-Identifier: Apache-2.0
// Decoding of any count of latents on every target against a naive decoder, and encoding. Whole
// batches: batches_test.cpp.
#include <gtest/gtest.h>

#include "base/internal.hpp"
#include "latent_cases.hpp"
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
struct DecodeCase {
  std::vector<Bin> bins;
  unsigned size_log;
  L bias;
  std::uint64_t start;
  std::size_t n;
};

template <Latent L>
DecodeCase<L> decode_case(const BinShape& shape, std::size_t n, Random& random) {
  return {random_bins<L>(shape, random), shape.size_log,
          random.one_in(2) ? L{0} : static_cast<L>(random.bits()), random.below(8), n};
}

// Checks on every target the latents, their end, the states, and the sizes that skipping returns.
template <Latent L>
void check_decode(const DecodeCase<L>& one, GuardedBuffer& buffer, Random& random) {
  const Binning binning{kBits<L>, one.size_log, one.bins};
  const unsigned size_log = one.bins.size() > 1 ? one.size_log : 0;
  unsigned offset_bits = 0;
  for (const Bin& bin : one.bins) offset_bits = std::max(offset_bits, bin.offset_bits);
  const ByteSpan in =
      buffer.copy(noise(readable_bytes(one.start, one.n, size_log + offset_bits), random));
  const AnsStates states = random_states(size_log, random);
  const std::vector<NaiveState> table = naive_table(one.bins, one.size_log);
  const NaiveBatch expected = naive_decode(one.bins, table, one.bias, states, in, one.start, one.n);
  for_each_target([&] {
    Arena arena(std::pmr::new_delete_resource());
    const auto tables = LatentTables<L>::make(binning, one.bias, arena);
    ASSERT_EQ(tables.max_bits(), size_log + offset_bits);
    std::vector<L> out(one.n + 1, L{99});
    AnsStates got = states;
    ASSERT_EQ(tables.kernels->decode(tables, got, in.data(), one.start, one.n, out.data()),
              expected.end);
    ASSERT_TRUE(std::equal(expected.latents.begin(), expected.latents.end(), out.begin()));
    ASSERT_EQ(out[one.n], L{99});
    AnsStates got_skipping = states;
    const SkippedBits skipped =
        tables.kernels->skip(tables, got_skipping, in.data(), one.start, one.n);
    ASSERT_EQ(skipped.codes, expected.codes_end - one.start);
    ASSERT_EQ(skipped.offsets, expected.end - expected.codes_end);
    if (one.bins.size() > 1) {
      ASSERT_EQ(got, expected.states);
      ASSERT_EQ(got_skipping, expected.states);
    }
  });
}

// Upper bound of the bytes that a case reads.
constexpr std::size_t kMaxReadableBytes = kBatchN * (kMaxAnsSizeLog + 64) / 8 + kReadSlackBytes + 8;

TYPED_TEST(Latents, DecodeEveryOffsetWidth) {
  Random random(12);
  GuardedBuffer buffer(kMaxReadableBytes);
  for (unsigned offset_bits = 0; offset_bits <= kBits<TypeParam>; ++offset_bits) {
    for (const std::size_t bin_n : kBinCounts) {
      const BinShape shape{random_size_log(bin_n, random), bin_n, offset_bits};
      const std::size_t n = random.one_in(3) ? kBatchN : random.between(1, kBatchN);
      SCOPED_TRACE(text(offset_bits, " offset bits, ", bin_n, " bins, size log ", shape.size_log,
                        ", n ", n, ", seed ", seed()));
      check_decode(decode_case<TypeParam>(shape, n, random), buffer, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Latents, DecodeEverySizeLog) {
  Random random(32);
  GuardedBuffer buffer(kMaxReadableBytes);
  for (unsigned size_log = 1; size_log <= kMaxAnsSizeLog; ++size_log) {
    for (const std::size_t bin_n : kBinCounts) {
      if (bin_n == 1 || min_size_log(bin_n) > size_log) continue;
      const auto offset_bits = static_cast<unsigned>(random.below(kBits<TypeParam> + 1));
      SCOPED_TRACE(text("size log ", size_log, ", ", bin_n, " bins, ", offset_bits,
                        " offset bits, seed ", seed()));
      const BinShape shape{size_log, bin_n, offset_bits};
      check_decode(decode_case<TypeParam>(shape, kBatchN, random), buffer, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Latents, DecodeEveryCount) {
  Random random(33);
  GuardedBuffer buffer(kMaxReadableBytes);
  for (std::size_t n = 1; n <= kBatchN; ++n) {
    for (const std::size_t bin_n : {1u, 5u, 300u}) {
      const auto offset_bits = static_cast<unsigned>(random.below(kBits<TypeParam> + 1));
      SCOPED_TRACE(
          text("n ", n, ", ", bin_n, " bins, ", offset_bits, " offset bits, seed ", seed()));
      const BinShape shape{random_size_log(bin_n, random), bin_n, offset_bits};
      check_decode(decode_case<TypeParam>(shape, n, random), buffer, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Latents, NoBinsAreTheBias) {
  for_each_target([] {
    Arena arena(std::pmr::new_delete_resource());
    for (const TypeParam bias : {TypeParam{0}, kMid<TypeParam>}) {
      const auto tables =
          LatentTables<TypeParam>::make(Binning{kBits<TypeParam>, 0, {}}, bias, arena);
      std::vector<TypeParam> out(100, 7);
      AnsStates states{};
      const Bytes in(kReadSlackBytes + 1, std::byte{0xff});
      EXPECT_EQ(tables.kernels->decode(tables, states, in.data(), 3, out.size(), out.data()), 3u);
      EXPECT_EQ(out, std::vector<TypeParam>(100, bias));
    }
  });
}

// Ascending bins that together hold every latent, as encoders make them.
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
    // Sometimes enough latents for a table of all values of 16 bits.
    std::vector<TypeParam> latents(random.one_in(8) ? random.between(16384, 40000)
                                                    : random.between(1, 3000));
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
    for_each_target([&] {
      std::vector<std::uint16_t> symbols(latents.size(), 0xffff);
      find_symbols(Binning{kBits<TypeParam>, 0, bins}, std::span<const TypeParam>(latents),
                   symbols.data(), arena);
      ASSERT_EQ(symbols, expected) << "round " << round;
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// If most latents have no offsets, only those of the others are packed, to the same bits.
TYPED_TEST(Latents, OffsetsArePackedAroundAMajorityBin) {
  using L = TypeParam;
  Random random(23);
  for (int round = 0; round < 300; ++round) {
    std::vector<Bin> bins = ascending_bins<L>(random.between(2, 60), random);
    const std::size_t majority = random.below(bins.size());
    bins[majority].offset_bits = 0;
    bins[majority].weight += 256 - static_cast<std::uint32_t>(bins.size());
    const Binning binning{kBits<L>, 8, bins};
    Arena arena(std::pmr::new_delete_resource());
    OffsetTable table = OffsetTable::make(binning, kBits<L>, 0, arena);
    ASSERT_EQ(table.majority_symbol, majority);
    OffsetTable plain = table;
    plain.majority_symbol = OffsetTable::kNoSymbol;
    const std::size_t n = random.pick(std::vector<std::size_t>{1, 31, 32, 33, 255, 256});
    const std::uint64_t one_in = random.pick(std::vector<std::uint64_t>{1, 2, 10, 1000});
    std::vector<std::uint16_t> symbols(n, static_cast<std::uint16_t>(majority));
    std::vector<L> latents(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (random.one_in(one_in)) symbols[i] = static_cast<std::uint16_t>(random.below(bins.size()));
      const Bin& bin = bins[symbols[i]];
      latents[i] = static_cast<L>(bin.lower + random.bits(bin.offset_bits));
    }
    const auto packed = [&](const OffsetTable& with) {
      Bytes page(n * sizeof(L) + 64);
      BitWriter writer(page);
      write_batch(with, std::span<const L>(latents), symbols.data(), nullptr, writer);
      writer.finish_byte();
      page.resize(writer.size());
      return page;
    };
    for_each_target([&] { ASSERT_EQ(packed(table), packed(plain)) << "round " << round; });
    if (::testing::Test::HasFatalFailure()) return;
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
    std::vector<AnsCodes> codes(ans_codes_n(latents.size()));
    AnsStates states{};
    std::uint64_t bits = latents.size() * std::uint64_t{bins[0].offset_bits};
    if (size_log > 0) {
      const SymbolBits symbol_bits =
          encode_symbols(AnsEncodeTable::make(binning, arena), symbols, codes.data(), states);
      bits = symbol_bits.codes + symbol_bits.offsets;
    }
    Bytes page((bits + 7) / 8);
    if (page.size() > 1) {
      ExactCopy buffer{Bytes(random.below(page.size()))};
      BitWriter short_writer(buffer.writable());
      write_batch(OffsetTable::make(binning, kBits<TypeParam>, 0, arena), view, symbols.data(),
                  size_log > 0 ? codes.data() : nullptr, short_writer);
      short_writer.finish_byte();
      ASSERT_FALSE(short_writer.status().ok());
    }
    BitWriter writer(page);
    write_batch(OffsetTable::make(binning, kBits<TypeParam>, 0, arena), view, symbols.data(),
                size_log > 0 ? codes.data() : nullptr, writer);
    writer.finish_byte();
    ASSERT_OK(writer.status());
    ASSERT_EQ(writer.size(), page.size());
    const auto tables = LatentTables<TypeParam>::make(binning, TypeParam{0}, arena);
    page.resize(1 + latents.size() * tables.max_bits() / 8 + kReadSlackBytes);
    std::vector<TypeParam> out(latents.size());
    ASSERT_EQ(tables.kernels->decode(tables, states, page.data(), 0, out.size(), out.data()), bits);
    ASSERT_EQ(out, latents);
    ASSERT_EQ(states, AnsStates{});
  }
}

}  // namespace
}  // namespace numpact::testing
