// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Delta encodings".
#include <algorithm>

#include "second/pco_parts.hpp"

namespace numpact::second {
namespace {

Latents uncentred(const Latents& deltas, unsigned bits) {
  Latents d = deltas;
  for (std::uint64_t& delta : d) delta = (delta - mid_of(bits)) & mask_of(bits);
  return d;
}

Latents undo_consecutive(const Latents& moments, Latents d, unsigned bits) {
  for (std::size_t j = moments.size(); j-- > 0;) {
    Latents sums = {moments[j]};
    for (const std::uint64_t delta : d) sums.push_back((sums.back() + delta) & mask_of(bits));
    d = std::move(sums);
  }
  return d;
}

Latents undo_lookback(const Latents& state, const Latents& d, const Latents& lookbacks,
                      std::uint64_t window, unsigned bits) {
  Latents x = state;
  for (std::size_t k = 0; k < d.size(); ++k) {
    const std::uint64_t b = lookbacks[k];
    refuse_if(b == 0 || b > window, "lookback of 0 or over the window");
    const std::uint64_t before = b <= x.size() ? x[x.size() - b] : 0;
    x.push_back((d[k] + before) & mask_of(bits));
  }
  return x;
}

Latents undo_conv1(const DeltaFields& delta, const Latents& state, const Latents& d,
                   unsigned bits) {
  Latents x = state;
  for (const std::uint64_t difference : d) {
    std::int64_t sum = delta.bias;  // the rules of Conv1 keep it within 64 bits
    for (std::size_t j = 0; j < delta.order; ++j) {
      sum += delta.weights[j] * static_cast<std::int64_t>(x[x.size() - delta.order + j]);
    }
    const auto prediction = static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
    x.push_back((difference + (prediction >> delta.quantization)) & mask_of(bits));
  }
  return x;
}

}  // namespace

Latents undo_delta(const DeltaFields& delta, unsigned bits, const Stored& stored,
                   const Latents& lookbacks, std::size_t n) {
  const Latents d = uncentred(stored.latents, bits);
  Latents x;
  switch (delta.delta) {
    case Delta::kNone:
      return stored.latents;
    case Delta::kConsecutive:
      x = undo_consecutive(stored.state, d, bits);
      break;
    case Delta::kLookback:
      x = undo_lookback(stored.state, d, lookbacks, std::uint64_t{1} << delta.window_n_log, bits);
      break;
    default:
      x = undo_conv1(delta, stored.state, d, bits);
  }
  x.resize(n);  // x is longer only if the state is longer than the page
  return x;
}

}  // namespace numpact::second
