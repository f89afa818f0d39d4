// SPDX-License-Identifier: Apache-2.0
// Decodes whole batches of several pages of a chunk with Conv1 in turns: those of all pages are
// unpacked, then their deltas are undone at once. While a batch is unpacked, the codes of the next
// page are walked:
//
//   walk page 0
//   unpack page 0 | walk page 1
//   ...
//   unpack page 7 | walk page 0, next batch      then deltas and numbers of all pages
#pragma once

#include <algorithm>
#include <span>

#include "base/arena.hpp"
#include "base/try.hpp"
#include "number/ordered.hpp"
#include "pco/delta/conv1_pages.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/page/batch_input.hpp"
#include "pco/page/variable_decoder.hpp"

namespace numpact::internal {

// Only for at least two pages of Classic whose variable has codes.
template <Latent L>
class PagesInTurns {
 public:
  PagesInTurns(Arena& arena, std::size_t page_n)
      : conv_(arena.make<Conv1Pages>(1)[0]), pages_(arena.make<Page>(page_n)) {}

  // Adds a page that was started; exactly page_n pages must be added. `out` has
  // room for the numbers of all whole batches.
  void add(VariableDecoder<L>& primary, BitWindow& window, const BatchInput& input, L* out) {
    Conv1State<L>& state = *primary.conv1_state();
    if (added_n_ == 0) conv_.template start<L>(state.conv());
    L latents[kMaxConv1Order];
    state.copy_state(latents);
    conv_.set_state(added_n_, latents);
    Page& page = pages_[added_n_++];
    page.primary = &primary;
    page.window = &window;
    page.input = input;
    page.out = out;
    page.position = input.position;
    page.walk = primary.make_walk(input.in);
    page.walk.trail = &page.trail;
  }

  // Decodes up to `count` batches of each page, as far as the inputs hold the worst case of a
  // batch, but at least one. Sets `done_n` to the count of numbers of a page.
  Status decode(std::size_t count, NumberKind kind, std::size_t& done_n) {
    done_n = 0;
    pages_[0].walk.position = pages_[0].position;
    pages_[0].primary->tables().kernels->walk(pages_[0].walk);
    for (bool continues = true; continues;) {
      NUMPACT_TRY(unpack(--count > 0, continues));
      for (std::size_t i = 0; i < pages_.size(); ++i) conv_.set_deltas(i, pages_[i].deltas);
      conv_.undo();
      for (std::size_t i = 0; i < pages_.size(); ++i) {
        L* const numbers = pages_[i].out + done_n;
        conv_.get_latents(i, numbers);
        from_ordered(numbers, kBatchN, kind, numbers);
      }
      conv_.advance();
      done_n += kBatchN;
    }
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      L latents[kMaxConv1Order];
      conv_.get_state(i, latents);
      pages_[i].primary->conv1_state()->advance(done_n, latents);
    }
    return {};
  }

 private:
  struct Page {
    VariableDecoder<L>* primary;
    BitWindow* window;
    BatchInput input;
    L* out;
    std::uint64_t position;  // of the next batch
    CodeWalk walk;
    CodeTrail trail;
    alignas(64) L deltas[kBatchN];
  };

  // Unpacks a batch of each page. Before: the codes of page 0 were walked. After, if `continues` is
  // set: those of its next batch were.
  Status unpack(bool has_next, bool& continues) {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      Page& page = pages_[i];
      const LatentTables<L>& tables = page.primary->tables();
      const std::uint64_t offsets = page.walk.position;
      page.position = offsets + page.trail.offset_bits;
      NUMPACT_TRY(move_to(*page.window, page.input, page.position));
      const bool is_last = i + 1 == pages_.size();
      if (is_last) continues = has_next && hold_next_batch();
      Finish<L> finish;
      if (is_last && !continues) {
        tables.kernels->unpack(tables, page.trail, page.input.in, offsets, page.deltas, finish);
        break;
      }
      Page& next = pages_[is_last ? 0 : i + 1];
      next.walk.position = next.position;
      tables.kernels->unpack_and_walk(tables, page.trail, page.input.in, offsets, page.deltas,
                                      finish, next.walk);
    }
    return {};
  }

  bool hold_next_batch() const {
    return std::all_of(pages_.begin(), pages_.end(),
                       [](const Page& page) { return page.position <= page.input.last_start; });
  }

  Conv1Pages& conv_;
  std::span<Page> pages_;
  std::size_t added_n_ = 0;
};

}  // namespace numpact::internal
