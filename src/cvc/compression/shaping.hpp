// SPDX-License-Identifier: Apache-2.0
// Codes whose errors make up for each other where it matters to a search.
//
// An error e of a stored row shifts its product with another row x by e.x, so that e should be
// small in the directions of the rows: e' M e, with M the mean of x x' over them. M is taken apart
// as U D U' (U upper triangular, ones on its diagonal), so that e' M e is the sum over dimensions i
// of D_i (e_i + sum over j < i of U_ji e_j)^2. Dimension after dimension, the value that is rounded
// is what makes its term least, given the errors before. Known from the compression of networks as
// LDLQ (Chee and others, 2023).
#ifndef NUMPACT_CVC_COMPRESSION_SHAPING_HPP
#define NUMPACT_CVC_COMPRESSION_SHAPING_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cvc/compression/source.hpp"
#include "cvc/compression/steps.hpp"

namespace numpact::cvc {

// Rows that are rounded at the same time.
inline constexpr std::size_t kShapedRows = 32;

// For each value of kShapedRows rows, dimension by dimension.
struct ShapedBlock {
  const float* values;
  const float* mins;    // of the dimension, or of each row
  const float* scales;  // likewise; infinite: code 0
  float* errors;        // of codes
  std::uint8_t* codes;
  float most;
};

// Which range a value has, and whether it takes part: those that are kept as they are, or cannot
// be, are rounded by themselves.
enum class RangeOf : std::uint8_t { kRow, kDimension };

// What neighbouring dimensions [first, first + count) weigh upon each other: U_ji at
// weights[i * count + j] for j < i, counted from the first.
struct Feedback {
  std::size_t first = 0;
  std::size_t count = 0;
  std::unique_ptr<float[]> weights;
};

// ---- loops, for every instruction set; results are the same bits on all ----

// Adds to the lower triangle of `moments` (n by n) the products of rows of n values that are
// `stride` values apart.
void add_moments(const float* rows, std::size_t count, std::size_t stride, std::size_t n,
                 float* moments);
// The lower triangle, in place: below the diagonal becomes U_ji at [i * n + j].
void factor_moments(float* moments, std::size_t n);
// `takes_part`: 1 or 0 for each dimension, or row.
void round_shaped(const Feedback& feedback, RangeOf ranges, const float* takes_part,
                  const ShapedBlock& block);

// Rounds rows of a source.
class Shaper {
 public:
  // Ranges of dimensions or rows, all of them; flat ones have the code 0.
  Shaper(const Source& source, RangeOf scope, std::span<const StepRange> ranges,
         std::span<const char> is_kept, unsigned most);

  // Whether there is enough to learn from, and anything to gain.
  static bool is_worth_it(const Source& source);

  // Codes of rows [first, first + count), at most kShapedRows, row by row.
  std::span<std::uint8_t> codes(std::size_t first, std::size_t count);

 private:
  void learn();
  void take_rows(std::uint64_t first, std::size_t count, float* out);
  void set_ranges(std::size_t first, std::size_t count);

  const Source& source_;
  RangeOf scope_;
  std::span<const StepRange> ranges_;
  std::span<const char> is_kept_;
  float most_;
  std::size_t dimension_;
  std::vector<Feedback> feedback_;
  // Of the rows at hand; by dimension but for the first and the last.
  std::vector<float> rows_;
  std::vector<float> values_;
  std::vector<float> errors_;
  std::vector<float> mins_;
  std::vector<float> scales_;
  std::vector<float> takes_part_;
  std::vector<std::uint8_t> by_dimension_;
  std::vector<std::uint8_t> codes_;
};

}  // namespace numpact::cvc

#endif
