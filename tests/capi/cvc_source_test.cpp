// SPDX-License-Identifier: Apache-2.0
// Files of vectors of which ranges are read through the C interface.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "numpact/numpact.h"

namespace {

constexpr std::size_t kRows = 100'000;
constexpr std::size_t kChunkRows = 40'000;
constexpr std::size_t kDimension = 4;

// A file of which every range that is read is noted; it fails from a call on.
struct File {
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::uint64_t, std::size_t>> reads;
  std::size_t good_reads = ~std::size_t{0};

  static int read(void* opaque, std::uint64_t offset, void* out, std::size_t capacity,
                  std::size_t* size) {
    File& file = *static_cast<File*>(opaque);
    if (file.reads.size() >= file.good_reads) return EACCES;
    file.reads.emplace_back(offset, capacity);
    const std::size_t begin = std::min<std::size_t>(offset, file.bytes.size());
    *size = std::min(capacity, file.bytes.size() - begin);
    std::memcpy(out, file.bytes.data() + begin, *size);
    return 0;
  }
};

class VectorsInRanges : public ::testing::Test {
 protected:
  void SetUp() override {
    numpact_cvc_options options;
    numpact_cvc_options_init(&options);
    options.compression = "fp16";
    options.dimension = kDimension;
    options.chunk_rows = kChunkRows;
    std::vector<float> values(kRows * kDimension);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i);
    numpact_cvc_writer* writer = nullptr;
    ASSERT_EQ(numpact_cvc_writer_create(nullptr, &options, &writer, nullptr), NUMPACT_OK);
    ASSERT_EQ(
        numpact_cvc_writer_append(writer, NUMPACT_DTYPE_FLOAT32, values.data(), kRows, nullptr),
        NUMPACT_OK);
    const void* bytes = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(numpact_cvc_writer_finish(writer, &bytes, &size, nullptr), NUMPACT_OK);
    const auto* const first = static_cast<const std::byte*>(bytes);
    file_.bytes.assign(first, first + size);
    numpact_cvc_writer_destroy(writer);
  }
  void TearDown() override { numpact_cvc_reader_destroy(reader_); }

  static float value_of(std::size_t i) { return static_cast<float>(i % 2000); }
  numpact_status open(numpact_error* error = nullptr) {
    return numpact_cvc_reader_open(nullptr, File::read, &file_, file_.bytes.size(), &reader_,
                                   error);
  }
  std::uint64_t bytes_read() const {
    std::uint64_t sum = 0;
    for (const auto& [offset, size] : file_.reads) sum += size;
    return sum;
  }

  File file_;
  numpact_cvc_reader* reader_ = nullptr;
};

TEST_F(VectorsInRanges, ReadOnlyWhatIsNeeded) {
  ASSERT_EQ(open(), NUMPACT_OK);
  ASSERT_EQ(file_.reads.size(), 1u);
  EXPECT_EQ(numpact_cvc_reader_rows(reader_), kRows);
  ASSERT_EQ(numpact_cvc_reader_chunk_count(reader_), 3u);
  numpact_cvc_chunk chunk = {};
  chunk.struct_size = sizeof chunk;
  ASSERT_EQ(numpact_cvc_reader_chunk(reader_, 2, &chunk, nullptr), NUMPACT_OK);
  EXPECT_EQ(chunk.first_row, 2 * kChunkRows);
  EXPECT_EQ(chunk.rows, kRows - 2 * kChunkRows);
  EXPECT_EQ(chunk.offset + chunk.size, file_.bytes.size());
  EXPECT_EQ(numpact_cvc_reader_chunk(reader_, 3, &chunk, nullptr), NUMPACT_INVALID_ARGUMENT);

  file_.reads.clear();
  const std::uint64_t rows[] = {99'999, 5, 99'999};
  float out[3 * kDimension] = {};
  ASSERT_EQ(numpact_cvc_reader_gather(reader_, nullptr, rows, 3, 0, NUMPACT_DTYPE_FLOAT32, out, 0,
                                      nullptr),
            NUMPACT_OK);
  for (std::size_t i = 0; i < std::size(out); ++i) {
    EXPECT_EQ(out[i], value_of(rows[i / kDimension] * kDimension + i % kDimension));
  }
  EXPECT_EQ(bytes_read(), 2 * 2 * kDimension);

  file_.reads.clear();
  std::vector<float> whole(kChunkRows * kDimension);
  ASSERT_EQ(numpact_cvc_reader_read(reader_, nullptr, 0, kChunkRows, 0, NUMPACT_DTYPE_FLOAT32,
                                    whole.data(), 0, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(whole[kChunkRows], value_of(kChunkRows));
  ASSERT_EQ(numpact_cvc_reader_chunk(reader_, 0, &chunk, nullptr), NUMPACT_OK);
  EXPECT_EQ(bytes_read(), chunk.size);
}

TEST_F(VectorsInRanges, ErrorsOfTheCaller) {
  numpact_error error = {};
  error.struct_size = sizeof error;
  EXPECT_EQ(numpact_cvc_reader_open(nullptr, nullptr, nullptr, 5, &reader_, &error),
            NUMPACT_INVALID_ARGUMENT);
  file_.good_reads = 0;
  EXPECT_EQ(open(&error), NUMPACT_IO);
  EXPECT_EQ(error.system_error, EACCES);
  EXPECT_EQ(reader_, nullptr);
  file_.good_reads = 1;
  ASSERT_EQ(open(), NUMPACT_OK);
  float row[kDimension];
  EXPECT_EQ(numpact_cvc_reader_read(reader_, nullptr, kRows - 1, 1, 0, NUMPACT_DTYPE_FLOAT32, row,
                                    0, &error),
            NUMPACT_IO);
  EXPECT_EQ(error.chunk, 2u);
}

TEST_F(VectorsInRanges, FilesThatEndEarly) {
  const std::uint64_t size = file_.bytes.size();
  file_.bytes.resize(size / 2);
  EXPECT_EQ(open(), NUMPACT_TRUNCATED);
  EXPECT_EQ(numpact_cvc_reader_open(nullptr, File::read, &file_, size, &reader_, nullptr),
            NUMPACT_OK);
  float row[kDimension];
  EXPECT_EQ(numpact_cvc_reader_read(reader_, nullptr, kRows - 1, 1, 0, NUMPACT_DTYPE_FLOAT32, row,
                                    0, nullptr),
            NUMPACT_TRUNCATED);
}

}  // namespace
