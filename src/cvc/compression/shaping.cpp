// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/shaping.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cvc/compression/tiles.hpp"

namespace numpact::cvc {
namespace {

constexpr std::uint64_t kFewRows = 32;  // too few to learn from
constexpr std::uint64_t kSampleRows = 2048;
constexpr std::size_t kMomentRows = 16;  // that are added together
// Dimensions that weigh upon each other, at most; and weights of all groups.
constexpr std::size_t kMostDimensions = 1024;
constexpr std::size_t kMostWeights = std::size_t{1} << 22;
// Part of the mean moment that every dimension has besides: against what a sample leaves open, and
// so that single values do not stray far.
constexpr float kDamping = 0.03f;

std::size_t group_of(std::size_t dimension) {
  const std::size_t most = std::clamp<std::size_t>(kMostWeights / dimension, 16, kMostDimensions);
  const std::size_t groups = (dimension + most - 1) / most;
  return (dimension + groups - 1) / groups;
}

void add_damping(float* moments, std::size_t n) {
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += static_cast<double>(moments[i * n + i]);
  // Where all values are 0 any number will do.
  const auto mean = static_cast<float>(trace / static_cast<double>(n));
  const float damping = mean > 0 ? kDamping * mean : 1.0f;
  for (std::size_t i = 0; i < n; ++i) moments[i * n + i] += damping;
}

}  // namespace

bool Shaper::is_worth_it(const Source& source) {
  return source.rows() >= kFewRows && source.dimension() >= 2;
}

Shaper::Shaper(const Source& source, RangeOf scope, std::span<const StepRange> ranges,
               std::span<const char> is_kept, unsigned most)
    : source_(source),
      scope_(scope),
      ranges_(ranges),
      is_kept_(is_kept),
      most_(static_cast<float>(most)),
      dimension_(static_cast<std::size_t>(source.dimension())),
      rows_(kShapedRows * dimension_),
      values_(kShapedRows * dimension_),
      errors_(kShapedRows * dimension_),
      by_dimension_(kShapedRows * dimension_),
      codes_(kShapedRows * dimension_) {
  const std::size_t n = scope == RangeOf::kRow ? kShapedRows : dimension_;
  mins_.resize(n);
  scales_.resize(n);
  takes_part_.resize(n);
  learn();
  if (scope == RangeOf::kDimension) set_ranges(0, dimension_);
}

// Values that are not finite count as 0; others are made small enough for their squares.
void Shaper::learn() {
  const std::size_t group = group_of(dimension_);
  for (std::size_t first = 0; first < dimension_; first += group) {
    const std::size_t count = std::min(group, dimension_ - first);
    feedback_.push_back({first, count, std::make_unique<float[]>(count * count)});
  }
  const std::uint64_t samples = std::min(source_.rows(), kSampleRows);
  float largest = 0;
  std::vector<float> rows(kMomentRows * dimension_);
  for (const bool is_first_pass : {true, false}) {
    if (!is_first_pass && largest == 0) break;
    for (std::uint64_t i = 0; i < samples; i += kMomentRows) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kMomentRows, samples - i));
      for (std::size_t k = 0; k < n; ++k) {
        take_rows((i + k) * source_.rows() / samples, 1, &rows[k * dimension_]);
      }
      for (std::size_t k = 0; k < n * dimension_; ++k) {
        if (!std::isfinite(rows[k])) rows[k] = 0;
        if (is_first_pass) largest = std::max(largest, std::fabs(rows[k]));
        if (!is_first_pass) rows[k] /= largest;
      }
      if (is_first_pass) continue;
      for (const Feedback& some : feedback_) {
        add_moments(&rows[some.first], n, dimension_, some.count, some.weights.get());
      }
    }
  }
  for (const Feedback& some : feedback_) {
    add_damping(some.weights.get(), some.count);
    factor_moments(some.weights.get(), some.count);
  }
}

void Shaper::take_rows(std::uint64_t first, std::size_t count, float* out) {
  for (std::size_t at = 0; at < count * dimension_; at += kBlockValues) {
    const std::size_t n = std::min(kBlockValues, count * dimension_ - at);
    const float* const values = source_.floats(first * dimension_ + at, n, out + at);
    if (values != out + at) std::memcpy(out + at, values, 4 * n);
  }
}

void Shaper::set_ranges(std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const StepRange& range = ranges_[first + i];
    const bool is_flat = range.is_flat();
    mins_[i] = is_flat ? 0.0f : range.min;
    scales_[i] = is_flat ? HUGE_VALF : range.scale;
    takes_part_[i] = is_flat || is_kept_[first + i] != 0 ? 0.0f : 1.0f;
  }
}

std::span<std::uint8_t> Shaper::codes(std::size_t first, std::size_t count) {
  take_rows(first, count, rows_.data());
  std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(count * dimension_), rows_.end(), 0.0f);
  separate(reinterpret_cast<const std::byte*>(rows_.data()), 4 * dimension_, dimension_,
           kShapedRows, 4, reinterpret_cast<std::byte*>(values_.data()), 4 * kShapedRows);
  if (scope_ == RangeOf::kRow) set_ranges(first, count);
  for (const Feedback& some : feedback_) {
    const std::size_t at = some.first * kShapedRows;
    const std::size_t range = scope_ == RangeOf::kRow ? 0 : some.first;
    round_shaped(
        some, scope_, &takes_part_[range],
        {&values_[at], &mins_[range], &scales_[range], &errors_[at], &by_dimension_[at], most_});
  }
  interleave(reinterpret_cast<const std::byte*>(by_dimension_.data()), kShapedRows, dimension_,
             kShapedRows, 1, reinterpret_cast<std::byte*>(codes_.data()), dimension_);
  if (scope_ == RangeOf::kRow) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!ranges_[first + i].is_finite()) std::memset(&codes_[i * dimension_], 0, dimension_);
    }
  }
  return codes_;
}

}  // namespace numpact::cvc
