// SPDX-License-Identifier: Apache-2.0
// Conv1 of several pages at once: a row has a latent of each page. All terms of a row but those of
// the last two rows are known early; its chain is one multiplication, two additions, a shift and
// two bit operations for all pages together.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/conv1_pages_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/delta/conv1_pages.hpp"
#include "pco/limits.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors multiply the low halves of lanes, which are the other ones in big-endian memory.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_IS_BIG_ENDIAN

std::size_t MinConv1Pages(unsigned) { return SIZE_MAX; }

void Conv1Rows(const Conv1Taps& taps, std::int64_t* rows) {
  for (std::size_t i = 0; i < kBatchN * kConv1PagesN; ++i) {
    std::uint64_t sum = static_cast<std::uint64_t>(taps.bias);
    for (unsigned lag = taps.order; lag >= 1; --lag) {
      const std::int64_t latent = static_cast<std::int32_t>(*(rows + i - lag * kConv1PagesN));
      sum += static_cast<std::uint64_t>(latent) * static_cast<std::uint64_t>(taps.by_lag[lag - 1]);
    }
    const auto clipped =
        static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(sum), 0));
    const std::uint64_t latent =
        (clipped >> taps.quantization) + static_cast<std::uint64_t>(rows[i]);
    rows[i] = static_cast<std::int64_t>(latent) & taps.latent_mask;
  }
}

#else

// With two vectors of AVX2 for a row, its multiplications take longer than its chain from order 13
// on. With four of two lanes they always do.
std::size_t MinConv1Pages(unsigned order) {
  const std::size_t lanes = hn::MaxLanes(hn::CappedTag<std::int64_t, kConv1PagesN>());
  if (lanes < kConv1PagesN / 2) return SIZE_MAX;
  return lanes == kConv1PagesN || order <= 12 ? 5 : kConv1PagesN;
}

void Conv1Rows(const Conv1Taps& taps, std::int64_t* rows) {
  const hn::CappedTag<std::int64_t, kConv1PagesN> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Repartition<std::int32_t, decltype(d)> d32;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kConv1PagesN / kLanes;
  // Lags in groups, so that the loop over them is short and its end is predicted. Weights behind
  // the order are 0; the latents of their lags are in the buffer, of any value.
  constexpr unsigned kGroup = 4;
  static_assert(kMaxConv1Order % kGroup == 0);
  const unsigned last_lag = (taps.order + kGroup - 1) / kGroup * kGroup;
  HWY_ALIGN std::int64_t weights[kMaxConv1Order * kLanes];
  for (unsigned lag = 1; lag <= last_lag; ++lag) {
    hn::Store(hn::Set(d, taps.by_lag[lag - 1]), d, weights + (lag - 1) * kLanes);
  }
  const auto product = [&](V latent, const std::int64_t* weight) HWY_ATTR {
    return hn::MulEven(hn::BitCast(d32, latent), hn::BitCast(d32, hn::Load(d, weight)));
  };
  const V mask = hn::Set(d, taps.latent_mask);
  const int quantization = static_cast<int>(taps.quantization);
  // From registers: from memory they would take the latency of a store and a load.
  V last_2[kVectors];
  V last_1[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    last_2[v] = hn::LoadU(d, rows - 2 * kConv1PagesN + v * kLanes);
    last_1[v] = hn::LoadU(d, rows - kConv1PagesN + v * kLanes);
  }
  for (std::size_t i = 0; i < kBatchN; ++i, rows += kConv1PagesN) {
    V sums[kVectors];
    for (V& sum : sums) sum = hn::Set(d, taps.bias);
    // The oldest latents first: the last one is known last.
    const auto add_term = [&](unsigned lag) HWY_ATTR {
      const std::int64_t* const before = rows - lag * kConv1PagesN;
      for (std::size_t v = 0; v < kVectors; ++v) {
        const V latent = hn::LoadU(d, before + v * kLanes);
        sums[v] = hn::Add(sums[v], product(latent, weights + (lag - 1) * kLanes));
      }
    };
    for (unsigned lag = last_lag; lag > kGroup; lag -= kGroup) {
      add_term(lag);
      add_term(lag - 1);
      add_term(lag - 2);
      add_term(lag - 3);
    }
    add_term(4);
    add_term(3);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const V older = hn::Add(sums[v], product(last_2[v], weights + kLanes));
      const V sum = hn::Add(older, product(last_1[v], weights));
      const V shifted = hn::BitCast(d, hn::ShiftRightSame(hn::BitCast(du, sum), quantization));
      const V prediction = hn::AndNot(hn::BroadcastSignBit(sum), shifted);
      last_2[v] = last_1[v];
      last_1[v] = hn::And(hn::Add(prediction, hn::LoadU(d, rows + v * kLanes)), mask);
      hn::StoreU(last_1[v], d, rows + v * kLanes);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_VECTOR(MinConv1Pages);
std::size_t min_conv1_pages(unsigned order) { return NUMPACT_DISPATCH(MinConv1Pages)(order); }

NUMPACT_EXPORT_VECTOR(Conv1Rows);
void undo_conv1_rows(const Conv1Taps& taps, std::int64_t* rows) {
  NUMPACT_DISPATCH(Conv1Rows)(taps, rows);
}

}  // namespace numpact::internal
#endif
