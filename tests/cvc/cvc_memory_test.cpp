// SPDX-License-Identifier: Apache-2.0
// Memory of reading stays within its documented bounds: a chunk per task for a fetched file, almost
// none for a file in memory, and for a header not more than twice the bytes that have arrived.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "api/counting_new.hpp"
#include "base/internal.hpp"
#include "cvc/range_sources.hpp"
#include "numpact/cvc.hpp"
#include "support/executors.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Reader;

constexpr std::uint64_t kChunks = 40;
constexpr std::uint64_t kChunkRows = 512;
constexpr std::uint64_t kDimension = 256;
constexpr std::size_t kSlackBytes = std::size_t{1} << 17;  // work items, threads and lists

Bytes file_of(Compression compression) {
  Bytes out;
  cvc::WriteConfig config;
  config.chunk_rows = kChunkRows;
  config.compression = compression;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  Random random(1);
  std::vector<float> values(kChunkRows * kDimension);
  for (float& value : values) value = static_cast<float>(random.below(60000));
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), kDimension)));
  }
  writer.finish().value();
  return out;
}

// Peak memory of a call beyond what was allocated before.
template <class F>
std::size_t memory_of(const F& f) {
  const std::size_t before = bytes_held;
  peak_bytes_held = before;
  f();
  return peak_bytes_held - before;
}

// Reads into memory that is already allocated.
struct Output {
  explicit Output(const Reader& reader)
      : values(reader.rows() * kDimension),
        target{cvc::MutableRows(std::span<float>(values), kDimension)},
        all{0, reader.rows()} {}
  std::vector<float> values;
  cvc::Target target;
  cvc::RowRange all;
};

TEST(CvcMemory, OneChunkForEachTask) {
  for (const Compression compression :
       {Compression::kInt8, Compression::kFp16, Compression::kLossless}) {
    const Bytes file = file_of(compression);
    const auto source = std::make_shared<RecordingSource>(file);
    source->reads.reserve(10000);
    const Reader fetched = Reader::create(source).value();
    const Reader mapped = Reader::create(ByteSpan(file)).value();
    Output out(fetched);
    std::size_t chunk = 0;
    for (const cvc::Chunk& one : fetched.info().chunks) {
      chunk = std::max(chunk, static_cast<std::size_t>(one.payload_bytes));
    }
    ASSERT_GT(chunk, 2 * kSlackBytes / 3);
    ThreadForEach each(3);
    for (const std::size_t tasks : {1u, 3u}) {
      cvc::ReadConfig config;
      config.executor = tasks > 1 ? &each : nullptr;
      const auto read = [&](const Reader& reader) {
        return memory_of([&] {
          throw_if_error(reader.read({&out.all, 1}, {&out.target, 1}, config).status());
        });
      };
      const std::size_t taken = read(fetched);
      EXPECT_LE(taken, tasks * chunk + kSlackBytes);
      EXPECT_GE(taken, chunk) << "the measure sees nothing";
      EXPECT_LE(read(mapped), kSlackBytes);
      cvc::VerifyReport report;
      EXPECT_LE(memory_of([&] { throw_if_error(fetched.verify(config).into(report)); }),
                tasks * chunk + kSlackBytes);
    }
    // A few rows that are far apart: no whole chunk is loaded if rows can be read separately.
    const std::vector<std::uint64_t> rows{3, 5000, 300, 20000};
    const std::size_t gathered = memory_of([&] {
      throw_if_error(fetched.gather(rows, {&out.target, 1}));
    });
    EXPECT_LE(gathered,
              compression == Compression::kLossless ? chunk + kSlackBytes : kSlackBytes / 4);
  }
}

// Rows that arrive in small parts are buffered until their chunk is complete and encoded.
TEST(CvcMemory, WritersTakeThreeChunksForEachThread) {
  constexpr std::uint64_t kRows = 60000;  // rows of a chunk: 15 MB
  constexpr std::uint64_t kWidth = 64;
  constexpr std::size_t kChunkBytes = kRows * kWidth * 4;
  constexpr std::uint64_t kBlockRows = 3500;
  Random random(2);
  std::vector<float> block(kBlockRows * kWidth);
  for (float& value : block) value = static_cast<float>(random.normal());
  const std::string path = ::testing::TempDir() + "cvc_memory_test.cvc";
  for (const Compression compression :
       {Compression::kFp16, Compression::kInt8Dim, Compression::kLossless, Compression::kPco}) {
    for (const unsigned threads : {1u, 2u}) {
      cvc::WriteConfig config;
      config.compression = compression;
      config.chunk_rows = kRows;
      config.threads = threads;
      config.rounding = cvc::Rounding::kNearest;
      config.sync = false;
      const std::size_t taken = memory_of([&] {
        cvc::Writer writer = cvc::Writer::create(path, config).value();
        for (std::uint64_t rows = 0; rows < 5 * kRows; rows += kBlockRows) {
          throw_if_error(writer.append(cvc::Rows(std::span<const float>(block), kWidth)));
        }
        writer.finish().value();
      });
      EXPECT_LE(taken, 3 * kChunkBytes * threads) << name_of(compression) << threads;
      EXPECT_GE(taken, kChunkBytes) << "the measure sees nothing";
    }
  }
  std::remove(path.c_str());
}

TEST(CvcMemory, HeadersThatLie) {
  // Version 1.0, a header that claims nearly 4 GiB, and few bytes of it.
  const unsigned char start[] = {'C', 'V', 'C', 'F', 1, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff, '{'};
  Bytes file(300000, static_cast<std::byte>(' '));
  std::copy_n(std::as_bytes(std::span(start)).begin(), std::size(start), file.begin());
  const auto source = std::make_shared<RecordingSource>(file);
  for (const std::uint64_t size : {std::uint64_t{1} << 33, RangeSource::kUnknownSize}) {
    source->claimed = size;
    Status status;
    EXPECT_LE(memory_of([&] { status = Reader::create(source).status(); }), 3u << 20);
    EXPECT_EQ(status.kind(), ErrorKind::kTruncated);
    DecodeLimits limits;
    limits.max_memory = 1000000;
    EXPECT_EQ(Reader::create(source, limits).status().kind(), ErrorKind::kLimitExceeded);
  }
}

}  // namespace
}  // namespace numpact::testing
