// SPDX-License-Identifier: Apache-2.0
#include "pco/delta/conv1_pages.hpp"

#include <algorithm>
#include <cstring>

namespace numpact::internal {

template <Latent L>
void Conv1Pages::put(std::size_t row, std::size_t page, const L* latents, std::size_t n) {
  std::int64_t* const lane = rows_ + row * kConv1PagesN + page;
  for (std::size_t i = 0; i < n; ++i) {
    lane[i * kConv1PagesN] = static_cast<std::int64_t>(latents[i]) - kConv1Shift<L>;
  }
}

template <Latent L>
void Conv1Pages::get(std::size_t row, std::size_t page, L* latents, std::size_t n) const {
  const std::int64_t* const lane = rows_ + row * kConv1PagesN + page;
  for (std::size_t i = 0; i < n; ++i) {
    latents[i] = static_cast<L>(lane[i * kConv1PagesN] + kConv1Shift<L>);
  }
}

template <Latent L>
void Conv1Pages::start(const Conv1& conv) {
  taps_ = conv1_taps<L>(conv);
  std::fill(std::begin(rows_), std::end(rows_), 0);
}

template <Latent L>
void Conv1Pages::set_state(std::size_t page, const L* state) {
  put(first_row(), page, state, taps_.order);
}

template <Latent L>
void Conv1Pages::get_state(std::size_t page, L* state) const {
  get(first_row(), page, state, taps_.order);
}

template <Latent L>
void Conv1Pages::set_deltas(std::size_t page, const L* deltas) {
  put(kMaxConv1Order, page, deltas, kBatchN);
}

// The first latents of a batch are those of the state before it.
template <Latent L>
void Conv1Pages::get_latents(std::size_t page, L* latents) const {
  get(first_row(), page, latents, kBatchN);
}

void Conv1Pages::advance() {
  std::int64_t* const first = rows_ + first_row() * kConv1PagesN;
  std::memmove(first, first + kBatchN * kConv1PagesN,
               taps_.order * kConv1PagesN * sizeof(std::int64_t));
}

// A type cannot be in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define NUMPACT_INSTANTIATE(L)                                 \
  template void Conv1Pages::start<L>(const Conv1&);            \
  template void Conv1Pages::set_state(std::size_t, const L*);  \
  template void Conv1Pages::get_state(std::size_t, L*) const;  \
  template void Conv1Pages::set_deltas(std::size_t, const L*); \
  template void Conv1Pages::get_latents(std::size_t, L*) const;
// NOLINTEND(bugprone-macro-parentheses)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
