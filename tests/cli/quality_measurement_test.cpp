// SPDX-License-Identifier: Apache-2.0
// Tests error figures, sizes of files that are never written whole, and pairing of rows.
#include "base/internal.hpp"
#include "cvc/quality/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/writer.hpp"

namespace numpact::cvc::quality {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
using ::testing::HasSubstr;

ErrorFigures figures_of(std::vector<double> original, std::vector<float> decoded, std::size_t d) {
  ErrorSum sum;
  sum.add(original, decoded, d);
  return sum.figures();
}

TEST(Errors, OfAFewValues) {
  const ErrorFigures figures = figures_of({3, 4, 0, 0, 0, 2}, {3, 4, 0, 0, 2, 0}, 2);
  EXPECT_EQ(figures.max, 2);
  EXPECT_DOUBLE_EQ(figures.mean, 4.0 / 6);
  EXPECT_DOUBLE_EQ(figures.rmse, std::sqrt(8.0 / 6));
  EXPECT_EQ(figures.worst_cosine, 1);  // of (0, 2) and (2, 0)
  EXPECT_DOUBLE_EQ(figures.mean_cosine, 1.0 / 3);
  EXPECT_EQ(figures.overflows, 0u);
  EXPECT_FALSE(figures.is_exact());
}

TEST(Errors, OfExactRowsAreZero) {
  const ErrorFigures figures = figures_of({0.1f, -3e38f, 1e-45f, 0}, {0.1f, -3e38f, 1e-45f, 0}, 2);
  EXPECT_TRUE(figures.is_exact());
  EXPECT_EQ(figures.mean, 0);
  EXPECT_EQ(figures.worst_cosine, 0);
}

TEST(Errors, OfDirections) {
  EXPECT_DOUBLE_EQ(figures_of({1, 0}, {-1, 0}, 2).worst_cosine, 2);
  EXPECT_EQ(figures_of({1, 0}, {0, 0}, 2).worst_cosine, 1);
  EXPECT_EQ(figures_of({0, 0}, {0, 0}, 2).worst_cosine, 0);
  EXPECT_NEAR(figures_of({1, 0}, {5, 5}, 2).mean_cosine, 1 - std::sqrt(0.5), 1e-12);
}

TEST(Errors, OfNonfiniteValues) {
  const ErrorFigures figures = figures_of({1, 70000, 3, 4}, {1, kInfinity, kNan, 4}, 2);
  EXPECT_EQ(figures.overflows, 2u);
  EXPECT_EQ(figures.max, kInfinity);
  EXPECT_EQ(figures.mean, kInfinity);
  EXPECT_EQ(figures.rmse, kInfinity);
  EXPECT_EQ(figures.worst_cosine, kInfinity);
}

std::vector<float> normal_rows(std::size_t rows, std::size_t dimension) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(rows * dimension);
  for (float& value : values) value = normal(engine);
  return values;
}

Candidate candidate_of(Compression compression, std::uint64_t dimension) {
  Candidate candidate;
  candidate.name = name_of(compression);
  candidate.decoded = pack_in_memory(compression, dimension);
  return candidate;
}

// Compressions that files of one array can have.
std::vector<Compression> array_compressions() {
  std::vector<Compression> found;
  for (const Compression compression : kCompressions) {
    try {
      pack_in_memory(compression, 4);
      found.push_back(compression);
    } catch (const Unfit&) {
    }
  }
  return found;
}

TEST(Packer, ListsTheCompressions) {
  EXPECT_THAT(array_compressions(), ::testing::IsSupersetOf({Compression::kFp16, Compression::kInt8,
                                                             Compression::kLossless}));
  EXPECT_THROW(pack_in_memory(Compression::kNone, 4), Unfit);
}

// Packing chunk by chunk gives the same bytes and values as the whole file.
TEST(Packer, AgreesWithWholeFiles) {
  constexpr std::size_t kDimension = 12;
  const std::vector<float> values = normal_rows(2345, kDimension);
  for (const Compression compression : array_compressions()) {
    for (const std::size_t chunk_rows : {7u, 100u, 3000u}) {
      WriteConfig config;
      config.compression = compression;
      config.chunk_rows = chunk_rows;
      std::vector<std::byte> file;
      Writer writer = Writer::create(file, config).value();
      throw_if_error(writer.append(Rows(std::span<const float>(values), kDimension)));
      writer.finish().value();
      const std::vector<float> whole = Reader::create(file).value().read_all().value();

      const std::unique_ptr<Decoded> packed = pack_in_memory(compression, kDimension);
      std::vector<float> decoded;
      for (std::size_t row = 0; row < 2345; row += chunk_rows) {
        const std::size_t rows = std::min<std::size_t>(chunk_rows, 2345 - row);
        packed->begin(
            Rows(std::span<const float>(values).subspan(row * kDimension, rows * kDimension),
                 kDimension));
        std::vector<float> chunk(rows * kDimension);
        packed->read({0, rows}, chunk);
        decoded.insert(decoded.end(), chunk.begin(), chunk.end());
      }
      EXPECT_EQ(packed->finish(), file.size()) << name_of(compression) << " " << chunk_rows;
      EXPECT_EQ(decoded, whole);
    }
  }
}

TEST(Measurement, SamplesTheSameRowsForAll) {
  constexpr std::size_t kDimension = 3;
  constexpr std::size_t kRows = 1000;
  std::vector<float> values(kRows * kDimension);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  ThreadExecutor executor(3);
  std::vector<Candidate> candidates;
  candidates.push_back(candidate_of(Compression::kLossless, kDimension));
  candidates.push_back(candidate_of(Compression::kInt8, kDimension));
  Measurement measurement(std::move(candidates), "here", Dtype::kFloat32, kDimension, 50, executor);
  for (std::size_t row = 0; row < kRows; row += 250) {
    measurement.add(Rows(std::span<const float>(values).subspan(row * kDimension, 250 * kDimension),
                         kDimension));
  }
  measurement.finish();
  EXPECT_EQ(measurement.rows(), kRows);
  EXPECT_EQ(measurement.sample_rows(), 50u);
  const std::vector<float> original = measurement.original_sample();
  ASSERT_EQ(original.size(), 50 * kDimension);
  for (std::size_t i = 0; i < original.size(); i += kDimension) {
    EXPECT_EQ(std::fmod(original[i], 3), 0);
    EXPECT_EQ(original[i + 2], original[i] + 2);
  }
  EXPECT_EQ(measurement.sample_of(measurement.candidates()[0]), original);
  EXPECT_TRUE(measurement.candidates()[0].errors.figures().is_exact());
  const std::vector<float> reconstructed = measurement.sample_of(measurement.candidates()[1]);
  const double max_error = measurement.candidates()[1].errors.figures().max;
  EXPECT_NEAR(max_error, 750.0 / 255 / 2, 0.05);
  for (std::size_t i = 0; i < original.size(); ++i)
    EXPECT_NEAR(reconstructed[i], original[i], max_error);
}

std::string refusal_of(std::vector<double> values) {
  ThreadExecutor executor(1);
  Measurement measurement({}, "numbers.npy", Dtype::kFloat64, 2, 10, executor);
  try {
    measurement.add(Rows(std::span<const double>(values), 2));
  } catch (const Failed& failed) {
    return failed.place() + ": " + failed.what();
  }
  return "";
}

TEST(Measurement, RefusesNonfiniteValues) {
  EXPECT_EQ(refusal_of({1, 2, 3, 3.4e38}), "");
  EXPECT_THAT(refusal_of({1, 2, 3, std::nan("")}), HasSubstr("numbers.npy: row 1, value 1 is nan"));
  EXPECT_THAT(refusal_of({1, -HUGE_VAL, 3, 4}), HasSubstr("row 0, value 1 is -inf: not finite"));
  EXPECT_THAT(refusal_of({1, 2, 1e39, 4}), HasSubstr("row 1, value 0 is 1e+39: beyond float32"));
}

TEST(Measurement, SkipsCompressionsThatRefuseTheValues) {
  // int8 refuses a range beyond that of float32.
  const std::vector<float> values = {-3e38f, 3e38f};
  ThreadExecutor executor(1);
  std::vector<Candidate> candidates;
  candidates.push_back(candidate_of(Compression::kInt8, 1));
  candidates.push_back(candidate_of(Compression::kFp16, 1));
  Measurement measurement(std::move(candidates), "here", Dtype::kFloat32, 1, 10, executor);
  measurement.add(Rows(std::span<const float>(values), 1));
  measurement.add(Rows(std::span<const float>(values), 1));
  measurement.finish();
  EXPECT_NE(measurement.candidates()[0].unfit, "");
  EXPECT_EQ(measurement.candidates()[1].unfit, "");
  EXPECT_EQ(measurement.candidates()[1].errors.figures().overflows, 4u);
}

}  // namespace
}  // namespace numpact::cvc::quality
