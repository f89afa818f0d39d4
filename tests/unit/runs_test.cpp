// SPDX-License-Identifier: Apache-2.0
// Errors in pages whose batches are decoded in runs: their kind and position are those of the first
// bad batch, wherever it lies in a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "numpact/numpact.hpp"
#include "pco/meta/chunk_meta.hpp"
#include "pco/page/page_decoder.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kBatches = 11;  // three runs, the last one not full

// A page of few distinct numbers. The largest one is in one batch only.
struct DictPage {
  std::vector<std::byte> meta;
  std::vector<std::byte> page;
};

template <class T>
DictPage dict_page(std::size_t largest_in, Random& random) {
  std::vector<T> numbers(kBatches * kBatchN);
  for (T& number : numbers) number = static_cast<T>(17 * random.below(6) * random.below(2));
  numbers[largest_in * kBatchN + random.below(kBatchN)] = static_cast<T>(101);
  EncodeConfig config;
  config.mode = ModeSpec::try_dict();
  config.delta = DeltaSpec::none();
  config.paging = PagingSpec::exact({numbers.size()});
  auto encoder = wrapped::ChunkEncoder::create(
                     NumberView{kNumberTypeOf<T>, numbers.data(), numbers.size()}, config)
                     .value();
  DictPage made;
  made.meta.resize(encoder.meta_size_bound());
  made.meta.resize(encoder.write_meta(made.meta).value());
  made.page.resize(encoder.page_size_bound(0));
  made.page.resize(encoder.write_page(0, made.page).value());
  return made;
}

// Where the batches of the page start, in bytes, and where the last one ends.
std::vector<std::size_t> batch_starts(const ChunkTables& tables, ByteSpan page) {
  Arena arena(std::pmr::new_delete_resource());
  PageDecoder* const decoder = tables.make_page_decoder(arena);
  BitWindow window{page, 0, true};
  bool more = false;
  throw_if_error(decoder->start(window, kBatches * kBatchN, more));
  std::vector<std::size_t> starts{static_cast<std::size_t>(window.position / 8)};
  while (decoder->numbers_left() > 0) {
    std::array<PageVariableSizes, kVariables> sizes{};
    std::size_t done = 0;
    throw_if_error(decoder->skip(window, sizes, done));
    starts.push_back(static_cast<std::size_t>(window.position / 8));
  }
  return starts;
}

Status decode(const ChunkTables& tables, ByteSpan page) {
  Arena arena(std::pmr::new_delete_resource());
  PageDecoder* const decoder = tables.make_page_decoder(arena);
  BitWindow window{page, 0, true};
  bool more = false;
  if (Status status = decoder->start(window, kBatches * kBatchN, more); !status.ok()) return status;
  std::vector<std::uint64_t> out(kBatches * kBatchN);
  std::size_t done = 0;
  return decoder->decode(window, out.size(), out.data(), done, more);
}

template <class T>
class DictRuns : public ::testing::Test {};
using Types = ::testing::Types<std::uint8_t, std::int16_t, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(DictRuns, Types);

TYPED_TEST(DictRuns, IndicesPastTheDictionaryAreFoundInTheirBatch) {
  Random random(77);
  for_each_target([&] {
    for (std::size_t bad = 0; bad < kBatches; ++bad) {
      const DictPage made = dict_page<TypeParam>(bad, random);
      Arena arena(std::pmr::new_delete_resource());
      ChunkMeta meta;
      BitReader reader{ByteSpan(made.meta)};
      throw_if_error(parse_chunk_meta(reader, kNumberTypeOf<TypeParam>,
                                      numpact::internal::FormatVersion{4, 1}, arena, meta));
      ASSERT_OK(decode(*ChunkTables::make(meta, arena), made.page));
      const auto starts = batch_starts(*ChunkTables::make(meta, arena), made.page);
      // Without its largest number, the dictionary is too short for one batch.
      auto& dict = std::get<Dict>(meta.mode);
      ASSERT_GT(dict.count, 1u);
      --dict.count;
      const ChunkTables& tables = *ChunkTables::make(meta, arena);
      const Status whole = decode(tables, made.page);
      EXPECT_EQ(whole.kind(), ErrorKind::kCorrupt) << bad;
      EXPECT_EQ(whole.offset(), starts[bad]) << bad;
      for (std::size_t cut = 0; cut < kBatches; ++cut) {
        // In the middle of a batch.
        const std::size_t bytes = (starts[cut] + starts[cut + 1]) / 2;
        const Status status = decode(tables, ByteSpan(made.page).first(bytes));
        EXPECT_EQ(status.kind(), cut <= bad ? ErrorKind::kTruncated : ErrorKind::kCorrupt)
            << bad << " bad, cut in " << cut;
      }
    }
  });
}

}  // namespace
}  // namespace numpact::testing
