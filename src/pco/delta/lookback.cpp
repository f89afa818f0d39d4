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

// Whether all lookbacks are in [1, window_n].
bool all_in_window(std::size_t window_n, const std::uint32_t* lookbacks, std::size_t n) {
  std::uint32_t max_distance = 0;
  for (std::size_t i = 0; i < n; ++i) max_distance = std::max(max_distance, lookbacks[i] - 1);
  return max_distance < window_n;
}

}  // namespace

template <Latent L>
bool decode_lookback(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas,
                     std::size_t n, LookbackRing<L>& ring) {
  if (undo_lookback<L>(window_n, lookbacks, deltas, n, ring, nullptr)) return true;
  if (!ring.ensure_capacity(n)) return false;
  const std::size_t begin = ring.end();
  const std::size_t mask = ring.mask();
  L* const latents = ring.data();
  const bool ok = all_in_window(window_n, lookbacks, n);
  ring.advance(n);
  if (ok && begin >= window_n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = begin + i;
      latents[at & mask] = static_cast<L>(deltas[i] + latents[(at - lookbacks[i]) & mask]);
    }
    return true;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = begin + i;
    const std::size_t lookback = lookbacks[i];
    // Latents before the page read as zeros.
    const L earlier = lookback <= at ? latents[(at - lookback) & mask] : L{0};
    latents[at & mask] = static_cast<L>(deltas[i] + earlier);
  }
  return ok;
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
