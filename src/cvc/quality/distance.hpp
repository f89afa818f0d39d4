// SPDX-License-Identifier: Apache-2.0
// Computes distances between a few queries and many vectors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace numpact::cvc::quality {

// The terms that are summed over two vectors. Sums are float32: sequential over runs of 256 values,
// then over the runs. All functions here give the same bits on every processor. Smaller is nearer;
// nonfinite values count as infinity.
enum class Measure {
  kSquares,   // squares of differences
  kProducts,  // products, negated
};

inline constexpr std::size_t kPanelRows = 16;
inline constexpr std::size_t kTileQueries = 4;

// Vectors in panels of kPanelRows rows, whose values are stored by dimension. The last panel is
// padded with zeros.
class Panels {
 public:
  // `rows`: contiguous, row by row.
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

// Distances of kTileQueries contiguous vectors to the vectors of a panel: out[query * kPanelRows +
// row].
void tile_distances(Measure measure, const float* queries, const float* panel,
                    std::size_t dimension, float* out);

float distance(Measure measure, std::span<const float> a, std::span<const float> b);

}  // namespace numpact::cvc::quality
