// SPDX-License-Identifier: Apache-2.0
// bfloat16, int4, int8_row, int8_dim and pco, compared with simple implementations of the format.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "base/load.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/cvc_files.hpp"
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

constexpr Compression kSteps[] = {Compression::kInt8Row, Compression::kInt8Dim, Compression::kInt4};
constexpr Compression kNew[] = {Compression::kBFloat16, Compression::kInt4, Compression::kInt8Row,
                                Compression::kInt8Dim, Compression::kPco};

struct Matrix {
  std::vector<float> values;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;

  float at(std::uint64_t row, std::uint64_t d) const { return values[row * dimension + d]; }
};

// A matrix whose dimensions have very different ranges.
Matrix some_matrix(std::uint64_t rows, std::uint64_t dimension, std::uint64_t stream) {
  Random random(stream);
  Matrix matrix{{}, rows, dimension};
  for (std::uint64_t i = 0; i < rows * dimension; ++i) {
    const double scale = std::exp2(static_cast<double>(i % dimension % 7));
    matrix.values.push_back(static_cast<float>(random.normal() * scale + scale));
  }
  return matrix;
}

Bytes pack(const Matrix& matrix, const cvc::WriteConfig& config) {
  Bytes out;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  throw_if_error(writer.append(
      cvc::Rows(Dtype::kFloat32, matrix.values.data(), matrix.rows, matrix.dimension)));
  writer.finish().value();
  return out;
}

Bytes pack(const Matrix& matrix, Compression compression, std::uint64_t chunk_rows = 100000) {
  cvc::WriteConfig config;
  config.compression = compression;
  config.chunk_rows = chunk_rows;
  config.rounding = cvc::Rounding::kNearest;
  return pack(matrix, config);
}

// The values of one chunk after quantization, as docs/format/cvc.md defines them.
std::vector<float> expected_steps(const Matrix& matrix, Compression compression) {
  std::vector<float> out(matrix.values.size());
  const float max_code = compression == Compression::kInt4 ? 15.0f : 255.0f;
  const bool by_row = compression == Compression::kInt8Row;
  const std::uint64_t groups = by_row ? matrix.rows : matrix.dimension;
  const std::uint64_t each = by_row ? matrix.dimension : matrix.rows;
  for (std::uint64_t g = 0; g < groups; ++g) {
    const auto place = [&](std::uint64_t i) {
      return by_row ? g * matrix.dimension + i : i * matrix.dimension + g;
    };
    float low = HUGE_VALF;
    float high = -HUGE_VALF;
    bool is_whole = true;
    for (std::uint64_t i = 0; i < each; ++i) {
      const float value = matrix.values[place(i)];
      low = std::min(low, value);
      high = std::max(high, value);
      is_whole = is_whole && value == std::nearbyint(value);
    }
    const bool keeps = low == high || (is_whole && high - low <= max_code);
    const float scale = keeps ? 1.0f : (high - low) / max_code;
    for (std::uint64_t i = 0; i < each; ++i) {
      const float code = std::nearbyint((matrix.values[place(i)] - low) / scale);
      const float product = std::clamp(code, 0.0f, max_code) * scale;
      out[place(i)] = product + low;
    }
  }
  return out;
}

TEST(CvcSteps, ValuesAreThoseOfTheFormat) {
  for (const Compression compression : kSteps) {
    for (const std::uint64_t dimension : {1u, 2u, 3u, 16u, 33u, 129u, 4100u}) {
      for (const std::uint64_t rows : {1u, 2u, 37u}) {
        const Matrix matrix = some_matrix(rows, dimension, rows * dimension);
        const Bytes file = pack(matrix, compression);
        const Reader reader = Reader::create(file).value();
        ASSERT_EQ(reader.read_all().value(), expected_steps(matrix, compression))
            << name_of(compression) << " " << rows << " x " << dimension;
        const std::uint64_t codes =
            rows * (compression == Compression::kInt4 ? (dimension + 1) / 2 : dimension);
        const std::uint64_t ranges = compression == Compression::kInt8Row ? rows : dimension;
        EXPECT_EQ(reader.info().chunks[0].payload_bytes, codes + 8 * ranges);
      }
    }
  }
}

TEST(CvcSteps, WholeNumbersAreKept) {
  Random random(3);
  Matrix matrix{{}, 50, 40};
  for (int i = 0; i < 2000; ++i) matrix.values.push_back(static_cast<float>(random.below(256)));
  EXPECT_EQ(Reader::create(pack(matrix, Compression::kInt8Row)).value().read_all().value(),
            matrix.values);
  EXPECT_EQ(Reader::create(pack(matrix, Compression::kInt8Dim)).value().read_all().value(),
            matrix.values);
  for (float& value : matrix.values) value = std::fmod(value, 16.0f) - 8.0f;
  EXPECT_EQ(Reader::create(pack(matrix, Compression::kInt4)).value().read_all().value(),
            matrix.values);
}

TEST(CvcSteps, ConstantAndTinyRanges) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const Matrix matrix{{1.5f, -2.0f, 0.0f, 1.5f, -2.0f, tiny}, 2, 3};
  const std::vector<float> by_dim =
      Reader::create(pack(matrix, Compression::kInt8Dim)).value().read_all().value();
  EXPECT_EQ(by_dim[0], 1.5f);
  EXPECT_EQ(by_dim[1], -2.0f);
  EXPECT_EQ(by_dim[5], 0.0f) << "the scale underflows: all are the least";
}

TEST(CvcSteps, NonfiniteValuesAreRefusedOrConfined) {
  for (const Compression compression : kSteps) {
    for (const float odd : {std::nanf(""), HUGE_VALF, -HUGE_VALF, 3e38f}) {
      Matrix matrix = some_matrix(40, 37, 5);
      matrix.values[11 * 37 + 20] = odd;
      if (odd == 3e38f) matrix.values[11 * 37 + 21] = matrix.values[12 * 37 + 20] = -3e38f;
      Bytes out;
      cvc::WriteConfig config;
      config.compression = compression;
      const auto write = [&] {
        cvc::Writer writer = cvc::Writer::create(out, config).value();
        const cvc::Rows rows(Dtype::kFloat32, matrix.values.data(), 40, 37);
        const Status status = writer.append(rows);
        return status.ok() ? writer.finish().status() : status;
      };
      EXPECT_EQ(write().kind(), ErrorKind::kInvalidArgument) << name_of(compression) << odd;
      config.allow_nonfinite = true;
      ASSERT_TRUE(write().ok());
      const std::vector<float> values = Reader::create(out).value().read_all().value();
      for (std::uint64_t i = 0; i < values.size(); ++i) {
        const bool is_hit = compression == Compression::kInt8Row ? i / 37 == 11 : i % 37 == 20;
        ASSERT_EQ(std::isnan(values[i]), is_hit) << i;
      }
    }
  }
}

TEST(CvcSteps, CodesAndTheirRanges) {
  const Matrix matrix = some_matrix(30, 7, 6);
  for (const Compression compression : kSteps) {
    const Bytes file = pack(matrix, compression, 20);
    const Reader reader = Reader::create(file).value();
    const std::vector<float> values = reader.read_all().value();
    const bool is_nibble = compression == Compression::kInt4;
    const std::uint64_t row_bytes = is_nibble ? 4 : 7;
    cvc::Codes codes;
    throw_if_error(reader.codes(1, 0).into(codes));
    EXPECT_EQ(codes.row_bytes, row_bytes);
    EXPECT_EQ(codes.bytes.size(), 10 * row_bytes);
    EXPECT_EQ(codes.ranges.size(), 8u * (compression == Compression::kInt8Row ? 10 : 7));

    Bytes out(15 * row_bytes);
    std::vector<cvc::CodeRun> runs;
    throw_if_error(reader.read_codes({10, 15}, 0, out, 0).into(runs));
    ASSERT_EQ(runs.size(), 2u);
    std::uint64_t row = 0;
    for (const cvc::CodeRun& run : runs) {
      ASSERT_EQ(run.mins.size(), compression == Compression::kInt8Row ? run.rows : 7);
      for (std::uint64_t r = 0; r < run.rows; ++r, ++row) {
        for (std::uint64_t d = 0; d < 7; ++d) {
          const std::uint64_t g = compression == Compression::kInt8Row ? r : d;
          const auto byte = static_cast<unsigned>(out[row * row_bytes + (is_nibble ? d / 2 : d)]);
          const unsigned code = !is_nibble ? byte : d % 2 == 0 ? byte & 15 : byte >> 4;
          const float product = static_cast<float>(code) * run.scales[g];
          ASSERT_EQ(product + run.mins[g], values[(10 + row) * 7 + d]);
        }
      }
    }
  }
}

TEST(CvcBFloat16, RoundsOnceAndReportsOverflow) {
  std::vector<double> wide;
  Random random(7);
  for (int i = 0; i < 5000; ++i) wide.push_back(std::bit_cast<double>(random.bits()));
  wide.push_back(1.0 + 0x1p-8 +
                 0x1p-40);  // rounded to float first, it would be a tie and round down
  wide.push_back(1e300);
  wide.push_back(3.4e38);
  Bytes out;
  cvc::WriteConfig config;
  config.compression = Compression::kBFloat16;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  throw_if_error(writer.append(cvc::Rows(std::span<const double>(wide), 1)));
  const cvc::WriteReport report = writer.finish().value();
  const std::vector<float> values = Reader::create(out).value().read_all().value();
  std::uint64_t overflows = 0;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (std::isnan(wide[i])) {
      EXPECT_TRUE(std::isnan(values[i]));
      continue;
    }
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    EXPECT_EQ(bits & 0xffff, 0u);
    overflows += std::isinf(values[i]) && !std::isinf(wide[i]) ? 1 : 0;
    if (std::isinf(values[i])) continue;
    // No neighbouring bfloat16 is nearer.
    const auto distance = [&](std::uint32_t b) {
      return std::fabs(static_cast<double>(std::bit_cast<float>(b)) - wide[i]);
    };
    EXPECT_LE(distance(bits), distance(bits + 0x10000)) << wide[i];
    if ((bits & 0x7fff0000) != 0) {
      EXPECT_LE(distance(bits), distance(bits - 0x10000)) << wide[i];
    }
  }
  EXPECT_EQ(values[5000], 1.0f + 0x1p-7f);
  EXPECT_EQ(report.overflows, overflows);
  EXPECT_GE(overflows, 2u);
}

TEST(CvcBFloat16, IntegersAndItself) {
  const std::int64_t ties[] = {(std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1,
                               -(std::int64_t{1} << 60) - (std::int64_t{1} << 52) - 1,
                               (std::int64_t{1} << 60) + (std::int64_t{1} << 52), 257, -3};
  Bytes out;
  cvc::WriteConfig config;
  config.compression = Compression::kBFloat16;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  throw_if_error(writer.append(cvc::Rows(std::span<const std::int64_t>(ties), 1)));
  writer.finish().value();
  const float up = 0x1p60f + 0x1p53f;
  EXPECT_EQ(Reader::create(out).value().read_all().value(),
            (std::vector<float>{up, -up, 0x1p60f, 256, -3}));

  std::vector<cvc::BFloat16> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  cvc::Writer again = cvc::Writer::create(out, config).value();
  throw_if_error(again.append(cvc::Rows(std::span<const cvc::BFloat16>(all), 16)));
  again.finish().value();
  EXPECT_EQ(Reader::create(out).value().read_all<cvc::BFloat16>().value(), all);
}

// ---- pco ----

// Rows that are similar to the ones before them, for which pco by dimension is smaller, and others.
Matrix pco_matrix(std::uint64_t rows, std::uint64_t dimension, bool is_smooth) {
  Random random(rows + dimension);
  Matrix matrix{{}, rows, dimension};
  std::vector<float> last(dimension);
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t d = 0; d < dimension; ++d) {
      last[d] = is_smooth ? last[d] + static_cast<float>(random.below(3) * d) / 4
                          : static_cast<float>(random.normal());
      matrix.values.push_back(last[d]);
    }
  }
  return matrix;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), 4 * a.size()) == 0);
}

TEST(CvcPco, AnyShapeComesBack) {
  for (const bool is_smooth : {false, true}) {
    for (const std::uint64_t dimension : {1u, 2u, 15u, 16u, 17u, 50u, 131u}) {
      for (const std::uint64_t rows : {1u, 63u, 64u, 4096u, 9001u}) {
        if (rows * dimension > 500000) continue;
        const Matrix matrix = pco_matrix(rows, dimension, is_smooth);
        const Bytes file = pack(matrix, Compression::kPco);
        const Reader reader = Reader::create(file).value();
        ASSERT_TRUE(same_bits(reader.read_all().value(), matrix.values))
            << rows << " x " << dimension;
        ReadConfig config;
        config.threads = 3;
        ASSERT_TRUE(same_bits(reader.read_all(config).value(), matrix.values));
      }
    }
  }
}

TEST(CvcPco, EveryBitPattern) {
  Random random(8);
  Matrix matrix{{}, 700, 70};
  for (int i = 0; i < 49000; ++i) {
    matrix.values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.bits(32))));
  }
  EXPECT_TRUE(same_bits(Reader::create(pack(matrix, Compression::kPco)).value().read_all().value(),
                        matrix.values));
  std::vector<Float16> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i].bits = static_cast<std::uint16_t>(i);
  Bytes out;
  cvc::WriteConfig config;
  config.compression = Compression::kPco;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  throw_if_error(writer.append(cvc::Rows(std::span<const Float16>(halves), 64)));
  writer.finish().value();
  const Reader reader = Reader::create(out).value();
  EXPECT_EQ(reader.read_all<Float16>().value(), halves);
  const std::vector<float> floats = reader.read_all().value();
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(cvc::half_of(floats[i]), halves[i].bits);
  }
}

TEST(CvcPco, PartsAndOtherTypes) {
  for (const bool is_smooth : {false, true}) {
    const Matrix matrix = pco_matrix(9000, 37, is_smooth);
    const Bytes file = pack(matrix, Compression::kPco, 8500);
    const Reader reader = Reader::create(file).value();
    Random random(9);
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t first = random.below(9000);
      const std::uint64_t count =
          random.below(random.one_in(3) ? 9001 - first : 20) % (9001 - first);
      const auto begin = matrix.values.begin() + static_cast<std::ptrdiff_t>(first * 37);
      const std::vector<float> expected(begin, begin + static_cast<std::ptrdiff_t>(count * 37));
      ASSERT_EQ(reader.read_rows(first, count).value(), expected) << first << " " << count;

      std::vector<std::uint64_t> rows(random.below(300));
      for (std::uint64_t& row : rows) row = random.below(random.one_in(2) ? 9000 : 30);
      ReadConfig config;
      config.threads = random.one_in(2) ? 1 : 2;
      const std::vector<float> gathered = reader.gather(rows, config).value();
      const std::vector<cvc::BFloat16> brains = reader.gather<cvc::BFloat16>(rows, config).value();
      for (std::size_t k = 0; k < rows.size(); ++k) {
        for (std::uint64_t d = 0; d < 37; ++d) {
          const float value = matrix.at(rows[k], d);
          ASSERT_EQ(gathered[k * 37 + d], value);
          ASSERT_EQ(brains[k * 37 + d].bits, cvc::bfloat_of(value));
        }
      }
    }
    // Rows with gaps between them.
    std::vector<float> wide(9000 * 40, -1.0f);
    const RowRange all{0, 9000};
    const Target target{MutableRows(Dtype::kFloat32, wide.data(), 9000, 37, 160), 0};
    throw_if_error(reader.read({&all, 1}, {&target, 1}).status());
    for (std::uint64_t row = 0; row < 9000; ++row) {
      // Bits are compared. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
      ASSERT_EQ(std::memcmp(&wide[row * 40], &matrix.values[row * 37], 148), 0);
      ASSERT_EQ(wide[row * 40 + 37], -1.0f);
    }
  }
}

TEST(CvcPco, IntegerColumnsKeepTheirType) {
  std::vector<std::int64_t> ids;
  std::vector<std::uint8_t> labels;
  std::vector<std::int32_t> pairs;
  std::vector<float> scores;
  for (int i = 0; i < 5000; ++i) {
    ids.push_back(1700000000000 + 1000 * i);
    labels.push_back(static_cast<std::uint8_t>(i % 3));
    pairs.push_back(i);
    pairs.push_back(-i);
    scores.push_back(static_cast<float>(i) / 8);
  }
  Bytes out;
  cvc::WriteConfig config;
  config.version = cvc::Version::kV20;
  config.columns = {{"id", 1, Dtype::kInt64, Compression::kPco},
                    {"label", 1, Dtype::kUInt8, Compression::kPco},
                    {"pair", 2, Dtype::kInt32, Compression::kPco},
                    {"score", 1, Dtype::kFloat32, Compression::kPco}};
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  const cvc::Rows columns[] = {cvc::Rows(std::span<const std::int64_t>(ids), 1),
                               cvc::Rows(std::span<const std::uint8_t>(labels), 1),
                               cvc::Rows(std::span<const std::int32_t>(pairs), 2),
                               cvc::Rows(std::span<const float>(scores), 1)};
  throw_if_error(writer.append(columns));
  writer.finish().value();
  EXPECT_LT(out.size(), 2500u);
  const Reader reader = Reader::create(out).value();
  EXPECT_EQ(reader.read_all<std::int64_t>({}, 0).value(), ids);
  EXPECT_EQ(reader.read_all<std::uint8_t>({}, 1).value(), labels);
  EXPECT_EQ(reader.read_all<std::int32_t>({}, 2).value(), pairs);
  EXPECT_EQ(reader.read_all<float>({}, 3).value(), scores);
  EXPECT_THROW(reader.read_all<float>({}, 0).value(), Error);
  cvc::VerifyReport report;
  throw_if_error(reader.verify().into(report));
  EXPECT_TRUE(report.bad.empty());
}

TEST(CvcPco, ValuesThatWouldBeRoundedAreRefused) {
  const auto kind = [](const cvc::Rows& rows) {
    Bytes out;
    cvc::WriteConfig config;
    config.compression = Compression::kPco;
    cvc::Writer writer = cvc::Writer::create(out, config).value();
    const Status status = writer.append(rows);
    return (status.ok() ? writer.finish().status() : status).kind();
  };
  const double exact[] = {0.5, -3.0, 1e30f};
  const double inexact[] = {0.5, 0.1};
  const std::int32_t small[] = {1 << 24, -5};
  const std::int32_t large[] = {(1 << 24) + 1, INT32_MAX};
  const std::int64_t max_code[] = {INT64_MAX};
  const std::int64_t minimum[] = {INT64_MIN};
  EXPECT_EQ(kind(cvc::Rows(std::span<const double>(exact), 1)), ErrorKind::kNone);
  EXPECT_EQ(kind(cvc::Rows(std::span<const double>(inexact), 1)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(cvc::Rows(std::span<const std::int32_t>(small), 1)), ErrorKind::kNone);
  EXPECT_EQ(kind(cvc::Rows(std::span<const std::int32_t>(large), 1)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(cvc::Rows(std::span<const std::int64_t>(max_code), 1)),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(cvc::Rows(std::span<const std::int64_t>(minimum), 1)), ErrorKind::kNone);
}

TEST(CvcPco, TheSmallerGridIsTaken) {
  // A group of 1 in the head of the payload means: by dimension.
  const auto group_of = [](const Matrix& matrix) {
    const Bytes file = pack(matrix, Compression::kPco);
    const cvc::Chunk chunk = Reader::create(file).value().info().chunks[0];
    return load_le<std::uint32_t>(file.data() + chunk.offset + 8 + 4);
  };
  EXPECT_EQ(group_of(pco_matrix(5000, 40, true)), 1u);
  Matrix homogeneous = pco_matrix(200, 600, false);
  EXPECT_EQ(group_of(homogeneous), 600u);
}

// ---- all compressions ----

TEST(CvcNew, VersionsThatHaveThem) {
  const Matrix matrix = some_matrix(10, 4, 1);
  for (const Compression compression : kNew) {
    cvc::WriteConfig config;
    config.compression = compression;
    config.version = cvc::Version::kV01;
    EXPECT_THROW(pack(matrix, config), Error);
    config.version = cvc::Version::kV10;
    config.paged = true;
    config.chunk_rows = 3;
    const Bytes paged = pack(matrix, config);
    const Reader reader = Reader::create(paged).value();
    EXPECT_EQ(reader.info().chunks[1].offset % 4096, 0u);
    EXPECT_EQ(reader.info().slice(1, 0).compression, compression);
    EXPECT_EQ(reader.read_all().value(),
              Reader::create(pack(matrix, compression, 3)).value().read_all().value());
  }
}

TEST(CvcNew, NoRowsAndNoDimensions) {
  for (const Compression compression : kNew) {
    Bytes out;
    cvc::WriteConfig config;
    config.compression = compression;
    config.dimension = 5;
    cvc::Writer writer = cvc::Writer::create(out, config).value();
    writer.finish().value();
    EXPECT_TRUE(Reader::create(out).value().read_all().value().empty());
    const Bytes flat = pack({{}, 9, 0}, compression);
    const Reader reader = Reader::create(flat).value();
    EXPECT_EQ(reader.rows(), 9u);
    EXPECT_TRUE(reader.read_all().value().empty());
    cvc::VerifyReport report;
    throw_if_error(reader.verify().into(report));
    EXPECT_TRUE(report.bad.empty());
    // Rows without values at a null address, in several calls.
    out.clear();
    config.dimension = 0;
    config.chunk_rows = 5;
    cvc::Writer writer_in_steps = cvc::Writer::create(out, config).value();
    for (int i = 0; i < 3; ++i)
      throw_if_error(writer_in_steps.append(cvc::Rows(Dtype::kFloat32, nullptr, 3, 0, 16)));
    EXPECT_EQ(writer_in_steps.finish().value().rows, 9u);
  }
}

TEST(CvcNew, RowsAndGatherEqualTheWhole) {
  const Matrix matrix = some_matrix(500, 33, 2);
  Random random(3);
  for (const Compression compression : kNew) {
    const Bytes file = pack(matrix, compression, 130);
    const Reader reader = Reader::create(file).value();
    const std::vector<float> all = reader.read_all().value();
    std::vector<std::uint64_t> rows(200);
    for (std::uint64_t& row : rows) row = random.below(500);
    const std::vector<float> gathered = reader.gather(rows).value();
    const std::vector<Float16> halves = reader.gather<Float16>(rows).value();
    for (std::size_t i = 0; i < gathered.size(); ++i) {
      const float value = all[rows[i / 33] * 33 + i % 33];
      ASSERT_EQ(gathered[i], value);
      ASSERT_EQ(halves[i].bits, cvc::half_of(value));
    }
    const std::vector<float> some = reader.read_rows(100, 301).value();
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 100 * 33));
    const Target none{MutableRows(Dtype::kInt32, nullptr, 500, 33), 0};
    const RowRange range{0, 500};
    EXPECT_FALSE(reader.read({&range, 1}, {&none, 1}).ok());
  }
}

// Bytes are changed and the checksum is corrected, so that decoders see the change.
TEST(CvcNew, ChangedPayloadsEndWell) {
  Random random(4);
  for (const Compression compression : kNew) {
    for (const bool is_smooth : {false, true}) {
      const Matrix matrix = pco_matrix(300, 40, is_smooth);
      const Bytes file = pack(matrix, compression);
      const cvc::Chunk chunk = Reader::create(file).value().info().chunks[0];
      for (int i = 0; i < 1500; ++i) {
        ExactCopy copy(file);
        const std::span<std::byte> payload =
            std::span(copy.writable()).subspan(chunk.offset + 8, chunk.payload_bytes);
        for (std::uint64_t k = random.between(1, 3); k > 0; --k) {
          const std::uint64_t end =
              random.one_in(2) ? std::min<std::uint64_t>(payload.size(), 120) : payload.size();
          payload[random.below(end)] = static_cast<std::byte>(random.bits(8));
        }
        store_le(copy.writable().data() + chunk.offset + 4, crc32(payload));
        const Reader reader = Reader::create(copy.span()).value();
        std::vector<float> out(matrix.values.size());
        const RowRange all{0, 300};
        const Target target{MutableRows(Dtype::kFloat32, out.data(), 300, 40), 0};
        const Status read = reader.read({&all, 1}, {&target, 1}).status();
        cvc::VerifyReport report;
        throw_if_error(reader.verify().into(report));
        EXPECT_EQ(read.ok(), report.bad.empty());
        const std::uint64_t rows[] = {299, 0, 150};
        (void)reader.gather(rows, {&target, 1});
      }
    }
  }
}

TEST(CvcNew, DamageIsFilled) {
  for (const Compression compression : kNew) {
    const Matrix matrix = some_matrix(60, 8, 5);
    Bytes file = pack(matrix, compression, 20);
    const cvc::Chunk chunk = Reader::create(file).value().info().chunks[1];
    file[chunk.offset + 8] ^= std::byte{0xff};  // of pco this is the number type
    ReadConfig config;
    EXPECT_THROW(Reader::create(file).value().read_all(config).value(), Error);
    config.on_corruption = cvc::OnCorruption::kFill;
    config.fill = 7;
    const std::vector<float> values = Reader::create(file).value().read_all(config).value();
    EXPECT_TRUE(std::all_of(values.begin() + 160, values.begin() + 320,
                            [](float value) { return value == 7; }));
    config.on_corruption = cvc::OnCorruption::kDrop;
    EXPECT_EQ(Reader::create(file).value().read_all(config).value().size(), 320u);
  }
}

}  // namespace
}  // namespace numpact::testing
