// SPDX-License-Identifier: Apache-2.0
// Pages read in parts and from restart points give the numbers and errors of pages read whole.
#include <gtest/gtest.h>

#include <map>
#include <memory_resource>

#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/mutants.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

using wrapped::ChunkDecoder;
using wrapped::ChunkEncoder;
using wrapped::PageReader;

struct Point {
  std::size_t number = 0;
  Bytes bytes;
};

// Reads the rest of the page in random parts into `all`, at any address, and skips some. Collects
// the restart points where it stops.
void read_parts(PageReader& reader, Numbers& all, std::size_t done, Random& random,
                std::vector<Point>& points) {
  const std::size_t size = size_of(all.type());
  Bytes buffer(all.count() * size + 8);
  while (reader.numbers_left() > 0) {
    if (done % 256 == 0 && reader.point_size() > 0) {
      Bytes point(reader.point_size());
      ASSERT_EQ(reader.write_point(point).value(), point.size());
      points.push_back({done, std::move(point)});
    }
    std::size_t n = random.one_in(3) ? random.between(1, 700) : 256 * random.between(1, 4);
    if (random.one_in(6)) {
      n = std::min(n, reader.numbers_left());
      ASSERT_OK(reader.skip(n));
      done += n;
      continue;
    }
    n = std::min(n, all.count());
    std::byte* const out = buffer.data() + random.below(8);
    std::size_t count = 0;
    const std::size_t left = reader.numbers_left();
    ASSERT_OK(reader.read({all.type(), out, n}).into(count));
    ASSERT_EQ(count, std::min(n, left));
    ASSERT_EQ(std::memcmp(out, raw(all).data() + done * size, count * size), 0) << "from " << done;
    done += count;
  }
  EXPECT_EQ(done, all.count());
}

void expect_parts(const ChunkDecoder& decoder, ByteSpan page, Numbers& numbers, Random& random) {
  const ExactCopy copy(page);
  auto reader = PageReader::create(decoder);
  ASSERT_OK(reader.status());
  ASSERT_OK(reader->start(copy.span(), numbers.count()));
  const bool has_points = decoder.info().value().delta() != Delta::kLookback;
  EXPECT_EQ(reader->point_size() > 0, has_points);
  std::vector<Point> points;
  read_parts(*reader, numbers, 0, random, points);
  EXPECT_EQ(reader->bytes_read(), page.size());
  EXPECT_EQ(points.empty(), !has_points);
  std::vector<Point> more;
  for (const Point& point : points) {
    SCOPED_TRACE(text("from ", point.number));
    ASSERT_OK(reader->start(copy.span(), numbers.count(), point.bytes));
    EXPECT_EQ(reader->numbers_left(), numbers.count() - point.number);
    more.clear();
    read_parts(*reader, numbers, point.number, random, more);
    EXPECT_EQ(reader->bytes_read(), page.size());
    // The point where it started is the first of those that it writes.
    ASSERT_FALSE(more.empty());
    EXPECT_TRUE(same_bytes(more[0].bytes, point.bytes));
  }
}

TEST(PageReaders, EveryTypeModeAndDelta) {
  Random random(951);
  std::map<Delta, int> seen;
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        EncodeConfig config;
        config.mode = mode;
        config.delta = delta;
        const std::string_view distribution = random.pick(distribution_names());
        const std::size_t n = random.between(1, 2600);
        SCOPED_TRACE(text(name_of(type), " x ", n, " ", distribution, ", ", describe(config),
                          ", seed ", seed()));
        Numbers numbers = make_numbers(distribution, type, n, random);
        const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), config).value();
        const Bytes meta = encoder.meta().value();
        const ChunkDecoder decoder = ChunkDecoder::create(meta, type, {}).value();
        ++seen[decoder.info().value().delta()];
        ASSERT_EQ(encoder.page_count(), 1u);
        expect_parts(decoder, encoder.page(0).value(), numbers, random);
        if (HasFailure()) return;
      }
    }
  }
  for (const Delta delta : {Delta::kNone, Delta::kConsecutive, Delta::kLookback, Delta::kConv1}) {
    EXPECT_GT(seen[delta], 20) << to_string(delta);
  }
}

TEST(PageReaders, PagesOfReferenceFiles) {
  Random random(952);
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    const FileInfo info = inspect(fixture.file).value();
    std::size_t first = 0;
    for (const ChunkInfo& chunk : info.chunks) {
      const ByteSpan rest = ByteSpan(fixture.file).subspan(chunk.offset + 4);
      const ChunkDecoder decoder =
          ChunkDecoder::create(rest.first(chunk.meta_bytes), chunk.type,
                               {info.header.format_major, info.header.format_minor})
              .value();
      Numbers numbers = zeros(chunk.type, chunk.count);
      const NumberView expected = part(fixture.numbers, first, chunk.count);
      std::memcpy(numbers.storage().data(), expected.data, numbers.storage().size());
      expect_parts(decoder, rest.subspan(chunk.meta_bytes, chunk.page_bytes), numbers, random);
      first += chunk.count;
      if (HasFailure()) return;
    }
  }
}

// The outcome of reading a page in parts of `step` numbers.
Status read_in_steps(PageReader& reader, ByteSpan page, std::size_t n, std::size_t step,
                     Numbers& out) {
  const Status started = reader.start(page, n);
  if (!started.ok()) return started;
  auto* at = out.storage().data();
  while (reader.numbers_left() > 0) {
    std::size_t count = 0;
    const MutableNumberView view(out.type(), at, std::min(step, reader.numbers_left()));
    const Status status = reader.read(view).into(count);
    if (!status.ok()) {
      EXPECT_EQ(reader.read(view).status().message(), status.message());  // and again
      return status;
    }
    at += count * size_of(out.type());
  }
  return {};
}

struct Page {
  NumberType type = NumberType::kU8;
  std::size_t n = 0;
  Bytes meta;
  Bytes page;
};

// Pages of every delta and mode of 32-bit numbers, of about a kilobyte.
std::vector<Page> small_pages() {
  std::vector<Page> pages;
  Random random(953);
  for (const NumberType type : {NumberType::kI32, NumberType::kF32}) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        EncodeConfig config;
        config.mode = mode;
        config.delta = delta;
        const Numbers numbers = make_numbers("repeats", type, 600, random);
        const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), config).value();
        pages.push_back({type, 600, encoder.meta().value(), encoder.page(0).value()});
      }
    }
  }
  return pages;
}

TEST(PageReaders, ErrorsAreThoseOfWholePages) {
  int refused = 0;
  int accepted = 0;
  for (const Page& page : small_pages()) {
    const ChunkDecoder decoder = ChunkDecoder::create(page.meta, page.type, {}).value();
    SCOPED_TRACE(text(decoder.info()->mode_text(), ", ", decoder.info()->delta_text()));
    PageReader reader = PageReader::create(decoder).value();
    Numbers whole = zeros(page.type, page.n);
    Numbers parts = zeros(page.type, page.n);
    const auto compare = [&](ByteSpan bytes) {
      std::size_t size = 0;
      const Status expected = decoder.decode_page(bytes, page.n, writable(whole)).into(size);
      for (const std::size_t step : {256u, 100u}) {
        const Status status = read_in_steps(reader, bytes, page.n, step, parts);
        ASSERT_EQ(status.message(), expected.message());
        if (!status.ok()) continue;
        ASSERT_TRUE(same_numbers(parts, whole));
        ASSERT_EQ(reader.bytes_read(), size);
      }
      ++(expected.ok() ? accepted : refused);
    };
    for_each_mutant(page.page, 60,
                    [&](std::size_t, std::byte, ByteSpan mutant) { compare(mutant); });
    for (std::size_t n = 0; n < page.page.size(); n += 7) {
      const ExactCopy cut(ByteSpan(page.page).first(n));
      compare(cut.span());
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 1000);
}

TEST(PageReaders, ChangedPointsAreErrorsOrNumbers) {
  int refused = 0;
  int accepted = 0;
  for (const Page& page : small_pages()) {
    const ChunkDecoder decoder = ChunkDecoder::create(page.meta, page.type, {}).value();
    PageReader reader = PageReader::create(decoder).value();
    const ExactCopy bytes(page.page);
    ASSERT_OK(reader.start(bytes.span(), page.n));
    ASSERT_OK(reader.skip(256));
    if (reader.point_size() == 0) continue;
    Bytes point(reader.point_size());
    ASSERT_OK(reader.write_point(point));
    Numbers out = zeros(page.type, page.n);
    for_each_mutant(point, 40, [&](std::size_t, std::byte, ByteSpan mutant) {
      std::size_t count = 0;
      Status status = reader.start(bytes.span(), page.n, mutant);
      if (status.ok()) status = reader.read(writable(out)).into(count);
      if (status.ok()) {
        ++accepted;
      } else {
        EXPECT_TRUE(status.kind() == ErrorKind::kCorrupt || status.kind() == ErrorKind::kTruncated);
        ++refused;
      }
    });
    for (std::size_t n = 1; n < point.size(); ++n) {
      const ExactCopy cut(ByteSpan(point).first(n));
      EXPECT_KIND(reader.start(bytes.span(), page.n, cut.span()), kCorrupt);
    }
    point.push_back({});
    EXPECT_KIND(reader.start(bytes.span(), page.n, point), kCorrupt);
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(accepted, 100);
}

class CountedMemory final : public std::pmr::memory_resource {
 public:
  std::size_t made = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++made;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(PageReaders, WarmOnesAllocateNothing) {
  Random random(954);
  const Numbers numbers = make_numbers("repeats", NumberType::kU64, 20000, random);
  for (const DeltaSpec& delta : {DeltaSpec::none(), DeltaSpec::try_lookback()}) {
    EncodeConfig config;
    config.delta = delta;
    const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), config).value();
    const Bytes meta = encoder.meta().value();
    const Bytes page = encoder.page(0).value();
    const ChunkDecoder decoder = ChunkDecoder::create(meta, NumberType::kU64, {}).value();
    CountedMemory memory;
    PageReader reader = PageReader::create(decoder, &memory).value();
    Numbers out = zeros(NumberType::kU64, 512);
    std::size_t made = 0;
    for (int round = 0; round < 5; ++round) {
      ASSERT_OK(reader.start(page, 20000));
      while (reader.numbers_left() > 0) ASSERT_OK(reader.read(writable(out)));
      if (round < 2) made = memory.made;
    }
    EXPECT_GT(made, 0u);
    EXPECT_EQ(memory.made, made);
  }
}

class OnePage : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(955);
    numbers_ = make_numbers("walk", NumberType::kU32, 1000, random);
    EncodeConfig config;
    config.delta = DeltaSpec::try_consecutive(1);
    const ChunkEncoder encoder = ChunkEncoder::create(numbers_.view(), config).value();
    meta_ = encoder.meta().value();
    page_ = encoder.page(0).value();
  }
  ChunkDecoder decoder(const DecodeLimits& limits = {}) const {
    return ChunkDecoder::create(meta_, NumberType::kU32, {}, limits).value();
  }
  Numbers numbers_;
  Bytes meta_;
  Bytes page_;
};

TEST_F(OnePage, WrongArguments) {
  const ChunkDecoder chunk = decoder();
  PageReader reader = PageReader::create(chunk).value();
  Numbers out = zeros(NumberType::kU32, 300);
  Bytes point(500);
  EXPECT_KIND(reader.read(writable(out)), kInvalidArgument);  // nothing was started
  EXPECT_KIND(reader.skip(0), kInvalidArgument);
  EXPECT_KIND(reader.write_point(point), kInvalidArgument);
  EXPECT_EQ(reader.numbers_left(), 0u);
  EXPECT_EQ(reader.point_size(), 0u);
  EXPECT_EQ(reader.bytes_read(), 0u);
  EXPECT_KIND(reader.start(page_, 0), kInvalidArgument);
  EXPECT_KIND(reader.start(page_, (1u << 24) + 1), kInvalidArgument);
  EXPECT_KIND(reader.start({static_cast<const std::byte*>(nullptr), 5}, 1000), kInvalidArgument);
  ASSERT_OK(reader.start(page_, 1000));
  Numbers other = zeros(NumberType::kI32, 300);
  EXPECT_KIND(reader.read(writable(other)), kTypeMismatch);
  EXPECT_KIND(reader.skip(1001), kInvalidArgument);
  EXPECT_EQ(reader.read(writable(out)).value(), 300u);
  EXPECT_KIND(reader.write_point(point), kInvalidArgument);  // 300 is no multiple of 256
  ASSERT_OK(reader.skip(212));
  EXPECT_KIND(reader.write_point(std::span(point).first(3)), kOutputTooSmall);
  EXPECT_EQ(reader.write_point(point).value(), reader.point_size());
  ASSERT_OK(reader.skip(488));
  EXPECT_EQ(reader.numbers_left(), 0u);
  EXPECT_EQ(reader.read(writable(out)).value(), 0u);
  EXPECT_KIND(reader.write_point(point), kInvalidArgument);  // the end
  const PageReader moved = std::move(reader);
  EXPECT_KIND(reader.start(page_, 1000), kInvalidArgument);  // NOLINT(bugprone-use-after-move)
  EXPECT_KIND(reader.read(writable(out)), kInvalidArgument);
  EXPECT_KIND(PageReader::create(chunk, nullptr).status(), kInvalidArgument);
}

TEST_F(OnePage, Limits) {
  DecodeLimits limits;
  limits.max_numbers = 999;
  const ChunkDecoder chunk = decoder(limits);
  PageReader reader = PageReader::create(chunk).value();
  Numbers out = zeros(NumberType::kU32, 600);
  ASSERT_OK(reader.start(page_, 1000));
  EXPECT_EQ(reader.read(writable(out)).value(), 600u);
  EXPECT_KIND(reader.read(writable(out)), kLimitExceeded);
  EXPECT_EQ(reader.read({NumberType::kU32, out.storage().data(), 399}).value(), 399u);
}

// A history of lookbacks grows while a page is read.
TEST(PageReaders, MemoryRunsOutWithinAPage) {
  Random random(957);
  const Numbers numbers = make_numbers("repeats", NumberType::kU64, 60000, random);
  EncodeConfig config;
  config.delta = DeltaSpec::try_lookback();
  const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), config).value();
  const Bytes meta = encoder.meta().value();
  const Bytes page = encoder.page(0).value();
  DecodeLimits limits;
  limits.max_memory = 100'000;
  const ChunkDecoder decoder = ChunkDecoder::create(meta, NumberType::kU64, {}, limits).value();
  ASSERT_EQ(decoder.info()->delta(), Delta::kLookback);
  PageReader reader = PageReader::create(decoder).value();
  ASSERT_OK(reader.start(page, 60000));
  Numbers out = zeros(NumberType::kU64, 256);
  Status status;
  while (status.ok() && reader.numbers_left() > 0) status = reader.read(writable(out)).status();
  EXPECT_KIND(status, kLimitExceeded);
  EXPECT_KIND(reader.read(writable(out)), kLimitExceeded);
  EXPECT_OK(reader.start(page, 60000));  // the reader can be used again
  EXPECT_OK(reader.read(writable(out)));
}

TEST(PageSummaries, AreThoseOfTrailers) {
  Random random(956);
  for (const NumberType type : kNumberTypes) {
    SCOPED_TRACE(name_of(type));
    const Numbers numbers = make_numbers("nans", type, 3000, random);
    EncodeConfig config;
    config.paging = PagingSpec::exact({1000, 1, 1999});
    const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), config).value();
    EXPECT_EQ(encoder.type(), type);
    // A file with the same chunks has the same summaries in its trailer.
    config.trailer = TrailerSpec::index();
    const Bytes file = compressed(numbers, config);
    const Trailer trailer = *Trailer::read(file).value();
    ASSERT_EQ(trailer.chunks().size(), 3u);
    std::uint64_t offset = encoder.meta().value().size();
    for (std::size_t page = 0; page < 3; ++page) {
      const ChunkSummary expected = trailer.chunks()[page];
      const ChunkSummary found = encoder.page_summary(page).value();
      const Bytes bytes = encoder.page(page).value();
      EXPECT_EQ(found.place.first, expected.place.first);
      EXPECT_EQ(found.place.count, expected.place.count);
      EXPECT_EQ(found.place.offset, offset);
      EXPECT_EQ(found.bytes, bytes.size());
      EXPECT_EQ(found.crc, checksum_of(bytes));
      EXPECT_EQ(found.nan_count, expected.nan_count);
      EXPECT_EQ(found.has_range(), expected.has_range());
      if (found.has_range()) {
        EXPECT_EQ(found.min_latent, expected.min_latent);
        EXPECT_EQ(found.max_latent, expected.max_latent);
      }
      offset += bytes.size();
    }
    EXPECT_KIND(encoder.page_summary(3), kInvalidArgument);
  }
}

TEST(PageSummaries, ChecksumsContinue) {
  Random random(958);
  const Numbers numbers = make_numbers("uniform", NumberType::kU8, 1000, random);
  const ByteSpan all = raw(numbers);
  EXPECT_EQ(checksum_of(all.subspan(10), checksum_of(all.first(10))), checksum_of(all));
  constexpr const char kDigits[] = "123456789";  // the test value of the CRC's definition
  EXPECT_EQ(checksum_of(std::as_bytes(std::span(kDigits, 9))), 0xcbf43926u);
  EXPECT_EQ(checksum_of({}), 0u);
}

}  // namespace
}  // namespace numpact::testing
