// SPDX-License-Identifier: Apache-2.0
// Streams read in blocks of any size give the result of one-shot decoding.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

// Reads all, into outputs of random sizes up to `max_n`.
Status read_all(StreamReader& reader, NumberType type, std::size_t max_n, Random& random,
                Numbers& out) {
  out = Numbers(type);
  while (true) {
    Numbers block = zeros(type, random.between(1, max_n));
    std::size_t count = 0;
    const Status status = count_into(reader.read(writable(block)), count);
    const ByteSpan got = raw(block).first(count * size_of(type));
    out.storage().insert(out.storage().end(), got.begin(), got.end());
    if (!status.ok() || count < block.count()) return status;
  }
}

void expect_stream_equals(const Fixture& fixture, std::size_t block, Random& random) {
  SCOPED_TRACE(text(fixture.name, ", pieces of ", block, ", seed ", seed()));
  const ExactCopy copy(fixture.file);
  MemorySource source(copy.span(), block);
  StreamReader reader(source);
  const std::size_t max_n = random.one_in(2) ? 3 : 700;
  Numbers out;
  ASSERT_OK(read_all(reader, fixture.numbers.type(), max_n, random, out));
  EXPECT_TRUE(same_numbers(out, fixture.numbers));
  FileInfo info;
  ASSERT_OK(inspect_into(fixture.file, info));
  EXPECT_EQ(reader.bytes_consumed(), info.file_bytes);
  std::size_t count = 9;
  Numbers more = zeros(fixture.numbers.type(), 4);
  EXPECT_OK(count_into(reader.read(writable(more)), count));
  EXPECT_EQ(count, 0u);
}

std::vector<Fixture> large_files() {
  Random random(11);
  std::vector<Fixture> files;
  for (const NumberType type : {NumberType::kU8, NumberType::kF32, NumberType::kI64}) {
    for (const std::string_view name : {"uniform", "walk", "repeats"}) {
      Fixture file;
      file.name = text(name_of(type), " ", name);
      file.numbers = make_numbers(name, type, 70000, random);
      EncodeConfig config;
      config.level = 4;
      config.paging = PagingSpec::exact({30000, 1, 39999});
      if (name == "repeats") config.delta = DeltaSpec::try_lookback();
      file.file = compressed(file.numbers, config);
      files.push_back(std::move(file));
    }
  }
  return files;
}

TEST(StreamReader, FixturesInAnyBlocks) {
  Random random(1);
  for (const Fixture& fixture : good_fixtures()) {
    for (const std::size_t block : {1, 7, 61, 1000000}) {
      expect_stream_equals(fixture, block, random);
    }
  }
}

TEST(StreamReader, OwnFilesInAnyBlocks) {
  Random random(2);
  for (const Fixture& fixture : small_files()) {
    for (const std::size_t block : {1, 13, 1000000}) expect_stream_equals(fixture, block, random);
  }
}

TEST(StreamReader, LargeFilesInAnyBlocks) {
  Random random(3);
  for (const Fixture& fixture : large_files()) {
    for (const std::size_t block : {1, 997, 1000000}) expect_stream_equals(fixture, block, random);
  }
}

TEST(StreamReader, HeaderFirst) {
  const Bytes file = read_file(fixture_path("v0_1_0_delta_int_mult.pco"));
  MemorySource source(file, 1);
  StreamReader reader(source);
  const FileHeader header = reader.header().value();
  EXPECT_EQ(header.number_type, NumberType::kI32);
  EXPECT_FALSE(header.uniform_type.has_value());
  EXPECT_EQ(header.size_bytes, read_header(file).value().size_bytes);
  std::vector<std::int32_t> out(3000);
  EXPECT_EQ(reader.read(out).value(), 2000u);
  out.resize(2000);
  EXPECT_TRUE(same_numbers(from_values(out), conformance_numbers("v0_1_0_delta_int_mult")));
}

TEST(StreamReader, TypelessEmptyFitsEveryType) {
  const Bytes file = read_file(fixture_path(text(kTypelessEmpty, ".pco")));
  for (const NumberType type : kNumberTypes) {
    MemorySource source(file, 1);
    StreamReader reader(source);
    EXPECT_FALSE(reader.header().value().number_type.has_value());
    Numbers out = zeros(type, 2);
    std::size_t count = 9;
    EXPECT_OK(count_into(reader.read(writable(out)), count));
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(reader.bytes_consumed(), file.size());
  }
}

TEST(StreamReader, WrongTypeChangesNothing) {
  const Bytes file = read_file(fixture_path("v0_4_8_minor_version.pco"));
  MemorySource source(file);
  StreamReader reader(source);
  Numbers wrong = zeros(NumberType::kF64, 10);
  std::size_t count = 9;
  EXPECT_KIND(count_into(reader.read(writable(wrong)), count), kTypeMismatch);
  EXPECT_EQ(count, 0u);
  std::vector<std::uint32_t> out(5);
  EXPECT_EQ(reader.read(out).value(), 5u);
  EXPECT_EQ(out, (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
}

TEST(StreamReader, TrailingBytesAreNotConsumed) {
  Random random(4);
  Bytes file = read_file(fixture_path("v1_0_0_i8.pco"));
  const std::size_t size = file.size();
  file.resize(size + 1000, std::byte{0xab});
  for (const std::size_t block : {1, 5, 2000}) {
    MemorySource source(file, block);
    StreamReader reader(source);
    Numbers out;
    ASSERT_OK(read_all(reader, NumberType::kI8, 50, random, out));
    EXPECT_TRUE(same_numbers(out, conformance_numbers("v1_0_0_i8")));
    EXPECT_EQ(reader.bytes_consumed(), size);
  }
}

TEST(StreamReader, EveryTruncationIsRefused) {
  Random random(5);
  for (const char* name : {"v0_4_5_uniform_type", "made/chunks_of_four_kinds", "v1_0_0_dict"}) {
    const Bytes file = read_file(fixture_path(text(name, ".pco")));
    const Numbers all = decompressed(file);
    for (std::size_t n = 0; n < file.size(); ++n) {
      const ExactCopy cut(ByteSpan(file).first(n));
      MemorySource source(cut.span(), random.between(1, 40));
      StreamReader reader(source);
      Numbers out;
      const Status status = read_all(reader, all.type(), 100, random, out);
      EXPECT_KIND(status, kTruncated) << name << " cut to " << n;
      EXPECT_TRUE(is_prefix(out, all));
      std::size_t count = 9;
      Numbers more = zeros(all.type(), 1);
      EXPECT_KIND(count_into(reader.read(writable(more)), count), kTruncated);
      EXPECT_EQ(count, 0u);
    }
  }
}

// Fails with kIo after a number of bytes.
class FailingSource final : public ByteSource {
 public:
  FailingSource(ByteSpan bytes, std::size_t good) : inner_(bytes.first(good), 5) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const Result<std::size_t> got = inner_.read(out);
    if (!got.ok() || *got > 0) return got;
    return Status(ErrorKind::kIo, "the test's source failed");
  }

 private:
  MemorySource inner_;
};

TEST(StreamReader, SourceErrorsArePassedOn) {
  Random random(6);
  const Bytes file = read_file(fixture_path("made/chunks_of_four_kinds.pco"));
  const Numbers all = decompressed(file);
  for (std::size_t good = 0; good < file.size(); ++good) {
    FailingSource source(file, good);
    StreamReader reader(source);
    Numbers out;
    const Status status = read_all(reader, all.type(), 100, random, out);
    EXPECT_KIND(status, kIo) << good;
    EXPECT_STREQ(status.what(), "the test's source failed");
    EXPECT_TRUE(is_prefix(out, all));
  }
}

TEST(StreamReader, Moves) {
  const Bytes file = read_file(fixture_path("v0_4_8_minor_version.pco"));
  MemorySource source(file, 3);
  StreamReader first(source);
  std::vector<std::uint32_t> out(2);
  EXPECT_EQ(first.read(out).value(), 2u);
  StreamReader second(std::move(first));
  out.resize(9);
  EXPECT_EQ(second.read(out).value(), 3u);
  EXPECT_EQ(out[0], 3u);
  EXPECT_EQ(out[2], 5u);
}

TEST(FileSource, ReadsAFile) {
  FileSource source = FileSource::open(fixture_path("v1_0_0_u8.pco")).value();
  StreamReader reader(source);
  std::vector<std::uint8_t> out(200);
  out.resize(reader.read(out).value());
  EXPECT_TRUE(same_numbers(from_values(out), conformance_numbers("v1_0_0_u8")));
}

TEST(FileSource, NamesTheFileThatIsMissing) {
  try {
    (void)FileSource::open("/no/such/file.pco").value("/no/such/file.pco");
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
    EXPECT_NE(std::string(error.what()).find("/no/such/file.pco"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(FileSource, FolderIsAnIoError) {
  std::byte buffer[10];
  Result<FileSource> source = FileSource::open(::testing::TempDir());
  EXPECT_KIND(source.ok() ? source->read(buffer).status() : source.status(), kIo);
}

}  // namespace
}  // namespace numpact::testing
