// SPDX-License-Identifier: Apache-2.0
// Pages of a few batches, alone and in sequence, with every instruction set: the last batch of a
// page with Consecutive stores fewer deltas than it has numbers.
#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

// Whole batches, batches that lack as many deltas as an order has, and short ends.
const std::vector<std::size_t> kPageSizes = {256, 257, 512, 1024, 255, 263, 249, 256, 1,   700,
                                             519, 256, 256, 7,    264, 512, 256, 300, 256, 256};

struct Chunk {
  Bytes meta;
  std::vector<Bytes> pages;
};

Chunk chunk_of(const Numbers& numbers, const EncodeConfig& config) {
  const auto encoder = wrapped::ChunkEncoder::create(numbers.view(), config).value();
  Chunk chunk{encoder.meta().value(), {}};
  for (std::size_t i = 0; i < encoder.page_count(); ++i) {
    chunk.pages.push_back(encoder.page(i).value());
  }
  return chunk;
}

void expect_numbers(const Chunk& chunk, const Numbers& numbers) {
  const auto decoder =
      wrapped::ChunkDecoder::create(chunk.meta, numbers.type(), wrapped::kCurrentVersion).value();
  const std::size_t size = size_of(numbers.type());
  std::vector<ExactCopy> copies;  // reading beyond them is detected
  copies.reserve(chunk.pages.size());
  std::vector<wrapped::PageInput> inputs;
  std::size_t first = 0;
  for (std::size_t i = 0; i < chunk.pages.size(); ++i) {
    const ExactCopy& page = copies.emplace_back(chunk.pages[i]);
    inputs.push_back({page.span(), kPageSizes[i]});
    Bytes out(kPageSizes[i] * size + 1, std::byte{0x5a});
    std::size_t consumed = 0;
    ASSERT_OK(
        decoder.decode_page(page.span(), kPageSizes[i], {numbers.type(), out.data(), kPageSizes[i]})
            .into(consumed));
    EXPECT_EQ(consumed, page.span().size());
    EXPECT_TRUE(same_bytes(ByteSpan(out).first(out.size() - 1),
                           raw(numbers).subspan(first * size, kPageSizes[i] * size)))
        << "page " << i;
    EXPECT_EQ(out.back(), std::byte{0x5a});
    first += kPageSizes[i];
  }
  Numbers all = zeros(numbers.type(), numbers.count());
  ASSERT_OK(decoder.decode_pages(inputs, writable(all)));
  EXPECT_TRUE(same_numbers(all, numbers));
}

TEST(SmallPages, OfAFewBatchesOfEveryTypeModeAndDelta) {
  Random random(78);
  const std::size_t n = std::accumulate(kPageSizes.begin(), kPageSizes.end(), std::size_t{0});
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      std::vector<DeltaSpec> deltas = delta_specs(type);
      for (const unsigned order : {3u, 5u}) deltas.push_back(DeltaSpec::try_consecutive(order));
      for (const DeltaSpec& delta : deltas) {
        EncodeConfig config;
        config.level = 2;
        config.mode = mode;
        config.delta = delta;
        config.paging = PagingSpec::exact(kPageSizes);
        const std::string_view distribution = random.pick(distribution_names());
        SCOPED_TRACE(text(name_of(type), " ", distribution, ", ", describe(config)));
        const Numbers numbers = make_numbers(distribution, type, n, random);
        const Chunk chunk = chunk_of(numbers, config);
        for_each_target([&] { expect_numbers(chunk, numbers); });
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

// Secondary variables may lack deltas too. Only a recipe asks for that without a search.
TEST(SmallPages, WithDeltasOfBothVariables) {
  Random random(79);
  const std::size_t n = std::accumulate(kPageSizes.begin(), kPageSizes.end(), std::size_t{0});
  const std::pair<NumberType, ModeSpec> kinds[] = {
      {NumberType::kU16, ModeSpec::try_int_mult(10)},
      {NumberType::kI64, ModeSpec::try_int_mult(77)},
      {NumberType::kF32, ModeSpec::try_float_mult(0.01)},
      {NumberType::kF64, ModeSpec::try_float_quant(5)}};
  for (const auto& [type, mode] : kinds) {
    for (unsigned order = 1; order <= 7; ++order) {
      for (const std::string_view distribution : {"walk", "smooth", "decimals", "uniform"}) {
        Recipe recipe;
        recipe.type = type;
        recipe.mode = mode;
        recipe.delta = DeltaSpec::try_consecutive(order);
        recipe.encodes_secondary = true;
        EncodeConfig config;
        config.recipe = &recipe;
        config.paging = PagingSpec::exact(kPageSizes);
        SCOPED_TRACE(text(name_of(type), " ", distribution, ", order ", order));
        const Numbers numbers = make_numbers(distribution, type, n, random);
        const Chunk chunk = chunk_of(numbers, config);
        for_each_target([&] { expect_numbers(chunk, numbers); });
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace numpact::testing
