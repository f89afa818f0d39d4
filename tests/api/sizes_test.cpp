// SPDX-License-Identifier: Apache-2.0
// Files that claim more than memory can hold. With 64-bit sizes nothing tried here is too large.
#include <gtest/gtest.h>

#include <string>

#include "base/internal.hpp"
#include "base/size.hpp"
#include "numpact/cvc.hpp"
#include "numpact/random_access.hpp"
#include "support/numbers.hpp"

namespace numpact::testing {
namespace {

constexpr bool kIsNarrow = sizeof(std::size_t) < sizeof(std::uint64_t);
constexpr std::uint64_t kBeyond = std::uint64_t{1} << 32;  // 32-bit memory

void append_text(Bytes& out, const std::string& text) {
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}

void append_u32(Bytes& out, std::size_t value) {
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// The part of a CVC file before its records.
Bytes cvc_header(unsigned major, const std::string& json) {
  Bytes out;
  append_text(out, "CVCF");
  append_u32(out, major);
  append_u32(out, json.size());
  append_text(out, json);
  return out;
}

// One chunk of a few bytes that claims this many values, which pco allows.
Bytes huge_array(std::uint64_t rows, std::uint64_t dimension) {
  const std::string count = std::to_string(rows);
  Bytes out = cvc_header(1, R"({"num_vectors": )" + count + R"(, "dimension": )" +
                                std::to_string(dimension) +
                                R"(, "compression": "pco", "chunks": [{"rows": )" + count + "}]}");
  append_u32(out, 16);
  out.resize(out.size() + 4 + 16);
  return out;
}

// Two rows in columns of the same size.
Bytes shared_columns(std::size_t count, std::uint64_t bytes) {
  std::string schema;
  std::string places;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    const std::string name = "\"c" + std::to_string(i) + "\"";
    schema += comma + R"({"name": )" + name +
              R"(, "dimension": 1, "dtype": "float32", "compression": "pco"})";
    places += comma + name + R"(: {"offset": 0, "size": )" + std::to_string(bytes) + "}";
  }
  return cvc_header(2, R"({"format_type": "columnar", "num_vectors": 2, "columns": [)" + schema +
                           R"(], "chunks": [{"rows": 2, "columns": {)" + places + "}}]}");
}

// Endless zeros after the given bytes.
class EndlessSource final : public RangeSource {
 public:
  explicit EndlessSource(Bytes start) : start_(std::move(start)) {}
  std::uint64_t size() const noexcept override { return std::uint64_t{1} << 40; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    std::fill(out.begin(), out.end(), std::byte{0});
    for (std::size_t i = 0; i < out.size() && offset + i < start_.size(); ++i) {
      out[i] = start_[static_cast<std::size_t>(offset) + i];
    }
    return out.size();
  }

 private:
  Bytes start_;
};

template <class F>
ErrorKind thrown_by(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.status().kind();
  }
  return ErrorKind::kNone;
}

class NarrowSizes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kIsNarrow) GTEST_SKIP() << "sizes have 64 bits";
  }
};

TEST(Sizes, AreNotTruncated) {
  EXPECT_EQ(to_size(0), 0u);
  EXPECT_EQ(to_size(SIZE_MAX), SIZE_MAX);
  EXPECT_TRUE(fits_memory(SIZE_MAX));
  EXPECT_EQ(fits_memory(kBeyond), !kIsNarrow);
  if (kIsNarrow) {
    EXPECT_THROW(to_size(kBeyond), std::length_error);
    EXPECT_THROW(to_size(~std::uint64_t{0}), std::length_error);
  }
}

TEST_F(NarrowSizes, NewArrays) {
  // 2^32 + 2^16 values: truncated they would be 2^16.
  const Bytes file = huge_array(65537, 65536);
  const cvc::Reader reader = cvc::Reader::create(file).value();
  EXPECT_EQ(thrown_by([&] { (void)reader.read_all().value(); }), ErrorKind::kLimitExceeded);
  const std::vector<std::uint64_t> rows(65537, 0);
  EXPECT_EQ(thrown_by([&] { (void)reader.gather(rows).value(); }), ErrorKind::kLimitExceeded);
  EXPECT_EQ(thrown_by([&] { (void)reader.read_rows(0, 16385).value(); }),
            ErrorKind::kLimitExceeded);
}

TEST_F(NarrowSizes, ArraysOfTheCaller) {
  const Bytes file = huge_array(65537, 65536);
  const cvc::Reader reader = cvc::Reader::create(file).value();
  std::vector<float> some(65536);
  const cvc::RowRange all{0, 65537};
  for (const std::size_t stride : {0u, 1u << 18, 1u << 20}) {
    const cvc::Target target{
        cvc::MutableRows(cvc::Dtype::kFloat32, some.data(), 65537, 65536, stride), 0};
    EXPECT_KIND(reader.read({&all, 1}, {&target, 1}), kLimitExceeded);
  }
  cvc::StoredSlice slice;
  slice.compression = cvc::Compression::kPco;
  slice.rows = 65537;
  slice.dimension = 65536;
  slice.bytes = file;
  const cvc::MutableRows out(cvc::Dtype::kFloat32, some.data(), 65537, 65536);
  EXPECT_KIND(cvc::decode_slice(slice, all, out), kLimitExceeded);
}

TEST_F(NarrowSizes, RowsThatAreFetched) {
  // 65 times 64 MiB: truncated they would be 64 MiB.
  const cvc::Reader reader = cvc::Reader::create(std::make_shared<EndlessSource>(
                                                     shared_columns(65, std::uint64_t{1} << 26)))
                                 .value();
  std::vector<float> values(65);
  std::vector<cvc::Target> targets;
  for (std::size_t i = 0; i < values.size(); ++i) {
    targets.push_back({cvc::MutableRows(std::span(values).subspan(i, 1), 1), i});
  }
  const cvc::RowRange first{0, 1};
  EXPECT_KIND(reader.read({&first, 1}, targets), kOutOfMemory);
}

TEST_F(NarrowSizes, RecordsThatAreFetched) {
  // With its head, 7 bytes more than 2^32.
  const cvc::Reader reader =
      cvc::Reader::create(std::make_shared<EndlessSource>(shared_columns(1, kBeyond - 1))).value();
  cvc::VerifyReport report;
  EXPECT_KIND(reader.verify().into(report), kOutOfMemory);
}

TEST_F(NarrowSizes, NumbersOfAnIndex) {
  const Bytes file = compress(std::span<const std::uint8_t>(std::vector<std::uint8_t>(9))).value();
  FileHeader header;
  ASSERT_TRUE(read_header(file).into(header).ok());
  // 2^32 + 2^24 numbers in chunks of maximum size, whose offsets need not be in the file yet.
  constexpr std::uint64_t kMaxChunkCount = std::uint64_t{1} << 24;
  std::vector<IndexedChunk> chunks;
  for (std::uint64_t i = 0; i < 257; ++i) {
    chunks.push_back(
        {header.size_bytes + i, header.size_bytes + i + 1, i * kMaxChunkCount, kMaxChunkCount});
  }
  Bytes padded = file;
  padded.resize(file.size() + chunks.size());
  const ChunkIndex index = ChunkIndex::from_chunks(NumberType::kU8, std::move(chunks)).value();
  const FileReader reader = FileReader::create(padded, index).value();
  EXPECT_EQ(thrown_by([&] { (void)reader.read<std::uint8_t>(0, reader.count()).value(); }),
            ErrorKind::kOutOfMemory);
}

}  // namespace
}  // namespace numpact::testing
