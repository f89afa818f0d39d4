// SPDX-License-Identifier: Apache-2.0
// Numbers written to a stream in blocks of any size are read back; misuse and failing sinks are
// reported.
#include <gtest/gtest.h>

#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

void write_in_blocks(StreamWriter& writer, const Numbers& numbers, std::size_t max_n,
                     Random& random) {
  std::size_t done = 0;
  while (done < numbers.count()) {
    const std::size_t n = std::min<std::size_t>(random.below(max_n + 1), numbers.count() - done);
    ASSERT_OK(writer.write(part(numbers, done, n)));
    done += n;
  }
}

std::vector<std::uint64_t> chunk_counts(ByteSpan file) {
  std::vector<std::uint64_t> counts;
  for (const ChunkInfo& chunk : inspect(file).value().chunks) counts.push_back(chunk.count);
  return counts;
}

TEST(StreamWriter, RandomBlocksComeBack) {
  Random random(21);
  for (const NumberType type : kNumberTypes) {
    for (int round = 0; round < 12; ++round) {
      const std::size_t n = random.below(4000);
      const Numbers numbers = make_numbers(random.pick(distribution_names()), type, n, random);
      const std::size_t chunk_n = random.between(1, 1500);
      EncodeConfig config;
      config.mode = random.pick(mode_specs(type));
      config.delta = random.pick(delta_specs(type));
      config.paging = PagingSpec::equal_pages_up_to(chunk_n);
      SCOPED_TRACE(
          text(name_of(type), " ", describe(config), ", chunks of ", chunk_n, ", seed ", seed()));
      Bytes file;
      VectorSink sink(file);
      StreamWriter writer(sink, type, config, n);
      write_in_blocks(writer, numbers, random.between(1, 3000), random);
      ASSERT_OK(writer.finish());
      EXPECT_EQ(writer.bytes_written(), file.size());
      EXPECT_TRUE(same_numbers(decompressed(file), numbers));
      EXPECT_EQ(read_header(file).value().n_hint, n);
      const std::vector<std::uint64_t> counts = chunk_counts(file);
      EXPECT_EQ(counts.size(), (n + chunk_n - 1) / chunk_n);
      for (std::size_t i = 0; i + 1 < counts.size(); ++i) EXPECT_EQ(counts[i], chunk_n);
    }
  }
}

TEST(StreamWriter, SameBytesAsOneShot) {
  Random random(22);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 1200, random);
  EncodeConfig config;
  config.paging = PagingSpec::exact({500, 100, 600});
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kI32, config, numbers.count());
  write_in_blocks(writer, numbers, 77, random);
  ASSERT_OK(writer.finish());
  EXPECT_EQ(file, compressed(numbers, config));
}

TEST(StreamWriter, EmptyKeepsItsType) {
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kF16);
  ASSERT_OK(writer.finish());
  const Numbers back = decompressed(file);
  EXPECT_EQ(back.type(), NumberType::kF16);
  EXPECT_EQ(back.count(), 0u);
  EXPECT_EQ(file, compressed(zeros(NumberType::kF16, 0)));
}

TEST(StreamWriter, EndChunk) {
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kU16);
  const std::vector<std::uint16_t> numbers = {5, 6, 7, 8, 9};
  throw_if_error(writer.end_chunk());
  throw_if_error(writer.write(std::span(numbers).first(2)));
  throw_if_error(writer.end_chunk());
  throw_if_error(writer.end_chunk());
  throw_if_error(writer.write(std::span(numbers).subspan(2)));
  throw_if_error(writer.finish());
  EXPECT_EQ(chunk_counts(file), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(decompress<std::uint16_t>(file).value(), numbers);
}

TEST(StreamWriter, FinishTwiceIsOnce) {
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kU8);
  const std::vector<std::uint8_t> numbers = {1, 2, 3};
  throw_if_error(writer.write(numbers));
  ASSERT_OK(writer.finish());
  const Bytes once = file;
  ASSERT_OK(writer.finish());
  EXPECT_EQ(file, once);
  EXPECT_KIND(writer.write(from_values(numbers).view()), kInvalidArgument);
  EXPECT_EQ(file, once);
}

TEST(StreamWriter, UnfinishedIsTruncated) {
  Bytes file;
  VectorSink sink(file);
  {
    StreamWriter writer(sink, NumberType::kU8);
    const std::vector<std::uint8_t> numbers(100, 7);
    throw_if_error(writer.write(numbers));
    throw_if_error(writer.end_chunk());
  }
  Numbers out;
  EXPECT_KIND(decompress_any(file).into(out), kTruncated);
}

TEST(StreamWriter, WrongType) {
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kU8);
  EXPECT_KIND(writer.write(zeros(NumberType::kI8, 3).view()), kTypeMismatch);
}

Status write_with_sizes(std::vector<std::size_t> sizes, std::size_t n) {
  Bytes file;
  VectorSink sink(file);
  EncodeConfig config;
  config.paging = PagingSpec::exact(std::move(sizes));
  StreamWriter writer(sink, NumberType::kU32, config);
  const Status status = writer.write(zeros(NumberType::kU32, n).view());
  return status.ok() ? writer.finish() : status;
}

TEST(StreamWriter, ExactSizesMustFit) {
  EXPECT_OK(write_with_sizes({3, 4}, 7));
  EXPECT_OK(write_with_sizes({}, 0));
  EXPECT_KIND(write_with_sizes({3, 4}, 8), kInvalidArgument);
  EXPECT_KIND(write_with_sizes({3, 4}, 3), kInvalidArgument);
  EXPECT_KIND(write_with_sizes({3, 4}, 6), kInvalidArgument);
  EXPECT_KIND(write_with_sizes({3, 4}, 0), kInvalidArgument);
  EXPECT_KIND(write_with_sizes({}, 1), kInvalidArgument);
  EXPECT_KIND(write_with_sizes({0, 7}, 7), kInvalidArgument);
  EXPECT_KIND(write_with_sizes({(std::size_t{1} << 24) + 1}, 7), kInvalidArgument);
}

TEST(StreamWriter, InvalidConfig) {
  for (int which = 0; which < 3; ++which) {
    EncodeConfig config;
    if (which == 0) config.level = 13;
    if (which == 1) config.mode = ModeSpec::try_float_mult(0.1);
    if (which == 2) config.paging = PagingSpec::equal_pages_up_to(0);
    Bytes file;
    VectorSink sink(file);
    StreamWriter writer(sink, NumberType::kU32, config);
    EXPECT_KIND(writer.write(zeros(NumberType::kU32, 7).view()), kInvalidArgument);
    EXPECT_KIND(writer.finish(), kInvalidArgument);
    EXPECT_TRUE(file.empty());
  }
}

// Accepts a number of bytes, then fails.
class FailingSink final : public ByteSink {
 public:
  explicit FailingSink(std::size_t capacity) : capacity_(capacity) {}
  Status write(std::span<const std::byte> bytes) override {
    if (bytes.size() > capacity_) return Status(ErrorKind::kIo, "the test's sink is full");
    capacity_ -= bytes.size();
    return {};
  }

 private:
  std::size_t capacity_;
};

TEST(StreamWriter, SinkErrorsArePassedOn) {
  Random random(23);
  const Numbers numbers = make_numbers("uniform", NumberType::kU16, 300, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(50);
  const std::size_t size = compressed(numbers, config).size();
  for (std::size_t capacity = 0; capacity < size - 1; ++capacity) {
    FailingSink sink(capacity);
    StreamWriter writer(sink, NumberType::kU16, config);
    Status status = writer.write(numbers.view());
    if (status.ok()) status = writer.finish();
    EXPECT_KIND(status, kIo) << capacity;
    EXPECT_STREQ(status.what(), "the test's sink is full");
    EXPECT_KIND(writer.finish(), kIo);
    EXPECT_LE(writer.bytes_written(), capacity);
  }
}

TEST(StreamWriter, Moves) {
  Bytes file;
  VectorSink sink(file);
  StreamWriter first(sink, NumberType::kU8);
  const std::vector<std::uint8_t> numbers = {1, 2, 3};
  throw_if_error(first.write(numbers));
  StreamWriter second(std::move(first));
  throw_if_error(second.write(numbers));
  throw_if_error(second.finish());
  EXPECT_EQ(decompress<std::uint8_t>(file).value(), (std::vector<std::uint8_t>{1, 2, 3, 1, 2, 3}));
}

}  // namespace
}  // namespace numpact::testing
