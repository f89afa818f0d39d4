// SPDX-License-Identifier: Apache-2.0
// Partial reads equal the same rows of the whole file; options of reads have their effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/internal.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/cvc_files.hpp"
#include "numpact/file_access.hpp"
#include "support/executors.hpp"
#include "support/numbers.hpp"
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

std::vector<float> normal_values(std::size_t n, std::uint64_t stream) {
  Random random(stream);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// 1000 rows of dimension 12 in chunks of 90, with alternating compressions.
Bytes mixed_file(cvc::Version version = cvc::Version::kV10) {
  Bytes out;
  cvc::WriteConfig config;
  config.chunk_rows = 90;
  config.version = version;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  for (std::uint64_t i = 0; i < 12; ++i) {
    cvc::ChunkOptions options;
    options.compression = i % 3 == 1                                    ? Compression::kInt8
                          : i % 3 == 2 && version == cvc::Version::kV10 ? Compression::kLossless
                                                                        : Compression::kFp16;
    options.metadata = text("{\"third\": ", i % 3, "}");
    throw_if_error(writer.set_chunk(i, options));
  }
  const std::vector<float> values = normal_values(12000, 1);
  throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), 12)));
  writer.finish().value();
  return out;
}

constexpr std::uint64_t kDimension = 12;

std::vector<float> rows_of(const std::vector<float>& all, std::uint64_t first,
                           std::uint64_t count) {
  return {all.begin() + static_cast<std::ptrdiff_t>(first * kDimension),
          all.begin() + static_cast<std::ptrdiff_t>((first + count) * kDimension)};
}

TEST(CvcReader, RowsAreSlices) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  const std::vector<float> all = reader.read_all().value();
  ASSERT_EQ(all.size(), 12000u);
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t first = random.below(1001);
    const std::uint64_t count = random.below(1001 - first);
    ReadConfig config;
    config.verify = random.one_in(2);
    ASSERT_EQ(reader.read_rows(first, count, config).value(), rows_of(all, first, count));
  }
  EXPECT_EQ(reader.read_chunk(11).value(), rows_of(all, 990, 10));
  EXPECT_THROW(reader.read_rows(999, 2).value(), Error);
  EXPECT_THROW(reader.read_chunk(12).value(), Error);
  EXPECT_THROW(reader.read_all<std::int32_t>().value(), Error);
}

TEST(CvcReader, GatherTakesAnyRows) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  const std::vector<float> all = reader.read_all().value();
  Random random(3);
  std::vector<std::uint64_t> rows(9000);
  for (std::uint64_t& row : rows) row = random.below(1000);
  std::vector<float> expected;
  for (const std::uint64_t row : rows) {
    const std::vector<float> one = rows_of(all, row, 1);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  EXPECT_EQ(reader.gather(rows).value(), expected);
  ReadConfig config;
  config.verify = true;
  config.threads = 3;
  EXPECT_EQ(reader.gather(rows, config).value(), expected);
  EXPECT_TRUE(reader.gather(std::vector<std::uint64_t>{}).value().empty());
  EXPECT_THROW((void)reader.gather(std::vector<std::uint64_t>{1000}).value(), Error);
}

TEST(CvcReader, OtherTypesRoundFromFloats) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  const std::vector<float> all = reader.read_all().value();
  const std::vector<Float16> halves = reader.read_all<Float16>().value();
  const std::vector<cvc::BFloat16> brains = reader.read_all<cvc::BFloat16>().value();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(halves[i].bits, cvc::half_of(all[i]));
    ASSERT_EQ(brains[i].bits, cvc::bfloat_of(all[i]));
  }
}

TEST(CvcReader, RowsWithGaps) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  const std::vector<float> all = reader.read_all().value();
  std::vector<float> out(1000 * 20, 7.0f);
  const RowRange range{0, 1000};
  const Target target{MutableRows(Dtype::kFloat32, out.data(), 1000, kDimension, 80)};
  throw_if_error(reader.read({&range, 1}, {&target, 1}).status());
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], i % 20 < 12 ? all[i / 20 * 12 + i % 20] : 7.0f) << i;
  }
  Target bad = target;
  bad.rows.stride = 44;
  EXPECT_EQ(reader.read({&range, 1}, {&bad, 1}).status().kind(), ErrorKind::kInvalidArgument);
  bad = target;
  bad.rows.count = 999;
  EXPECT_EQ(reader.read({&range, 1}, {&bad, 1}).status().kind(), ErrorKind::kOutputTooSmall);
  bad = target;
  bad.rows.dimension = 11;
  EXPECT_EQ(reader.read({&range, 1}, {&bad, 1}).status().kind(), ErrorKind::kInvalidArgument);
  bad = target;
  bad.column = 1;
  EXPECT_EQ(reader.read({&range, 1}, {&bad, 1}).status().kind(), ErrorKind::kInvalidArgument);
}

TEST(CvcReader, ManyThreadsGiveTheSame) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  const std::vector<float> all = reader.read_all().value();
  ReadConfig config;
  for (const unsigned threads : {0u, 2u, 5u}) {
    config.threads = threads;
    EXPECT_EQ(reader.read_all(config).value(), all);
    EXPECT_EQ(reader.read_rows(80, 700, config).value(), rows_of(all, 80, 700));
  }
  ThreadForEach each(4);
  OneByOne backwards(3, true);
  for (Executor* const executor :
       {static_cast<Executor*>(&each), static_cast<Executor*>(&backwards)}) {
    config.executor = executor;
    EXPECT_EQ(reader.read_all(config).value(), all);
  }
  Unable unable;
  config.executor = &unable;
  EXPECT_THROW(reader.read_all(config).value(), Error);
}

// Large enough for several work items per chunk.
TEST(CvcReader, LargeChunks) {
  const std::vector<float> values = normal_values(700 * 1500, 4);
  for (const Compression compression :
       {Compression::kFp16, Compression::kInt8, Compression::kLossless}) {
    Bytes file;
    cvc::WriteConfig config;
    config.compression = compression;
    cvc::Writer writer = cvc::Writer::create(file, config).value();
    throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), 1500)));
    writer.finish().value();
    const Reader reader = Reader::create(file).value();
    const std::vector<float> all = reader.read_all().value();
    if (compression == Compression::kLossless) {
      EXPECT_EQ(all, values);
    }
    ReadConfig threads;
    threads.threads = 3;
    EXPECT_EQ(reader.read_all(threads).value(), all);
    int calls = 0;
    threads.threads = 1;
    threads.progress = [&](const Progress& progress) {
      EXPECT_LE(progress.numbers, values.size());
      return ++calls < 3;
    };
    EXPECT_THROW(reader.read_all(threads).value(), Error);
    EXPECT_EQ(calls, 3);
    // The last byte of a payload that takes several work items.
    file.back() ^= std::byte{1};
    EXPECT_EQ(Reader::create(file).value().read({}, {}).status().kind(), ErrorKind::kNone);
    try {
      (void)Reader::create(file).value().read_all().value();
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kChecksum);
      EXPECT_EQ(error.chunk(), 0u);
    }
  }
}

TEST(CvcReader, CorruptChunks) {
  Bytes file = mixed_file();
  const std::vector<float> all = Reader::create(file).value().read_all().value();
  const cvc::Info info = Reader::create(file).value().info();
  for (const std::size_t chunk : {2u, 3u, 11u}) {
    file[info.chunks[chunk].offset + 8 + 100] ^= std::byte{0x10};
  }
  const Reader reader = Reader::create(file).value();
  EXPECT_THROW((void)reader.read_all().value(), Error);
  // Partial reads of a chunk are verified only on request.
  ReadConfig config;
  EXPECT_NO_THROW((void)reader.read_rows(271, 80, config).value());
  config.verify = true;
  EXPECT_THROW((void)reader.read_rows(271, 80, config).value(), Error);
  EXPECT_THROW((void)reader.gather(std::vector<std::uint64_t>{5, 300}, config).value(), Error);
  EXPECT_NO_THROW((void)reader.gather(std::vector<std::uint64_t>{5, 30}, config).value());

  std::vector<float> out(12000, 1.0f);
  const RowRange range{0, 1000};
  const Target target{MutableRows(std::span<float>(out), kDimension)};
  cvc::ReadReport report;
  for (const unsigned threads : {1u, 3u}) {
    config.threads = threads;
    config.on_corruption = cvc::OnCorruption::kFill;
    config.fill = -2.5;
    throw_if_error(reader.read({&range, 1}, {&target, 1}, config).into(report));
    ASSERT_EQ(report.corrupt.size(), 3u);
    EXPECT_EQ(report.corrupt[1].chunk, 3u);
    EXPECT_EQ(report.corrupt[1].rows, (RowRange{270, 90}));
    EXPECT_EQ(report.rows, 1000u);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t chunk = i / kDimension / 90;
      ASSERT_EQ(out[i], chunk == 2 || chunk == 3 || chunk == 11 ? -2.5f : all[i]);
    }
    config.on_corruption = cvc::OnCorruption::kDrop;
    std::vector<float> expected = rows_of(all, 0, 180);
    const std::vector<float> rest = rows_of(all, 360, 630);
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(reader.read_all(config).value(), expected);
  }
  cvc::VerifyReport verified;
  throw_if_error(reader.verify().into(verified));
  EXPECT_EQ(verified.chunks, 12u);
  ASSERT_EQ(verified.bad.size(), 3u);
  EXPECT_EQ(verified.bad[2].chunk, 11u);
  EXPECT_EQ(verified.bad[2].status.kind(), ErrorKind::kChecksum);
}

TEST(CvcReader, Codes) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  cvc::Codes codes;
  throw_if_error(reader.codes(1, 0).into(codes));
  EXPECT_EQ(codes.dtype, Dtype::kUInt8);
  EXPECT_EQ(codes.bytes.size(), 90u * kDimension);
  const std::vector<float> values = reader.read_chunk(1).value();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float product = static_cast<float>(codes.bytes[i]) * codes.scale;
    ASSERT_EQ(values[i], product + codes.min);
  }
  EXPECT_EQ(reader.codes(2, 0).into(codes).kind(), ErrorKind::kTypeMismatch);
  EXPECT_EQ(reader.codes(0, 1).into(codes).kind(), ErrorKind::kInvalidArgument);

  Bytes out(90 * 16);
  std::vector<cvc::CodeRun> runs;
  throw_if_error(reader.read_codes({100, 70}, 0, out, 16).into(runs));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].rows, 70u);
  throw_if_error(reader.codes(1, 0).into(codes));
  EXPECT_TRUE(same_bytes(ByteSpan(out).subspan(16 * 69, 12), codes.bytes.subspan(79 * 12, 12)));
  EXPECT_EQ(reader.read_codes({80, 20}, 0, out, 0).into(runs).kind(), ErrorKind::kTypeMismatch);
  EXPECT_EQ(reader.read_codes({90, 90}, 0, std::span(out).first(90 * 12 - 1), 0).into(runs).kind(),
            ErrorKind::kOutputTooSmall);
}

TEST(CvcReader, Limits) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  ReadConfig config;
  config.limits.max_numbers = 1199;
  EXPECT_NO_THROW((void)reader.read_rows(0, 99, config).value());
  EXPECT_THROW((void)reader.read_rows(0, 100, config).value(), Error);
  config.limits = {};
  config.limits.max_output_bytes = 2400;
  EXPECT_THROW((void)reader.read_rows(0, 51, config).value(), Error);
  EXPECT_NO_THROW((void)reader.read_rows<Float16>(0, 51, config).value());
}

TEST(CvcReader, ChunksByThemselves) {
  for (const cvc::Version version : {cvc::Version::kV01, cvc::Version::kV10}) {
    const Bytes file = mixed_file(version);
    const Reader reader = Reader::create(file).value();
    std::uint64_t needed = 0;
    throw_if_error(cvc::header_bytes(ByteSpan(file).first(16)).into(needed));
    EXPECT_EQ(needed, reader.info().header_bytes);
    cvc::Info info;
    const ByteSpan header = ByteSpan(file).first(needed);
    EXPECT_EQ(cvc::parse_header(header.first(needed - 1)).into(info).kind(), ErrorKind::kTruncated);
    throw_if_error(cvc::parse_header(header).into(info));
    ASSERT_EQ(info.chunks.size(), 12u);
    for (std::size_t i = 0; i < info.chunks.size(); ++i) {
      // The size of a lossless chunk and the offsets behind it are unknown.
      const bool is_known = version == cvc::Version::kV01 || i < 3;
      EXPECT_EQ(info.chunks[i].offset != cvc::Chunk::kUnknown, is_known);
      const cvc::Chunk& chunk = reader.info().chunks[i];
      const ExactCopy record(
          ByteSpan(file).subspan(chunk.offset, info.record_head_bytes() + chunk.payload_bytes));
      std::vector<float> out(chunk.rows * kDimension);
      const Target target{MutableRows(std::span<float>(out), kDimension)};
      throw_if_error(cvc::decode_chunk(info, i, record.span(), {&target, 1}));
      EXPECT_EQ(out, reader.read_chunk(i).value());
      const ByteSpan truncated = record.span().first(record.span().size() - 1);
      EXPECT_EQ(cvc::decode_chunk(info, i, truncated, {&target, 1}).kind(), ErrorKind::kTruncated);
    }
  }
}

TEST(CvcReader, HeaderBytesOfEveryFile) {
  for (const std::string& name : cvc_names("")) {
    if (name == "odd_mmap_overrun") continue;
    SCOPED_TRACE(name);
    const Bytes file = cvc_bytes(name);
    std::uint64_t have = 0;
    std::uint64_t needed = 1;
    while (have < needed) {
      have = std::min<std::uint64_t>(needed, file.size());
      throw_if_error(cvc::header_bytes(ByteSpan(file).first(have), file.size()).into(needed));
    }
    cvc::Info info;
    throw_if_error(cvc::parse_header(ByteSpan(file).first(needed), {}, file.size()).into(info));
    const cvc::Info whole = Reader::create(file).value().info();
    EXPECT_EQ(info.rows, whole.rows);
    for (std::size_t i = 0; i < info.chunks.size(); ++i) {
      if (info.chunks[i].offset == cvc::Chunk::kUnknown) continue;
      EXPECT_EQ(info.chunks[i].offset, whole.chunks[i].offset);
    }
  }
}

TEST(CvcReader, SectionsAndChunksByMetadata) {
  struct Case {
    const char* name;
    const char* key;
    const char* value;
  };
  int found = 0;
  for (const std::string& name : cvc_names("")) {
    for (const auto& [key, value] :
         {std::pair("source", "wiki"), {"source", "arxiv"}, {"s", "a"}}) {
      const std::string selection = text(name, ".sel-", key, "-", value);
      const Bytes file = cvc_bytes(name);
      if (name == "odd_mmap_overrun") continue;
      const Reader reader = Reader::create(file).value();
      for (std::size_t c = 0; c < reader.info().columns.size(); ++c) {
        const std::string array = column_array(selection, reader.info(), c);
        if (!cvc_has_array(array)) continue;
        ++found;
        const Array expected = cvc_array(array);
        if (reader.info().columns[c].dtype == Dtype::kInt32) continue;
        std::vector<RowRange> ranges;
        throw_if_error(reader.find_sections(key, text("\"", value, "\"")).into(ranges));
        Bytes out(expected.bytes.size());
        const Target target{
            MutableRows(Dtype::kFloat32, out.data(), expected.rows(), expected.dimension()), c};
        cvc::ReadReport report;
        throw_if_error(reader.read(ranges, {&target, 1}, {}).into(report));
        EXPECT_EQ(report.rows, expected.rows());
        EXPECT_TRUE(same_bytes(out, expected.bytes)) << array;
      }
    }
  }
  EXPECT_GT(found, 3);
  const Bytes file = mixed_file();
  std::vector<std::size_t> chunks;
  throw_if_error(Reader::create(file).value().find_chunks("third", "1.0").into(chunks));
  EXPECT_EQ(chunks, (std::vector<std::size_t>{1, 4, 7, 10}));
  EXPECT_EQ(Reader::create(file).value().find_chunks("third", "one").into(chunks).kind(),
            ErrorKind::kInvalidArgument);
}

TEST(CvcReader, ColumnsByName) {
  const Bytes file = cvc_bytes("v20_mixed");
  const Reader reader = Reader::create(file).value();
  const std::optional<std::size_t> pair = reader.info().find_column("pair");
  ASSERT_TRUE(pair);
  EXPECT_EQ(reader.read_all<std::int32_t>({}, *pair).value().size(), 100u);
  EXPECT_THROW((void)reader.read_all<float>({}, *pair).value(), Error);
  EXPECT_FALSE(reader.info().find_column("none of these"));
  // Read one column of a chunk whose other column is damaged.
  Bytes damaged = file;
  damaged[reader.info().chunks[0].offset + 8 + 130] ^= std::byte{1};
  const Reader other = Reader::create(damaged).value();
  const std::size_t text = *reader.info().find_column("text");
  EXPECT_EQ(other.read_all({}, text).value(), reader.read_all({}, text).value());
  ReadConfig config;
  config.verify = true;
  EXPECT_THROW((void)other.read_all(config, text).value(), Error);
}

TEST(CvcReader, OpensFiles) {
  std::optional<Reader> reader = Reader::open(cvc_path("v10_fp16.cvc")).value();
  const Reader copy = *reader;
  reader.reset();
  EXPECT_EQ(copy.read_all().value().size(), 1200u);
  EXPECT_EQ(Reader::open(cvc_path("nothing.cvc")).status().kind(), ErrorKind::kIo);
  try {
    const std::string path = cvc_path("bad/version_3.cvc");
    (void)Reader::open(path).value(path);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedVersion);
    EXPECT_NE(std::string(error.what()).find("version_3.cvc"), std::string::npos);
  }
}

TEST(CvcReader, FirstDimensionsAlone) {
  const Bytes file = mixed_file();
  const Reader reader = Reader::create(file).value();
  const std::vector<float> all = reader.read_all().value();
  for (const std::uint64_t dims : {1, 5, 12}) {
    std::vector<float> some(1000 * dims);
    Target target{MutableRows(some, dims)};
    const RowRange range{0, 1000};
    if (dims < 12) {
      EXPECT_EQ(reader.read({&range, 1}, {&target, 1}).status().kind(),
                ErrorKind::kInvalidArgument);
    }
    target.takes_first = true;
    ASSERT_TRUE(reader.read({&range, 1}, {&target, 1}).ok());
    for (std::size_t i = 0; i < some.size(); ++i) {
      ASSERT_EQ(some[i], all[i / dims * 12 + i % dims]) << i;
    }
  }
  std::vector<float> many(1000 * 13);
  Target target{MutableRows(many, 13), 0, true};
  const RowRange range{0, 1000};
  EXPECT_EQ(reader.read({&range, 1}, {&target, 1}).status().kind(), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace numpact::testing
