// SPDX-License-Identifier: Apache-2.0
// The loops of shaping.hpp, compiled for every target. Each sum adds the same numbers in the same
// order for every vector length, without fused multiply-adds, so all targets give the same bits.
#include "base/internal.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/shaping_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "cvc/compression/shaping.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kShapedRows>;

// a + b * c with two roundings.
template <class V>
HWY_INLINE V AddProduct(V a, V b, V c) {
  return hn::Add(a, hn::Mul(b, c));
}

// Each entry of the triangle is loaded once and the products of all rows are added to it in order.
// Column by column of a few vectors, whose values of all rows stay in the first-level cache.
void AddMoments(const float* HWY_RESTRICT rows, std::size_t count, std::size_t stride,
                std::size_t n, float* HWY_RESTRICT moments) {
  const hn::ScalableTag<float> df;
  const std::size_t lanes = hn::Lanes(df);
  for (std::size_t j = 0; j < n; j += 4 * lanes) {
    for (std::size_t i = j; i < n; ++i) {
      float* const out = moments + i * n + j;
      if (i + 1 - j < 4 * lanes) {
        for (std::size_t k = 0; k <= i - j; ++k) {
          for (std::size_t r = 0; r < count; ++r) {
            const float product = rows[r * stride + i] * rows[r * stride + j + k];
            out[k] += product;
          }
        }
        continue;
      }
      auto a = hn::LoadU(df, out);
      auto b = hn::LoadU(df, out + lanes);
      auto c = hn::LoadU(df, out + 2 * lanes);
      auto d = hn::LoadU(df, out + 3 * lanes);
      for (std::size_t r = 0; r < count; ++r) {
        const float* const row = rows + r * stride + j;
        const auto own = hn::Set(df, rows[r * stride + i]);
        a = AddProduct(a, own, hn::LoadU(df, row));
        b = AddProduct(b, own, hn::LoadU(df, row + lanes));
        c = AddProduct(c, own, hn::LoadU(df, row + 2 * lanes));
        d = AddProduct(d, own, hn::LoadU(df, row + 3 * lanes));
      }
      hn::StoreU(a, df, out);
      hn::StoreU(b, df, out + lanes);
      hn::StoreU(c, df, out + 2 * lanes);
      hn::StoreU(d, df, out + 3 * lanes);
    }
  }
}

// Pivots that are eliminated together from the rows before them: these are loaded and stored once
// for all. 16 rows of 1,024 values fit a first-level cache of 64 KiB, and mostly one of 32.
constexpr std::size_t kPivots = 16;

// Subtracts from out[0, n) the products of `count` rows with their weights, one row after the
// other. Row r begins at rows - r * stride.
void SubtractRows(const float* HWY_RESTRICT rows, std::size_t stride,
                  const float* HWY_RESTRICT weights, std::size_t count, std::size_t n,
                  float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const std::size_t lanes = hn::Lanes(df);
  std::size_t j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) {
    auto a = hn::LoadU(df, out + j);
    auto b = hn::LoadU(df, out + j + lanes);
    auto c = hn::LoadU(df, out + j + 2 * lanes);
    auto d = hn::LoadU(df, out + j + 3 * lanes);
    const float* row = rows + j;
    for (std::size_t r = 0; r < count; ++r, row -= stride) {
      const auto weight = hn::Set(df, weights[r]);
      a = hn::Sub(a, hn::Mul(weight, hn::LoadU(df, row)));
      b = hn::Sub(b, hn::Mul(weight, hn::LoadU(df, row + lanes)));
      c = hn::Sub(c, hn::Mul(weight, hn::LoadU(df, row + 2 * lanes)));
      d = hn::Sub(d, hn::Mul(weight, hn::LoadU(df, row + 3 * lanes)));
    }
    hn::StoreU(a, df, out + j);
    hn::StoreU(b, df, out + j + lanes);
    hn::StoreU(c, df, out + j + 2 * lanes);
    hn::StoreU(d, df, out + j + 3 * lanes);
  }
  for (; j < n; ++j) {
    float left = out[j];
    for (std::size_t r = 0; r < count; ++r) {
      const float product = weights[r] * *(rows + j - r * stride);
      left -= product;
    }
    out[j] = left;
  }
}

// Eliminates dimension i from those before it, from the last to the second (a Cholesky
// factorization from the lower right corner, without square roots). When i is eliminated, row i
// holds D_i U_ji; dividing by the pivot D_i leaves U_ji. The last kPivots dimensions are eliminated
// from each other first, then all of them from the rows before: every entry is changed in the same
// order as one dimension after the other would.
void FactorMoments(float* HWY_RESTRICT moments, std::size_t n) {
  for (std::size_t end = n; end > 0;) {
    const std::size_t count = std::min(kPivots, end);
    const std::size_t begin = end - count;
    const float* const last = moments + (end - 1) * n;
    for (std::size_t k = end; k-- > 0;) {
      // Row k, by the pivots of the block behind it: end - 1, end - 2, ...
      const std::size_t pivots = std::min(count, end - 1 - k);
      float weights[kPivots];
      for (std::size_t r = 0; r < pivots; ++r) {
        const float* const row = last - r * n;
        weights[r] = row[k] / row[end - 1 - r];
      }
      SubtractRows(last, n, weights, pivots, k + 1, moments + k * n);
    }
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < i; ++k) moments[i * n + k] /= moments[i * n + i];
    }
    end = begin;
  }
}

// Dimensions whose sums over the errors before them are computed together: an error is loaded once
// for all of them, and their sums stay in registers.
constexpr std::size_t kDimsPerPass = 8;
using Vector = hn::Vec<DF>;

// Rounds dimension i of one vector of rows. `sum` is the weighted sum of the errors before it; it
// is subtracted from the value before rounding. Returns the error, 0 without feedback.
template <RangeAxis kRanges>
HWY_INLINE Vector RoundDim(const ShapedBlock& block, const float* has_feedback, std::size_t i,
                           std::size_t lane, Vector sum) {
  const DF df;
  const hn::Rebind<std::uint8_t, DF> d8;
  const std::size_t at = i * kShapedRows + lane;
  const auto of = [&](const float* values) HWY_ATTR {
    if constexpr (kRanges == RangeAxis::kRow) {
      return hn::LoadU(df, values + lane);
    } else {
      return hn::Set(df, values[i]);
    }
  };
  const auto value = hn::LoadU(df, block.values + at);
  const auto min = of(block.mins);
  const auto scale = of(block.scales);
  const auto feedback_factor = of(has_feedback);
  const auto target = hn::Sub(value, hn::Mul(sum, feedback_factor));
  const auto steps = hn::Div(hn::Sub(target, min), scale);
  const auto clamped = hn::Min(hn::Max(steps, hn::Zero(df)), hn::Set(df, block.max_code));
  const auto code = hn::NearestInt(clamped);
  hn::StoreU(hn::DemoteTo(d8, code), d8, block.codes + at);
  const auto stored = hn::Add(hn::Mul(hn::ConvertTo(df, code), scale), min);
  const auto has_feedback_here = hn::Ne(feedback_factor, hn::Zero(df));
  const auto error = hn::IfThenElseZero(has_feedback_here, hn::Sub(stored, value));
  hn::StoreU(error, df, block.errors + at);
  return error;
}

// Rounds dimensions [i, i + n) of one vector of rows, n at most kDimsPerPass. First the errors of
// dimensions before i are summed up for all of them; then each is rounded, and its error is added
// to the sums of the later ones.
template <RangeAxis kRanges>
HWY_INLINE void RoundDims(const Feedback& feedback, const ShapedBlock& block,
                          const float* has_feedback, std::size_t i, std::size_t n,
                          std::size_t lane) {
  const DF df;
  const float* const weights = feedback.weights.get() + i * feedback.count;
  const float* const errors = block.errors + lane;
  Vector sums[kDimsPerPass];
  for (std::size_t k = 0; k < kDimsPerPass; ++k) sums[k] = hn::Zero(df);
  if (n == kDimsPerPass) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto error = hn::LoadU(df, errors + j * kShapedRows);
      for (std::size_t k = 0; k < kDimsPerPass; ++k) {
        sums[k] = AddProduct(sums[k], hn::Set(df, weights[k * feedback.count + j]), error);
      }
    }
  } else {
    for (std::size_t j = 0; j < i; ++j) {
      const auto error = hn::LoadU(df, errors + j * kShapedRows);
      for (std::size_t k = 0; k < n; ++k) {
        sums[k] = AddProduct(sums[k], hn::Set(df, weights[k * feedback.count + j]), error);
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto error = RoundDim<kRanges>(block, has_feedback, i + k, lane, sums[k]);
    for (std::size_t later = k + 1; later < n; ++later) {
      const auto weight = hn::Set(df, weights[later * feedback.count + i + k]);
      sums[later] = AddProduct(sums[later], weight, error);
    }
  }
}

template <RangeAxis kRanges>
void RoundRows(const Feedback& feedback, const float* has_feedback, const ShapedBlock& block) {
  const std::size_t lanes = hn::Lanes(DF());
  // Dimensions outside: the weights of a pass come from the caches for all rows but the first ones.
  for (std::size_t i = 0; i < feedback.count; i += kDimsPerPass) {
    const std::size_t n = std::min(kDimsPerPass, feedback.count - i);
    for (std::size_t lane = 0; lane < kShapedRows; lane += lanes) {
      RoundDims<kRanges>(feedback, block, has_feedback, i, n, lane);
    }
  }
}

void RoundShaped(const Feedback& feedback, RangeAxis ranges, const float* has_feedback,
                 const ShapedBlock& block) {
  if (ranges == RangeAxis::kRow) {
    RoundRows<RangeAxis::kRow>(feedback, has_feedback, block);
  } else {
    RoundRows<RangeAxis::kDimension>(feedback, has_feedback, block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc::internal {

NUMPACT_EXPORT_VECTOR(AddMoments);
NUMPACT_EXPORT_VECTOR(FactorMoments);
NUMPACT_EXPORT_VECTOR(RoundShaped);

void add_moments(const float* rows, std::size_t count, std::size_t stride, std::size_t n,
                 float* moments) {
  NUMPACT_DISPATCH(AddMoments)(rows, count, stride, n, moments);
}

void factor_moments(float* moments, std::size_t n) { NUMPACT_DISPATCH(FactorMoments)(moments, n); }

void round_shaped(const Feedback& feedback, RangeAxis ranges, const float* has_feedback,
                  const ShapedBlock& block) {
  NUMPACT_DISPATCH(RoundShaped)(feedback, ranges, has_feedback, block);
}

}  // namespace numpact::cvc::internal

#endif
