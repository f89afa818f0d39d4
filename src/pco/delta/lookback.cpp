// SPDX-License-Identifier: Apache-2.0
#include "pco/delta/lookback.hpp"

#include <algorithm>

namespace numpact::internal {

Status Lookback::parse(BitReader& reader, const DeltaContext&, Lookback& out) {
  out.window_n_log = 1 + reader.read_small(wire::kWindowNLogBits);
  out.state_n_log = reader.read_small(wire::kStateNLogBits);
  out.secondary = reader.read_small(wire::kSecondaryDeltaBits) != 0;
  if (out.window_n_log > kMaxWindowNLog) return reader.corrupt("lookback window is over 2^24");
  if (out.state_n_log > out.window_n_log) {
    return reader.corrupt("lookback state is longer than the window");
  }
  return {};
}

namespace {

struct LookbackBounds {
  // An upper bound of the lookbacks that is less than twice the longest one. A lookback of 0 counts
  // as 2^32.
  std::uint64_t bound;
  bool all_equal;
};
// By OR and AND. They are vector instructions of the baseline of x86-64; the maximum of unsigned
// integers is not.
LookbackBounds bounds_of(const std::uint32_t* lookbacks, std::size_t n) {
  std::uint32_t any_bits = 0;
  std::uint32_t all_bits = ~std::uint32_t{0};
  for (std::size_t i = 0; i < n; ++i) {
    any_bits |= lookbacks[i] - 1;
    all_bits &= lookbacks[i] - 1;
  }
  return {std::uint64_t{any_bits} + 1, any_bits == all_bits};
}

std::uint64_t longest_lookback(const std::uint32_t* lookbacks, std::size_t n) {
  std::uint32_t max_distance = 0;
  for (std::size_t i = 0; i < n; ++i) max_distance = std::max(max_distance, lookbacks[i] - 1);
  return std::uint64_t{max_distance} + 1;
}

// For equal lookbacks. `out` follows the earlier latents in memory.
template <Latent L>
void undo_equal(std::size_t lookback, const L* deltas, std::size_t n, L* out) {
  constexpr std::size_t kBlockN = 16;
  std::size_t i = 0;
  if (lookback == 1) {
    // From a register: from memory it would take the latency of a store and a load for each latent.
    L latent = *(out - 1);
    for (; i < n; ++i) {
      latent = static_cast<L>(latent + deltas[i]);
      out[i] = latent;
    }
  } else if (lookback >= kBlockN) {
    for (; i + kBlockN <= n; i += kBlockN) {
      L block[kBlockN];  // shows compilers that the latents of a block are independent
      for (std::size_t k = 0; k < kBlockN; ++k) {
        block[k] = static_cast<L>(deltas[i + k] + *(out + i + k - lookback));
      }
      std::copy_n(block, kBlockN, out + i);
    }
  }
  for (; i < n; ++i) out[i] = static_cast<L>(deltas[i] + *(out + i - lookback));
}

// For lookbacks in [1, begin] that are at most `bound`.
template <Latent L>
void undo_in_range(const std::uint32_t* lookbacks, const LookbackBounds& bounds, const L* deltas,
                   std::size_t n, std::size_t begin, LookbackRing<L>& ring) {
  L* const latents = ring.data();
  const std::size_t mask = ring.mask();
  const std::size_t first = begin & mask;
  if (bounds.bound <= first && first + n <= mask + 1) {  // nothing wraps
    L* const out = latents + first;
    if (bounds.all_equal) {
      return undo_equal(static_cast<std::size_t>(bounds.bound), deltas, n, out);
    }
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<L>(deltas[i] + *(out + i - lookbacks[i]));
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = begin + i;
    latents[at & mask] = static_cast<L>(deltas[i] + latents[(at - lookbacks[i]) & mask]);
  }
}

}  // namespace

template <Latent L>
bool decode_lookback(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas,
                     std::size_t n, LookbackRing<L>& ring) {
  if (undo_lookback<L>(window_n, lookbacks, deltas, n, ring, nullptr)) return true;
  if (!ring.ensure_capacity(n)) return false;
  const std::size_t begin = ring.end();
  ring.advance(n);
  LookbackBounds bounds = bounds_of(lookbacks, n);
  const std::size_t limit = std::min(begin, window_n);
  if (bounds.bound > limit) bounds.bound = longest_lookback(lookbacks, n);
  if (bounds.bound <= limit) {
    undo_in_range(lookbacks, bounds, deltas, n, begin, ring);
    return true;
  }
  L* const latents = ring.data();
  const std::size_t mask = ring.mask();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = begin + i;
    const std::size_t lookback = lookbacks[i];
    // Latents before the page read as zeros.
    const L earlier = lookback <= at ? latents[(at - lookback) & mask] : L{0};
    latents[at & mask] = static_cast<L>(deltas[i] + earlier);
  }
  return bounds.bound <= window_n;
}

template <Latent L>
void encode_lookback(const std::uint32_t* lookbacks, std::span<L> state, L* latents,
                     std::size_t n) {
  const std::size_t state_n = state.size();
  for (std::size_t j = 0; j < state_n; ++j) state[j] = j < n ? latents[j] : L{0};
  // Backwards, so that the latent a delta refers to is not yet overwritten.
  for (std::size_t i = n; i > state_n; --i) {
    const std::size_t at = i - 1;
    const std::size_t lookback = lookbacks[at - state_n];
    const L earlier = lookback <= at ? latents[at - lookback] : L{0};
    latents[at] = static_cast<L>(latents[at] - earlier + kMid<L>);
  }
  if (n > state_n) std::copy(latents + state_n, latents + n, latents);
}

// A type cannot be in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define NUMPACT_INSTANTIATE(L)                                                            \
  template bool decode_lookback(std::size_t, const std::uint32_t*, const L*, std::size_t, \
                                LookbackRing<L>&);                                        \
  template void encode_lookback(const std::uint32_t*, std::span<L>, L*, std::size_t);
// NOLINTEND(bugprone-macro-parentheses)
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
