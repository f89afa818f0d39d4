// SPDX-License-Identifier: Apache-2.0
// A latent variable of a group of tasks: their tANS and delta states, and decoding of the latents
// batch by batch.
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/codes.hpp"
#include "gpu/walk/deltas.hpp"
#include "gpu/walk/offsets.hpp"
#include "gpu/walk/scratch.hpp"

namespace numpact::gpu {

// L: the type of its latents. Only kParallel supports Consecutive, only kSerial Lookback and Conv1.
// Each lane has an object. Members of a task are those of the task of the lane's quad.
template <class L, DeltaOrder kDeltaOrder>
class Variable {
 public:
  NUMPACT_HD explicit Variable(const PlannedVariable& planned) : planned_(planned) {}

  NUMPACT_HD bool is_present() const { return planned_.latent_bits != 0; }
  NUMPACT_HD bool is_delta_encoded() const { return planned_.is_delta_encoded != 0; }
  // Latents of a page of n numbers that are stored, and those of its delta state.
  NUMPACT_HD std::uint32_t stored_of(std::uint32_t n) const {
    return n > planned_.skipped_n ? n - planned_.skipped_n : 0;
  }
  NUMPACT_HD std::uint32_t state_n() const { return planned_.state_n; }
  // The size of its part of a page header.
  NUMPACT_HD std::uint64_t header_bits() const {
    if (!is_present()) return 0;
    return std::uint64_t{planned_.state_n} * planned_.latent_bits + kStates * planned_.ans_size_log;
  }

  // Reads this variable's part of the page header of a task at `position`, which moves behind it.
  // Called by the lanes of quads with a task. `history`: with Conv1, that of the task.
  NUMPACT_HD void read_header(unsigned lane, const std::uint32_t* heads, std::uint64_t& position,
                              std::uint32_t* history) {
    if (!is_present()) return;
    for (std::uint32_t i = lane; i < planned_.state_n; i += kStates) {
      if constexpr (!kIsSerial) {
        moments_.set(i, state_latent(heads, position, i));
      } else if (history != nullptr) {
        // Conv1 has latents of at most 32 bits.
        history[i] = static_cast<std::uint32_t>(state_latent(heads, position, i));
      }
    }
    state_ = ans_state(heads, position, lane);
    position += header_bits();
  }

  // Lookback: the first latents of a page, of the header part at `position`.
  template <class Warp>
  NUMPACT_HD void read_page(Warp& warp, const std::uint32_t* heads, std::uint64_t position,
                            L* page) const {
    for (std::uint32_t i = warp.lane(); i < planned_.state_n; i += kLanes) {
      page[i] = state_latent(heads, position, i);
    }
  }

  // Whether the page header of a task at `position`, which moves behind this variable's part,
  // differs from the states of this lane. `numbers_left`: numbers of the page that are left.
  NUMPACT_HD bool differs(unsigned lane, const std::uint32_t* heads, std::uint64_t& position,
                          std::uint32_t numbers_left, const std::uint32_t* history) const {
    if (!is_present()) return false;
    bool differs = false;
    for (std::uint32_t i = lane; i < planned_.state_n; i += kStates) {
      const L expected = state_latent(heads, position, i);
      if constexpr (!kIsSerial) {
        differs |= expected != static_cast<L>(moments_.of(i));
      } else if (history != nullptr) {
        // States behind the page's last latent are 0.
        differs |= expected != (i < numbers_left ? static_cast<L>(history[i]) : L{0});
      }
    }
    differs |= ans_state(heads, position, lane) != state_;
    position += header_bits();
    return differs;
  }

  // Decodes the codes of a batch of every task. Of the own task, `page_left` numbers of the page
  // are left before it, and the batch begins at `start`. `distance`: from there to the codes; it
  // moves behind the offsets, unless `is_last`, because decode() knows that position then.
  template <class Warp>
  NUMPACT_HD void walk(Warp& warp, const PlanView& plan, std::uint32_t page_left, bool is_last,
                       std::uint64_t start, std::uint32_t& distance, std::uint16_t* symbols) {
    std::uint64_t position = start + distance;
    const std::uint64_t* const bins = plan.bins + planned_.bins;
    const std::uint32_t stored = stored_of(page_left);
    stored_ = stored < kBatch ? stored : kBatch;
    std::uint32_t widths = 0;
    if (is_coded()) {
      const std::uint32_t* const nodes = plan.nodes + planned_.nodes;
      if (is_last) {
        walk_codes<L, false>(warp, nodes, bins, plan.input, position, stored_, state_, symbols);
      } else {
        widths = warp.quad_sum(
            walk_codes<L, true>(warp, nodes, bins, plan.input, position, stored_, state_, symbols));
      }
    } else if (!is_last) {
      widths = stored_ * width_at<L>(bins, 0);
    }
    distance_ = static_cast<std::uint32_t>(position - start);
    distance = distance_ + widths;
  }

  // After walk(): the latents (or deltas) of a task, whose batch begins at `start`. Returns the
  // position behind them; `n` becomes the number of those that are stored.
  template <class Warp>
  NUMPACT_HD std::uint64_t decode(Warp& warp, const PlanView& plan, unsigned task,
                                  std::uint64_t start, const std::uint16_t* symbols, unsigned& n,
                                  L (&latents)[kPerLane]) const {
    n = warp.from(stored_, task * kStates);
    const std::uint64_t position = start + warp.from(distance_, task * kStates);
    return read_offsets(warp, plan.bins + planned_.bins, is_coded() ? symbols : nullptr, plan.input,
                        position, n, latents);
  }

  // Consecutive.
  template <class Warp>
  NUMPACT_HD void undo_moments(Warp& warp, const PlannedChunk& chunk, unsigned task,
                               L (&latents)[kPerLane]) {
    undo_consecutive(warp, chunk.order, task, moments_, latents);
  }

  // Stored latents of the batch of the own task.
  NUMPACT_HD unsigned stored_n() const { return stored_; }

 private:
  static constexpr bool kIsSerial = kDeltaOrder == DeltaOrder::kSerial;
  struct NoMoments {};

  NUMPACT_HD bool is_coded() const { return planned_.bin_n > 1; }
  NUMPACT_HD L state_latent(const std::uint32_t* heads, std::uint64_t position,
                            std::uint32_t i) const {
    const std::uint32_t bits = planned_.latent_bits;
    return read_bits<L>(heads, position + std::uint64_t{i} * bits, bits);
  }
  // The tANS state of a lane of a quad.
  NUMPACT_HD std::uint32_t ans_state(const std::uint32_t* heads, std::uint64_t position,
                                     unsigned lane) const {
    const std::uint32_t bits = planned_.ans_size_log;
    const std::uint64_t first = position + std::uint64_t{planned_.state_n} * planned_.latent_bits;
    return bits32(heads, first + std::uint64_t{lane} * bits, bits);
  }

  const PlannedVariable& planned_;
  std::uint32_t distance_ = 0;  // bits from the start of the batch to the offsets
  std::uint32_t stored_ = 0;    // stored latents of the batch
  std::uint32_t state_ = 0;     // tANS state
  std::conditional_t<kIsSerial, NoMoments, Moments<L>> moments_;
};

}  // namespace numpact::gpu
