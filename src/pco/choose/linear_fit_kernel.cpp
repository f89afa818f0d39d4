// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/linear_fit_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/choose/linear_fit_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Of the lags from `lag` on, as many as kVectors vectors have lanes, which belong to descending
// lags: those are ascending in memory.
template <std::size_t kVectors>
void SumLanes(const double* HWY_RESTRICT values, std::size_t n, std::size_t most_lag,
              std::size_t lag, double* HWY_RESTRICT sums) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  hn::Vec<decltype(d)> totals[kVectors];
  for (auto& total : totals) total = hn::Zero(d);
  const std::size_t back = lag + kVectors * kLanes - 1;
  for (std::size_t i = most_lag; i < n; ++i) {
    const double* const earlier = values + (i - back);
    const auto value = hn::Set(d, values[i]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto product = hn::Mul(value, hn::LoadU(d, earlier + v * kLanes));
      totals[v] = hn::Add(totals[v], product);
    }
  }
  HWY_ALIGN double descending[kVectors * kLanes];
  for (std::size_t v = 0; v < kVectors; ++v) hn::Store(totals[v], d, descending + v * kLanes);
  for (std::size_t k = 0; k < kVectors * kLanes; ++k) {
    sums[lag + k] = descending[kVectors * kLanes - 1 - k];
  }
}

// Returns the first lag that is left.
HWY_INLINE std::size_t SumMost(const double* values, std::size_t n, std::size_t most_lag,
                               double* sums) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<double>());
  std::size_t lag = 0;
  for (; lag + 4 * kLanes <= most_lag + 1; lag += 4 * kLanes) {
    SumLanes<4>(values, n, most_lag, lag, sums);
  }
  for (; lag + kLanes <= most_lag + 1; lag += kLanes) SumLanes<1>(values, n, most_lag, lag, sums);
  return lag;
}

#else

std::size_t SumMost(const double*, std::size_t, std::size_t, double*) { return 0; }

#endif

void LagSums(const double* values, std::size_t n, std::size_t most_lag, double* sums) {
  const std::size_t left = SumMost(values, n, most_lag, sums);
  for (std::size_t lag = left; lag <= most_lag; ++lag) sums[lag] = 0;
  if (left > most_lag) return;
  for (std::size_t i = most_lag; i < n; ++i) {
    for (std::size_t lag = left; lag <= most_lag; ++lag) sums[lag] += values[i] * values[i - lag];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

HWY_EXPORT(LagSums);

void lag_sums(const double* values, std::size_t n, std::size_t most_lag, double* sums) {
  NUMPACT_DISPATCH(LagSums)(values, n, most_lag, sums);
}

}  // namespace numpact
#endif
