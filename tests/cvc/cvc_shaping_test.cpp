// SPDX-License-Identifier: Apache-2.0
// Rounding for searches: compares the kernels with simple loops, and checks that errors of inner
// products become smaller.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/internal.hpp"
#include "cvc/compression/shaping.hpp"
#include "cvc/cvc_files.hpp"
#include "support/random.hpp"
#include "unit/targets.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Dtype;
using cvc::Reader;
using cvc::Rounding;

std::vector<float> normal_floats(std::size_t n, std::uint64_t stream) {
  Random random(stream);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

TEST(CvcShaping, MomentsAndFactorsOnEveryTarget) {
  for (const std::size_t n : {1u, 2u, 15u, 33u, 70u}) {
    const std::size_t stride = n + 3;
    const std::vector<float> rows = normal_floats(9 * stride, n);
    std::vector<float> moments(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t r = 0; r < 9; ++r) {
          const float product = rows[r * stride + i] * rows[r * stride + j];
          moments[i * n + j] += product;
        }
      }
    }
    std::vector<float> factors = moments;
    for (std::size_t i = 0; i < n; ++i) factors[i * n + i] += 5;
    const std::vector<float> damped = factors;
    for (std::size_t i = n; i-- > 1;) {
      for (std::size_t k = 0; k < i; ++k) {
        const float weight = factors[i * n + k] / factors[i * n + i];
        for (std::size_t j = 0; j <= k; ++j) {
          const float product = weight * factors[i * n + j];
          factors[k * n + j] -= product;
        }
      }
      for (std::size_t k = 0; k < i; ++k) factors[i * n + k] /= factors[i * n + i];
    }
    for_each_target([&] {
      std::vector<float> found(n * n);
      cvc::add_moments(rows.data(), 9, stride, n, found.data());
      EXPECT_EQ(found, moments);
      found = damped;
      cvc::factor_moments(found.data(), n);
      EXPECT_EQ(found, factors);
    });
    // U D U' is the factored matrix.
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double sum = 0;
        for (std::size_t i = a; i < n; ++i) {
          const double u = i == a ? 1.0 : static_cast<double>(factors[i * n + a]);
          const double v = i == b ? 1.0 : static_cast<double>(factors[i * n + b]);
          sum += u * v * static_cast<double>(factors[i * n + i]);
        }
        ASSERT_NEAR(sum, static_cast<double>(damped[a * n + b]), 1e-3);
      }
    }
  }
}

TEST(CvcShaping, RoundingOnEveryTarget) {
  constexpr std::size_t kRows = cvc::kShapedRows;
  for (const std::size_t n : {1u, 2u, 7u, 8u, 9u, 40u}) {
    for (const cvc::RangeAxis scope : {cvc::RangeAxis::kRow, cvc::RangeAxis::kDimension}) {
      const bool by_row = scope == cvc::RangeAxis::kRow;
      cvc::Feedback feedback{0, n, std::make_unique<float[]>(n * n)};
      const std::vector<float> weights = normal_floats(n * n, n);
      std::copy(weights.begin(), weights.end(), feedback.weights.get());
      const std::vector<float> values = normal_floats(n * kRows, n + 1);
      const std::size_t ranges = by_row ? kRows : n;
      std::vector<float> mins(ranges, -2.0f);
      std::vector<float> scales(ranges, 0.02f);
      std::vector<float> has_feedback(ranges, 1.0f);
      scales[ranges / 2] = HUGE_VALF;
      has_feedback[ranges / 2] = 0;
      std::vector<std::uint8_t> codes(n * kRows);
      std::vector<float> errors(n * kRows);
      for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t range = by_row ? r : i;
          float sum = 0;
          for (std::size_t j = 0; j < i; ++j) {
            const float product = weights[i * n + j] * errors[j * kRows + r];
            sum += product;
          }
          const float shift = sum * has_feedback[range];
          const float target = values[i * kRows + r] - shift;
          const float code =
              std::nearbyint(std::clamp((target - mins[range]) / scales[range], 0.0f, 255.0f));
          codes[i * kRows + r] = static_cast<std::uint8_t>(code);
          const float product = code * scales[range];
          const float stored = product + mins[range];
          errors[i * kRows + r] = has_feedback[range] == 0 ? 0 : stored - values[i * kRows + r];
        }
      }
      for_each_target([&] {
        std::vector<std::uint8_t> found(codes.size());
        std::vector<float> found_errors(errors.size());
        cvc::round_shaped(
            feedback, scope, has_feedback.data(),
            {values.data(), mins.data(), scales.data(), found_errors.data(), found.data(), 255});
        EXPECT_EQ(found, codes) << n;
        EXPECT_EQ(found_errors, errors);
      });
    }
  }
}

// Rows near a few directions, like embeddings.
std::vector<float> embeddings(std::uint64_t rows, std::uint64_t dimension) {
  constexpr std::uint64_t kDirections = 6;
  const std::vector<float> directions = normal_floats(kDirections * dimension, 1);
  Random random(2);
  std::vector<float> values;
  for (std::uint64_t row = 0; row < rows; ++row) {
    double weights[kDirections];
    for (double& weight : weights) weight = random.normal();
    for (std::uint64_t d = 0; d < dimension; ++d) {
      double value = 0.2 * random.normal();
      for (std::uint64_t k = 0; k < kDirections; ++k) {
        value += weights[k] * static_cast<double>(directions[k * dimension + d]);
      }
      values.push_back(static_cast<float>(value));
    }
  }
  return values;
}

Bytes pack(const std::vector<float>& values, std::uint64_t dimension, Compression compression,
           Rounding rounding, unsigned threads = 1, std::uint64_t chunk_rows = 100000) {
  Bytes out;
  cvc::WriteConfig config;
  config.compression = compression;
  config.rounding = rounding;
  config.threads = threads;
  config.chunk_rows = chunk_rows;
  config.allow_nonfinite = true;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), dimension)));
  writer.finish().value();
  return out;
}

// The mean square of the inner products of errors with rows.
double mean_shift(const std::vector<float>& values, const std::vector<float>& stored,
                  std::uint64_t dimension) {
  const std::uint64_t rows = values.size() / dimension;
  double sum = 0;
  for (std::uint64_t a = 0; a < rows; ++a) {
    for (std::uint64_t b = 0; b < rows; ++b) {
      double product = 0;
      for (std::uint64_t d = 0; d < dimension; ++d) {
        const std::size_t i = a * dimension + d;
        product += (static_cast<double>(stored[i]) - static_cast<double>(values[i])) *
                   static_cast<double>(values[b * dimension + d]);
      }
      sum += product * product;
    }
  }
  return sum;
}

TEST(CvcShaping, ProductsShiftLess) {
  const std::vector<float> values = embeddings(150, 48);
  for (const Compression compression :
       {Compression::kInt8Row, Compression::kInt8Dim, Compression::kInt4}) {
    const auto shift = [&](Rounding rounding) {
      return mean_shift(
          values,
          Reader::create(pack(values, 48, compression, rounding)).value().read_all().value(), 48);
    };
    EXPECT_LT(3 * shift(Rounding::kForSearch), shift(Rounding::kNearest)) << name_of(compression);
  }
}

TEST(CvcShaping, OnlyFourBitsAreForSearchByDefault) {
  const std::vector<float> values = embeddings(60, 24);
  for (const Compression compression :
       {Compression::kInt8Row, Compression::kInt8Dim, Compression::kInt4}) {
    const Rounding rounding =
        compression == Compression::kInt4 ? Rounding::kForSearch : Rounding::kNearest;
    EXPECT_EQ(pack(values, 24, compression, cvc::WriteConfig().rounding),
              pack(values, 24, compression, rounding));
    EXPECT_NE(pack(values, 24, compression, Rounding::kForSearch),
              pack(values, 24, compression, Rounding::kNearest));
  }
}

TEST(CvcShaping, BytesDoNotDependOnThreadsOrTargets) {
  const std::vector<float> values = embeddings(500, 37);
  for (const Compression compression : {Compression::kInt8Row, Compression::kInt4}) {
    const Bytes file = pack(values, 37, compression, Rounding::kForSearch, 1, 120);
    EXPECT_EQ(pack(values, 37, compression, Rounding::kForSearch, 3, 120), file);
    for_each_target(
        [&] { EXPECT_EQ(pack(values, 37, compression, Rounding::kForSearch, 1, 120), file); });
  }
}

TEST(CvcShaping, ExactValuesStayExact) {
  std::vector<float> values = embeddings(64, 20);
  for (std::size_t row = 0; row < 64; ++row) {
    values[row * 20 + 3] = static_cast<float>(row % 9);  // a dimension of integers
    values[row * 20 + 4] = 7;
    values[row * 20 + 5] = row == 8 ? HUGE_VALF : 1.5f;
  }
  for (const Compression compression : {Compression::kInt8Dim, Compression::kInt4}) {
    const std::vector<float> stored =
        Reader::create(pack(values, 20, compression, Rounding::kForSearch))
            .value()
            .read_all()
            .value();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % 20 == 3 || i % 20 == 4) {
        ASSERT_EQ(stored[i], values[i]);
      }
      ASSERT_EQ(std::isnan(stored[i]), i % 20 == 5);
    }
  }
  // A row of integers.
  for (std::size_t d = 0; d < 20; ++d) values[11 * 20 + d] = static_cast<float>(d * 3);
  values[12 * 20] = std::nanf("");
  const std::vector<float> stored =
      Reader::create(pack(values, 20, Compression::kInt8Row, Rounding::kForSearch))
          .value()
          .read_all()
          .value();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i / 20 == 11) {
      ASSERT_EQ(stored[i], values[i]);
    }
    ASSERT_EQ(std::isnan(stored[i]), i / 20 == 12 || i / 20 == 8) << i;
  }
}

TEST(CvcShaping, ManyDimensionsInGroups) {
  const std::vector<float> values = embeddings(40, 2500);
  const std::vector<float> nearest =
      Reader::create(pack(values, 2500, Compression::kInt8Dim, Rounding::kNearest))
          .value()
          .read_all()
          .value();
  const std::vector<float> stored =
      Reader::create(pack(values, 2500, Compression::kInt8Dim, Rounding::kForSearch))
          .value()
          .read_all()
          .value();
  double square = 0;
  double square_nearest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    square += std::pow(static_cast<double>(stored[i] - values[i]), 2);
    square_nearest += std::pow(static_cast<double>(nearest[i] - values[i]), 2);
  }
  EXPECT_LT(square, 4 * square_nearest) << "single values stay near";
  EXPECT_LT(3 * mean_shift(values, stored, 2500), mean_shift(values, nearest, 2500));
}

}  // namespace
}  // namespace numpact::testing
