// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/conv1/equations_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/encode/conv1/equations_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Sums the products for as many lags from `lag` on as kVectors vectors have lanes. Vectors hold the
// values of descending lags, which ascend in memory:
//
//   lane       0              1                  ...  last
//   value      x[i - back]    x[i - back + 1]    ...  x[i - lag]      back = lag + lanes - 1
template <std::size_t kVectors>
void SumLanes(const double* HWY_RESTRICT values, std::size_t n, std::size_t max_lag,
              std::size_t lag, double* HWY_RESTRICT sums) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  hn::Vec<decltype(d)> totals[kVectors];
  for (auto& total : totals) total = hn::Zero(d);
  const std::size_t back = lag + kVectors * kLanes - 1;
  for (std::size_t i = max_lag; i < n; ++i) {
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

// Sums whole vectors of lags. Returns the first lag that remains.
HWY_INLINE std::size_t SumWholeVectors(const double* values, std::size_t n, std::size_t max_lag,
                                       double* sums) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<double>());
  std::size_t lag = 0;
  for (; lag + 4 * kLanes <= max_lag + 1; lag += 4 * kLanes) {
    SumLanes<4>(values, n, max_lag, lag, sums);
  }
  for (; lag + kLanes <= max_lag + 1; lag += kLanes) SumLanes<1>(values, n, max_lag, lag, sums);
  return lag;
}

// Adds to a tile of the lower triangle: kRows rows from j on, in each the columns from k on up to
// the diagonal.
template <std::size_t kRows, std::size_t kVectors>
void AddTile(const WeightedValues& values, unsigned j, unsigned k, LagProducts& products) {
  const hn::ScalableTag<double> d;
  constexpr unsigned kLanes = hn::MaxLanes(d);
  // Columns of a tile, in whole vectors.
  constexpr unsigned kColumns = kVectors * kLanes;
  // Columns in descending order of lags, as in memory.
  HWY_ALIGN double sums[kRows][kColumns];
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned c = 0; c < kColumns; ++c) {
      sums[row][kColumns - 1 - c] = k + c <= j + row ? products[j + row][k + c] : 0;
    }
  }
  hn::Vec<decltype(d)> totals[kRows][kVectors];
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned v = 0; v < kVectors; ++v) {
      totals[row][v] = hn::Load(d, sums[row] + v * kLanes);
    }
  }
  for (std::size_t i = 0; i < values.n; ++i) {
    const double* const at = values.values + i;
    const double* const earlier = at - (k + kColumns - 1);
    const auto importance = hn::Set(d, values.importances[i]);
    for (unsigned row = 0; row < kRows; ++row) {
      const auto weighted = hn::Mul(importance, hn::Set(d, *(at - (j + row))));
      for (unsigned v = 0; v < kVectors; ++v) {
        const auto product = hn::Mul(weighted, hn::LoadU(d, earlier + v * kLanes));
        totals[row][v] = hn::Add(totals[row][v], product);
      }
    }
  }
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned v = 0; v < kVectors; ++v) {
      hn::Store(totals[row][v], d, sums[row] + v * kLanes);
    }
    for (unsigned c = 0; c < kColumns && k + c <= j + row; ++c) {
      products[j + row][k + c] = sums[row][kColumns - 1 - c];
    }
  }
}

template <std::size_t kRows>
void AddRows(const WeightedValues& values, unsigned j, LagProducts& products) {
  constexpr unsigned kLanes = hn::MaxLanes(hn::ScalableTag<double>());
  static_assert(kMaxLags + kLanes <= kLagPad);
  const unsigned columns = j + kRows;
  unsigned k = 0;
  for (; k + 3 * kLanes < columns; k += 4 * kLanes) AddTile<kRows, 4>(values, j, k, products);
  if (k + 2 * kLanes < columns) return AddTile<kRows, 3>(values, j, k, products);
  if (k + kLanes < columns) return AddTile<kRows, 2>(values, j, k, products);
  if (k < columns) AddTile<kRows, 1>(values, j, k, products);
}

void AddProducts(const WeightedValues& values, unsigned order, LagProducts& products) {
  unsigned j = 0;
  for (; j + 1 <= order; j += 2) AddRows<2>(values, j, products);
  if (j <= order) AddRows<1>(values, j, products);
}

// Computes whole vectors of errors. Returns the first error that remains.
HWY_INLINE std::size_t WholeVectorErrors(const double* values, std::size_t n, const double* weights,
                                         unsigned order, double* HWY_RESTRICT errors) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  // Vectors whose sums are in registers at the same time, to hide the latency of additions.
  constexpr std::size_t kVectors = 4;
  std::size_t i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    const double* const at = values + i;
    hn::Vec<decltype(d)> left[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) left[v] = hn::LoadU(d, at + v * kLanes);
    for (unsigned j = 0; j < order; ++j) {
      const auto weight = hn::Set(d, weights[j]);
      const double* const before = at - 1 - j;
      for (std::size_t v = 0; v < kVectors; ++v) {
        left[v] = hn::Sub(left[v], hn::Mul(weight, hn::LoadU(d, before + v * kLanes)));
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(left[v], d, errors + i + v * kLanes);
  }
  return i;
}

#else

std::size_t SumWholeVectors(const double*, std::size_t, std::size_t, double*) { return 0; }

void AddProducts(const WeightedValues& values, unsigned order, LagProducts& products) {
  for (std::size_t i = 0; i < values.n; ++i) {
    const double* const x = values.values + i;
    for (unsigned j = 0; j <= order; ++j) {
      const double weighted = values.importances[i] * *(x - j);
      for (unsigned k = 0; k <= j; ++k) products[j][k] += weighted * *(x - k);
    }
  }
}

std::size_t WholeVectorErrors(const double*, std::size_t, const double*, unsigned, double*) {
  return 0;
}

#endif

void LagSums(const double* values, std::size_t n, std::size_t max_lag, double* sums) {
  const std::size_t first_left = SumWholeVectors(values, n, max_lag, sums);
  for (std::size_t lag = first_left; lag <= max_lag; ++lag) sums[lag] = 0;
  if (first_left > max_lag) return;
  for (std::size_t i = max_lag; i < n; ++i) {
    for (std::size_t lag = first_left; lag <= max_lag; ++lag)
      sums[lag] += values[i] * values[i - lag];
  }
}

void LagErrorsOf(const double* values, std::size_t n, const double* weights, unsigned order,
                 double* errors) {
  for (std::size_t i = WholeVectorErrors(values, n, weights, order, errors); i < n; ++i) {
    double left = values[i];
    for (unsigned j = 0; j < order; ++j) left -= weights[j] * *(values + i - 1 - j);
    errors[i] = left;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_VECTOR(LagSums);

void lag_sums(const double* values, std::size_t n, std::size_t max_lag, double* sums) {
  NUMPACT_DISPATCH(LagSums)(values, n, max_lag, sums);
}

NUMPACT_EXPORT_VECTOR(AddProducts);

void add_lag_products(const WeightedValues& values, unsigned order, LagProducts& products) {
  NUMPACT_DISPATCH(AddProducts)(values, order, products);
}

NUMPACT_EXPORT_VECTOR(LagErrorsOf);

void lag_errors(const double* values, std::size_t n, const double* weights, unsigned order,
                double* errors) {
  NUMPACT_DISPATCH(LagErrorsOf)(values, n, weights, order, errors);
}

}  // namespace numpact::internal
#endif
