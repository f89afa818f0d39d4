// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/distance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace numpact::cvc::quality {
namespace {

constexpr std::size_t kRun = 256;
constexpr std::size_t kTile = kTileQueries * kPanelRows;

template <Measure kMeasure, class Value>
inline void add_term(Value& sum, const Value& a, const Value& b) {
  if constexpr (kMeasure == Measure::kProducts) {
    sum += a * b;
  } else {
    const Value difference = a - b;
    sum += difference * difference;
  }
}

float finished(Measure measure, float sum) {
  if (!std::isfinite(sum)) return std::numeric_limits<float>::infinity();
  return measure == Measure::kProducts ? -sum : sum;
}

#if defined(__GNUC__)

// Written with vector extensions, since some compilers do not vectorize loops over arrays.
using Narrow [[gnu::vector_size(16)]] = float;
using Wide [[gnu::vector_size(32)]] = float;

// A vector of rows of a panel.
template <class Vector>
struct Lanes {
  Vector low = {};
  Vector high = {};
};

template <class Vector>
[[gnu::always_inline]] inline Lanes<Vector> load_lanes(const float* from) {
  Lanes<Vector> lanes;
  std::memcpy(&lanes.low, from, sizeof(Vector));
  std::memcpy(&lanes.high, from + sizeof(Vector) / sizeof(float), sizeof(Vector));
  return lanes;
}

template <Measure kMeasure, class Vector>
[[gnu::always_inline]] inline void add_value(Lanes<Vector>& sums, float value,
                                             const Lanes<Vector>& rows) {
  const Vector all = Vector{} + value;
  add_term<kMeasure>(sums.low, all, rows.low);
  add_term<kMeasure>(sums.high, all, rows.high);
}

template <class Vector>
[[gnu::always_inline]] inline void add_run(float* sums, const Lanes<Vector>& run) {
  Lanes<Vector> sum = load_lanes<Vector>(sums);
  sum.low += run.low;
  sum.high += run.high;
  std::memcpy(sums, &sum.low, sizeof(Vector));
  std::memcpy(sums + sizeof(Vector) / sizeof(float), &sum.high, sizeof(Vector));
}

// The sums are separate variables instead of an array, so that they stay in registers.
template <Measure kMeasure, class Vector>
[[gnu::always_inline]] inline void add_lanes(const float* queries, const float* panel,
                                             std::size_t dimension, float* out) {
  static_assert(kTileQueries == 4);
  for (std::size_t first = 0; first < dimension; first += kRun) {
    Lanes<Vector> run0, run1, run2, run3;
    const std::size_t end = std::min(dimension, first + kRun);
    for (std::size_t i = first; i < end; ++i) {
      const Lanes<Vector> rows = load_lanes<Vector>(panel + i * kPanelRows);
      add_value<kMeasure>(run0, queries[i], rows);
      add_value<kMeasure>(run1, queries[dimension + i], rows);
      add_value<kMeasure>(run2, queries[2 * dimension + i], rows);
      add_value<kMeasure>(run3, queries[3 * dimension + i], rows);
    }
    add_run(out, run0);
    add_run(out + kPanelRows, run1);
    add_run(out + 2 * kPanelRows, run2);
    add_run(out + 3 * kPanelRows, run3);
  }
}

template <Measure kMeasure, class Vector>
[[gnu::always_inline]] inline void add_tile(const float* queries, const float* panel,
                                            std::size_t dimension, float* out) {
  std::fill_n(out, kTile, 0.0f);
  constexpr std::size_t kLanes = sizeof(Lanes<Vector>) / sizeof(float);
  for (std::size_t lane = 0; lane < kPanelRows; lane += kLanes) {
    add_lanes<kMeasure, Vector>(queries, panel + lane, dimension, out + lane);
  }
}

template <Measure kMeasure>
void plain_tile(const float* queries, const float* panel, std::size_t dimension, float* out) {
  add_tile<kMeasure, Narrow>(queries, panel, dimension, out);
}

#else

template <Measure kMeasure>
void plain_tile(const float* queries, const float* panel, std::size_t dimension, float* out) {
  std::fill_n(out, kTile, 0.0f);
  for (std::size_t first = 0; first < dimension; first += kRun) {
    float runs[kTile] = {};
    for (std::size_t i = first; i < std::min(dimension, first + kRun); ++i) {
      for (std::size_t at = 0; at < kTile; ++at) {
        add_term<kMeasure>(runs[at], queries[at / kPanelRows * dimension + i],
                           panel[i * kPanelRows + at % kPanelRows]);
      }
    }
    for (std::size_t at = 0; at < kTile; ++at) out[at] += runs[at];
  }
}

#endif

using TileFunction = void (*)(const float* queries, const float* panel, std::size_t dimension,
                              float* out);

#if defined(__GNUC__) && defined(__x86_64__)

template <Measure kMeasure>
[[gnu::target("avx2")]] void wide_tile(const float* queries, const float* panel,
                                       std::size_t dimension, float* out) {
  add_tile<kMeasure, Wide>(queries, panel, dimension, out);
}

template <Measure kMeasure>
TileFunction best_tile() {
  return __builtin_cpu_supports("avx2") ? wide_tile<kMeasure> : plain_tile<kMeasure>;
}

#else

template <Measure kMeasure>
TileFunction best_tile() {
  return plain_tile<kMeasure>;
}

#endif

}  // namespace

Panels::Panels(std::span<const float> rows, std::size_t dimension)
    : rows_(dimension == 0 ? 0 : rows.size() / dimension), dimension_(dimension) {
  values_.resize(panels() * kPanelRows * dimension);
  for (std::size_t row = 0; row < rows_; ++row) {
    float* const to = values_.data() + (row / kPanelRows * dimension) * kPanelRows;
    const float* const from = rows.data() + row * dimension;
    for (std::size_t i = 0; i < dimension; ++i) to[i * kPanelRows + row % kPanelRows] = from[i];
  }
}

void tile_distances(Measure measure, const float* queries, const float* panel,
                    std::size_t dimension, float* out) {
  static const TileFunction squares = best_tile<Measure::kSquares>();
  static const TileFunction products = best_tile<Measure::kProducts>();
  (measure == Measure::kProducts ? products : squares)(queries, panel, dimension, out);
  for (std::size_t i = 0; i < kTile; ++i) out[i] = finished(measure, out[i]);
}

float distance(Measure measure, std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (std::size_t first = 0; first < a.size(); first += kRun) {
    float run = 0;
    for (std::size_t i = first; i < std::min(a.size(), first + kRun); ++i) {
      if (measure == Measure::kProducts) {
        add_term<Measure::kProducts>(run, a[i], b[i]);
      } else {
        add_term<Measure::kSquares>(run, a[i], b[i]);
      }
    }
    sum += run;
  }
  return finished(measure, sum);
}

}  // namespace numpact::cvc::quality
