// SPDX-License-Identifier: Apache-2.0
// Rounding with error feedback (noise shaping) for searches by inner product.
//
// An error e of a stored row changes its product with another row x by e.x, so e should be small in
// the directions of the rows. The expected squared change is e' M e, with M the mean of x x' over
// the rows. With the factorization M = U D U' (U upper triangular, ones on its diagonal), e' M e is
// the sum over dimensions i of D_i (e_i + sum over j < i of U_ji e_j)^2. Dimensions are rounded one
// after the other, each to the code that minimizes its term given the errors before it. In the
// quantization of neural networks this is known as LDLQ (Chee et al., 2023).
//
// Example with two dimensions that are nearly equal in all rows, so U_01 is about 1: if dimension 0
// was rounded up by 0.4, dimension 1 is rounded after subtracting 0.4, so that e_0 + e_1 stays
// small and the product with a row (x, x) hardly changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "cvc/compression/source.hpp"
#include "cvc/compression/steps.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Rows that are rounded at the same time; a multiple of the vector length of every target.
inline constexpr std::size_t kShapedRows = 32;

// A block of kShapedRows rows, dimension by dimension: value r of dimension i is at
// [i * kShapedRows + r]. Ranges belong to dimensions or rows (RangeAxis).
struct ShapedBlock {
  const float* values;
  const float* mins;    // one for each dimension or row
  const float* scales;  // likewise; an infinite scale gives code 0
  float* errors;        // output: decoded minus original value
  std::uint8_t* codes;  // output
  float max_code;
};

// Whether each row or each dimension has a range. The same axis decides about error feedback: rows
// or dimensions that are stored exactly, or whose codes are all 0, are rounded to nearest.
enum class RangeAxis : std::uint8_t { kRow, kDimension };

// The weights of error feedback between neighbouring dimensions [first, first + count): U_ji is at
// weights[i * count + j] for j < i, both counted from `first`.
struct Feedback {
  std::size_t first = 0;
  std::size_t count = 0;
  std::unique_ptr<float[]> weights;
};

// ---- loops, compiled for every instruction set; all give the same bits ----

// Adds x x' to the lower triangle of `moments` (n by n) for each of `count` rows x of n values.
// Rows are `stride` values apart.
void add_moments(const float* rows, std::size_t count, std::size_t stride, std::size_t n,
                 float* moments);
// Factors the lower triangle in place: below the diagonal, [i * n + j] becomes U_ji.
void factor_moments(float* moments, std::size_t n);
// Rounds a block. `has_feedback`: for each dimension or row 1 with error feedback, 0 without.
void round_shaped(const Feedback& feedback, RangeAxis ranges, const float* has_feedback,
                  const ShapedBlock& block);

// Rounds rows of a source with error feedback learned from a sample of its rows.
class Shaper {
 public:
  // `ranges`: of all dimensions or rows, depending on `scope`. `is_exact`: 1 for those that are
  // stored exactly. `max_code`: the largest code.
  Shaper(const Source& source, RangeAxis scope, std::span<const StepRange> ranges,
         std::span<const char> is_exact, unsigned max_code);

  // Whether `rounding` asks for error feedback with codes up to `max_code`, and there are enough
  // rows to learn from and dimensions to feed errors to.
  static bool applies(Rounding rounding, unsigned max_code, const Source& source);

  // Codes of rows [first, first + count), at most kShapedRows, row by row. Valid until the next
  // call.
  std::span<std::uint8_t> codes(std::size_t first, std::size_t count);

 private:
  void learn_feedback();
  void load_rows(std::uint64_t first, std::size_t count, float* out);
  void set_ranges(std::size_t first, std::size_t count);

  const Source& source_;
  RangeAxis scope_;
  std::span<const StepRange> ranges_;
  std::span<const char> is_exact_;
  float max_code_;
  std::size_t dimension_;
  std::vector<Feedback> feedback_;
  // Buffers for the current rows; ordered by dimension, except rows_ and codes_.
  std::vector<float> rows_;
  std::vector<float> values_;
  std::vector<float> errors_;
  std::vector<float> mins_;
  std::vector<float> scales_;
  std::vector<float> has_feedback_;
  std::vector<std::uint8_t> by_dimension_;
  std::vector<std::uint8_t> codes_;
};

}  // namespace numpact::cvc::internal
