// SPDX-License-Identifier: Apache-2.0
// The loops of shaping.hpp, compiled for every target. Sums go over the same numbers in the same
// order however long vectors are, without fused multiply-adds.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/shaping_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "cvc/compression/shaping.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact::cvc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kShapedRows>;

// a + b * c, rounded twice.
template <class V>
HWY_INLINE V AddProduct(V a, V b, V c) {
  return hn::Add(a, hn::Mul(b, c));
}

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

// Dimensions whose sums over those before are made together.
constexpr std::size_t kDimsTogether = 8;
using Vector = hn::Vec<DF>;

// One vector of rows, one dimension: `sum` is what the errors before weigh upon it.
template <RangeOf kRanges>
HWY_INLINE Vector RoundOne(const ShapedBlock& block, const float* takes_part, std::size_t i,
                           std::size_t lane, Vector sum) {
  const DF df;
  const hn::Rebind<std::uint8_t, DF> d8;
  const std::size_t at = i * kShapedRows + lane;
  const auto of = [&](const float* values) HWY_ATTR {
    if constexpr (kRanges == RangeOf::kRow) {
      return hn::LoadU(df, values + lane);
    } else {
      return hn::Set(df, values[i]);
    }
  };
  const auto value = hn::LoadU(df, block.values + at);
  const auto min = of(block.mins);
  const auto scale = of(block.scales);
  const auto part = of(takes_part);
  const auto wanted = hn::Sub(value, hn::Mul(sum, part));
  const auto steps = hn::Div(hn::Sub(wanted, min), scale);
  const auto within = hn::Min(hn::Max(steps, hn::Zero(df)), hn::Set(df, block.most));
  const auto code = hn::NearestInt(within);
  hn::StoreU(hn::DemoteTo(d8, code), d8, block.codes + at);
  const auto stored = hn::Add(hn::Mul(hn::ConvertTo(df, code), scale), min);
  const auto is_part = hn::Ne(part, hn::Zero(df));
  const auto error = hn::IfThenElseZero(is_part, hn::Sub(stored, value));
  hn::StoreU(error, df, block.errors + at);
  return error;
}

// Dimensions [i, i + kDimsTogether) of one vector of rows.
template <RangeOf kRanges>
HWY_INLINE void RoundSome(const Feedback& feedback, const ShapedBlock& block,
                          const float* takes_part, std::size_t i, std::size_t n, std::size_t lane) {
  const DF df;
  const float* const weights = feedback.weights.get() + i * feedback.count;
  const float* const errors = block.errors + lane;
  Vector sums[kDimsTogether];
  for (std::size_t k = 0; k < kDimsTogether; ++k) sums[k] = hn::Zero(df);
  if (n == kDimsTogether) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto error = hn::LoadU(df, errors + j * kShapedRows);
      for (std::size_t k = 0; k < kDimsTogether; ++k) {
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
    const auto error = RoundOne<kRanges>(block, takes_part, i + k, lane, sums[k]);
    for (std::size_t later = k + 1; later < n; ++later) {
      const auto weight = hn::Set(df, weights[later * feedback.count + i + k]);
      sums[later] = AddProduct(sums[later], weight, error);
    }
  }
}

template <RangeOf kRanges>
void RoundRows(const Feedback& feedback, const float* takes_part, const ShapedBlock& block) {
  const std::size_t lanes = hn::Lanes(DF());
  for (std::size_t lane = 0; lane < kShapedRows; lane += lanes) {
    for (std::size_t i = 0; i < feedback.count; i += kDimsTogether) {
      RoundSome<kRanges>(feedback, block, takes_part, i,
                         std::min(kDimsTogether, feedback.count - i), lane);
    }
  }
}

void RoundShaped(const Feedback& feedback, RangeOf ranges, const float* takes_part,
                 const ShapedBlock& block) {
  if (ranges == RangeOf::kRow) {
    RoundRows<RangeOf::kRow>(feedback, takes_part, block);
  } else {
    RoundRows<RangeOf::kDimension>(feedback, takes_part, block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc {

NUMPACT_EXPORT(AddMoments);
NUMPACT_EXPORT(FactorMoments);
NUMPACT_EXPORT(RoundShaped);

void add_moments(const float* rows, std::size_t count, std::size_t stride, std::size_t n,
                 float* moments) {
  NUMPACT_DISPATCH(AddMoments)(rows, count, stride, n, moments);
}

void factor_moments(float* moments, std::size_t n) { NUMPACT_DISPATCH(FactorMoments)(moments, n); }

void round_shaped(const Feedback& feedback, RangeOf ranges, const float* takes_part,
                  const ShapedBlock& block) {
  NUMPACT_DISPATCH(RoundShaped)(feedback, ranges, takes_part, block);
}

}  // namespace numpact::cvc

#endif
