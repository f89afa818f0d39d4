// SPDX-License-Identifier: Apache-2.0
// Wrapped chunks: header, metadata and pages, each in separate memory.
#include "numpact/wrapped.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "../unit/targets.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

using wrapped::ChunkDecoder;
using wrapped::ChunkEncoder;

// The page in exactly its bytes; reading beyond them is detected.
void expect_page(const ChunkDecoder& decoder, ByteSpan page, const Numbers& expected) {
  const ExactCopy copy(page);
  Numbers out = zeros(expected.type(), expected.count());
  std::size_t consumed = 0;
  ASSERT_OK(decoder.decode_page(copy.span(), expected.count(), writable(out)).into(consumed));
  EXPECT_EQ(consumed, page.size());
  EXPECT_TRUE(same_numbers(out, expected));
}

Numbers copy_of(const Numbers& all, std::size_t first, std::size_t n) {
  Numbers numbers = zeros(all.type(), n);
  const NumberView view = part(all, first, n);
  if (n > 0) std::memcpy(numbers.storage().data(), view.data, n * size_of(all.type()));
  return numbers;
}

TEST(WrappedDecode, ChunksOfStandaloneFilesOfEveryVersion) {
  std::array<int, 5> seen{};
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    const FileInfo info = inspect(fixture.file).value();
    const wrapped::FormatVersion version{info.header.format_major, info.header.format_minor};
    ++seen.at(version.major);
    std::size_t first = 0;
    for (const ChunkInfo& chunk : info.chunks) {
      const auto meta_at = static_cast<std::size_t>(chunk.offset) + 4;
      const auto meta_size = static_cast<std::size_t>(chunk.meta_bytes);
      const ExactCopy meta(ByteSpan(fixture.file).subspan(meta_at, meta_size));
      auto decoder = ChunkDecoder::create(meta.span(), chunk.type, version);
      ASSERT_OK(decoder.status());
      EXPECT_EQ(decoder->meta_size(), meta_size);
      EXPECT_EQ(decoder->type(), chunk.type);
      EXPECT_EQ(decoder->info().value().mode_text(), chunk.mode_text());
      EXPECT_EQ(decoder->info().value().delta_text(), chunk.delta_text());
      const auto n = static_cast<std::size_t>(chunk.count);
      expect_page(*decoder,
                  ByteSpan(fixture.file)
                      .subspan(meta_at + meta_size, static_cast<std::size_t>(chunk.page_bytes)),
                  copy_of(fixture.numbers, first, n));
      first += n;
    }
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

void round_trip(const Numbers& numbers, const EncodeConfig& config, Random& random) {
  auto encoder = ChunkEncoder::create(numbers.view(), config);
  ASSERT_OK(encoder.status());
  const Bytes meta = encoder->meta().value();
  EXPECT_LE(meta.size(), encoder->meta_size_bound());
  const ExactCopy meta_copy(meta);
  auto decoder = ChunkDecoder::create(meta_copy.span(), numbers.type(), wrapped::kCurrentVersion);
  ASSERT_OK(decoder.status());
  EXPECT_EQ(decoder->meta_size(), meta.size());

  std::vector<std::size_t> firsts;
  std::size_t total = 0;
  for (std::size_t i = 0; i < encoder->page_count(); ++i) {
    firsts.push_back(total);
    total += encoder->page_n(i);
  }
  ASSERT_EQ(total, numbers.count());
  std::vector<std::size_t> order(firsts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const std::size_t i : order) {
    SCOPED_TRACE(text("page ", i));
    const Bytes page = encoder->page(i).value();
    EXPECT_LE(page.size(), encoder->page_size_bound(i));
    expect_page(*decoder, page, copy_of(numbers, firsts[i], encoder->page_n(i)));
  }
}

TEST(WrappedRoundTrip, EveryTypeModeAndDelta) {
  Random random(41);
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        EncodeConfig config;
        config.mode = mode;
        config.delta = delta;
        const std::size_t max_n = random.between(1, 600);
        config.paging = PagingSpec::equal_pages_up_to(max_n);
        const std::string_view distribution = random.pick(distribution_names());
        const std::size_t n = random.between(1, 1200);
        SCOPED_TRACE(text(name_of(type), " x ", n, " ", distribution, ", ", describe(config),
                          ", pages of ", max_n, ", seed ", seed()));
        round_trip(make_numbers(distribution, type, n, random), config, random);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(WrappedRoundTrip, ConstantPagesOfNoBytes) {
  Random random(42);
  EncodeConfig config;
  config.delta = DeltaSpec::none();
  config.mode = ModeSpec::classic();
  auto encoder = ChunkEncoder::create(zeros(NumberType::kI32, 500).view(), config);
  ASSERT_OK(encoder.status());
  EXPECT_TRUE(encoder->page(0).value().empty());
  const Bytes meta = encoder->meta().value();
  auto decoder = ChunkDecoder::create(meta, NumberType::kI32, wrapped::kCurrentVersion);
  ASSERT_OK(decoder.status());
  Numbers out = make_numbers("uniform", NumberType::kI32, 500, random);
  std::size_t consumed = 9;
  ASSERT_OK(decoder->decode_page({}, 500, writable(out)).into(consumed));  // no memory at all
  EXPECT_EQ(consumed, 0u);
  EXPECT_TRUE(same_numbers(out, zeros(NumberType::kI32, 500)));
}

class OneChunk : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(43);
    numbers_ = make_numbers("walk", NumberType::kU32, 1000, random);
    EncodeConfig config;
    config.paging = PagingSpec::exact({600, 400});
    encoder_.emplace(ChunkEncoder::create(numbers_.view(), config).value());
    meta_ = encoder_->meta().value();
  }
  ChunkDecoder decoder(const DecodeLimits& limits = {}) const {
    return ChunkDecoder::create(meta_, NumberType::kU32, wrapped::kCurrentVersion, limits).value();
  }
  Numbers numbers_;
  std::optional<ChunkEncoder> encoder_;
  Bytes meta_;
};

TEST_F(OneChunk, PartialPages) {
  const ChunkDecoder chunk = decoder();
  const Bytes page = encoder_->page(0).value();
  std::size_t before = 0;
  for (const std::size_t n : {0, 1, 255, 256, 257, 599}) {
    Numbers out = zeros(NumberType::kU32, n);
    std::size_t consumed = 0;
    EXPECT_KIND(chunk.decode_page(page, 600, writable(out)).into(consumed), kOutputTooSmall);
    EXPECT_TRUE(same_numbers(out, zeros(NumberType::kU32, n)));
    ASSERT_OK(chunk.decode_page_front(page, 600, writable(out)).into(consumed));
    EXPECT_GE(consumed, before);
    EXPECT_LE(consumed, page.size());
    EXPECT_TRUE(is_prefix(out, numbers_));
    before = consumed;
    // These and one partial byte suffice, and no fewer do.
    if (n % 256 != 0) continue;  // the rest of the batch is read too
    const std::size_t enough = std::min(before + 1, page.size());
    const ExactCopy front(ByteSpan(page).first(enough));
    ASSERT_OK(chunk.decode_page_front(front.span(), 600, writable(out)).into(consumed));
    if (before == 0) continue;
    const ExactCopy cut(ByteSpan(page).first(before - 1));
    EXPECT_KIND(chunk.decode_page_front(cut.span(), 600, writable(out)).into(consumed), kTruncated);
  }
}

TEST_F(OneChunk, OutputLargerThanThePage) {
  Numbers out = zeros(NumberType::kU32, 700);
  std::size_t consumed = 0;
  const Bytes page = encoder_->page(0).value();
  ASSERT_OK(decoder().decode_page(page, 600, writable(out)).into(consumed));
  EXPECT_EQ(consumed, page.size());
  for (std::size_t i = 600; i < 700; ++i) EXPECT_EQ(bits_at(out, i), 0u);
}

TEST_F(OneChunk, BytesAfterThePageAreNotConsumed) {
  Bytes pages = encoder_->page(0).value();
  const std::size_t size = pages.size();
  const Bytes second = encoder_->page(1).value();
  pages.insert(pages.end(), second.begin(), second.end());
  std::vector<std::uint32_t> out(600);
  EXPECT_EQ(decoder().decode_page(pages, 600, out).value(), size);
}

TEST_F(OneChunk, TruncatedMetaAndPages) {
  for (std::size_t n = 0; n < meta_.size(); ++n) {
    const ExactCopy cut(ByteSpan(meta_).first(n));
    EXPECT_KIND(
        ChunkDecoder::create(cut.span(), NumberType::kU32, wrapped::kCurrentVersion).status(),
        kTruncated);
  }
  const Bytes page = encoder_->page(0).value();
  const ChunkDecoder chunk = decoder();
  Numbers out = zeros(NumberType::kU32, 600);
  for (std::size_t n = 0; n < page.size(); ++n) {
    const ExactCopy cut(ByteSpan(page).first(n));
    EXPECT_KIND(chunk.decode_page(cut.span(), 600, writable(out)).status(), kTruncated) << n;
  }
}

TEST_F(OneChunk, WrongArguments) {
  const Bytes page = encoder_->page(0).value();
  const ChunkDecoder chunk = decoder();
  Numbers out = zeros(NumberType::kU32, 600);
  std::size_t size = 0;
  EXPECT_KIND(chunk.decode_page(page, 0, writable(out)).into(size), kInvalidArgument);
  EXPECT_KIND(chunk.decode_page(page, (1u << 24) + 1, writable(out)).into(size), kInvalidArgument);
  Numbers other = zeros(NumberType::kI32, 600);
  EXPECT_KIND(chunk.decode_page(page, 600, writable(other)).into(size), kTypeMismatch);
  Bytes output(10000);
  EXPECT_KIND(encoder_->write_page(2, output).into(size), kInvalidArgument);
  EXPECT_THROW((void)encoder_->page(2).value(), Error);
}

TEST_F(OneChunk, OutputBuffer) {
  const Bytes page = encoder_->page(1).value();
  for (std::size_t n = 0; n < page.size(); ++n) {
    ExactCopy output{Bytes(n)};
    std::size_t written = 0;
    EXPECT_KIND(encoder_->write_page(1, output.writable()).into(written), kOutputTooSmall);
  }
  for (std::size_t n = 0; n < meta_.size(); ++n) {
    ExactCopy output{Bytes(n)};
    std::size_t written = 0;
    EXPECT_KIND(encoder_->write_meta(output.writable()).into(written), kOutputTooSmall);
  }
  ExactCopy output(page);
  std::size_t written = 0;
  ASSERT_OK(encoder_->write_page(1, output.writable()).into(written));
  EXPECT_TRUE(same_bytes(output.span().first(written), page));
}

TEST_F(OneChunk, InfoBeforeWriting) {
  const ChunkInfo info = encoder_->info().value();
  const ChunkInfo read = decoder().info().value();
  EXPECT_EQ(info.mode_text(), read.mode_text());
  EXPECT_EQ(info.delta_text(), read.delta_text());
  EXPECT_EQ(info.variables.size(), read.variables.size());
  EXPECT_EQ(info.variables.at(0).bins.size(), read.variables.at(0).bins.size());
  EXPECT_EQ(info.meta_bytes, meta_.size());
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (std::size_t page = 0; page < encoder_->page_count(); ++page) {
    count += encoder_->page_n(page);
    bytes += encoder_->page(page).value().size();
  }
  EXPECT_EQ(info.count, count);
  EXPECT_EQ(info.page_bytes, bytes);
}

TEST(WrappedEncode, BoundBeforeEncoding) {
  Random random(73);
  for (const NumberType type : kNumberTypes) {
    for (const std::string_view name : distribution_names()) {
      const Numbers numbers = make_numbers(name, type, random.between(1, 900), random);
      EncodeConfig config;
      config.paging = PagingSpec::equal_pages_up_to(random.between(1, 300));
      const ChunkInfo info = ChunkEncoder::create(numbers.view(), config).value().info().value();
      EXPECT_LE(info.meta_bytes + info.page_bytes, wrapped::chunk_bound(type, numbers.count()));
    }
  }
  EXPECT_EQ(wrapped::chunk_bound(NumberType::kF64, SIZE_MAX / 4), SIZE_MAX);
}

TEST_F(OneChunk, Limits) {
  const Bytes page = encoder_->page(0).value();
  Numbers out = zeros(NumberType::kU32, 600);
  std::size_t size = 0;
  DecodeLimits limits;
  limits.max_numbers = 599;
  EXPECT_KIND(decoder(limits).decode_page(page, 600, writable(out)).into(size), kLimitExceeded);
  limits.max_numbers = 600;
  EXPECT_OK(decoder(limits).decode_page(page, 600, writable(out)).into(size));
  limits.max_output_bytes = 2399;
  EXPECT_KIND(decoder(limits).decode_page(page, 600, writable(out)).into(size), kLimitExceeded);
  limits = {};
  limits.max_memory = 100;
  EXPECT_KIND(ChunkDecoder::create(meta_, NumberType::kU32, {}, limits).status(), kLimitExceeded);
}

// Pages of several batches of a chunk, in exactly their bytes.
class PageSequences : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(48);
    numbers_ = make_numbers("walk", NumberType::kI64, 40 * kPageN, random);
    EncodeConfig config;
    config.mode = ModeSpec::classic();
    config.delta = DeltaSpec::try_consecutive(1);
    config.paging = PagingSpec::equal_pages_up_to(kPageN);
    const auto encoder = ChunkEncoder::create(numbers_.view(), config).value();
    decoder_.emplace(
        ChunkDecoder::create(encoder.meta().value(), NumberType::kI64, wrapped::kCurrentVersion)
            .value());
    for (std::size_t i = 0; i < encoder.page_count(); ++i) {
      pages_.push_back(encoder.page(i).value());
    }
    out_ = zeros(NumberType::kI64, numbers_.count());
  }

  std::vector<wrapped::PageInput> inputs() const {
    std::vector<wrapped::PageInput> inputs;
    for (const Bytes& page : pages_) inputs.push_back({page, kPageN});
    return inputs;
  }
  Status decode() { return decoder_->decode_pages(inputs(), writable(out_)); }

  static constexpr std::size_t kPageN = 256;
  Numbers numbers_;
  std::optional<ChunkDecoder> decoder_;
  std::vector<Bytes> pages_;
  Numbers out_;
};

TEST_F(PageSequences, NeedMemoryForAllNumbers) {
  ASSERT_OK(decode());
  EXPECT_TRUE(same_numbers(out_, numbers_));
  ASSERT_OK(decoder_->decode_pages({}, writable(out_)));
  const auto pages = inputs();
  const MutableNumberView view = writable(out_);
  EXPECT_KIND(decoder_->decode_pages(pages, {view.type, view.data, view.count - 1}),
              kOutputTooSmall);
  EXPECT_KIND(decoder_->decode_pages(pages, {NumberType::kU64, view.data, view.count}),
              kTypeMismatch);
  auto empty = pages;
  empty[3].count = 0;
  EXPECT_KIND(decoder_->decode_pages(empty, view), kInvalidArgument);
}

// Errors are those of the page alone, with the numbers of the pages before.
TEST_F(PageSequences, ReportTheFirstBadPage) {
  for (std::size_t bad = 0; bad < pages_.size(); ++bad) {
    SCOPED_TRACE(bad);
    const Bytes good = pages_[bad];
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, good.size() / 2}) {
      pages_[bad].resize(size);
      const auto alone = decoder_->decode_page(pages_[bad], kPageN, writable(out_)).status();
      const Status status = decode();
      EXPECT_KIND(status, kTruncated);
      EXPECT_EQ(status.message(), alone.message());
      EXPECT_EQ(status.good_numbers(), bad * kPageN);
      pages_[bad] = good;
    }
    pages_[bad].push_back(std::byte{0});
    const Status longer = decode();
    EXPECT_KIND(longer, kCorrupt);
    EXPECT_EQ(longer.offset(), good.size());
    EXPECT_EQ(longer.good_numbers(), bad * kPageN);
    pages_[bad] = good;
  }
}

// Each page gives the numbers or the error that it gives alone.
TEST_F(PageSequences, AreDecodedAsEachPageAlone) {
  Random random(49);
  for (int round = 0; round < 200; ++round) {
    std::vector<Bytes> damaged = pages_;
    for (Bytes& page : damaged) {
      if (random.one_in(8)) page[random.below(page.size())] ^= std::byte{0x21};
    }
    damaged.swap(pages_);
    Numbers expected = zeros(NumberType::kI64, numbers_.count());
    Status error;
    std::size_t good = 0;
    for (; good < pages_.size(); ++good) {
      auto* const at = expected.storage().data() + 8 * good * kPageN;
      std::size_t consumed = 0;
      error = decoder_->decode_page(pages_[good], kPageN, {NumberType::kI64, at, kPageN})
                  .into(consumed);
      if (error.ok() && consumed != pages_[good].size()) {
        error = Status(ErrorKind::kCorrupt, "the page ends before its bytes", consumed);
      }
      if (!error.ok()) break;
    }
    const Status status = decode();
    EXPECT_EQ(status.message(), error.message()) << "round " << round << ", seed " << seed();
    if (!error.ok()) {
      EXPECT_EQ(status.good_numbers(), good * kPageN);
    }
    EXPECT_TRUE(
        same_bytes(raw(out_).first(8 * good * kPageN), raw(expected).first(8 * good * kPageN)));
    damaged.swap(pages_);
  }
}

// Pages of Conv1 are decoded several at once: the pages of a chunk of a type and an order.
struct Conv1Chunk {
  Conv1Chunk(NumberType type, unsigned order, PagingSpec paging, std::size_t count,
             Random& random) {
    numbers = make_numbers("walk", type, count, random);
    EncodeConfig config;
    config.mode = ModeSpec::classic();
    config.delta = DeltaSpec::try_conv1(order);
    config.paging = std::move(paging);
    const auto encoder = ChunkEncoder::create(numbers.view(), config).value();
    meta = encoder.meta().value();
    for (std::size_t i = 0; i < encoder.page_count(); ++i) {
      pages.push_back(encoder.page(i).value());
      counts.push_back(encoder.page_n(i));
    }
  }

  ChunkDecoder decoder(const DecodeLimits& limits = {}) const {
    return ChunkDecoder::create(meta, numbers.type(), wrapped::kCurrentVersion, limits).value();
  }
  Status decode(const ChunkDecoder& decoder, const MutableNumberView& out) const {
    std::vector<wrapped::PageInput> inputs;
    for (std::size_t i = 0; i < pages.size(); ++i) inputs.push_back({pages[i], counts[i]});
    return decoder.decode_pages(inputs, out);
  }

  // The numbers and the error are those of each page alone.
  void expect_as_alone() const {
    const ChunkDecoder chunk = decoder();
    const std::size_t size = size_of(numbers.type());
    Numbers expected = zeros(numbers.type(), numbers.count());
    Numbers out = zeros(numbers.type(), numbers.count());
    Status error;
    std::size_t good_n = 0;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      std::size_t consumed = 0;
      auto* const at = expected.storage().data() + size * good_n;
      error =
          chunk.decode_page(pages[i], counts[i], {numbers.type(), at, counts[i]}).into(consumed);
      if (error.ok() && consumed != pages[i].size()) {
        error = Status(ErrorKind::kCorrupt, "the page ends before its bytes", consumed);
      }
      if (!error.ok()) break;
      good_n += counts[i];
    }
    const Status status = decode(chunk, writable(out));
    EXPECT_EQ(status.kind(), error.kind());
    EXPECT_EQ(status.message(), error.message());
    if (!error.ok()) {
      EXPECT_EQ(status.offset(), error.offset());
      EXPECT_EQ(status.good_numbers(), good_n);
    }
    EXPECT_TRUE(same_bytes(raw(out).first(size * good_n), raw(expected).first(size * good_n)));
  }

  Numbers numbers;
  Bytes meta;
  std::vector<Bytes> pages;
  std::vector<std::size_t> counts;
};

// Pages of any counts, also shorter than the order and than a batch, with every instruction set.
TEST(Conv1Pages, AreTheNumbersOfEachPage) {
  Random random(62);
  for (const NumberType type : kNumberTypes) {
    if (size_of(type) > 4) continue;
    for (const unsigned order : {1, 2, 3, 5, 7, 8, 12, 13, 19, 32}) {
      for (const std::size_t page_n : {2, 5, 8, 19}) {
        std::vector<std::size_t> counts;
        for (std::size_t i = 0; i < page_n; ++i) {
          const bool is_short = page_n == 8 && random.one_in(12);
          counts.push_back(is_short ? random.between(1, order) : random.between(290, 1500));
        }
        const std::size_t count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
        const Conv1Chunk chunk(type, order, PagingSpec::exact(counts), count, random);
        for_each_target([&] {
          SCOPED_TRACE(text(name_of(type), ", order ", order, ", ", page_n, " pages"));
          const ChunkDecoder decoder = chunk.decoder();
          Numbers out = zeros(type, count);
          ASSERT_OK(chunk.decode(decoder, writable(out)));
          EXPECT_TRUE(same_numbers(out, chunk.numbers));
          // Memory that is not aligned takes another path.
          Bytes memory(1 + size_of(type) * count);
          ASSERT_OK(chunk.decode(decoder, {type, memory.data() + 1, count}));
          EXPECT_TRUE(same_bytes(std::span(memory).subspan(1), raw(chunk.numbers)));
        });
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Conv1Pages, HaveTheOrderAskedFor) {
  Random random(65);
  for (const unsigned order : {1, 12, 32}) {
    const Conv1Chunk chunk(NumberType::kU32, order, PagingSpec::equal_pages_up_to(1000), 8000,
                           random);
    const ChunkInfo info = chunk.decoder().info().value();
    EXPECT_EQ(info.delta_text(), text("conv1=", order));
  }
}

// The tables of a chunk are of the instruction set at its creation.
TEST(Conv1Pages, AllowAnotherTargetLater) {
  Random random(66);
  const Conv1Chunk chunk(NumberType::kI16, 9, PagingSpec::equal_pages_up_to(600), 8 * 600, random);
  for (const std::string_view first : all_targets()) {
    for (const std::string_view second : all_targets()) {
      std::optional<ChunkDecoder> decoder;
      {
        const TargetScope scope(first);
        decoder.emplace(chunk.decoder());
      }
      const TargetScope scope(second);
      Numbers out = zeros(NumberType::kI16, chunk.numbers.count());
      ASSERT_OK(chunk.decode(*decoder, writable(out)));
      EXPECT_TRUE(same_numbers(out, chunk.numbers)) << first << ", then " << second;
    }
  }
}

// A limit of scratch memory that one page after the other needs is enough.
TEST(Conv1Pages, KeepToTheLimitOfMemory) {
  Random random(67);
  const Conv1Chunk chunk(NumberType::kU32, 20, PagingSpec::equal_pages_up_to(600), 8 * 600, random);
  Numbers out = zeros(NumberType::kU32, chunk.numbers.count());
  DecodeLimits limits;
  for (limits.max_memory = 100'000; limits.max_memory < 600'000; limits.max_memory += 20'000) {
    ASSERT_OK(chunk.decode(chunk.decoder(limits), writable(out)));
    EXPECT_TRUE(same_numbers(out, chunk.numbers));
  }
}

// Pages that are cut, longer or changed, one or several of them.
TEST(Conv1Pages, ReportTheFirstBadPage) {
  Random random(63);
  Conv1Chunk chunk(NumberType::kI32, 6, PagingSpec::equal_pages_up_to(700), 20 * 700, random);
  for (std::size_t bad = 0; bad < chunk.pages.size(); ++bad) {
    SCOPED_TRACE(bad);
    const Bytes good = chunk.pages[bad];
    for (const std::size_t size : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
      chunk.pages[bad].resize(size);
      chunk.expect_as_alone();
      chunk.pages[bad] = good;
    }
    chunk.pages[bad].push_back(std::byte{0});
    chunk.expect_as_alone();
    chunk.pages[bad] = good;
  }
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const std::vector<Bytes> good = chunk.pages;
    for (Bytes& page : chunk.pages) {
      if (random.one_in(8)) page[random.below(page.size())] ^= std::byte{0x21};
    }
    chunk.expect_as_alone();
    chunk.pages = good;
  }
}

}  // namespace
}  // namespace numpact::testing
