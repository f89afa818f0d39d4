// SPDX-License-Identifier: Apache-2.0
// Decoding state of one latent variable within a page: tANS states, latents left, delta state.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <variant>

#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/meta/chunk_meta.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact::internal {

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
    // Safe against forged counts: at most 2^15 latents, and no more than the input has bits for.
    const std::size_t readable =
        std::min<std::size_t>(state_n_, static_cast<std::size_t>(reader.bits_left() / kBits<L>));
    const std::span<L> state = arena.make<L>(readable);
    for (L& latent : state) latent = static_cast<L>(reader.read(kBits<L>));
    if (readable < state_n_) reader.read(64);  // provokes an overrun
    for (std::uint32_t& ans_state : ans_states_) {
      ans_state = reader.read_small(tables_.ans_size_log);
    }
    delta_ = {};
    if (state_n_ == 0) return;
    std::visit(
        [&](const auto& delta) {
          using State = typename std::decay_t<decltype(delta)>::template State<L>;
          if constexpr (requires(State made) { made.start(delta, arena, 0, state, L{}); }) {
            delta_.template emplace<State>().start(delta, arena, std::max(page_n, state_n_), state,
                                                   first_moment_bias);
          }
        },
        meta.delta);
  }

  // Writes what start() would read from a page that begins with the next batch. Only for delta
  // encodings that can restart.
  void write_state(BitWriter& writer, const ChunkMeta& meta, std::size_t index,
                   L first_moment_bias) const;

  const LatentTables<L>& tables() const { return tables_; }
  // Stored latents not yet decoded.
  std::size_t left() const { return left_; }
  void advance(std::size_t n) { left_ -= n; }
  AnsStates& ans_states() { return ans_states_; }

  // A request to walk codes in `in`, without position and trail.
  CodeWalk make_walk(const std::byte* in) {
    return {tables_.nodes.data(), tables_.layout, tables_.jumps, &ans_states_, in, 0, nullptr};
  }

  // Decodes the latents of the variable in the next batch. Returns their count.
  std::size_t decode(const std::byte* in, std::uint64_t& position, L* out) {
    const std::size_t n = std::min(kBatchN, left_);
    if (n == 0) return 0;
    position = tables_.kernels->decode(tables_, ans_states_, in, position, n, out);
    left_ -= n;
    return n;
  }

  // Skips the latents of the variable in the next batch and adds their sizes.
  void skip(const std::byte* in, std::uint64_t& position, PageVariableSizes& sizes);

  // The finish that kernels may apply to a whole batch in registers. is_classic_float: the latents
  // are ordered latents of floats.
  Finish<L> requested_finish(bool is_classic_float) {
    Finish<L> finish;
    if (!tables_.kernels->supports_finish) return finish;
    if (state_n_ == 0) {
      if (is_classic_float) finish.kind = FinishKind::kFloat;
    } else if (auto* sum = std::get_if<ConsecutiveState<L>>(&delta_)) {
      const bool makes_floats = is_classic_float && sum->has_one_sum();
      finish.kind = makes_floats ? FinishKind::kSumFloat : FinishKind::kSum;
      finish.moment = sum->first_sum();
    }
    return finish;
  }
  // Stores the moment of an applied finish. Returns its kind.
  FinishKind take_finish(const Finish<L>& finish) {
    if (sums(finish.kind)) std::get_if<ConsecutiveState<L>>(&delta_)->first_sum() = finish.moment;
    return finish.kind;
  }

  // Null for other delta encodings.
  Conv1State<L>* conv1_state() { return std::get_if<Conv1State<L>>(&delta_); }

  // In place: turns stored deltas into latents. Returns false if they are corrupt.
  bool undo_delta(const DeltaBatch<L>& batch);

 private:
  const LatentTables<L>& tables_;
  std::size_t state_n_;
  AnsStates ans_states_{};
  std::size_t left_ = 0;  // stored latents not yet decoded
  AnyDeltaState<L> delta_;
};

}  // namespace numpact::internal
