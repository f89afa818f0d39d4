// SPDX-License-Identifier: Apache-2.0
// Conv1 kernels. Encoding knows all latents and predicts them by vectors. A decoded latent depends
// on the one before it, so decoding is a chain of dependent steps, and its speed is the latency of
// the chain. Most terms of a sum are of older latents, which vectors add beforehand:
//
// * Latents are decoded in blocks of eight. The sums of the next block start with the terms of all
//   latents before the current block (SumEarlier).
// * Each decoded latent adds its terms to the sums of later latents of its block and of the next
//   block (AddLatent): it is multiplied by a vector of weights, one for each lag.
// * Both are too late for the three latents that follow. Their terms are scalar (Chain).
//
// Up to order 7 all terms are scalar (DecodeNear): the chain leaves enough units idle for them.
//
// Example with order 8 and weights w1 ... w8 by lag:
//
//   x9 = delta + (bias + w8 x1 + ... + w5 x4 + w4 x5 + w3 x6 + w2 x7 + w1 x8)
//                 AddLatent of x1 ... x5        Chain
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/conv1_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "pco/delta/conv1.hpp"
#include "pco/limits.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A block: the 32-bit lanes of an AVX2 vector.
inline constexpr std::size_t kConv1BlockN = 8;
// Vectors are at most as wide as those of AVX2: the chain waits for lanes of them.
inline constexpr std::size_t kMaxVectorBytes = 32;
// Terms of a sum that are scalar. With two, decoding waits for the vectors; four cost more
// instructions than they save.
inline constexpr std::size_t kNearLags = 3;
// The largest order whose terms are all scalar. With order 8 the multiplications take longer than
// the chain: whole files are 2 to 8 % slower with AVX-512 than by vectors.
inline constexpr std::size_t kMaxNearOrder = 7;
// Sums whose vector terms are complete: those of the next latent and of kNearLags behind it.
inline constexpr std::size_t kCompleteN = kNearLags + 1;

HWY_INLINE std::uint64_t SignExtended(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

// The last steps of a prediction, which are the chain. Sums wrap in 64 bits. kHasStoredDeltas:
// deltas are read from memory, which saves registers.
template <std::size_t kLags, class L, bool kHasStoredDeltas>
class Chain {
 public:
  // At least kLags latents precede `latents`.
  HWY_INLINE Chain(const Conv1& conv, const L* latents) : quantization_(conv.quantization) {
    for (std::size_t j = 0; j < kLags; ++j) {
      weights_[j] = SignExtended(conv.weights[conv.order - 1 - j]);
      last_[j] = *(latents - 1 - j);
    }
  }

  // `sum`: the bias and the terms of other lags. `delta` is shifted left by the quantization, so
  // that it is added before the sum is shifted right.
  HWY_INLINE L Next(std::uint64_t sum, const std::uint64_t& delta) {
    const std::uint64_t latent = Finish(AddOlder(sum), weights_[0] * last_[0], delta);
    AgeLatents();
    last_[0] = latent;
    return static_cast<L>(latent);
  }

 private:
  // These two are not loops, because compilers vectorize loops and keep the latents in memory.
  // Adds the terms of all but the last latent. The oldest is known first.
  template <std::size_t kLag = kLags - 1>
  HWY_INLINE std::uint64_t AddOlder(std::uint64_t sum) const {
    if constexpr (kLag == 0) return sum;
    if constexpr (kLag != 0) {
      std::uint64_t term = last_[kLag];
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
      // From memory: registers do not hold all weights, and compilers then move them to and from
      // vector registers. With vectors of sums there are only three weights, which they hold.
      if constexpr (kLag >= 2 && !kHasStoredDeltas) {
        asm("imulq %[weight], %[term]" : [term] "+r"(term) : [weight] "m"(weights_[kLag]) : "cc");
        return AddOlder<kLag - 1>(sum + term);
      }
#endif
      return AddOlder<kLag - 1>(sum + weights_[kLag] * term);
    }
  }
  template <std::size_t kLag = kLags - 1>
  HWY_INLINE void AgeLatents() {
    if constexpr (kLag != 0) {
      last_[kLag] = last_[kLag - 1];
      AgeLatents<kLag - 1>();
    }
  }

  // `term`: that of the last latent, which is known last.
  HWY_INLINE std::uint64_t Finish(std::uint64_t sum, std::uint64_t term,
                                  const std::uint64_t& delta) const {
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
    // Compilers make a jump of the choice, or put more than one addition on the chain.
    std::uint64_t latent = sum + delta;
    if constexpr (kHasStoredDeltas) {
      asm("addq %[term], %[latent]\n\taddq %[sum], %[term]\n\tcmovsq %[delta], %[latent]"
          : [latent] "+&r"(latent), [term] "+&r"(term)
          : [sum] "r"(sum), [delta] "m"(delta)
          : "cc");
    } else {
      asm("addq %[term], %[latent]\n\taddq %[sum], %[term]\n\tcmovsq %[delta], %[latent]"
          : [latent] "+&r"(latent), [term] "+&r"(term)
          : [sum] "r"(sum), [delta] "r"(delta)
          : "cc");
    }
    latent >>= quantization_;
    if constexpr (sizeof(L) == 4) {
      // Processors extend 32 bits at no cost from one register to another, but not within one.
      std::uint64_t extended;
      asm("movl %k1, %k0" : "=&r"(extended) : "r"(latent));
      return extended;
    }
    return static_cast<L>(latent);
#else
    sum += term;
    const bool is_negative = static_cast<std::int64_t>(sum) < 0;
    return static_cast<L>((is_negative ? delta : sum + delta) >> quantization_);
#endif
  }

  std::uint64_t weights_[kLags];  // by lag
  std::uint64_t last_[kLags];     // latents by lag
  unsigned quantization_;
};

// For orders up to kMaxNearOrder.
template <std::size_t kOrder, class L>
void DecodeNear(const Conv1& conv, const L* HWY_RESTRICT deltas, std::size_t n,
                L* HWY_RESTRICT latents) {
  Chain<kOrder, L, false> chain(conv, latents);
  const std::uint64_t bias = SignExtended(conv.bias);
  const unsigned quantization = conv.quantization;
  for (std::size_t i = 0; i < n; ++i) {
    latents[i] = chain.Next(bias, std::uint64_t{deltas[i]} << quantization);
  }
}

template <class L>
using FarChain = Chain<kNearLags, L, true>;

// Emulated vectors are slower than scalars.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

template <class L>
void DecodeFar(const Conv1& conv, const std::uint64_t* HWY_RESTRICT deltas, std::size_t n,
               L* latents) {
  FarChain<L> chain(conv, latents);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t sum = SignExtended(conv.bias);
    const L* const oldest = latents + i - conv.order;
    for (unsigned j = 0; j + kNearLags < conv.order; ++j) {
      sum += SignExtended(conv.weights[j]) * oldest[j];
    }
    latents[i] = chain.Next(sum, deltas[i]);
  }
}

#else

// Sums in vector lanes. Those of latents of 32 bits have 64 bits and are sums of products of signed
// 32-bit numbers. The others have 32 bits; x86 multiplies signed 16-bit numbers, which all valid
// weights then are, faster than 32-bit ones. So that latents are such signed numbers, they are
// centred: shifted down by kCentre, and the bias is increased by the shift times the sum of
// weights.
template <class L>
struct Lanes {
  static constexpr bool kHas64 = sizeof(L) == 4;
  static constexpr bool kIn16 = !kHas64 && HWY_ARCH_X86;
  static constexpr L kCentre = kHas64 || (kIn16 && sizeof(L) == 2) ? kMid<L> : L{0};

  using T = std::conditional_t<kHas64, std::int64_t, std::int32_t>;
  using D = hn::CappedTag<T, kMaxVectorBytes / sizeof(T)>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kN = hn::MaxLanes(D());
  static constexpr std::size_t kVectors = kConv1BlockN / kN;  // of a block

  static HWY_INLINE T Centred(L latent) {
    return static_cast<T>(std::int64_t{latent} - std::int64_t{kCentre});
  }

  // The latent in all lanes, as far as AddTerms reads them.
  static HWY_INLINE V Spread(T centred) {
    const hn::Repartition<std::int32_t, D> half;
    return hn::BitCast(D(), hn::Set(half, static_cast<std::int32_t>(centred)));
  }

  // A weight as AddTerms reads it. Products of 16 bits are added in pairs: the other one is 0.
  static HWY_INLINE T Stored(std::int32_t weight) { return kIn16 ? weight & 0xFFFF : weight; }
  static HWY_INLINE std::int64_t Weight(T stored) {
    return kIn16 ? static_cast<std::int16_t>(stored) : std::int64_t{stored};
  }

  static HWY_INLINE V AddTerms(V sums, V latent, const T* weights) {
    const D d;
    const V by_lane = hn::LoadU(d, weights);
    if constexpr (kHas64) {
      const hn::Repartition<std::int32_t, D> half;
      return hn::Add(sums, hn::MulEven(hn::BitCast(half, latent), hn::BitCast(half, by_lane)));
    } else if constexpr (kIn16) {
      const hn::Repartition<std::int16_t, D> half;
      V rest = hn::Zero(d);
      sums = hn::ReorderWidenMulAccumulate(d, hn::BitCast(half, latent), hn::BitCast(half, by_lane),
                                           sums, rest);
      return hn::RearrangeToOddPlusEven(sums, rest);
    } else {
      return hn::Add(sums, hn::Mul(latent, by_lane));
    }
  }
};

// The weights of the lags that are not near; 0 for all others within reach of a vector.
template <class L>
class FarWeights {
  using T = typename Lanes<L>::T;

 public:
  HWY_INLINE explicit FarWeights(const Conv1& conv) : order_(conv.order) {
    std::fill(std::begin(by_lag_), std::end(by_lag_), T{0});
    std::uint64_t bias = SignExtended(conv.bias);
    for (std::size_t lag = kNearLags + 1; lag <= order_; ++lag) {
      const std::int32_t weight = conv.weights[order_ - lag];
      by_lag_[lag + kConv1BlockN] = Lanes<L>::Stored(weight);
      bias += SignExtended(weight) * Lanes<L>::kCentre;
    }
    bias_ = static_cast<T>(bias);
  }

  // That of the lag l - before, and those of the following lags. `before` <= kConv1BlockN.
  HWY_INLINE const T* At(std::size_t lag, std::size_t before = 0) const {
    return by_lag_ + kConv1BlockN + lag - before;
  }
  HWY_INLINE T bias() const { return bias_; }
  HWY_INLINE std::size_t order() const { return order_; }

 private:
  // Vectors reach from the lag 1 - kConv1BlockN, of the first latent of a block to the last one, to
  // kConv1BlockN - 1 lags beyond the order.
  HWY_ALIGN T by_lag_[kConv1BlockN + 1 + kMaxConv1Order + kConv1BlockN];
  T bias_;
  std::size_t order_;
};

// sums = bias + the terms of the latents before `centred` in the block kDistance further on.
template <std::size_t kDistance, class L>
HWY_INLINE void SumEarlier(const FarWeights<L>& weights, const typename Lanes<L>::T* centred,
                           typename Lanes<L>::V (&sums)[Lanes<L>::kVectors]) {
  const auto bias = hn::Set(typename Lanes<L>::D(), weights.bias());
  for (auto& sum : sums) sum = bias;
  // The oldest latent first: the last ones were stored just now.
  const std::size_t order = weights.order();
  for (std::size_t lag = order > kDistance ? order - kDistance : 0; lag >= 1; --lag) {
    const auto latent = Lanes<L>::Spread(*(centred - lag));
    const auto* const by_lane = weights.At(kDistance + lag);
    for (std::size_t v = 0; v < Lanes<L>::kVectors; ++v) {
      sums[v] = Lanes<L>::AddTerms(sums[v], latent, by_lane + v * Lanes<L>::kN);
    }
  }
}

// What decoding of blocks keeps in registers.
template <class L>
struct BlockSums {
  using T = typename Lanes<L>::T;
  using V = typename Lanes<L>::V;
  static constexpr std::size_t kN = Lanes<L>::kN;
  static constexpr std::size_t kVectors = Lanes<L>::kVectors;

  V current[kVectors];
  V next[kVectors];
  T complete[kConv1BlockN];  // taken out of their lanes: kCompleteN at a time

  // A defaulted constructor is not compiled for the target's instructions by clang.
  HWY_INLINE BlockSums() {}  // NOLINT(modernize-use-equals-default)

  // Takes out the sum of latent k, counted from the begin of the current block.
  template <std::size_t k>
  HWY_INLINE void TakeOut() {
    constexpr std::size_t kIndex = k % kConv1BlockN;
    if constexpr (k < kConv1BlockN) {
      complete[kIndex] = hn::ExtractLane(current[kIndex / kN], kIndex % kN);
    } else {
      complete[kIndex] = hn::ExtractLane(next[kIndex / kN], kIndex % kN);
    }
  }

  // Adds the terms of latent k of the block, where vectors from v on still need them.
  template <std::size_t k, std::size_t v = 0>
  HWY_INLINE void AddLatent(const FarWeights<L>& weights, V latent) {
    if constexpr (v < kVectors) {
      if constexpr ((v + 1) * kN > k + kNearLags + 1) {
        current[v] = Lanes<L>::AddTerms(current[v], latent, weights.At(v * kN, k));
      }
      next[v] = Lanes<L>::AddTerms(next[v], latent, weights.At(v * kN + kConv1BlockN, k));
      AddLatent<k, v + 1>(weights, latent);
    }
  }

  // Decodes the latents of a block from latent k on.
  template <std::size_t k = 0>
  HWY_INLINE void Decode(const FarWeights<L>& weights, FarChain<L>& chain,
                         const std::uint64_t* HWY_RESTRICT deltas, T* HWY_RESTRICT centred,
                         L* HWY_RESTRICT latents) {
    if constexpr (k < kConv1BlockN) {
      latents[k] = chain.Next(SignExtended(complete[k]), deltas[k]);
      T latent = Lanes<L>::Centred(latents[k]);
#if (HWY_ARCH_X86_64 || HWY_ARCH_ARM_A64) && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
      // Keeps compilers from gathering those of several steps into a vector.
      asm("" : "+r"(latent));
#endif
      centred[k] = latent;
      AddLatent<k>(weights, Lanes<L>::Spread(latent));
      TakeOut<k + kCompleteN>();
      Decode<k + 1>(weights, chain, deltas, centred, latents);
    }
  }
};

// Decodes n < kConv1BlockN latents of a block.
template <class L>
void DecodePart(const FarWeights<L>& weights, const BlockSums<L>& block, FarChain<L>& chain,
                const std::uint64_t* deltas, std::size_t n, L* latents) {
  HWY_ALIGN typename Lanes<L>::T sums[kConv1BlockN];
  for (std::size_t v = 0; v < Lanes<L>::kVectors; ++v) {
    hn::Store(block.current[v], typename Lanes<L>::D(), sums + v * Lanes<L>::kN);
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t sum = SignExtended(sums[k]);
    for (std::size_t lag = kNearLags + 1; lag <= k; ++lag) {
      const std::int64_t weight = Lanes<L>::Weight(*weights.At(lag));
      sum += SignExtended(weight) * SignExtended(Lanes<L>::Centred(latents[k - lag]));
    }
    latents[k] = chain.Next(sum, deltas[k]);
  }
}

// For orders beyond kMaxNearOrder.
template <class L>
void DecodeFar(const Conv1& conv, const std::uint64_t* deltas, std::size_t n, L* latents) {
  using T = typename Lanes<L>::T;
  HWY_ALIGN T buffer[kMaxConv1Order + kBatchN];
  T* const centred = buffer + kMaxConv1Order;
  for (std::size_t lag = 1; lag <= conv.order; ++lag) {
    *(centred - lag) = Lanes<L>::Centred(*(latents - lag));
  }
  FarChain<L> chain(conv, latents);
  const FarWeights<L> weights(conv);
  BlockSums<L> block;
  SumEarlier<0>(weights, centred, block.current);
  static_assert(kCompleteN == 4);
  block.template TakeOut<0>();
  block.template TakeOut<1>();
  block.template TakeOut<2>();
  block.template TakeOut<3>();
  std::size_t i = 0;
  for (; i + kConv1BlockN <= n; i += kConv1BlockN) {
    SumEarlier<kConv1BlockN>(weights, centred + i, block.next);
    block.template Decode<>(weights, chain, deltas + i, centred + i, latents + i);
    for (std::size_t v = 0; v < Lanes<L>::kVectors; ++v) block.current[v] = block.next[v];
  }
  if (i < n) DecodePart(weights, block, chain, deltas + i, n - i, latents + i);
}

#endif

template <class L>
void Decode(const Conv1& conv, const L* HWY_RESTRICT deltas, std::size_t n, L* latents) {
  static_assert(kMaxNearOrder == 7);
  // A template that counts the orders made order 1 of 32-bit latents 3 to 5 % slower.
  switch (conv.order) {
    case 1:
      return DecodeNear<1>(conv, deltas, n, latents);
    case 2:
      return DecodeNear<2>(conv, deltas, n, latents);
    case 3:
      return DecodeNear<3>(conv, deltas, n, latents);
    case 4:
      return DecodeNear<4>(conv, deltas, n, latents);
    case 5:
      return DecodeNear<5>(conv, deltas, n, latents);
    case 6:
      return DecodeNear<6>(conv, deltas, n, latents);
    case 7:
      return DecodeNear<7>(conv, deltas, n, latents);
    default:
      break;
  }
  HWY_ALIGN std::uint64_t shifted[kBatchN];
  for (std::size_t i = 0; i < n; ++i) shifted[i] = std::uint64_t{deltas[i]} << conv.quantization;
  DecodeFar(conv, shifted, n, latents);
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
HWY_INLINE void Predict(const Conv1Taps& taps, const std::int64_t* signed_latents,
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
  const Conv1Taps taps = conv1_taps<L>(conv);
  HWY_ALIGN std::int64_t buffer[kMaxConv1Order + kBatchN];
  HWY_ALIGN std::int64_t predictions[kBatchN];
  const std::size_t order = taps.order;
  std::int64_t* const first = buffer + kMaxConv1Order - order;
  for (std::size_t done = 0; done + order < n; done += kBatchN) {
    const std::size_t batch_n = std::min(kBatchN, n - order - done);
    for (std::size_t i = 0; i < order + batch_n; ++i) {
      first[i] = static_cast<std::int64_t>(latents[done + i]) - kConv1Shift<L>;
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

#define NUMPACT_KERNEL(L, S)                                                           \
  void Conv1Deltas##S(const Conv1& conv, const L* latents, std::size_t n, L* deltas) { \
    ComputeDeltas(conv, latents, n, deltas);                                           \
  }                                                                                    \
  void Conv1##S(const Conv1& conv, const L* deltas, std::size_t n, L* latents) {       \
    Decode(conv, deltas, n, latents);                                                  \
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

#define NUMPACT_ENTRY(L, S)                                                             \
  NUMPACT_EXPORT_VECTOR(Conv1Deltas##S);                                                \
  template <>                                                                           \
  void conv1_deltas<L>(const Conv1& conv, const L* latents, std::size_t n, L* deltas) { \
    NUMPACT_DISPATCH(Conv1Deltas##S)(conv, latents, n, deltas);                         \
  }                                                                                     \
  NUMPACT_EXPORT_VECTOR(Conv1##S);                                                      \
  template <>                                                                           \
  void undo_conv1<L>(const Conv1& conv, const L* deltas, std::size_t n, L* latents) {   \
    NUMPACT_DISPATCH(Conv1##S)(conv, deltas, n, latents);                               \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
