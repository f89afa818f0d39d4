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
void AddMoments(const float* HWY_RESTRICT rows, std::size_t count, std::size_t stride,
                std::size_t n, float* HWY_RESTRICT moments) {
  const hn::ScalableTag<float> df;
  const std::size_t lanes = hn::Lanes(df);
  for (std::size_t i = 0; i < n; ++i) {
    float* const out = moments + i * n;
    std::size_t j = 0;
    for (; j + 2 * lanes <= i + 1; j += 2 * lanes) {
      auto a = hn::LoadU(df, out + j);
      auto b = hn::LoadU(df, out + j + lanes);
      for (std::size_t r = 0; r < count; ++r) {
        const float* const row = rows + r * stride;
        const auto own = hn::Set(df, row[i]);
        a = AddProduct(a, own, hn::LoadU(df, row + j));
        b = AddProduct(b, own, hn::LoadU(df, row + j + lanes));
      }
      hn::StoreU(a, df, out + j);
      hn::StoreU(b, df, out + j + lanes);
    }
    for (; j <= i; ++j) {
      float sum = out[j];
      for (std::size_t r = 0; r < count; ++r) {
        const float product = rows[r * stride + i] * rows[r * stride + j];
        sum += product;
      }
      out[j] = sum;
    }
  }
}

// Eliminates dimension i from those before it, from the last to the second (a Cholesky
// factorization from the lower right corner, without square roots). When i is eliminated, row i
// holds D_i U_ji; dividing by the pivot D_i leaves U_ji.
void FactorMoments(float* HWY_RESTRICT moments, std::size_t n) {
  const hn::ScalableTag<float> df;
  const std::size_t lanes = hn::Lanes(df);
  for (std::size_t i = n; i-- > 1;) {
    const float* HWY_RESTRICT const row = moments + i * n;
    const float pivot = row[i];
    for (std::size_t k = 0; k < i; ++k) {
      const float weight = row[k] / pivot;
      const auto weights = hn::Set(df, weight);
      float* HWY_RESTRICT const out = moments + k * n;
      std::size_t j = 0;
      for (; j + lanes <= k + 1; j += lanes) {
        const auto product = hn::Mul(weights, hn::LoadU(df, row + j));
        hn::StoreU(hn::Sub(hn::LoadU(df, out + j), product), df, out + j);
      }
      for (; j <= k; ++j) {
        const float product = weight * row[j];
        out[j] -= product;
      }
    }
    for (std::size_t k = 0; k < i; ++k) moments[i * n + k] /= pivot;
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
  for (std::size_t lane = 0; lane < kShapedRows; lane += lanes) {
    for (std::size_t i = 0; i < feedback.count; i += kDimsPerPass) {
      RoundDims<kRanges>(feedback, block, has_feedback, i,
                         std::min(kDimsPerPass, feedback.count - i), lane);
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
