// SPDX-License-Identifier: Apache-2.0
// Trailers: their contents, their use by readers, and the damage they detect.
#include "numpact/trailer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kFrontBytes = 32;
constexpr std::size_t kRecordBytes = 40;
constexpr std::size_t kFooterBytes = 24;

EncodeConfig config_of(const TrailerSpec& trailer, std::vector<std::size_t> sizes = {}) {
  EncodeConfig config;
  config.level = 2;
  config.trailer = trailer;
  if (!sizes.empty()) config.paging = PagingSpec::exact(std::move(sizes));
  return config;
}

DecodeConfig with(TrailerPolicy policy, unsigned threads = 1) {
  DecodeConfig config;
  config.trailer = policy;
  config.threads = threads;
  return config;
}

// Records how many tasks it was asked to run.
class NotingExecutor final : public Executor {
 public:
  unsigned concurrency() const noexcept override { return 4; }
  void run(std::size_t tasks, TaskFunction task, void* argument) override {
    max_tasks = std::max(max_tasks, tasks);
    for (std::size_t i = 0; i < tasks; ++i) task(argument, i);
  }
  std::size_t max_tasks = 0;
};

struct Sample {
  Numbers numbers;
  Bytes file;
};

Sample sample_of(const TrailerSpec& spec, NumberType type = NumberType::kI32) {
  Random random(77);
  const std::vector<std::size_t> sizes = {700, 1, 2500, 600};
  Sample sample;
  sample.numbers = make_numbers("walk", type, 3801, random);
  sample.file = compressed(sample.numbers, config_of(spec, sizes));
  return sample;
}

// With the trailer's own checksums corrected.
void repair(Bytes& file, std::size_t trailer_at) {
  const auto put = [&](std::size_t at, std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<std::byte>(word >> (8 * i));
  };
  const std::size_t footer = file.size() - kFooterBytes;
  put(footer + 8, crc32(ByteSpan(file).subspan(trailer_at, footer - trailer_at)));
  put(footer + 12, crc32(ByteSpan(file).subspan(footer, 12)));
}

TEST(Trailer, MatchesTheFile) {
  const Sample sample = sample_of(TrailerSpec::index());
  const std::optional<Trailer> trailer = Trailer::read(sample.file).value();
  ASSERT_TRUE(trailer);
  const FileInfo info = inspect(sample.file).value();
  EXPECT_EQ(trailer->type(), NumberType::kI32);
  EXPECT_EQ(trailer->count(), 3801u);
  EXPECT_EQ(trailer->file_bytes(), info.file_bytes);
  EXPECT_EQ(trailer->bytes(), kFrontBytes + 4 * kRecordBytes + kFooterBytes);
  EXPECT_EQ(trailer->bytes(), info.trailing_bytes);
  EXPECT_EQ(trailer->restart_log(), std::nullopt);
  ASSERT_EQ(trailer->chunks().size(), 4u);
  const auto numbers = sample.numbers.as<std::int32_t>().value();
  std::size_t first = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const ChunkSummary& chunk = trailer->chunks()[i];
    EXPECT_EQ(chunk.place.offset, info.chunks[i].offset);
    EXPECT_EQ(chunk.place.page_offset, info.chunks[i].offset + 4 + info.chunks[i].meta_bytes);
    EXPECT_EQ(chunk.place.first, first);
    EXPECT_EQ(chunk.bytes, 4 + info.chunks[i].meta_bytes + info.chunks[i].page_bytes);
    const auto all = numbers.subspan(first, static_cast<std::size_t>(chunk.place.count));
    EXPECT_EQ(number_of_latent<std::int32_t>(chunk.min_latent),
              *std::min_element(all.begin(), all.end()));
    EXPECT_EQ(number_of_latent<std::int32_t>(chunk.max_latent),
              *std::max_element(all.begin(), all.end()));
    first += all.size();
  }
  EXPECT_TRUE(std::ranges::equal(
      trailer->index().chunks(),
      ChunkIndex::build(sample.file, with(TrailerPolicy::kIgnore)).value().chunks()));
  EXPECT_FALSE(Trailer::read(compressed(sample.numbers)).value());
}

TEST(Trailer, LeavesTheFileAsItWas) {
  const Sample with_trailer = sample_of(TrailerSpec::restarts(8));
  const Sample without = sample_of(TrailerSpec::none());
  ASSERT_GT(with_trailer.file.size(), without.file.size());
  EXPECT_TRUE(same_bytes(ByteSpan(with_trailer.file).first(without.file.size()), without.file));
  EXPECT_TRUE(same_numbers(decompressed(with_trailer.file), with_trailer.numbers));
}

TEST(Trailer, OfAnEmptyFile) {
  for (const bool has_type : {true, false}) {
    EncodeConfig config = config_of(TrailerSpec::index());
    config.uniform_type = has_type;
    const Bytes file = compressed(zeros(NumberType::kF32, 0), config);
    const std::optional<Trailer> trailer = Trailer::read(file).value();
    ASSERT_TRUE(trailer);
    EXPECT_EQ(trailer->count(), 0u);
    EXPECT_EQ(trailer->type(), NumberType::kF32);  // the writer knew it
    EXPECT_TRUE(verify(file).value().is_sound());
  }
}

TEST(Trailer, RangesLeaveNanOut) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {kNan, 1, -2, -kNan, -kInf, 0.0, kNan, kNan, -0.0, 5};
  const EncodeConfig config = config_of(TrailerSpec::index(), {4, 2, 2, 2});
  const Bytes file = compress(std::span(values), config).value();
  const Trailer trailer = *Trailer::read(file).value();
  const auto chunks = trailer.chunks();
  EXPECT_EQ(chunks[0].nan_count, 2u);
  EXPECT_EQ(number_of_latent<double>(chunks[0].min_latent), -2);
  EXPECT_EQ(number_of_latent<double>(chunks[0].max_latent), 1);
  EXPECT_EQ(number_of_latent<double>(chunks[1].min_latent), -kInf);
  EXPECT_FALSE(chunks[2].has_range());
  EXPECT_EQ(chunks[2].nan_count, 2u);
  EXPECT_TRUE(std::signbit(number_of_latent<double>(chunks[3].min_latent)));
  EXPECT_EQ(trailer.chunks_within(0.5, 3.0), (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(trailer.chunks_within(-1e300, -1e200), std::vector<std::size_t>{1});
  EXPECT_EQ(trailer.chunks_within(6.0, 7.0), std::vector<std::size_t>{});
  EXPECT_TRUE(verify(file).value().is_sound());
}

TEST(Trailer, IsTheSameHoweverTheFileWasMade) {
  Random random(78);
  const Numbers numbers = make_numbers("walk", NumberType::kF64, 40000, random);
  for (const TrailerSpec spec : {TrailerSpec::index(), TrailerSpec::restarts(9)}) {
    EncodeConfig config = config_of(spec);
    config.level = 6;
    config.paging = PagingSpec::equal_pages_up_to(3000);
    const Bytes file = compressed(numbers, config);
    for (const unsigned threads : {2u, 3u}) {
      config.threads = threads;
      EXPECT_TRUE(same_bytes(compressed(numbers, config), file));
    }
    Bytes streamed;
    VectorSink sink(streamed);
    config.paging = PagingSpec::equal_pages_up_to(2858);  // as 40000 in equal shares
    StreamWriter writer(sink, NumberType::kF64, config, numbers.count());
    for (std::size_t at = 0; at < numbers.count(); at += 1111) {
      ASSERT_OK(writer.write(part(numbers, at, std::min<std::size_t>(1111, 40000 - at))));
    }
    ASSERT_OK(writer.finish());
    EXPECT_EQ(Trailer::read(streamed).value()->count(), 40000u);
    EXPECT_TRUE(verify(streamed).value().is_sound());
    const MadeTrailer made = Trailer::make(file, spec).value();
    EXPECT_TRUE(
        same_bytes(ByteSpan(file).subspan(static_cast<std::size_t>(made.file_bytes)), made.bytes));
  }
}

TEST(Trailer, OfSegmentedRuns) {
  // Half constant, half noise: automatic paging splits it.
  Random random(79);
  Numbers numbers = zeros(NumberType::kU32, 60000);
  for (std::size_t i = 30000; i < 60000; ++i) set_bits(numbers, i, random.below(1u << 20));
  EncodeConfig config;
  config.trailer = TrailerSpec::restarts(10);
  const Bytes file = compressed(numbers, config);
  ASSERT_GT(Trailer::read(file).value()->chunks().size(), 1u);
  EXPECT_TRUE(verify(file).value().is_sound());
  EXPECT_TRUE(same_numbers(decompressed(file), numbers));
  EXPECT_LE(file.size(), compress_bound(NumberType::kU32, numbers.count(), config));
}

// Every type, mode and delta: restart points everywhere, and reads from anywhere.
TEST(Trailer, RestartPointsLeadIntoPages) {
  Random random(80);
  std::size_t points = 0;
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        EncodeConfig config = config_of(TrailerSpec::restarts(8), {1500, 256, 257});
        config.mode = mode;
        config.delta = delta;
        SCOPED_TRACE(text(name_of(type), " ", describe(config)));
        const Numbers numbers = make_numbers("walk", type, 2013, random);
        Bytes file;
        ASSERT_OK(compress(numbers.view(), config).into(file));
        ASSERT_LE(file.size(), compress_bound(type, numbers.count(), config));
        const Trailer trailer = *Trailer::read(file).value();
        points += static_cast<std::size_t>(trailer.chunks()[0].restart_points);
        EXPECT_EQ(trailer.chunks()[1].restart_points, 0u);
        const bool looks_back = inspect(file).value().chunks[0].delta() == Delta::kLookback;
        EXPECT_EQ(trailer.chunks()[0].restart_points, looks_back ? 0u : 5u);
        EXPECT_TRUE(verify(file).value().is_sound());
        const FileReader reader = FileReader::create(file, trailer.index()).value();
        for (const std::size_t first : {0u, 255u, 256u, 700u, 1279u, 1280u, 1490u, 1756u}) {
          const std::size_t n = std::min<std::size_t>(first % 5 == 0 ? 600 : 9, 2013 - first);
          Numbers out = zeros(type, n);
          ASSERT_OK(reader.read(first, writable(out)));
          const NumberView expected = part(numbers, first, n);
          EXPECT_EQ(std::memcmp(out.data(), expected.data, n * size_of(type)), 0) << first;
        }
      }
    }
  }
  EXPECT_GT(points, 100u);
}

// A reader of a few numbers decodes no more than such a chunk.
TEST(Trailer, ChunksWithLookbackAreShortWhereThereAreRestartPoints) {
  constexpr std::size_t kSeries = 200;
  constexpr std::size_t kMaxN = std::size_t{1} << 16;
  Random random(77);
  std::vector<std::int64_t> prices(kSeries);
  for (auto& price : prices) price = static_cast<std::int64_t>(random.below(1'000'000));
  std::vector<std::int64_t> numbers(3 * kMaxN - 5);
  for (auto& number : numbers) {
    std::int64_t& price = prices[random.below(kSeries)];
    price += static_cast<std::int64_t>(random.below(5)) - 2;
    number = price;
  }
  EncodeConfig config;
  for (const unsigned level : {6U, 8U, 10U}) {
    config.level = level;
    const auto longest_of = [&](const TrailerSpec& spec) {
      config.trailer = spec;
      const auto file = compress(std::span<const std::int64_t>(numbers), config).value();
      EXPECT_EQ(decompress<std::int64_t>(file).value(), numbers);
      std::uint64_t longest = 0;
      const Trailer trailer = *Trailer::read(file).value();
      for (const ChunkSummary& chunk : trailer.chunks()) {
        longest = std::max(longest, chunk.place.count);
      }
      return longest;
    };
    EXPECT_GT(longest_of(TrailerSpec::index()), kMaxN) << level;
    EXPECT_LE(longest_of(TrailerSpec::restarts(14)), kMaxN) << level;
    EXPECT_GT(longest_of(TrailerSpec::restarts(17)), kMaxN) << level;
  }
}

// Dictionary indices are wider than the numbers, and so are the states of restart points.
TEST(Trailer, WideStatesOfNarrowNumbersFit) {
  Random random(83);
  EncodeConfig config = config_of(TrailerSpec::restarts(8));
  config.mode = ModeSpec::try_dict();
  config.delta = DeltaSpec::try_conv1(32);
  for (const std::string_view name : distribution_names()) {
    for (const NumberType type : {NumberType::kU8, NumberType::kI16}) {
      const Numbers numbers = make_numbers(name, type, 1536, random);
      Bytes file;
      ASSERT_OK(compress(numbers.view(), config).into(file)) << name;
      EXPECT_LE(file.size(), compress_bound(type, numbers.count(), config)) << name;
      EXPECT_TRUE(same_numbers(decompressed(file), numbers)) << name;
    }
  }
}

TEST(Trailer, ManyThreadsShareAChunk) {
  Random random(81);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, std::size_t{1} << 19, random);
  EncodeConfig config = config_of(TrailerSpec::restarts(14), {numbers.count()});
  const Bytes file = compressed(numbers, config);
  Numbers out = zeros(NumberType::kI64, numbers.count());
  std::size_t count = 0;
  NotingExecutor executor;
  DecodeConfig decode;
  decode.executor = &executor;
  ASSERT_OK(count_into(decompress_into(file, writable(out), decode), count));
  EXPECT_EQ(count, numbers.count());
  EXPECT_TRUE(same_numbers(out, numbers));
  EXPECT_EQ(executor.max_tasks, 4u);
}

TEST(Trailer, FindsEveryChangedByte) {
  for (const TrailerSpec spec : {TrailerSpec::index(), TrailerSpec::restarts(8)}) {
    const Sample sample = sample_of(spec);
    const Trailer trailer = *Trailer::read(sample.file).value();
    const std::size_t file_bytes = static_cast<std::size_t>(trailer.file_bytes());
    Random random(82);
    Numbers out = zeros(NumberType::kI32, sample.numbers.count());
    for (std::size_t at = 0; at < sample.file.size(); ++at) {
      SCOPED_TRACE(at);
      Bytes bad = sample.file;
      bad[at] ^= static_cast<std::byte>(1 + random.below(255));
      Verification found;
      ASSERT_OK(verify(bad).into(found));
      EXPECT_FALSE(found.is_sound());
      std::size_t count = 0;
      const Status decoded = count_into(decompress_into(bad, writable(out)), count);
      if (at >= file_bytes) {
        EXPECT_TRUE(found.trailer == TrailerState::kDamaged ||
                    found.trailer == TrailerState::kUnrecognised);
        EXPECT_OK(decoded);  // the file itself is valid
        continue;
      }
      EXPECT_FALSE(decoded.ok());
      if (at < trailer.chunks()[0].place.offset) {
        EXPECT_FALSE(found.header_status.ok());
        EXPECT_TRUE(found.damage.empty());
      } else if (at + 1 < file_bytes) {
        ASSERT_EQ(found.damage.size(), 1u);
        const ChunkSummary& chunk =
            trailer.chunks()[static_cast<std::size_t>(found.damage[0].chunk)];
        EXPECT_LE(chunk.place.offset, at);
        EXPECT_LT(at, chunk.place.offset + chunk.bytes);
        EXPECT_EQ(decoded.chunk(), found.damage[0].chunk);
        EXPECT_KIND(decoded, kChecksum);
        EXPECT_EQ(count, chunk.place.first);
        EXPECT_EQ(found.sound_count, 3801 - chunk.place.count);
      }
    }
  }
}

TEST(Trailer, IntactChunksCanBeReadNextToDamagedOnes) {
  const Sample sample = sample_of(TrailerSpec::index());
  const Trailer trailer = *Trailer::read(sample.file).value();
  Bytes bad = sample.file;
  bad[0] = std::byte{0};  // the magic
  bad[static_cast<std::size_t>(trailer.chunks()[2].place.offset) + 30] ^= std::byte{8};
  const Verification found = verify(bad).value();
  ASSERT_EQ(found.damage.size(), 1u);
  EXPECT_EQ(found.damage[0].chunk, 2u);
  EXPECT_EQ(found.damage[0].first, 701u);
  EXPECT_EQ(found.damage[0].count, 2500u);
  const FileReader reader = FileReader::create(bad, found.index, found.header).value();
  const auto all = sample.numbers.as<std::int32_t>().value();
  EXPECT_TRUE(std::ranges::equal(reader.read<std::int32_t>(0, 701).value(), all.first(701)));
  EXPECT_TRUE(std::ranges::equal(reader.read<std::int32_t>(3201, 600).value(), all.last(600)));
  EXPECT_THROW(reader.read<std::int32_t>(0, 3801).value(), Error);
}

TEST(Trailer, WithoutATrailerTheIntactPrefixIsFound) {
  const Sample sample = sample_of(TrailerSpec::none());
  const FileInfo info = inspect(sample.file).value();
  Bytes bad = prefix(sample.file, static_cast<std::size_t>(info.chunks[2].offset) + 60);
  const Verification found = verify(bad).value();
  ASSERT_EQ(found.damage.size(), 1u);
  EXPECT_EQ(found.damage[0].chunk, 2u);
  EXPECT_EQ(found.damage[0].count, std::nullopt);
  EXPECT_EQ(found.sound_count, 701u);
  EXPECT_EQ(found.good_bytes, info.chunks[2].offset);
  const FileReader reader = FileReader::create(bad, found.index, found.header).value();
  EXPECT_EQ(reader.read<std::int32_t>(0, 701).value().size(), 701u);
}

TEST(Trailer, NothingIsVerifiedPastALimit) {
  for (const TrailerSpec spec : {TrailerSpec::none(), TrailerSpec::index()}) {
    const Sample sample = sample_of(spec);
    DecodeConfig config;
    config.limits.max_numbers = sample.numbers.count() - 1;
    EXPECT_KIND(verify(sample.file, config).status(), kLimitExceeded);
  }
}

TEST(Trailer, PoliciesDecideWhatIsAnError) {
  const Sample sample = sample_of(TrailerSpec::index());
  const Bytes plain = compressed(sample.numbers);
  Numbers out = zeros(NumberType::kI32, sample.numbers.count());
  std::size_t count = 0;
  const auto decode = [&](const Bytes& file, TrailerPolicy policy) {
    return count_into(decompress_into(file, writable(out), with(policy)), count);
  };
  EXPECT_OK(decode(plain, TrailerPolicy::kUse));
  EXPECT_KIND(decode(plain, TrailerPolicy::kRequire), kCorrupt);
  EXPECT_OK(decode(sample.file, TrailerPolicy::kRequire));

  Bytes bad_trailer = sample.file;
  bad_trailer[bad_trailer.size() - 30] ^= std::byte{1};
  EXPECT_OK(decode(bad_trailer, TrailerPolicy::kUse));
  EXPECT_KIND(decode(bad_trailer, TrailerPolicy::kRequire), kChecksum);

  Bytes newer = sample.file;
  const std::size_t at = static_cast<std::size_t>(Trailer::read(sample.file).value()->file_bytes());
  newer[at + 4] = std::byte{2};
  repair(newer, at);
  EXPECT_KIND(decode(newer, TrailerPolicy::kRequire), kUnsupportedVersion);
  EXPECT_OK(decode(newer, TrailerPolicy::kUse));

  // A byte that decodes to other numbers.
  const ChunkSummary chunk = Trailer::read(sample.file).value()->chunks()[2];
  std::size_t silent = 0;
  for (std::size_t i = 0; i < chunk.bytes; ++i) {
    Bytes bad = sample.file;
    bad[static_cast<std::size_t>(chunk.place.offset) + i] ^= std::byte{4};
    if (!decode(bad, TrailerPolicy::kIgnore).ok()) continue;
    ++silent;
    EXPECT_KIND(decode(bad, TrailerPolicy::kUse), kChecksum);
    EXPECT_KIND(decode(bad, TrailerPolicy::kRequire), kChecksum);
  }
  EXPECT_GT(silent, 100u);
}

// An intact trailer with false contents.
TEST(Trailer, LiesAreRefused) {
  const Sample sample = sample_of(TrailerSpec::restarts(8));
  const std::size_t at = static_cast<std::size_t>(Trailer::read(sample.file).value()->file_bytes());
  const std::size_t end = sample.file.size() - kFooterBytes;
  Numbers out = zeros(NumberType::kI32, sample.numbers.count());
  std::size_t found_late = 0;
  for (std::size_t i = at; i < end; ++i) {
    for (const int flip : {1, 0x10, 0xff}) {
      SCOPED_TRACE(text(i - at, " ", flip));
      Bytes bad = sample.file;
      bad[i] ^= static_cast<std::byte>(flip);
      repair(bad, at);
      EXPECT_FALSE(verify(bad).value().is_sound());
      // kVerify proves the trailer before random access.
      for (const unsigned threads : {1u, 2u}) {
        EXPECT_FALSE(FileReader::create(bad, with(TrailerPolicy::kVerify, threads)).ok());
      }
      std::optional<Trailer> trailer;
      if (!Trailer::read(bad).into(trailer).ok()) continue;
      ++found_late;
      // Whatever the trailer says, results are correct or an error.
      Result<FileReader> reader = FileReader::create(bad, trailer->index());
      if (!reader.ok()) continue;
      std::size_t count = 0;
      const Status decoded = count_into(decompress_into(bad, writable(out)), count);
      if (decoded.ok()) {
        EXPECT_TRUE(same_numbers(out, sample.numbers));
      }
      if (trailer->type() != NumberType::kI32 || trailer->count() != 3801) continue;
      if (reader->read(0, writable(out)).ok()) {
        EXPECT_TRUE(same_numbers(out, sample.numbers));
      }
      // Without verification, random access may give other numbers, but has no other effect.
      for (const std::uint64_t first : {300u, 701u, 1500u, 3300u}) {
        Numbers part = zeros(NumberType::kI32, 10);
        static_cast<void>(reader->read(first, writable(part)));
      }
    }
  }
  EXPECT_GT(found_late, 50u);
}

Status decode_with(TrailerPolicy policy, ByteSpan file) {
  Numbers out;
  return decompress_any(file, with(policy)).into(out);
}

// Restart points whose states differ from those reached by decoding.
TEST(Trailer, PartsOfProvenFilesAreRight) {
  for (const TrailerSpec& spec :
       {TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8)}) {
    const Sample sample = sample_of(spec);
    for (const unsigned threads : {1u, 2u}) {
      Result<FileReader> reader =
          FileReader::create(sample.file, with(TrailerPolicy::kVerify, threads));
      ASSERT_OK(reader.status());
      for (const std::size_t first : {0u, 300u, 701u, 1500u, 3300u}) {
        Numbers out = zeros(NumberType::kI32, 400);
        ASSERT_OK(reader->read(first, writable(out)));
        EXPECT_EQ(std::memcmp(out.data(), part(sample.numbers, first, 400).data, 1600), 0);
      }
    }
    EXPECT_OK(decode_with(TrailerPolicy::kVerify, sample.file));
  }
  Sample sample = sample_of(TrailerSpec::restarts(8));
  sample.file[sample.file.size() - 30] ^= std::byte{1};
  EXPECT_KIND(decode_with(TrailerPolicy::kVerify, sample.file), kChecksum);
  EXPECT_KIND(FileReader::create(sample.file, with(TrailerPolicy::kVerify)).status(), kChecksum);
  DecodeConfig limited = with(TrailerPolicy::kVerify);
  limited.limits.max_numbers = 10;
  EXPECT_KIND(FileReader::create(sample_of(TrailerSpec::index()).file, limited).status(),
              kLimitExceeded);
}

TEST(Trailer, HostileSizesAreRejectedEarly) {
  const Sample sample = sample_of(TrailerSpec::index());
  const std::size_t at = static_cast<std::size_t>(Trailer::read(sample.file).value()->file_bytes());
  for (const std::size_t field : {std::size_t{16}, std::size_t{24}}) {
    Bytes bad = sample.file;
    for (std::size_t i = 0; i < 8; ++i) bad[at + field + i] = std::byte{0xff};
    repair(bad, at);
    std::optional<Trailer> trailer;
    EXPECT_KIND(Trailer::read(bad).into(trailer), kCorrupt);
  }
  for (std::size_t n = 0; n < sample.file.size() - at; ++n) {
    // Truncated ends of a file.
    const Bytes rest = to_bytes(ByteSpan(sample.file).last(n));
    std::optional<Trailer> trailer;
    const Status status = Trailer::read(rest).into(trailer);
    EXPECT_FALSE(status.ok() && trailer.has_value()) << n;
  }
}

TEST(Trailer, SpecsOutOfRangeAreRefused) {
  const std::vector<std::int32_t> numbers = {1, 2, 3};
  Bytes out;
  for (const unsigned log : {0u, 7u, 25u, 64u}) {
    EncodeConfig config;
    config.trailer = TrailerSpec::restarts(log);
    EXPECT_KIND(compress(NumberView(std::span<const std::int32_t>(numbers)), config).into(out),
                kInvalidArgument);
  }
}

TEST(Trailer, CanBeMadeForFilesOfAnyVersion) {
  for (const Fixture& fixture : small_files()) {
    SCOPED_TRACE(fixture.name);
    const MadeTrailer made = Trailer::make(fixture.file, TrailerSpec::restarts(8)).value();
    Bytes file = prefix(fixture.file, static_cast<std::size_t>(made.file_bytes));
    file.insert(file.end(), made.bytes.begin(), made.bytes.end());
    const Verification found = verify(file).value();
    EXPECT_TRUE(found.is_sound());
    EXPECT_EQ(found.trailer, TrailerState::kSound);
  }
}

}  // namespace
}  // namespace numpact::testing
