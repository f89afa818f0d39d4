// SPDX-License-Identifier: Apache-2.0
// Stored slices hold everything that a decoder needs: compares a simple decoder with the library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "cvc/range_sources.hpp"
#include "number/float_traits.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Dtype;
using cvc::Reader;
using cvc::StoredSlice;

constexpr std::uint64_t kRows = 350;
constexpr std::uint64_t kChunkRows = 100;

Bytes file_of(Compression compression, std::uint64_t dimension) {
  Bytes out;
  cvc::WriteConfig config;
  config.chunk_rows = kChunkRows;
  config.compression = compression;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  Random random(9);
  std::vector<float> values(kRows * dimension);
  for (float& value : values) value = static_cast<float>(random.normal());
  throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), dimension)));
  writer.finish().value();
  return out;
}

std::uint32_t word(ByteSpan bytes, std::uint64_t at, unsigned size) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < size; ++i) {
    value |= static_cast<std::uint32_t>(bytes[static_cast<std::size_t>(at + i)]) << (8 * i);
  }
  return value;
}

float float_at(ByteSpan bytes, std::uint64_t at) {
  return std::bit_cast<float>(word(bytes, at, 4));
}

unsigned plane_byte(const StoredSlice& slice, std::size_t k, std::uint64_t i) {
  const cvc::StoredPlane& plane = slice.planes[k];
  unsigned code = 0;
  for (unsigned b = 0; b < plane.width; ++b) {
    const std::uint64_t bit = i * plane.width + b;
    EXPECT_LT(bit / 8, plane.size);
    code = code << 1 | (word(slice.bytes, plane.offset + bit / 8, 1) >> (7 - bit % 8) & 1);
  }
  EXPECT_LT(code, plane.entries);
  EXPECT_TRUE(!plane.is_plain || plane.dictionary[code] == code);
  return plane.dictionary[code];
}

float decode(const StoredSlice& slice, std::uint64_t row, std::uint64_t d) {
  const std::uint64_t i = row * slice.dimension + d;
  const auto step = [&](unsigned code, float min, float scale) {
    const float product = static_cast<float>(code) * scale;
    return product + min;
  };
  const auto of_ranges = [&](std::uint64_t codes, unsigned code, std::uint64_t groups,
                             std::uint64_t at) {
    return step(code, float_at(slice.bytes, codes + 4 * at),
                float_at(slice.bytes, codes + 4 * (groups + at)));
  };
  switch (slice.compression) {
    case Compression::kFp16:
      return half_to_float(static_cast<std::uint16_t>(word(slice.bytes, 2 * i, 2)));
    case Compression::kBFloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(word(slice.bytes, 2 * i, 2)) << 16);
    case Compression::kInt8:
      return step(word(slice.bytes, i, 1), slice.min, slice.scale);
    case Compression::kInt8Row:
      return of_ranges(slice.rows * slice.dimension, word(slice.bytes, i, 1), slice.rows, row);
    case Compression::kInt8Dim:
      return of_ranges(slice.rows * slice.dimension, word(slice.bytes, i, 1), slice.dimension, d);
    case Compression::kInt4: {
      const std::uint64_t row_bytes = (slice.dimension + 1) / 2;
      const unsigned both = word(slice.bytes, row * row_bytes + d / 2, 1);
      return of_ranges(slice.rows * row_bytes, d % 2 == 0 ? both & 15 : both >> 4, slice.dimension,
                       d);
    }
    case Compression::kLossless: {
      std::uint32_t bits = 0;
      for (std::size_t k = 0; k < 4; ++k) bits |= plane_byte(slice, k, i) << (8 * k);
      return std::bit_cast<float>(bits);
    }
    default:
      return float_at(slice.bytes, 4 * i);
  }
}

void expect_same(const Reader& reader, const Bytes& file, const std::vector<float>& expected) {
  for (std::size_t chunk = 0; chunk < reader.info().chunks.size(); ++chunk) {
    for (const bool verify : {false, true}) {
      cvc::ReadConfig config;
      config.verify = verify;
      StoredSlice slice;
      throw_if_error(reader.stored_slice(chunk, 0, config).into(slice));
      ASSERT_EQ(slice.first_row, chunk * kChunkRows);
      ASSERT_EQ(slice.rows, std::min(kChunkRows, kRows - slice.first_row));
      ASSERT_NE(slice.owner, nullptr);
      EXPECT_TRUE(
          same_bytes(slice.bytes, ByteSpan(file).subspan(slice.offset, slice.bytes.size())));
      if (slice.compression >= Compression::kPco) continue;  // also rot1 to rot4
      for (std::uint64_t row = 0; row < slice.rows; ++row) {
        for (std::uint64_t d = 0; d < slice.dimension; ++d) {
          const auto at = static_cast<std::size_t>((slice.first_row + row) * slice.dimension + d);
          ASSERT_EQ(std::bit_cast<std::uint32_t>(decode(slice, row, d)),
                    std::bit_cast<std::uint32_t>(expected[at]));
        }
      }
    }
  }
}

TEST(CvcStored, EveryCompression) {
  for (const Compression compression : cvc::kCompressions) {
    if (compression == Compression::kNone) continue;
    for (const std::uint64_t dimension : {1u, 7u, 24u}) {
      SCOPED_TRACE(name_of(compression));
      const Bytes file = file_of(compression, dimension);
      const std::vector<float> expected = Reader::create(file).value().read_all().value();
      expect_same(Reader::create(file).value(), file, expected);
      const auto source = std::make_shared<RecordingSource>(file);
      expect_same(Reader::create(source).value(), file, expected);
    }
  }
}

TEST(CvcStored, LivesLongerThanTheReader) {
  const Bytes file = file_of(Compression::kFp16, 3);
  const std::string path = ::testing::TempDir() + "cvc_stored.cvc";
  {
    std::FILE* const out = std::fopen(path.c_str(), "wb");
    ASSERT_NE(out, nullptr);
    ASSERT_EQ(std::fwrite(file.data(), 1, file.size(), out), file.size());
    ASSERT_EQ(std::fclose(out), 0);
  }
  StoredSlice slice;
  throw_if_error(Reader::open(path).value().stored_slice(1, 0).into(slice));
  EXPECT_TRUE(same_bytes(slice.bytes, ByteSpan(file).subspan(slice.offset, slice.bytes.size())));
  std::remove(path.c_str());
}

TEST(CvcStored, Columns) {
  cvc::WriteConfig config;
  config.version = cvc::Version::kV20;
  config.columns = {{"a", 3, Dtype::kFloat32, Compression::kInt8},
                    {"b", 1, Dtype::kInt64, Compression::kNone}};
  Bytes file;
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  const std::vector<float> vectors(30, 1.5f);
  const std::vector<std::int64_t> ids = {1, -2, 3, 1ll << 40, 5, 6, 7, 8, 9, 10};
  Bytes stored_ids = to_bytes(std::as_bytes(std::span(ids)));
  swap_file_order(stored_ids, sizeof(std::int64_t));
  const cvc::Rows columns[] = {cvc::Rows(std::span<const float>(vectors), 3),
                               cvc::Rows(std::span<const std::int64_t>(ids), 1)};
  throw_if_error(writer.append(columns));
  writer.finish().value();
  const auto source = std::make_shared<RecordingSource>(file);
  const Reader remote = Reader::create(source).value();
  for (const Reader* const reader : {&remote, static_cast<const Reader*>(nullptr)}) {
    const Reader local = Reader::create(file).value();
    StoredSlice slice;
    source->reads.clear();
    throw_if_error((reader != nullptr ? *reader : local).stored_slice(0, 1).into(slice));
    EXPECT_EQ(slice.dtype, Dtype::kInt64);
    EXPECT_EQ(slice.dimension, 1u);
    EXPECT_TRUE(same_bytes(slice.bytes, stored_ids));
    EXPECT_EQ(source->bytes_read(), reader != nullptr ? 80u : 0u);  // and not the other column
  }
}

TEST(CvcStored, Refusals) {
  Bytes file = file_of(Compression::kLossless, 5);
  const Reader sound = Reader::create(file).value();
  StoredSlice slice;
  EXPECT_EQ(sound.stored_slice(4, 0).into(slice).kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(sound.stored_slice(0, 1).into(slice).kind(), ErrorKind::kInvalidArgument);
  throw_if_error(sound.stored_slice(1, 0).into(slice));
  EXPECT_TRUE(slice.planes[3].may_be_corrupt());

  const std::uint64_t width = sound.info().chunks[1].offset + 8 + 4;
  file[width] = std::byte{9};
  cvc::ReadConfig config;
  for (const bool verify : {false, true}) {
    config.verify = verify;
    const auto source = std::make_shared<RecordingSource>(file);
    for (const Reader& reader : {Reader::create(file).value(), Reader::create(source).value()}) {
      const Status status = reader.stored_slice(1, 0, config).into(slice);
      EXPECT_EQ(status.kind(), verify ? ErrorKind::kChecksum : ErrorKind::kCorrupt);
      EXPECT_EQ(status.chunk(), 1u);
      EXPECT_TRUE(reader.stored_slice(0, 0, config).into(slice).ok());
    }
  }
}

TEST(CvcStored, RowsOfASliceAreThoseOfTheReader) {
  for (const Compression compression : cvc::kCompressions) {
    if (compression == Compression::kNone) continue;
    const Bytes file = file_of(compression, 11);
    const Reader reader = Reader::create(file).value();
    StoredSlice slice;
    throw_if_error(reader.stored_slice(1, 0).into(slice));
    for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBFloat16}) {
      Bytes got(60 * 16 * 4);
      Bytes expected = got;
      const std::size_t stride = 16 * size_of(dtype);
      const cvc::RowRange rows{130, 60};
      const cvc::Target target{{dtype, expected.data(), 60, 11, stride}, 0};
      throw_if_error(reader.read({&rows, 1}, {&target, 1}).status());
      throw_if_error(decode_slice(slice, {30, 60}, {dtype, got.data(), 60, 11, stride}));
      EXPECT_TRUE(same_bytes(got, expected)) << name_of(compression) << " " << name_of(dtype);
    }
  }
}

TEST(CvcStored, RowsOfASliceAreChecked) {
  const Bytes file = file_of(Compression::kFp16, 11);
  StoredSlice slice;
  throw_if_error(Reader::create(file).value().stored_slice(1, 0).into(slice));
  std::vector<float> out(100 * 11);
  const auto kind = [&](const cvc::RowRange& rows, const cvc::MutableRows& to) {
    return decode_slice(slice, rows, to).kind();
  };
  const cvc::MutableRows good(Dtype::kFloat32, out.data(), 100, 11);
  EXPECT_EQ(kind({0, 100}, good), ErrorKind::kNone);
  EXPECT_EQ(kind({1, 100}, good), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind({0, 9}, {Dtype::kFloat32, out.data(), 8, 11}), ErrorKind::kOutputTooSmall);
  EXPECT_EQ(kind({0, 9}, {Dtype::kFloat32, out.data(), 9, 10}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind({0, 9}, {Dtype::kFloat32, out.data(), 9, 11, 40}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind({0, 9}, {Dtype::kInt32, out.data(), 9, 11}), ErrorKind::kTypeMismatch);
}

}  // namespace
}  // namespace numpact::testing
