// SPDX-License-Identifier: Apache-2.0
// Distances of a few vectors to many.
#ifndef NUMPACT_CLI_CVC_QUALITY_DISTANCE_HPP
#define NUMPACT_CLI_CVC_QUALITY_DISTANCE_HPP

#include <cstddef>
#include <span>
#include <vector>

namespace numpact::cli {

// What is summed over the values of two vectors. Sums are float32 over runs of 256 values, one
// value after the other, then over the runs: the same bits on every processor and from every
// function here. The smaller, the nearer; what is not finite is infinity.
enum class Measure {
  kSquares,   // squares of differences
  kProducts,  // products, negated
};

inline constexpr std::size_t kPanelRows = 16;
inline constexpr std::size_t kTileQueries = 4;

// Vectors, cut into panels of kPanelRows whose values stand by dimension. The last is filled up
// with zeros.
class Panels {
 public:
  // `rows`: row by row, without gaps.
  Panels(std::span<const float> rows, std::size_t dimension);

  std::size_t rows() const { return rows_; }
  std::size_t dimension() const { return dimension_; }
  std::size_t panels() const { return (rows_ + kPanelRows - 1) / kPanelRows; }
  const float* panel(std::size_t index) const {
    return values_.data() + index * kPanelRows * dimension_;
  }

 private:
  std::size_t rows_;
  std::size_t dimension_;
  std::vector<float> values_;
};

// Of kTileQueries vectors without gaps to the vectors of a panel: out[query * kPanelRows + row].
void tile_distances(Measure measure, const float* queries, const float* panel,
                    std::size_t dimension, float* out);

float distance(Measure measure, std::span<const float> a, std::span<const float> b);

}  // namespace numpact::cli

#endif
