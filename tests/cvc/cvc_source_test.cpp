// SPDX-License-Identifier: Apache-2.0
// Files that are fetched by ranges: the same values, only the needed bytes, errors with locations.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "cvc/range_sources.hpp"
#include "support/executors.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Dtype;
using cvc::MutableRows;
using cvc::ReadConfig;
using cvc::Reader;
using cvc::RowRange;
using cvc::Target;

constexpr std::uint64_t kRows = 4000;
constexpr std::uint64_t kDimension = 300;
constexpr std::uint64_t kChunkRows = 1000;

Bytes file_of(std::vector<Compression> compressions, cvc::Version version = cvc::Version::kV10) {
  Bytes out;
  cvc::WriteConfig config;
  config.chunk_rows = kChunkRows;
  config.version = version;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  for (std::size_t i = 0; i < compressions.size(); ++i) {
    throw_if_error(writer.set_chunk(i, {compressions[i], {}}));
  }
  Random random(5);
  std::vector<float> values(kRows * kDimension);
  for (float& value : values) value = static_cast<float>(random.normal());
  throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), kDimension)));
  writer.finish().value();
  return out;
}

Bytes mixed_file() {
  return file_of(
      {Compression::kFp16, Compression::kInt8, Compression::kLossless, Compression::kInt8});
}

// A reader and its source; the source's record of reads is empty.
struct Opened {
  explicit Opened(const Bytes& file)
      : source(std::make_shared<RecordingSource>(file)), reader(Reader::create(source).value()) {
    source->reads.clear();
  }
  std::shared_ptr<RecordingSource> source;
  Reader reader;
};

TEST(CvcSource, EveryFileAsInMemory) {
  for (const std::string& name : cvc_names("")) {
    SCOPED_TRACE(name);
    const Bytes file = cvc_bytes(name);
    const auto source = std::make_shared<RecordingSource>(file);
    Random random(7);
    source->max_read_bytes = 1 + random.below(1000);
    Result<Reader> in_memory = Reader::create(file);
    Result<Reader> fetched = Reader::create(source);
    ASSERT_EQ(fetched.status().kind(), in_memory.status().kind());
    if (!fetched.ok()) continue;
    const cvc::Info& info = in_memory->info();
    ASSERT_EQ(fetched->info().rows, info.rows);
    for (std::size_t i = 0; i < info.chunks.size(); ++i) {
      ASSERT_EQ(fetched->info().chunks[i].offset, info.chunks[i].offset);
      ASSERT_EQ(fetched->info().chunks[i].payload_bytes, info.chunks[i].payload_bytes);
    }
    for (std::size_t c = 0; c < info.columns.size(); ++c) {
      const bool is_kept = keeps_integers(info.columns[c].compression);
      const Dtype dtype = is_kept ? info.columns[c].dtype : Dtype::kFloat32;
      for (const unsigned threads : {1u, 3u}) {
        ReadConfig config;
        config.threads = threads;
        EXPECT_EQ(read_column(*fetched, c, dtype, config), read_column(*in_memory, c, dtype));
      }
    }
    cvc::VerifyReport report;
    EXPECT_TRUE(fetched->verify().into(report).ok());
    EXPECT_TRUE(report.bad.empty());
  }
}

// A source whose blocks have checksums gives the header alone of what is asked for.
TEST(CvcSource, NothingIsReadBehindTheHeader) {
  const Bytes file = file_of(std::vector<Compression>(4, Compression::kFp16));
  const std::uint64_t header = cvc::parse_header(file).value().header_bytes;
  const auto source = std::make_shared<RecordingSource>(file);
  source->max_read_bytes = static_cast<std::size_t>(header);
  ASSERT_TRUE(Reader::create(source).ok());
  ASSERT_EQ(source->reads.size(), 1u);
}

TEST(CvcSource, BadFilesAreRefused) {
  for (const std::string& name : cvc_names("bad")) {
    SCOPED_TRACE(name);
    const Bytes file = cvc_bytes("bad/" + name);
    Result<Reader> reader = Reader::create(std::make_shared<RecordingSource>(file));
    Status status = reader.status();
    cvc::VerifyReport report;
    if (reader.ok()) status = reader->verify().into(report);
    if (!report.bad.empty()) status = report.bad[0].status;
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.kind(), ErrorKind::kIo);
    EXPECT_NE(status.offset(), Status::kNoOffset) << status.message();
  }
}

TEST(CvcSource, PartsAndRowsAreSlices) {
  const Bytes file = mixed_file();
  const Reader expected = Reader::create(file).value();
  const Opened opened(file);
  Random random(11);
  for (int i = 0; i < 60; ++i) {
    ReadConfig config;
    config.threads = 1 + static_cast<unsigned>(random.below(3));
    config.verify = random.one_in(2);
    const std::uint64_t first = random.below(kRows + 1);
    const std::uint64_t count = random.below(kRows + 1 - first);
    ASSERT_EQ(opened.reader.read_rows(first, count, config).value(),
              expected.read_rows(first, count).value());
    std::vector<std::uint64_t> rows(random.below(200));
    for (std::uint64_t& row : rows) row = random.below(kRows);
    ASSERT_EQ(opened.reader.gather(rows, config).value(), expected.gather(rows).value());
  }
  ThreadForEach executor(4);
  ReadConfig config;
  config.executor = &executor;
  EXPECT_EQ(opened.reader.read_all(config).value(), expected.read_all().value());
}

// Rows of every compression. If rows are separable, only their codes and ranges are read.
TEST(CvcSource, RowsOfEveryCompression) {
  for (const Compression compression : cvc::kCompressions) {
    if (compression == Compression::kNone) continue;
    SCOPED_TRACE(name_of(compression));
    const Bytes file = file_of(std::vector<Compression>(4, compression));
    const Reader expected = Reader::create(file).value();
    const Opened opened(file);
    const bool has_codes =
        compression != Compression::kLossless && compression != Compression::kPco;
    for (const RowRange rows : {RowRange{1200, 3}, RowRange{990, 20}, RowRange{1000, 1000}}) {
      opened.source->reads.clear();
      ASSERT_EQ(opened.reader.read_rows(rows.first, rows.count).value(),
                expected.read_rows(rows.first, rows.count).value());
      const std::uint64_t max_bytes = rows.count * (2 * kDimension + 8) + 2 * 8 * kDimension;
      if (has_codes) {
        EXPECT_LE(opened.source->bytes_read(), max_bytes);
      }
      if (!has_codes) continue;
      Bytes got(rows.count * kDimension * 2);
      Bytes expected_codes(got);
      std::vector<cvc::CodeRun> runs;
      std::vector<cvc::CodeRun> expected_runs;
      throw_if_error(opened.reader.read_codes(rows, 0, got, 0).into(runs));
      throw_if_error(expected.read_codes(rows, 0, expected_codes, 0).into(expected_runs));
      EXPECT_EQ(got, expected_codes);
      ASSERT_EQ(runs.size(), expected_runs.size());
      for (std::size_t i = 0; i < runs.size(); ++i) {
        EXPECT_EQ(runs[i].mins, expected_runs[i].mins);
        EXPECT_EQ(runs[i].scales, expected_runs[i].scales);
      }
    }
    const std::vector<std::uint64_t> rows{3999, 2, 1500, 2, 1501, 700};
    EXPECT_EQ(opened.reader.gather(rows).value(), expected.gather(rows).value());
    cvc::VerifyReport report;
    throw_if_error(opened.reader.verify().into(report));
    EXPECT_TRUE(report.bad.empty());
  }
}

TEST(CvcSource, OnlyTheBytesOfTheRows) {
  const Bytes file = mixed_file();
  const Opened opened(file);
  const cvc::Info& info = opened.reader.info();
  const auto payload = [&](std::size_t chunk) {
    return info.chunks[chunk].offset + info.record_head_bytes();
  };
  using Read = RecordingSource::Read;
  (void)opened.reader.read_rows(10, 2).value();
  (void)opened.reader.read_rows(1990, 10).value();
  EXPECT_EQ(opened.source->reads,
            (std::vector<Read>{{payload(0) + 10 * 600, 1200}, {payload(1) + 990 * 300, 3000}}));
  opened.source->reads.clear();
  // Near rows share a read, far ones take another; in the order of the file.
  (void)opened.reader.gather(std::vector<std::uint64_t>{1900, 1001, 1003, 1001}).value();
  EXPECT_EQ(opened.source->sorted_reads(),
            (std::vector<Read>{{payload(1) + 300, 900}, {payload(1) + 900 * 300, 300}}));
  opened.source->reads.clear();
  // A whole chunk for its checksum; a whole slice if its rows are not separable.
  (void)opened.reader.read_chunk(1).value();
  (void)opened.reader.read_rows(2000, 1).value();
  EXPECT_EQ(opened.source->reads,
            (std::vector<Read>{{info.chunks[1].offset, 8 + info.chunks[1].payload_bytes},
                               {payload(2), info.chunks[2].payload_bytes}}));
  opened.source->reads.clear();
  ReadConfig config;
  config.verify = true;
  (void)opened.reader.gather(std::vector<std::uint64_t>{3999, 3000}, config).value();
  EXPECT_EQ(opened.source->reads,
            (std::vector<Read>{{info.chunks[3].offset, 8 + info.chunks[3].payload_bytes}}));
}

TEST(CvcSource, OpeningReadsTheHeader) {
  const Bytes file = file_of(std::vector<Compression>(4, Compression::kInt8));
  const auto source = std::make_shared<RecordingSource>(file);
  const Reader reader = Reader::create(source).value();
  EXPECT_EQ(source->reads.size(), 1u);
  EXPECT_LE(source->bytes_read(), std::uint64_t{1} << 16);
  // One read for each length that is not in the header.
  const Bytes lossless = file_of(std::vector<Compression>(4, Compression::kLossless));
  const auto other = std::make_shared<RecordingSource>(lossless);
  (void)Reader::create(other).value();
  EXPECT_EQ(other->reads.size(), 5u);
}

TEST(CvcSource, OneColumnOfMany) {
  cvc::WriteConfig config;
  config.version = cvc::Version::kV20;
  config.columns = {{"a", 100, Dtype::kFloat32, Compression::kFp16},
                    {"b", 100, Dtype::kFloat32, Compression::kInt8},
                    {"c", 1, Dtype::kInt64, Compression::kNone}};
  Bytes file;
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  std::vector<float> vectors(2000 * 100);
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = static_cast<float>(i % 977);
  std::vector<std::int64_t> ids(2000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i) << 40;
  const cvc::Rows columns[] = {cvc::Rows(std::span<const float>(vectors), 100),
                               cvc::Rows(std::span<const float>(vectors), 100),
                               cvc::Rows(std::span<const std::int64_t>(ids), 1)};
  throw_if_error(writer.append(columns));
  writer.finish().value();
  const Reader expected = Reader::create(file).value();
  const Opened opened(file);
  EXPECT_EQ(opened.reader.read_all<std::int64_t>({}, 2).value(), ids);
  EXPECT_EQ(opened.source->bytes_read(), 2000u * 8);
  opened.source->reads.clear();
  EXPECT_EQ(opened.reader.read_rows(7, 3, {}, 1).value(), expected.read_rows(7, 3, {}, 1).value());
  EXPECT_EQ(opened.source->bytes_read(), 300u);
  opened.source->reads.clear();
  // The end of one column and the start of the next are near each other.
  std::vector<float> b(100 * 100);
  const RowRange last{1900, 100};
  const Target targets[] = {{MutableRows(Dtype::kInt64, ids.data(), 100, 1), 2},
                            {MutableRows(Dtype::kFloat32, b.data(), 100, 100), 1}};
  throw_if_error(opened.reader.read({&last, 1}, targets).status());
  EXPECT_EQ(opened.source->reads.size(), 1u);
  EXPECT_EQ(b, expected.read_rows(1900, 100, {}, 1).value());
  EXPECT_EQ(ids[99], std::int64_t{1999} << 40);
}

TEST(CvcSource, Codes) {
  const Bytes file = mixed_file();
  const Reader expected = Reader::create(file).value();
  const Opened opened(file);
  cvc::Codes codes;
  const Status status = opened.reader.codes(1, 0).into(codes);
  EXPECT_EQ(status.kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(status.message().find("codes of other files can only be copied"), std::string::npos);
  for (const bool verify : {false, true}) {
    ReadConfig config;
    config.verify = verify;
    for (const std::size_t stride : {0u, 320u}) {
      Bytes got(20 * 320);
      Bytes expected_codes(20 * 320);
      std::vector<cvc::CodeRun> runs;
      std::vector<cvc::CodeRun> expected_runs;
      opened.source->reads.clear();
      throw_if_error(opened.reader.read_codes({1500, 20}, 0, got, stride, config).into(runs));
      throw_if_error(
          expected.read_codes({1500, 20}, 0, expected_codes, stride).into(expected_runs));
      EXPECT_EQ(got, expected_codes);
      ASSERT_EQ(runs.size(), 1u);
      EXPECT_EQ(runs[0].scales, expected_runs[0].scales);
      EXPECT_EQ(opened.source->bytes_read(),
                verify ? 8 + opened.reader.info().chunks[1].payload_bytes : 20 * kDimension);
    }
  }
  std::vector<cvc::CodeRun> runs;
  Bytes out(kRows * kDimension * 2);
  EXPECT_EQ(opened.reader.read_codes({2000, 1}, 0, out, 0).into(runs).kind(),
            ErrorKind::kTypeMismatch);
  EXPECT_EQ(opened.reader.read_codes({1000, 2}, 0, std::span(out).first(599), 0).into(runs).kind(),
            ErrorKind::kOutputTooSmall);
}

TEST(CvcSource, DamagedChunks) {
  Bytes file = mixed_file();
  const cvc::Info info = Reader::create(file).value().info();
  file[info.chunks[1].offset + 5000] ^= std::byte{1};
  const Reader expected = Reader::create(file).value();
  const Opened opened(file);
  for (const unsigned threads : {1u, 4u}) {
    ReadConfig config;
    config.threads = threads;
    EXPECT_THROW((void)opened.reader.read_all(config).value(), Error);
    config.on_corruption = cvc::OnCorruption::kFill;
    config.fill = 3;
    EXPECT_EQ(opened.reader.read_all(config).value(), expected.read_all(config).value());
    config.on_corruption = cvc::OnCorruption::kDrop;
    EXPECT_EQ(opened.reader.read_all(config).value(), expected.read_all(config).value());
    cvc::VerifyReport report;
    throw_if_error(opened.reader.verify(config).into(report));
    ASSERT_EQ(report.bad.size(), 1u);
    EXPECT_EQ(report.bad[0].chunk, 1u);
    EXPECT_EQ(report.bad[0].status.kind(), ErrorKind::kChecksum);
  }
  ReadConfig config;
  config.verify = true;
  EXPECT_THROW((void)opened.reader.gather(std::vector<std::uint64_t>{1000}, config).value(), Error);
  EXPECT_NO_THROW((void)opened.reader.gather(std::vector<std::uint64_t>{2}, config).value());
}

TEST(CvcSource, ErrorsNameChunkAndPlace) {
  const Bytes file = mixed_file();
  const Opened opened(file);
  const std::uint64_t place = opened.reader.info().chunks[2].offset + 5;
  for (const bool throws : {false, true}) {
    opened.source->throws = throws;
    opened.source->fails_from = place;
    for (const unsigned threads : {1u, 3u}) {
      ReadConfig config;
      config.threads = threads;
      try {
        (void)opened.reader.read_all(config).value();
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo);
        EXPECT_EQ(error.chunk(), 2u);
        EXPECT_EQ(error.offset(), opened.reader.info().chunks[2].offset);
      }
      cvc::VerifyReport report;
      const Status status = opened.reader.verify(config).into(report);
      EXPECT_EQ(status.kind(), ErrorKind::kIo);
      EXPECT_EQ(status.chunk(), 2u);
      EXPECT_TRUE(report.bad.empty());
    }
    EXPECT_THROW((void)opened.reader.gather(std::vector<std::uint64_t>{3999}).value(), Error);
    EXPECT_NO_THROW((void)opened.reader.gather(std::vector<std::uint64_t>{999}).value());
    opened.source->fails_from = 10;
    EXPECT_EQ(Reader::create(opened.source).status().kind(), ErrorKind::kIo);
  }
  EXPECT_EQ(Reader::create(std::shared_ptr<RangeSource>()).status().kind(),
            ErrorKind::kInvalidArgument);
}

TEST(CvcSource, ShortFiles) {
  const Bytes file = mixed_file();
  const Reader whole = Reader::create(file).value();
  const cvc::Info& info = whole.info();
  // The source claims to be longer than it is.
  for (const std::size_t cut : {0u, 3u, 12u, 40u, 200u}) {
    const auto source = std::make_shared<RecordingSource>(ByteSpan(file).first(cut));
    source->claimed = file.size();
    const Status status = Reader::create(source).status();
    EXPECT_EQ(status.kind(), ErrorKind::kTruncated) << cut;
    EXPECT_EQ(status.offset(), cut);
  }
  const std::uint64_t end = info.chunks[3].offset + 100;
  const auto source = std::make_shared<RecordingSource>(ByteSpan(file).first(end));
  source->claimed = file.size();
  const Reader reader = Reader::create(source).value();
  EXPECT_EQ(reader.read_rows(0, 3000).value(), whole.read_rows(0, 3000).value());
  try {
    (void)reader.read_all().value();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTruncated);
    EXPECT_EQ(error.chunk(), 3u);
    EXPECT_EQ(error.offset(), end);
  }
  cvc::VerifyReport report;
  throw_if_error(reader.verify().into(report));
  ASSERT_EQ(report.bad.size(), 1u);
  EXPECT_EQ(report.bad[0].status.kind(), ErrorKind::kTruncated);
  // The source knows its length: detected at once.
  source->claimed = end;
  EXPECT_EQ(Reader::create(source).status().kind(), ErrorKind::kTruncated);
}

TEST(CvcSource, UnknownSize) {
  const Bytes file = mixed_file();
  const auto source = std::make_shared<RecordingSource>(file);
  source->claimed = RangeSource::kUnknownSize;
  EXPECT_EQ(Reader::create(source).value().read_all().value(),
            Reader::create(file).value().read_all().value());
  const Bytes tiny = cvc_bytes(cvc_names("").front());
  const auto other = std::make_shared<RecordingSource>(tiny);
  other->claimed = RangeSource::kUnknownSize;
  EXPECT_EQ(Reader::create(other).value().rows(), Reader::create(tiny).value().rows());
  const auto cut = std::make_shared<RecordingSource>(ByteSpan(file).first(file.size() - 1));
  cut->claimed = RangeSource::kUnknownSize;
  EXPECT_EQ(Reader::create(cut).status().kind(), ErrorKind::kTruncated);
}

TEST(CvcSource, ProgressAndCancelling) {
  const Bytes file = mixed_file();
  const Opened opened(file);
  ReadConfig config;
  Progress last;
  config.progress = [&](const Progress& progress) {
    last = progress;
    return true;
  };
  (void)opened.reader.read_all(config).value();
  EXPECT_EQ(last.numbers, kRows * kDimension);
  EXPECT_GT(last.bytes, kRows * kDimension);
  config.progress = [](const Progress&) { return false; };
  EXPECT_THROW((void)opened.reader.read_all(config).value(), Error);
  EXPECT_THROW((void)opened.reader.gather(std::vector<std::uint64_t>{1}, config).value(), Error);
  cvc::VerifyReport report;
  EXPECT_EQ(opened.reader.verify(config).into(report).kind(), ErrorKind::kCancelled);
}

TEST(CvcSource, FilesOnDisk) {
  const Bytes file = mixed_file();
  const std::string path = ::testing::TempDir() + "/numpact_cvc_source_test.cvc";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  {
    const Reader reader =
        Reader::create(std::make_shared<FileRangeSource>(FileRangeSource::open(path).value()))
            .value();
    ReadConfig config;
    config.threads = 2;
    EXPECT_EQ(reader.read_all(config).value(), Reader::create(file).value().read_all().value());
    // The file is truncated, which would crash a reader of a mapping.
    std::filesystem::resize_file(path, 1000);
    EXPECT_THROW((void)reader.read_all(config).value(), Error);
  }
  std::filesystem::remove(path);  // closed, since Windows keeps the name of an open file
  EXPECT_EQ(FileRangeSource::open(path).status().kind(), ErrorKind::kIo);
  EXPECT_EQ(FileRangeSource::open(::testing::TempDir()).status().kind(), ErrorKind::kIo);
}

}  // namespace
}  // namespace numpact::testing
