// SPDX-License-Identifier: Apache-2.0
// rot1 to rot4: the kernels, compared with simple loops, and what files of them keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "cvc/compression/rotation.hpp"
#include "cvc/cvc_files.hpp"
#include "support/random.hpp"
#include "unit/targets.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Reader;

constexpr Compression kRotated[] = {Compression::kRot1, Compression::kRot2, Compression::kRot3,
                                    Compression::kRot4};

// Rows far from the origin, of different lengths.
std::vector<float> rows_of(std::uint64_t rows, std::uint64_t dimension) {
  Random random(rows + dimension);
  std::vector<float> values;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t d = 0; d < dimension; ++d) {
      values.push_back(static_cast<float>(5 + random.normal() * static_cast<double>(1 + row % 3)));
    }
  }
  return values;
}

Bytes pack(const std::vector<float>& values, std::uint64_t dimension, Compression compression,
           bool allow_nonfinite = false, unsigned threads = 1) {
  Bytes out;
  cvc::WriteConfig config;
  config.compression = compression;
  config.allow_nonfinite = allow_nonfinite;
  config.threads = threads;
  config.chunk_rows = 70;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), dimension)));
  writer.finish().value();
  return out;
}

std::vector<float> read_all(const Bytes& file) {
  return Reader::create(file).value().read_all().value();
}

double mean_square_error(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i] - b[i]), 2);
  return sum / static_cast<double>(a.size());
}

TEST(CvcRotation, IsOrthogonalOnEveryTarget) {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 8u, 12u, 64u, 65u, 100u, 300u, 1024u, 5000u}) {
    const std::vector<float> values = rows_of(1, n);
    std::vector<float> rotated = values;
    cvc::rotate(rotated.data(), n, 9);
    double length = 0;
    double rotated_length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      length += std::pow(static_cast<double>(values[i]), 2);
      rotated_length += std::pow(static_cast<double>(rotated[i]), 2);
    }
    EXPECT_NEAR(rotated_length / length, 1, 1e-5) << n;
    std::vector<float> back = rotated;
    cvc::rotate_back(back.data(), n, 9);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(back[i], values[i], 1e-4);
    for_each_target([&] {
      std::vector<float> found = values;
      cvc::rotate(found.data(), n, 9);
      EXPECT_EQ(found, rotated) << n;
      cvc::rotate_back(found.data(), n, 9);
      EXPECT_EQ(found, back) << n;
    });
  }
}

TEST(CvcRotation, CountsThresholdsOnEveryTarget) {
  const std::vector<float> values = rows_of(1, 77);
  const float thresholds[] = {4.0f, 5.0f, values[3], 6.0f};
  for_each_target([&] {
    std::vector<std::uint8_t> codes(values.size());
    cvc::count_thresholds(values.data(), values.size(), thresholds, codes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(codes[i], std::count_if(std::begin(thresholds), std::end(thresholds),
                                        [&](float threshold) { return values[i] >= threshold; }));
    }
  });
}

TEST(CvcRotation, BytesDoNotDependOnThreadsOrTargets) {
  for (const Compression compression : kRotated) {
    const std::vector<float> values = rows_of(200, 45);
    const Bytes file = pack(values, 45, compression);
    const std::vector<float> stored = read_all(file);
    EXPECT_EQ(pack(values, 45, compression, false, 3), file);
    for_each_target([&] {
      EXPECT_EQ(pack(values, 45, compression), file);
      EXPECT_EQ(read_all(file), stored);
    });
  }
}

// The errors of the best levels for normally distributed values are known.
TEST(CvcRotation, ErrorsAreThoseOfNormalValues) {
  const double expected[] = {0.3634, 0.1175, 0.03454, 0.009497};
  std::vector<float> values = rows_of(210, 256);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (values[i] - 5) * (i % 9 == 0 ? 9 : 1);
  double square = 0;
  for (const float value : values) square += std::pow(static_cast<double>(value), 2);
  square /= static_cast<double>(values.size());
  for (std::size_t i = 0; i < 4; ++i) {
    const double error = mean_square_error(values, read_all(pack(values, 256, kRotated[i])));
    EXPECT_NEAR(error / square / expected[i], 1, 0.08) << i;
  }
}

TEST(CvcRotation, PartsAreThoseOfTheWhole) {
  for (const std::uint64_t dimension : {1u, 6u, 100u, 4500u}) {
    const std::vector<float> values = rows_of(80, dimension);
    for (const Compression compression : kRotated) {
      const Bytes file = pack(values, dimension, compression);
      const Reader reader = Reader::create(file).value();
      const std::vector<float> all = reader.read_all().value();
      const cvc::RowRange rows{66, 8};  // of two chunks
      std::vector<float> some(8 * dimension);
      const cvc::Target target{{cvc::Dtype::kFloat32, some.data(), rows.count, dimension}, 0};
      throw_if_error(reader.read({&rows, 1}, {&target, 1}).status());
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 66 * dimension));
      std::vector<std::uint16_t> halves(8 * dimension);
      const cvc::Target half_target{{cvc::Dtype::kBFloat16, halves.data(), rows.count, dimension},
                                    0};
      throw_if_error(reader.read({&rows, 1}, {&half_target, 1}).status());
      for (std::size_t i = 0; i < halves.size(); ++i) {
        const auto value = std::bit_cast<float>(std::uint32_t{halves[i]} << 16);
        ASSERT_NEAR(value, some[i], std::abs(some[i]) / 128 + 1e-6);
      }
    }
  }
}

TEST(CvcRotation, NonfiniteRowsAreRefusedOrLost) {
  std::vector<float> values = rows_of(90, 20);
  values[4 * 20 + 7] = HUGE_VALF;
  values[80 * 20] = std::nanf("");
  std::fill(&values[9 * 20], &values[10 * 20], 3e38f);
  values[9 * 20] = -3e38f;
  for (const Compression compression : kRotated) {
    EXPECT_ANY_THROW(pack(values, 20, compression));
    const std::vector<float> stored = read_all(pack(values, 20, compression, true));
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const std::size_t row = i / 20;
      ASSERT_EQ(std::isnan(stored[i]),
                row == 4 || row == 80 || (row == 9 && std::isnan(stored[i])));
    }
  }
}

// Processors make different NaNs of a sum that has none, and of two.
TEST(CvcRotation, NansAreTheSameOnEveryTarget) {
  const std::uint32_t nan_bits = 0x7fc00000;
  const std::vector<float> values = rows_of(3, 300);
  Bytes file = pack(values, 300, Compression::kRot4);
  const std::size_t row_bytes = 4 + 150;
  std::byte* const rows = file.data() + file.size() - 3 * row_bytes - 4 * 300 - 8;
  store_le(rows, 3e38f);  // overflows
  store_le(rows + 3 * row_bytes, -std::nanf("0x123"));
  const Reader reader = Reader::create(file).value();
  for_each_target([&] {
    std::vector<float> part(2 * 300);  // of a part of a chunk the checksum is not compared
    const cvc::RowRange two{0, 2};
    const cvc::Target target{{cvc::Dtype::kFloat32, part.data(), 2, 300}, 0};
    throw_if_error(reader.read({&two, 1}, {&target, 1}).status());
    EXPECT_TRUE(std::isnan(part[5]));
    EXPECT_TRUE(std::isnan(part[300]));
    EXPECT_FALSE(std::isnan(part[301]));
    for (const float value : part) {
      ASSERT_TRUE(!std::isnan(value) || std::bit_cast<std::uint32_t>(value) == nan_bits);
    }
  });
}

TEST(CvcRotation, EqualRowsAreExact) {
  const std::vector<float> values(300, 0.1f);
  for (const Compression compression : kRotated) {
    EXPECT_EQ(read_all(pack(values, 30, compression)), values);
  }
}

}  // namespace
}  // namespace numpact::testing
