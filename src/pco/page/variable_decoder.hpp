// SPDX-License-Identifier: Apache-2.0
// Decoding state of one latent variable within a page: tANS states, latents left, delta state.
#ifndef NUMPACT_PCO_PAGE_VARIABLE_DECODER_HPP
#define NUMPACT_PCO_PAGE_VARIABLE_DECODER_HPP

#include <algorithm>
#include <span>

#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/meta/chunk_meta.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact {

template <Latent L>
class VariableDecoder {
 public:
  // state_n: delta state latents that each page has; 0 for a variable that is not delta encoded.
  VariableDecoder(const LatentTables<L>& tables, std::size_t state_n)
      : tables_(tables), state_n_(state_n) {}

  // Reads the head of the variable. The caller checks the overrun of the reader. first_moment_bias
  // is added to all latents that consecutive deltas result in.
  void start(BitReader& reader, Arena& arena, const ChunkMeta& meta, std::size_t index,
             std::size_t page_n, L first_moment_bias) {
    if (!meta.has(index)) return;
    left_ = meta.stored_n(index, page_n);
    next_out_ = 0;
    // Safe against forged counts: at most 2^15 latents, and no more than the input has bits for.
    const std::size_t readable =
        std::min<std::size_t>(state_n_, static_cast<std::size_t>(reader.bits_left() / kBits<L>));
    const std::span<L> state = arena.make<L>(readable);
    for (L& latent : state) latent = static_cast<L>(reader.read(kBits<L>));
    if (readable < state_n_) reader.read(64);  // provokes an overrun
    for (std::uint32_t& ans_state : ans_states_) {
      ans_state = reader.read_small(tables_.ans_size_log);
    }
    if (state_n_ == 0) return;
    if (std::holds_alternative<Consecutive>(meta.delta)) {
      moments_ = state;
      if (!moments_.empty()) moments_[0] = static_cast<L>(moments_[0] + first_moment_bias);
    } else {
      const std::size_t max_n = std::max(page_n, state_n_);
      if (const auto* lookback = std::get_if<Lookback>(&meta.delta)) {
        ring_.start(arena, lookback->window_n(), max_n, state);
      } else {
        history_.start(arena, state_n_, max_n, state);
      }
    }
  }

  // Writes what start() would read from a page that begins with the next batch. Not for Lookback.
  void write_state(BitWriter& writer, const ChunkMeta& meta, std::size_t index,
                   L first_moment_bias) const {
    if (!meta.has(index)) return;
    L bias = first_moment_bias;
    for (const L moment : moments_) {
      writer.write(static_cast<L>(moment - bias), kBits<L>);
      bias = 0;
    }
    if (std::holds_alternative<Conv1>(meta.delta) && state_n_ > 0) {
      // The state of a page that ends here is padded with zeros.
      L latents[kMaxConv1Order] = {};
      history_.copy(next_out_, std::min(state_n_, history_.end() - next_out_), latents);
      for (std::size_t i = 0; i < state_n_; ++i) writer.write(latents[i], kBits<L>);
    }
    for (const std::uint32_t state : ans_states_) writer.write(state, tables_.ans_size_log);
  }

  const LatentTables<L>& tables() const { return tables_; }
  // Stored latents not yet decoded.
  std::size_t left() const { return left_; }
  void advance(std::size_t n) { left_ -= n; }
  AnsStates& ans_states() { return ans_states_; }

  // Decodes the latents of the variable in the next batch. Returns their count.
  std::size_t decode(const std::byte* in, std::uint64_t& position, L* out) {
    const std::size_t n = std::min(kBatchN, left_);
    if (n == 0) return 0;
    position = tables_.kernels->decode(tables_, ans_states_, in, position, n, out);
    left_ -= n;
    return n;
  }

  void skip(const std::byte* in, std::uint64_t& position, PageVariableSizes& sizes) {
    const std::size_t n = std::min(kBatchN, left_);
    if (n == 0) return;
    const SkippedBits skipped = tables_.kernels->skip(tables_, ans_states_, in, position, n);
    position += skipped.codes + skipped.offsets;
    sizes.code_bits += skipped.codes;
    sizes.offset_bits += skipped.offsets;
    left_ -= n;
  }

  // The finish that kernels may apply to a whole batch in registers. is_classic_float: the latents
  // are ordered latents of floats.
  Finish<L> requested_finish(const AnyDelta& delta, bool is_classic_float) const {
    Finish<L> finish;
    if (!tables_.kernels->supports_finish) return finish;
    if (state_n_ == 0) {
      if (is_classic_float) finish.kind = FinishKind::kFloat;
    } else if (std::holds_alternative<Consecutive>(delta)) {
      const bool is_last = moments_.size() == 1;
      finish.kind = is_classic_float && is_last ? FinishKind::kSumFloat : FinishKind::kSum;
      finish.moment = moments_.back();
    }
    return finish;
  }
  // Stores the moment of an applied finish. Returns its kind.
  FinishKind take_finish(const Finish<L>& finish) {
    if (sums(finish.kind)) moments_.back() = finish.moment;
    return finish.kind;
  }

  // In place: turns the `stored` deltas of the batch, not centred, into its n latents. `applied`:
  // the finish that was applied already. Returns false if a lookback is out of range.
  bool undo_delta(const AnyDelta& delta, const std::uint32_t* lookbacks, std::size_t lookback_n,
                  L* latents, std::size_t stored, std::size_t n, FinishKind applied) {
    if (state_n_ == 0) return true;
    if (std::holds_alternative<Consecutive>(delta)) {
      std::fill(latents + stored, latents + std::max(n, stored), L{0});
      decode_consecutive(sums(applied) ? moments_.first(moments_.size() - 1) : moments_, latents,
                         n);
      return true;
    }
    bool ok = true;
    if (const auto* lookback = std::get_if<Lookback>(&delta)) {
      const std::size_t window_n = lookback->window_n();
      const std::size_t delta_n = std::min(stored, lookback_n);
      const bool is_shifted = state_n_ == 1 && delta_n == n;
      if (!is_shifted || !undo_lookback(window_n, lookbacks, latents, n, ring_, latents)) {
        ok = decode_lookback(window_n, lookbacks, latents, delta_n, ring_);
        ring_.copy(next_out_, n, latents);
      }
    } else if (const auto* conv = std::get_if<Conv1>(&delta)) {
      decode_conv1(*conv, latents, stored, history_);
      history_.copy(next_out_, n, latents);
    }
    next_out_ += n;
    return ok;
  }

 private:
  const LatentTables<L>& tables_;
  std::size_t state_n_;
  AnsStates ans_states_{};
  std::size_t left_ = 0;      // stored latents not yet decoded
  std::size_t next_out_ = 0;  // index in the page of the next latent to be output
  std::span<L> moments_;
  History<L> history_;
  LookbackRing<L> ring_;
};

}  // namespace numpact

#endif
