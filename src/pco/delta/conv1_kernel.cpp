// SPDX-License-Identifier: Apache-2.0
// Conv1 kernels. A prediction needs the latent right before it, so decoding is a chain of dependent
// steps. But most terms of its sum are older latents. Decoding works on blocks of eight latents:
// vectors sum the terms of all latents before the block (SumsOfEarlier); the terms of latents
// inside the block are then added one latent after the other (FinishBlock). Encoding has no chain.
//
// Example with order 3, weights w1 w2 w3 by lag, block of latents x8 x9 ...:
//
//   x8  = delta + (bias + w1 x7 + w2 x6 + w3 x5)
//   x9  = delta + (bias + w2 x7 + w3 x6          + w1 x8)
//   x10 = delta + (bias + w3 x7                  + w1 x9 + w2 x8)
//                  SumsOfEarlier                   FinishBlock
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/conv1_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/delta/conv1.hpp"
#include "pco/limits.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::size_t kConv1BlockN = 8;  // latents per block

// Latents are computed as signed 32-bit numbers, which vectors multiply exactly: latents of 32 bits
// are shifted down by 2^31, and the bias is increased by the shift times the sum of weights. Sums
// may wrap on the way; the final sums fit.
template <class L>
inline constexpr std::int64_t kShift = sizeof(L) == 4 ? std::int64_t{1} << 31 : 0;

HWY_INLINE std::int64_t WrappingAdd(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
HWY_INLINE std::int64_t WrappingMul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

struct Taps {
  // Weights of the lags 1, 2, ...; zeros behind the last one.
  HWY_ALIGN std::int64_t by_lag[kMaxConv1Order + kConv1BlockN];
  std::int64_t bias;
  unsigned order;
  unsigned quantization;
};

template <class L>
void FillTaps(const Conv1& conv, Taps& taps) {
  std::fill(std::begin(taps.by_lag), std::end(taps.by_lag), 0);
  std::uint64_t sum = 0;
  for (unsigned j = 0; j < conv.order; ++j) {
    taps.by_lag[conv.order - 1 - j] = conv.weights[j];
    sum += static_cast<std::uint64_t>(std::int64_t{conv.weights[j]});
  }
  taps.bias = static_cast<std::int64_t>(static_cast<std::uint64_t>(conv.bias) +
                                        sum * static_cast<std::uint64_t>(kShift<L>));
  taps.order = conv.order;
  taps.quantization = conv.quantization;
}

// sums[k] = bias + the terms of the latents before `signed_latents` in the prediction of latent k.
HWY_INLINE void SumsOfEarlier(const Taps& taps, const std::int64_t* signed_latents,
                              std::int64_t* HWY_RESTRICT sums) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < kConv1BlockN; ++k) {
    std::int64_t sum = taps.bias;
    for (std::size_t lag = 1; lag + k <= taps.order; ++lag) {
      sum = WrappingAdd(sum, WrappingMul(*(signed_latents - lag), taps.by_lag[lag - 1 + k]));
    }
    sums[k] = sum;
  }
#else
  const hn::CappedTag<std::int64_t, kConv1BlockN> d;
  const hn::Repartition<std::int32_t, decltype(d)> d32;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t k = 0; k < kConv1BlockN; k += lanes) {
    auto sum = hn::Set(d, taps.bias);
    // The oldest latent first: the last ones were stored just now.
    for (std::size_t lag = taps.order > k ? taps.order - k : 0; lag >= 1; --lag) {
      const auto latent = hn::Set(d, *(signed_latents - lag));
      const auto weights = hn::LoadU(d, taps.by_lag + (lag - 1) + k);
      sum = hn::Add(sum, hn::MulEven(hn::BitCast(d32, latent), hn::BitCast(d32, weights)));
    }
    hn::Store(sum, d, sums + k);
  }
#endif
}

// Computes n <= 8 latents: adds to sums[k] the terms of up to kNearLags latents of the block.
template <int kNearLags, class L>
HWY_INLINE void FinishBlock(const Taps& taps, const L* deltas, std::size_t n,
                            const std::int64_t* HWY_RESTRICT sums,
                            std::int64_t* HWY_RESTRICT signed_latents, L* HWY_RESTRICT out) {
  std::int64_t made[kConv1BlockN];
  HWY_UNROLL(8)
  for (std::size_t k = 0; k < kConv1BlockN; ++k) {
    if (k >= n) break;
    std::int64_t sum = sums[k];
    // The previous latent is available last, so its term is added last.
    HWY_UNROLL(8)
    for (std::size_t lag = kNearLags; lag >= 1; --lag) {
      if (lag > k) continue;
      sum = WrappingAdd(sum, WrappingMul(taps.by_lag[lag - 1], made[k - lag]));
    }
    const std::int64_t clipped = std::max(sum, std::int64_t{0});
    const L latent = static_cast<L>(deltas[k] + static_cast<L>(clipped >> taps.quantization));
    made[k] = static_cast<std::int64_t>(latent) - kShift<L>;
    signed_latents[k] = made[k];
    out[k] = latent;
  }
}

template <int kNearLags, class L>
void DecodeBlocks(const Taps& taps, const L* deltas, std::size_t n, const L* before,
                  L* HWY_RESTRICT out) {
  HWY_ALIGN std::int64_t buffer[kMaxConv1Order + kBatchN];
  HWY_ALIGN std::int64_t sums[kConv1BlockN];
  std::int64_t* const signed_latents = buffer + kMaxConv1Order;
  for (unsigned lag = 1; lag <= taps.order; ++lag) {
    *(signed_latents - lag) = static_cast<std::int64_t>(*(before - lag)) - kShift<L>;
  }
  for (std::size_t i = 0; i < n; i += kConv1BlockN) {
    SumsOfEarlier(taps, signed_latents + i, sums);
    const std::size_t block_n = std::min(kConv1BlockN, n - i);
    if (block_n == kConv1BlockN) {
      FinishBlock<kNearLags>(taps, deltas + i, kConv1BlockN, sums, signed_latents + i, out + i);
    } else {
      FinishBlock<kNearLags>(taps, deltas + i, block_n, sums, signed_latents + i, out + i);
    }
  }
}

// For small orders: weights and latents stay in registers.
template <unsigned kOrder, class L>
void DecodeInRegisters(const Conv1& conv, const L* deltas, std::size_t n, const L* before,
                       L* HWY_RESTRICT out) {
  std::int64_t weights[kOrder];  // oldest first
  std::int64_t last[kOrder];
  for (unsigned j = 0; j < kOrder; ++j) {
    weights[j] = conv.weights[j];
    last[j] = *(before - kOrder + j);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t sum = conv.bias;
    for (unsigned j = 0; j < kOrder; ++j) sum += weights[j] * last[j];
    const std::int64_t clipped = std::max(sum, std::int64_t{0});
    const L latent = static_cast<L>(deltas[i] + static_cast<L>(clipped >> conv.quantization));
    for (unsigned j = 0; j + 1 < kOrder; ++j) last[j] = last[j + 1];
    last[kOrder - 1] = latent;
    out[i] = latent;
  }
}

// n is at most kBatchN. The `order` latents before `before` are readable.
template <class L>
void Decode(const Conv1& conv, const L* deltas, std::size_t n, const L* before, L* out) {
  if (conv.order == 1) return DecodeInRegisters<1>(conv, deltas, n, before, out);
  if (conv.order == 2) return DecodeInRegisters<2>(conv, deltas, n, before, out);
  Taps taps;
  FillTaps<L>(conv, taps);
  if (conv.order == 3) return DecodeBlocks<3>(taps, deltas, n, before, out);
  return DecodeBlocks<7>(taps, deltas, n, before, out);
}

#if HWY_TARGET == HWY_SCALAR

template <class L>
void ComputeDeltas(const Conv1& conv, const L* latents, std::size_t n, L* deltas) {
  for (std::size_t i = 0; i + conv.order < n; ++i) {
    // Deltas may overwrite latents: those written end before those still to be read.
    const L prediction = conv.predict(latents + i);
    deltas[i] = static_cast<L>(latents[i + conv.order] - prediction + kMid<L>);
  }
}

#else

// The predictions of kBatchN latents.
HWY_INLINE void Predict(const Taps& taps, const std::int64_t* signed_latents,
                        std::int64_t* HWY_RESTRICT predictions) {
  const hn::ScalableTag<std::int64_t> d;
  const hn::Repartition<std::int32_t, decltype(d)> d32;
  constexpr std::size_t kVectors = 4;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  static_assert(kBatchN % (kVectors * kLanes) == 0);
  const hn::RebindToUnsigned<decltype(d)> du;
  const int shift = static_cast<int>(taps.quantization);
  for (std::size_t i = 0; i < kBatchN; i += kVectors * kLanes) {
    hn::Vec<decltype(d)> sums[kVectors];
    for (auto& sum : sums) sum = hn::Set(d, taps.bias);
    for (std::size_t lag = taps.order; lag >= 1; --lag) {
      const auto weight = hn::BitCast(d32, hn::Set(d, taps.by_lag[lag - 1]));
      const std::int64_t* const before = signed_latents + i - lag;
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto latent = hn::BitCast(d32, hn::LoadU(d, before + v * kLanes));
        sums[v] = hn::Add(sums[v], hn::MulEven(latent, weight));
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto clipped = hn::BitCast(du, hn::Max(sums[v], hn::Zero(d)));
      hn::Store(hn::BitCast(d, hn::ShiftRightSame(clipped, shift)), d,
                predictions + i + v * kLanes);
    }
  }
}

template <class L>
void ComputeDeltas(const Conv1& conv, const L* latents, std::size_t n, L* deltas) {
  Taps taps;
  FillTaps<L>(conv, taps);
  HWY_ALIGN std::int64_t buffer[kMaxConv1Order + kBatchN];
  HWY_ALIGN std::int64_t predictions[kBatchN];
  const std::size_t order = taps.order;
  std::int64_t* const first = buffer + kMaxConv1Order - order;
  for (std::size_t done = 0; done + order < n; done += kBatchN) {
    const std::size_t batch_n = std::min(kBatchN, n - order - done);
    for (std::size_t i = 0; i < order + batch_n; ++i) {
      first[i] = static_cast<std::int64_t>(latents[done + i]) - kShift<L>;
    }
    std::fill(first + order + batch_n, buffer + kMaxConv1Order + kBatchN, 0);
    Predict(taps, buffer + kMaxConv1Order, predictions);
    // Deltas may overwrite latents: those written end before those still to be read.
    for (std::size_t i = 0; i < batch_n; ++i) {
      const L prediction = static_cast<L>(predictions[i]);
      deltas[done + i] = static_cast<L>(latents[done + i + order] - prediction + kMid<L>);
    }
  }
}

#endif

#define NUMPACT_KERNEL(L, S)                                                                  \
  void Conv1Deltas##S(const Conv1& conv, const L* latents, std::size_t n, L* deltas) {        \
    ComputeDeltas(conv, latents, n, deltas);                                                  \
  }                                                                                           \
  void Conv1##S(const Conv1& conv, const L* deltas, std::size_t n, const L* before, L* out) { \
    Decode(conv, deltas, n, before, out);                                                     \
  }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY(L, S)                                                                        \
  NUMPACT_EXPORT_VECTOR(Conv1Deltas##S);                                                           \
  template <>                                                                                      \
  void conv1_deltas<L>(const Conv1& conv, const L* latents, std::size_t n, L* deltas) {            \
    NUMPACT_DISPATCH(Conv1Deltas##S)(conv, latents, n, deltas);                                    \
  }                                                                                                \
  NUMPACT_EXPORT_VECTOR(Conv1##S);                                                                 \
  template <>                                                                                      \
  void undo_conv1<L>(const Conv1& conv, const L* deltas, std::size_t n, const L* before, L* out) { \
    NUMPACT_DISPATCH(Conv1##S)(conv, deltas, n, before, out);                                      \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
