// SPDX-License-Identifier: Apache-2.0
// pco payloads with grids that numpact does not write: time and memory stay proportional to their
// bytes.
#include <gtest/gtest.h>

#include <cstring>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "cvc/cvc_files.hpp"
#include "cvc/range_sources.hpp"

namespace numpact::testing {
namespace {

using cvc::MutableRows;
using cvc::ReadConfig;
using cvc::Reader;
using cvc::RowRange;
using cvc::Target;

struct Grid {
  std::uint32_t group = 1;
  std::uint32_t span = 1;
  std::uint32_t page = 1;
};

// A payload whose index claims that all chunks are empty, which is impossible.
Bytes empty_chunks(std::uint64_t rows, std::uint64_t dimension, const Grid& grid) {
  const std::uint64_t groups = (dimension + grid.group - 1) / grid.group;
  const std::uint64_t spans = (rows + grid.span - 1) / grid.span;
  const std::uint64_t pages = (rows + grid.page - 1) / grid.page;
  Bytes bytes(16 + groups * (spans + pages));
  const unsigned char head[] = {5, 4, 1, 1};
  std::memcpy(bytes.data(), head, sizeof head);
  store_le(bytes.data() + 4, grid.group);
  store_le(bytes.data() + 8, grid.span);
  store_le(bytes.data() + 12, grid.page);
  return bytes;
}

Bytes file_of(const Bytes& payload, std::uint64_t rows, std::uint64_t dimension) {
  Bytes out;
  cvc::WriteConfig config;
  config.dimension = dimension;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  cvc::Slice slice;
  slice.compression = cvc::Compression::kPco;
  slice.size = payload.size();
  throw_if_error(writer.append_encoded({rows, {&slice, 1}, payload}));
  writer.finish().value();
  return out;
}

TEST(CvcGrids, FineOnesAreReadInFewSteps) {
  constexpr std::uint64_t kValues = 20000;
  for (const bool is_tall : {false, true}) {
    const std::uint64_t rows = is_tall ? kValues : 1;
    const std::uint64_t dimension = is_tall ? 1 : kValues;
    const Bytes file = file_of(empty_chunks(rows, dimension, {}), rows, dimension);
    const Reader reader = Reader::create(file).value();
    std::vector<float> out(kValues);
    const Target target{MutableRows(std::span<float>(out), dimension), 0};
    const RowRange all{0, rows};
    ReadConfig config;
    int steps = 0;  // each reads the whole index
    config.progress = [&](const Progress&) { return ++steps < 100; };
    EXPECT_EQ(reader.read({&all, 1}, {&target, 1}, config).status().kind(), ErrorKind::kTruncated);
    EXPECT_LE(steps, 8);
    cvc::VerifyReport report;
    throw_if_error(reader.verify().into(report));
    ASSERT_EQ(report.bad.size(), 1u);
    EXPECT_EQ(report.bad[0].status.kind(), ErrorKind::kTruncated);
  }
}

TEST(CvcGrids, LargePagesObeyTheLimit) {
  constexpr std::uint64_t kRows = std::uint64_t{1} << 24;
  const Bytes file = file_of(empty_chunks(kRows, 1, {1, kRows, kRows}), kRows, 1);
  const Reader reader = Reader::create(file).value();
  ReadConfig config;
  config.limits.max_memory = 1 << 20;
  float value = 0;
  const Target target{MutableRows(std::span<float>(&value, 1), 1), 0};
  const RowRange last{kRows - 1, 1};
  EXPECT_EQ(reader.read({&last, 1}, {&target, 1}, config).status().kind(),
            ErrorKind::kLimitExceeded);
  EXPECT_EQ(reader.gather({&last.first, 1}, {&target, 1}, config).kind(),
            ErrorKind::kLimitExceeded);
  cvc::VerifyReport report;
  EXPECT_EQ(reader.verify(config).into(report).kind(), ErrorKind::kLimitExceeded);
}

// ---- verifying ----

TEST(CvcVerify, ObeysTheLimits) {
  const Bytes file = cvc_bytes("v20_mixed");
  const Reader whole = Reader::create(file).value();
  std::uint64_t numbers = 0;
  std::uint64_t bytes = 0;
  for (const cvc::Column& column : whole.info().columns) {
    numbers += whole.rows() * column.dimension;
    bytes += whole.rows() * column.dimension * size_of(column.dtype);
  }
  for (const bool is_fetched : {false, true}) {
    const Reader reader =
        is_fetched ? Reader::create(std::make_shared<RecordingSource>(file)).value() : whole;
    cvc::VerifyReport report;
    ReadConfig config;
    config.limits.max_numbers = numbers;
    config.limits.max_output_bytes = bytes;
    EXPECT_TRUE(reader.verify(config).into(report).ok());
    config.limits.max_numbers = numbers - 1;
    EXPECT_EQ(reader.verify(config).into(report).kind(), ErrorKind::kLimitExceeded);
    config.limits.max_numbers = numbers;
    config.limits.max_output_bytes = bytes - 1;
    EXPECT_EQ(reader.verify(config).into(report).kind(), ErrorKind::kLimitExceeded);
  }
}

TEST(CvcVerify, ReportsProgressThroughout) {
  for (const std::string name : {"v01_fp16", "v10_int8_all_codes", "v20_mixed"}) {
    const Bytes file = cvc_bytes(name);
    std::uint64_t payloads = 0;
    const cvc::Info info = Reader::create(file).value().info();
    for (const cvc::Chunk& chunk : info.chunks) payloads += chunk.payload_bytes;
    for (const bool is_fetched : {false, true}) {
      const Reader reader = is_fetched
                                ? Reader::create(std::make_shared<RecordingSource>(file)).value()
                                : Reader::create(file).value();
      std::uint64_t reported_bytes = 0;
      ReadConfig config;
      config.progress = [&](const Progress& progress) {
        EXPECT_GE(progress.bytes, reported_bytes);
        reported_bytes = progress.bytes;
        return true;
      };
      cvc::VerifyReport report;
      throw_if_error(reader.verify(config).into(report));
      EXPECT_EQ(reported_bytes, payloads) << name << is_fetched;
      config.progress = [&](const Progress& progress) { return progress.bytes < payloads; };
      EXPECT_EQ(reader.verify(config).into(report).kind(), ErrorKind::kCancelled);
    }
  }
}

}  // namespace
}  // namespace numpact::testing
