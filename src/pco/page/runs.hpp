// SPDX-License-Identifier: Apache-2.0
// Decoding of whole batches in runs: the latents of several batches are unpacked, then deltas and
// the mode are undone by one pass each. This saves the calls between the stages of each batch,
// which take as long as unpacking some tens of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/try.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/page/batch_input.hpp"
#include "pco/page/join.hpp"
#include "pco/page/page_tables.hpp"
#include "pco/page/variable_decoder.hpp"

namespace numpact::internal {

// Two variables of 64-bit latents take 16 KiB, half of the smallest L1 cache.
inline constexpr std::size_t kRunBatches = 4;
inline constexpr std::size_t kRunN = kRunBatches * kBatchN;

// The walk of the codes that the runs of a page begin with. It reads the input and the state of
// that page only, so it may be done while the last batch of the page before is unpacked.
struct FirstWalk {
  CodeTrail trail;
  BatchInput input;
  CodeWalk walk{};
  bool is_done = false;
};

// The primary variable has codes. The secondary one may have codes, or bits only, or equal latents
// only. The last batch of a page with Consecutive stores fewer deltas than it has numbers. It is
// walked and unpacked as a whole one, and what is not of it is taken back.
template <Latent L, Latent P>
class RunDecoder {
 public:
  RunDecoder(const PageTables<L, P>& tables, VariableDecoder<P>& primary,
             VariableDecoder<L>& secondary, const BatchInput& input)
      : tables_(tables),
        primary_(primary),
        secondary_(secondary),
        input_(input),
        primary_walk_(primary.make_walk(input.in)),
        secondary_walk_(secondary.make_walk(input.in)) {}

  // Decodes up to `count` batches, the first of which has its codes at `position`, as far as the
  // input holds the worst case. Sets done_n to the count of their numbers and moves `position` to
  // their end, which may be past the end of the input. `first`: the walk of these codes, which may
  // be done. `next`: the first walk of the next page, to be done here, or null.
  Status decode(std::uint64_t& position, std::size_t count, L* out, std::size_t& done_n,
                FirstWalk& first, FirstWalk* next) {
    position_ = position;
    next_page_ = next;
    if (tables_.is_uniform[kSecondaryVariable]) {
      std::fill_n(secondary_latents_, std::min(count, kRunBatches) * kBatchN,
                  static_cast<L>(tables_.secondary.lowers[0]));
    }
    if (first.is_done) {
      primary_walk_ = first.walk;
      trail_ = &first.trail;
      first.is_done = false;
    } else {
      tables_.primary.kernels->walk(*next_walk(primary_walk_));
      std::swap(trail_, next_trail_);
    }
    done_n = 0;
    for (is_last_ = false; !is_last_;) {
      std::size_t run_n = 0;
      NUMPACT_TRY(decode_run(count - done_n / kBatchN, out + done_n, run_n));
      done_n += run_n;
    }
    position = position_;
    return {};
  }

 private:
  // Decodes at most kRunBatches of `count` batches. Sets n to the count of their numbers.
  Status decode_run(std::size_t count, L* out, std::size_t& n) {
    const bool has_codes = tables_.is_coded[kSecondaryVariable];
    Finish<P> primary_finish = primary_.requested_finish(tables_.is_classic_float);
    Finish<L> secondary_finish;
    if (has_codes) secondary_finish = secondary_.requested_finish(false);
    P* const primary = primary_target(out);
    // Invariant: the codes of the primary variable in the next batch were walked to *trail_.
    for (n = 0; n == 0 || (!is_last_ && n < kRunN); n += kBatchN) {
      first_bytes_[n / kBatchN] = static_cast<std::size_t>((input_.origin + position_) / 8);
      std::uint64_t offsets = end_walk(primary_walk_, primary_, n);
      if (has_codes) {
        unpack(tables_.primary, offsets, primary + n, primary_finish, next_walk(secondary_walk_));
        offsets = end_walk(secondary_walk_, secondary_, n);
      } else if (tables_.is_unpacked_alone[kSecondaryVariable]) {
        position_ = tables_.secondary.kernels->decode(tables_.secondary, secondary_.ans_states(),
                                                      input_.in, position_, stored_n(secondary_, n),
                                                      secondary_latents_ + n);
      }
      is_last_ = --count == 0 || position_ > input_.last_start;
      CodeWalk* const walk = is_last_ ? walk_of_next_page() : next_walk(primary_walk_);
      if (has_codes) {
        unpack(tables_.secondary, offsets, secondary_latents_ + n, secondary_finish, walk);
      } else {
        unpack(tables_.primary, offsets, primary + n, primary_finish, walk);
      }
    }
    // Only the last batch can end past the input. The caller reports that, so its indices are not
    // looked up.
    const std::size_t inside_n = position_ > input_.end ? n - kBatchN : n;
    return finish(primary_.take_finish(primary_finish), secondary_.take_finish(secondary_finish),
                  inside_n, out);
  }

  P* primary_target(L* out) {
    if constexpr (std::is_same_v<L, P>) return out;
    if constexpr (!std::is_same_v<L, P>) return primary_latents_;
  }

  // The walk of the codes at position_, to be done while another batch is unpacked.
  CodeWalk* next_walk(CodeWalk& walk) {
    walk.position = position_;
    walk.trail = next_trail_;
    return &walk;
  }

  CodeWalk* walk_of_next_page() {
    if (next_page_ == nullptr || next_page_->is_done) return nullptr;
    next_page_->is_done = true;
    return &next_page_->walk;
  }

  // Latents that the batch behind n numbers of the run stores.
  template <Latent V>
  static std::size_t stored_n(const VariableDecoder<V>& variable, std::size_t n) {
    return std::min(kBatchN, variable.left() - n);
  }

  // Moves position_ to the end of the batch of a variable whose codes were walked to *trail_.
  // Returns where its offsets start.
  template <Latent V>
  std::uint64_t end_walk(CodeWalk& walk, const VariableDecoder<V>& variable, std::size_t n) {
    const std::size_t stored = stored_n(variable, n);
    if (stored < kBatchN) {
      take_back_codes(walk, stored, variable.tables().kernels->records_running_words);
    }
    position_ = walk.position + trail_->offset_bits;
    return walk.position;
  }

  template <Latent V>
  void unpack(const LatentTables<V>& tables, std::uint64_t offsets, V* latents, Finish<V>& finish,
              CodeWalk* walk) {
    if (walk != nullptr) {
      tables.kernels->unpack_and_walk(tables, *trail_, input_.in, offsets, latents, finish, *walk);
    } else {
      tables.kernels->unpack(tables, *trail_, input_.in, offsets, latents, finish);
    }
    std::swap(trail_, next_trail_);
  }

  // Turns n latents of a run into numbers.
  Status finish(FinishKind primary_kind, FinishKind secondary_kind, std::size_t n, L* out) {
    const ChunkMeta& meta = *tables_.meta;
    P* const primary = primary_target(out);
    undo(primary_, primary, primary_kind, n);
    if (meta.has(kSecondaryVariable)) undo(secondary_, secondary_latents_, secondary_kind, n);
    if constexpr (std::is_same_v<P, std::uint32_t>) {
      if (std::holds_alternative<Dict>(meta.mode)) return look_up(primary, n, out);
    }
    const bool are_numbers = tables_.flips_in_tables || makes_floats(primary_kind);
    join_batch(meta.mode, kind_of(meta.type),
               are_numbers ? ClassicLatents::kNumbers : ClassicLatents::kOrdered, primary,
               secondary_latents_, n, out);
    return {};
  }

  Status look_up(const std::uint32_t* indices, std::size_t n, L* out) const {
    for (std::size_t i = 0; i < n; i += kBatchN) {
      if (join_dict(tables_.dict_numbers, indices + i, kBatchN, out + i)) continue;
      return index_past_dictionary(first_bytes_[i / kBatchN]);
    }
    return {};
  }

  template <Latent V>
  static void undo(VariableDecoder<V>& variable, V* latents, FinishKind kind, std::size_t n) {
    const std::size_t stored = std::min(n, variable.left());
    variable.advance(stored);
    variable.undo_delta({latents, stored, n, nullptr, 0, sums(kind)});
  }

  CodeTrail trails_[2];
  // Latents are at the start of a cache line, so that vectors do not cross lines.
  alignas(64) L secondary_latents_[kRunN];
  alignas(64) P primary_latents_[std::is_same_v<L, P> ? 1 : kRunN];
  const PageTables<L, P>& tables_;
  VariableDecoder<P>& primary_;
  VariableDecoder<L>& secondary_;
  const BatchInput& input_;
  CodeWalk primary_walk_;
  CodeWalk secondary_walk_;
  CodeTrail* trail_ = &trails_[0];
  CodeTrail* next_trail_ = &trails_[1];
  FirstWalk* next_page_ = nullptr;
  std::uint64_t position_ = 0;
  bool is_last_ = false;
  std::size_t first_bytes_[kRunBatches];  // where the batches of the run start
};

}  // namespace numpact::internal
