// SPDX-License-Identifier: Apache-2.0
// Search in a tree of intervals. With vectors a step compares a latent with a whole node, so a
// search takes as many steps as the tree has levels. Other targets search binarily. Several
// searches are interleaved to hide the latency of the loads.
#include "pco/stats/intervals.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/intervals_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86

// The count of keys of a node that are smaller than the latent.
template <class D, class V, class L>
HWY_INLINE std::size_t CountBelow(D d, V latent, const L* HWY_RESTRICT node) {
  std::size_t count = 0;
  for (std::size_t key = 0; key < IntervalTree<L>::kNodeKeys; key += hn::Lanes(d)) {
    count += hn::CountTrue(d, hn::Lt(hn::Load(d, node + key), latent));
  }
  return count;
}

template <std::size_t kDepth, class L>
void Search(const IntervalTree<L>& tree, const L* HWY_RESTRICT latents, std::size_t n,
            std::uint16_t* HWY_RESTRICT indices) {
  constexpr std::size_t kKeys = IntervalTree<L>::kNodeKeys;
  const hn::ScalableTag<L> d;
  const L* levels[kDepth];
  for (std::size_t level = 0; level < kDepth; ++level) levels[level] = tree.levels[level];
  constexpr std::size_t kInterleavedN = 4;  // searches
  std::size_t i = 0;
  for (; i + kInterleavedN <= n; i += kInterleavedN) {
    std::size_t at[kInterleavedN] = {};
    for (std::size_t level = 0; level < kDepth; ++level) {
      for (std::size_t k = 0; k < kInterleavedN; ++k) {
        const auto latent = hn::Set(d, latents[i + k]);
        at[k] = at[k] * (kKeys + 1) + CountBelow(d, latent, levels[level] + at[k] * kKeys);
      }
    }
    for (std::size_t k = 0; k < kInterleavedN; ++k) {
      indices[i + k] = static_cast<std::uint16_t>(at[k]);
    }
  }
  for (; i < n; ++i) {
    std::size_t at = 0;
    for (std::size_t level = 0; level < kDepth; ++level) {
      at = at * (kKeys + 1) + CountBelow(d, hn::Set(d, latents[i]), levels[level] + at * kKeys);
    }
    indices[i] = static_cast<std::uint16_t>(at);
  }
}

template <class L>
void FindIntervals(const IntervalTree<L>& tree, const L* latents, std::size_t n,
                   std::uint16_t* indices) {
  switch (tree.depth) {
    case 1:
      return Search<1>(tree, latents, n, indices);
    case 2:
      return Search<2>(tree, latents, n, indices);
    case 3:
      return Search<3>(tree, latents, n, indices);
    case 4:
      return Search<4>(tree, latents, n, indices);
    case 5:
      return Search<5>(tree, latents, n, indices);
    default:
      return Search<6>(tree, latents, n, indices);
  }
}

#else

// Branch-free binary search.
template <class L>
void FindIntervals(const IntervalTree<L>& tree, const L* HWY_RESTRICT latents, std::size_t n,
                   std::uint16_t* HWY_RESTRICT indices) {
  constexpr std::size_t kInterleavedN = 8;  // searches
  const L* HWY_RESTRICT keys = tree.keys.data();
  const std::size_t first = (tree.keys.size() - 1) / 2;
  std::size_t i = 0;
  for (; i + kInterleavedN <= n; i += kInterleavedN) {
    std::size_t at[kInterleavedN] = {};
    for (std::size_t half = first; half > 0; half /= 2) {
      for (std::size_t k = 0; k < kInterleavedN; ++k) {
        at[k] += keys[at[k] + half - 1] < latents[i + k] ? half : 0;
      }
    }
    for (std::size_t k = 0; k < kInterleavedN; ++k) {
      indices[i + k] = static_cast<std::uint16_t>(at[k]);
    }
  }
  for (; i < n; ++i) {
    std::size_t at = 0;
    for (std::size_t half = first; half > 0; half /= 2) {
      at += keys[at + half - 1] < latents[i] ? half : 0;
    }
    indices[i] = static_cast<std::uint16_t>(at);
  }
}

#endif

#define NUMPACT_KERNEL(L, S)                                                          \
  void FindIntervals##S(const IntervalTree<L>& tree, const L* latents, std::size_t n, \
                        std::uint16_t* indices) {                                     \
    FindIntervals(tree, latents, n, indices);                                         \
  }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY(L, S)                                                            \
  NUMPACT_EXPORT_VECTOR(FindIntervals##S);                                             \
  template <>                                                                          \
  void find_intervals<L>(const IntervalTree<L>& tree, std::span<const L> latents,      \
                         std::uint16_t* indices) {                                     \
    NUMPACT_DISPATCH(FindIntervals##S)(tree, latents.data(), latents.size(), indices); \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
