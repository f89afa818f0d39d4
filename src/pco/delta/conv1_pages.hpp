// SPDX-License-Identifier: Apache-2.0
// Conv1 of several pages of a chunk at once. The latents of a page depend on each other, those of
// two pages do not: each page has a lane of a vector.
#pragma once

#include "pco/delta/conv1.hpp"

namespace numpact::internal {

// Pages that are decoded at once: the 64-bit lanes of an AVX-512 vector, or of two of AVX2.
inline constexpr std::size_t kConv1PagesN = 8;

// Pages from which decoding at once is faster than one after the other, if the instruction set has
// long vectors; else SIZE_MAX. A row takes the same time for any count of pages.
std::size_t min_conv1_pages(unsigned order);

// Latents of 8 bits are left out: they are rare, and would take 4 KB of code.
template <Latent L>
inline constexpr bool kHasConv1Pages = sizeof(L) == 2 || sizeof(L) == 4;

// Decodes kBatchN rows, each of a latent of every page, in place. Before, they hold deltas, not
// centred, minus kConv1Shift; after, latents minus kConv1Shift, of which only the low bits of a
// latent count. The kMaxConv1Order rows before them are readable; the last conv.order of these hold
// the latents before. A kernel.
void undo_conv1_rows(const Conv1Taps& conv, std::int64_t* rows);

class Conv1Pages {
 public:
  // `page`: the index of a page; the deltas of pages that are not set do not matter. `state`:
  // the conv.order latents that the next prediction of a page refers to.
  template <Latent L>
  void start(const Conv1& conv);
  template <Latent L>
  void set_state(std::size_t page, const L* state);
  template <Latent L>
  void get_state(std::size_t page, L* state) const;

  // A batch of kBatchN latents of each page: sets the deltas, not centred, decodes them all, gets
  // the latents, and moves on to the next batch. The latents begin with those of the state: they
  // are conv.order rows behind the deltas.
  template <Latent L>
  void set_deltas(std::size_t page, const L* deltas);
  void undo() { undo_conv1_rows(taps_, rows_ + kMaxConv1Order * kConv1PagesN); }
  template <Latent L>
  void get_latents(std::size_t page, L* latents) const;
  void advance();

 private:
  static constexpr std::size_t kRows = kMaxConv1Order + kBatchN;

  template <Latent L>
  void put(std::size_t row, std::size_t page, const L* latents, std::size_t n);
  template <Latent L>
  void get(std::size_t row, std::size_t page, L* latents, std::size_t n) const;
  // The row of the oldest latent of the state.
  std::size_t first_row() const { return kMaxConv1Order - taps_.order; }

  Conv1Taps taps_;
  alignas(64) std::int64_t rows_[kRows * kConv1PagesN];
};

}  // namespace numpact::internal
