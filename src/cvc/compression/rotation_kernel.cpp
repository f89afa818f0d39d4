// SPDX-License-Identifier: Apache-2.0
// The loops of rotation.hpp, compiled for every target. Each value is the same sums of the same
// numbers for every vector length, so all targets give the same bits.
#include "base/internal.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/rotation_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "cvc/compression/rotation.hpp"
#include "simd/has_vectors-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using numpact::internal::HWY_NAMESPACE::kHasVectors;

// Flips the signs of values whose bit is set.
void FlipSigns(float* HWY_RESTRICT values, std::size_t n, std::uint64_t signs) {
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    const hn::CappedTag<float, 8> df;
    const hn::RebindToUnsigned<decltype(df)> du;
    const std::size_t lanes = hn::Lanes(df);
    // Moves bit k of the low bits to the sign of lane k.
    const auto shifts = hn::Sub(hn::Set(du, 31), hn::Iota(du, 0));
    const auto sign = hn::Set(du, 0x80000000u);
    for (; i + lanes <= n; i += lanes) {
      const auto bits = hn::Set(du, static_cast<std::uint32_t>(signs >> i & 0xff));
      const auto flips = hn::And(hn::Shl(bits, shifts), sign);
      hn::StoreU(hn::Xor(hn::LoadU(df, values + i), hn::BitCast(df, flips)), df, values + i);
    }
  }
  for (; i < n; ++i) {
    if ((signs >> i & 1) != 0) values[i] = -values[i];
  }
}

void FlipAllSigns(float* values, std::size_t n, std::uint64_t seed, unsigned round) {
  const std::uint64_t first = round * ((n + kSignsPerWord - 1) / kSignsPerWord);
  for (std::size_t i = 0; i < n; i += kSignsPerWord) {
    FlipSigns(values + i, std::min(kSignsPerWord, n - i),
              sign_word(seed, first + i / kSignsPerWord));
  }
}

// One step of the transform: the values at i and i + half become their sum and difference, for
// every i whose bit `half` is 0.
void Butterflies(float* HWY_RESTRICT values, std::size_t n, std::size_t half) {
  const hn::CappedTag<float, 8> df;
  const std::size_t lanes = hn::Lanes(df);
  for (std::size_t first = 0; first < n; first += 2 * half) {
    float* const low = values + first;
    float* const high = low + half;
    std::size_t i = 0;
    if constexpr (kHasVectors) {
      for (; i + lanes <= half; i += lanes) {
        const auto a = hn::LoadU(df, low + i);
        const auto b = hn::LoadU(df, high + i);
        hn::StoreU(hn::Add(a, b), df, low + i);
        hn::StoreU(hn::Sub(a, b), df, high + i);
      }
    }
    for (; i < half; ++i) {
      const float a = low[i];
      const float b = high[i];
      low[i] = a + b;
      high[i] = a - b;
    }
  }
}

// The steps for halves of 4, 2 and 1 and the scaling, of n values, a multiple of 8. Two vectors of
// four lanes are loaded as pairs, so that each step adds and subtracts whole vectors:
//
//   even positions e, odd positions o   ->   e + o, e - o
void LastButterflies(float* HWY_RESTRICT values, std::size_t n, float factor) {
  for (std::size_t first = 0; first < n; first += 8) {
    float* const v = values + first;
    float a[8];
    for (std::size_t i = 0; i < 4; ++i) {
      a[i] = v[i] + v[i + 4];
      a[i + 4] = v[i] - v[i + 4];
    }
    float b[8];
    for (std::size_t i = 0; i < 8; i += 4) {
      b[i] = a[i] + a[i + 2];
      b[i + 1] = a[i + 1] + a[i + 3];
      b[i + 2] = a[i] - a[i + 2];
      b[i + 3] = a[i + 1] - a[i + 3];
    }
    for (std::size_t i = 0; i < 8; i += 2) {
      const float sum = b[i] + b[i + 1];
      const float difference = b[i] - b[i + 1];
      v[i] = sum * factor;
      v[i + 1] = difference * factor;
    }
  }
}

// The Hadamard transform of n values, a power of two, divided by the root of n.
void Transform(float* values, std::size_t n) {
  const float factor = rotation_factor(n);
  if (n < 8) {
    for (std::size_t half = n / 2; half > 0; half /= 2) Butterflies(values, n, half);
    for (std::size_t i = 0; i < n; ++i) values[i] *= factor;
    return;
  }
  for (std::size_t half = n / 2; half >= 8; half /= 2) Butterflies(values, n, half);
  LastButterflies(values, n, factor);
}

void TransformRound(float* values, std::size_t n, unsigned round) {
  const std::size_t part = std::bit_floor(n);
  Transform(values + (round % 2 == 0 ? 0 : n - part), part);
}

void Rotate(float* values, std::size_t n, std::uint64_t seed) {
  for (unsigned round = 0; round < kRotationRounds; ++round) {
    FlipAllSigns(values, n, seed, round);
    TransformRound(values, n, round);
  }
}

void RotateBack(float* values, std::size_t n, std::uint64_t seed) {
  for (unsigned round = kRotationRounds; round-- > 0;) {
    TransformRound(values, n, round);
    FlipAllSigns(values, n, seed, round);
  }
}

void CountThresholds(const float* HWY_RESTRICT values, std::size_t n,
                     std::span<const float> thresholds, std::uint8_t* HWY_RESTRICT codes) {
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    const hn::CappedTag<float, 8> df;
    const hn::RebindToSigned<decltype(df)> di;
    const hn::Rebind<std::uint8_t, decltype(df)> d8;
    const std::size_t lanes = hn::Lanes(df);
    for (; i + lanes <= n; i += lanes) {
      const auto value = hn::LoadU(df, values + i);
      auto count = hn::Zero(di);
      for (const float threshold : thresholds) {
        const auto is_above = hn::Ge(value, hn::Set(df, threshold));
        count = hn::Sub(count, hn::BitCast(di, hn::VecFromMask(df, is_above)));
      }
      hn::StoreU(hn::DemoteTo(d8, count), d8, codes + i);
    }
  }
  for (; i < n; ++i) {
    unsigned count = 0;
    for (const float threshold : thresholds) count += values[i] >= threshold ? 1 : 0;
    codes[i] = static_cast<std::uint8_t>(count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc::internal {

NUMPACT_EXPORT_VECTOR(Rotate);
NUMPACT_EXPORT_VECTOR(RotateBack);
NUMPACT_EXPORT_VECTOR(CountThresholds);

void rotate(float* values, std::size_t n, std::uint64_t seed) {
  NUMPACT_DISPATCH(Rotate)(values, n, seed);
}

void rotate_back(float* values, std::size_t n, std::uint64_t seed) {
  NUMPACT_DISPATCH(RotateBack)(values, n, seed);
}

void count_thresholds(const float* values, std::size_t n, std::span<const float> thresholds,
                      std::uint8_t* codes) {
  NUMPACT_DISPATCH(CountThresholds)(values, n, thresholds, codes);
}

}  // namespace numpact::cvc::internal

#endif
