// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/shaping.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/internal.hpp"
#include "cvc/compression/tiles.hpp"

namespace numpact::cvc::internal {
namespace {

// Codes of this size and above are rounded to nearest unless feedback is asked for. With 8 bits it
// finds .0011 (int8_dim) and .0015 (int8_row) more of the 10 nearest neighbours in the mean of
// eleven matrices of embeddings, with 4 bits .0150, for 17 times the time at 768 dimensions.
constexpr unsigned kFineMaxCode = 255;
// Sources of fewer rows are too small to learn the second moments from.
constexpr std::uint64_t kMinLearningRows = 32;
// Rows of the sample for second moments. More rows estimate them better and take longer.
constexpr std::uint64_t kMaxSampleRows = 2048;
// Rows whose products are added in one pass over the moments.
constexpr std::size_t kMomentRows = 64;
// Floats between these rows, so that rows of 2^k dimensions do not share the same sets of the
// caches.
constexpr std::size_t kRowPadding = 16;
// Errors are fed back within groups of dimensions of at most this size ...
constexpr std::size_t kMaxFeedbackDimensions = 1024;
// ... and smaller groups if all groups together would have more weights. Bounds time and memory.
constexpr std::size_t kMaxFeedbackWeights = std::size_t{1} << 22;
// Share of the mean second moment that is added to the moment of every dimension. It covers
// directions that the sample does not show, and keeps rounded values near the original ones. With
// less than a tenth, word vectors lose more neighbours than by rounding to nearest.
constexpr float kDampingRatio = 0.15f;

// Size of the groups: the fewest groups of about equal size.
std::size_t group_size(std::size_t dimension) {
  const std::size_t max_code =
      std::clamp<std::size_t>(kMaxFeedbackWeights / dimension, 16, kMaxFeedbackDimensions);
  const std::size_t groups = (dimension + max_code - 1) / max_code;
  return (dimension + groups - 1) / groups;
}

void add_damping(float* moments, std::size_t n) {
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += static_cast<double>(moments[i * n + i]);
  // If all values are 0, any positive number avoids a division by 0.
  const auto mean = static_cast<float>(trace / static_cast<double>(n));
  const float damping = mean > 0 ? kDampingRatio * mean : 1.0f;
  for (std::size_t i = 0; i < n; ++i) moments[i * n + i] += damping;
}

}  // namespace

bool Shaper::applies(Rounding rounding, unsigned max_code, const Source& source) {
  const bool is_asked_for = rounding == Rounding::kForSearch ||
                            (rounding == Rounding::kAutomatic && max_code < kFineMaxCode);
  return is_asked_for && source.rows() >= kMinLearningRows && source.dimension() >= 2;
}

Shaper::Shaper(const Source& source, RangeAxis scope, std::span<const StepRange> ranges,
               std::span<const char> is_exact, unsigned max_code)
    : source_(source),
      scope_(scope),
      ranges_(ranges),
      is_exact_(is_exact),
      max_code_(static_cast<float>(max_code)),
      dimension_(static_cast<std::size_t>(source.dimension())),
      rows_(kShapedRows * dimension_),
      values_(kShapedRows * dimension_),
      errors_(kShapedRows * dimension_),
      by_dimension_(kShapedRows * dimension_),
      codes_(kShapedRows * dimension_) {
  const std::size_t n = scope == RangeAxis::kRow ? kShapedRows : dimension_;
  mins_.resize(n);
  scales_.resize(n);
  has_feedback_.resize(n);
  learn_feedback();
  if (scope == RangeAxis::kDimension) set_ranges(0, dimension_);
}

// Computes the moments of a sample and factors them. Non-finite values count as 0. The first pass
// finds the largest magnitude, the second divides by it, so that squares do not overflow.
void Shaper::learn_feedback() {
  const std::size_t size = group_size(dimension_);
  for (std::size_t first = 0; first < dimension_; first += size) {
    const std::size_t count = std::min(size, dimension_ - first);
    feedback_.push_back({first, count, std::make_unique<float[]>(count * count)});
  }
  const std::uint64_t samples = std::min(source_.rows(), kMaxSampleRows);
  float largest = 0;
  const std::size_t stride = dimension_ + kRowPadding;
  std::vector<float> rows(kMomentRows * stride);
  for (const bool is_first_pass : {true, false}) {
    if (!is_first_pass && largest == 0) break;
    for (std::uint64_t i = 0; i < samples; i += kMomentRows) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kMomentRows, samples - i));
      for (std::size_t k = 0; k < n; ++k) {
        load_rows((i + k) * source_.rows() / samples, 1, &rows[k * stride]);
      }
      for (std::size_t k = 0; k < n * stride; ++k) {
        if (!std::isfinite(rows[k])) rows[k] = 0;
        if (is_first_pass) largest = std::max(largest, std::fabs(rows[k]));
        if (!is_first_pass) rows[k] /= largest;
      }
      if (is_first_pass) continue;
      for (const Feedback& group : feedback_) {
        add_moments(&rows[group.first], n, stride, group.count, group.weights.get());
      }
    }
  }
  for (const Feedback& group : feedback_) {
    add_damping(group.weights.get(), group.count);
    factor_moments(group.weights.get(), group.count);
  }
}

void Shaper::load_rows(std::uint64_t first, std::size_t count, float* out) {
  for (std::size_t at = 0; at < count * dimension_; at += kBlockValues) {
    const std::size_t n = std::min(kBlockValues, count * dimension_ - at);
    const float* const values = source_.floats(first * dimension_ + at, n, out + at);
    if (values != out + at) std::memcpy(out + at, values, 4 * n);
  }
}

void Shaper::set_ranges(std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const StepRange& range = ranges_[first + i];
    const bool all_codes_zero = range.all_codes_zero();
    mins_[i] = all_codes_zero ? 0.0f : range.min;
    scales_[i] = all_codes_zero ? HUGE_VALF : range.scale;
    has_feedback_[i] = all_codes_zero || is_exact_[first + i] != 0 ? 0.0f : 1.0f;
  }
}

std::span<std::uint8_t> Shaper::codes(std::size_t first, std::size_t count) {
  load_rows(first, count, rows_.data());
  std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(count * dimension_), rows_.end(), 0.0f);
  deinterleave(reinterpret_cast<const std::byte*>(rows_.data()), 4 * dimension_, dimension_,
               kShapedRows, 4, reinterpret_cast<std::byte*>(values_.data()), 4 * kShapedRows);
  if (scope_ == RangeAxis::kRow) set_ranges(first, count);
  for (const Feedback& group : feedback_) {
    const std::size_t at = group.first * kShapedRows;
    const std::size_t range = scope_ == RangeAxis::kRow ? 0 : group.first;
    round_shaped(group, scope_, &has_feedback_[range],
                 {&values_[at], &mins_[range], &scales_[range], &errors_[at], &by_dimension_[at],
                  max_code_});
  }
  interleave(reinterpret_cast<const std::byte*>(by_dimension_.data()), kShapedRows, dimension_,
             kShapedRows, 1, reinterpret_cast<std::byte*>(codes_.data()), dimension_);
  if (scope_ == RangeAxis::kRow) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!ranges_[first + i].is_finite()) std::memset(&codes_[i * dimension_], 0, dimension_);
    }
  }
  return codes_;
}

}  // namespace numpact::cvc::internal
