// SPDX-License-Identifier: Apache-2.0
// A latent variable of a task: its tANS and delta states, and decoding of its latents batch by
// batch.
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/codes.hpp"
#include "gpu/walk/deltas.hpp"
#include "gpu/walk/offsets.hpp"
#include "gpu/walk/scratch.hpp"

namespace numpact::gpu {

// L: the type of its latents. Each lane has an object; members that belong to the whole variable
// have the same value in all lanes.
template <class L>
class Variable {
 public:
  // `page`: with Lookback, memory for all latents of the page.
  NUMPACT_HD Variable(const PlannedVariable& planned, L* page) : planned_(planned), page_(page) {}

  NUMPACT_HD bool is_present() const { return planned_.latent_bits != 0; }

  // Reads this variable's part of a page header at `position`, which moves behind it.
  template <class Warp>
  NUMPACT_HD void read_header(Warp& warp, const PlannedChunk& chunk, const std::uint32_t* heads,
                              std::uint64_t& position, std::uint32_t page_left,
                              std::uint32_t* history) {
    if (!is_present()) return;
    left_ = page_left > planned_.skipped_n ? page_left - planned_.skipped_n : 0;
    known_ = planned_.state_n;
    const unsigned lane = warp.lane();
    for (std::uint32_t i = lane; i < planned_.state_n; i += kLanes) {
      const L latent = state_latent(heads, position, i);
      if (chunk.delta == Delta::kConsecutive) {
        moment_ = latent;
      } else if (chunk.delta == Delta::kLookback) {
        // Only the lookbacks have no page, and they have no state.
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        page_[i] = latent;
      } else if (history != nullptr) {
        history[i] = static_cast<std::uint32_t>(latent);  // Conv1 has latents of at most 32 bits
      }
    }
    position += std::uint64_t{planned_.state_n} * planned_.latent_bits;
    if (lane < kStates) state_ = ans_state(heads, position, lane);
    position += kStates * planned_.ans_size_log;
    warp.sync();
  }

  // Whether the page header at `position`, which moves behind this variable's part, has the current
  // states. `numbers_left`: numbers of the page that are left.
  template <class Warp>
  NUMPACT_HD bool matches_header(Warp& warp, const PlannedChunk& chunk, const std::uint32_t* heads,
                                 std::uint64_t& position, std::uint32_t numbers_left,
                                 const std::uint32_t* history) const {
    if (!is_present()) return true;
    const unsigned lane = warp.lane();
    bool differs = false;
    if (lane < planned_.state_n) {
      const L expected = state_latent(heads, position, lane);
      if (chunk.delta == Delta::kConsecutive) {
        differs = expected != static_cast<L>(moment_);
      } else if (history != nullptr) {
        // States behind the page's last latent are 0.
        differs = expected != (lane < numbers_left ? static_cast<L>(history[lane]) : L{0});
      }
    }
    position += std::uint64_t{planned_.state_n} * planned_.latent_bits;
    if (lane < kStates) differs |= ans_state(heads, position, lane) != state_;
    position += kStates * planned_.ans_size_log;
    return !warp.any(differs);
  }

  // Decodes the stored latents (or deltas) of a batch; returns their number.
  template <class Warp>
  NUMPACT_HD unsigned decode(Warp& warp, const PlanView& plan, std::uint16_t* bins,
                             std::uint64_t& position, L (&latents)[kPerLane]) {
    const unsigned n = left_ < kBatch ? left_ : kBatch;
    left_ -= n;
    const bool is_coded = planned_.bin_n > 1;
    if (is_coded) {
      position =
          decode_codes(warp, plan.nodes + planned_.nodes, plan.input, position, n, state_, bins);
    }
    position = read_offsets(warp, plan.bins + planned_.bins, is_coded ? bins : nullptr, plan.input,
                            position, n, latents);
    return n;
  }

  // LaneOrder the deltas of a batch into latents. `done`: numbers of the page before the batch;
  // `stored`: deltas of the batch; `n`: numbers of the batch.
  template <class Warp, class SharedScratch>
  NUMPACT_HD void undo_delta(Warp& warp, const PlanView& plan, const PlannedChunk& chunk,
                             SharedScratch& scratch, std::uint32_t done, unsigned stored,
                             unsigned n, L (&latents)[kPerLane]) {
    if (planned_.is_delta_encoded == 0) return;
    if (chunk.delta == Delta::kConsecutive) {
      undo_consecutive(warp, chunk.order, moment_, latents);
      return;
    }
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(scratch.serial)>, NoSerialScratch>) {
      undo_serial(warp, plan, chunk, scratch, done, stored, n, latents);
    }
  }

 private:
  NUMPACT_HD L state_latent(const std::uint32_t* heads, std::uint64_t position,
                            std::uint32_t i) const {
    const std::uint32_t bits = planned_.latent_bits;
    return read_bits<L>(heads, position + std::uint64_t{i} * bits, bits);
  }
  NUMPACT_HD std::uint32_t ans_state(const std::uint32_t* heads, std::uint64_t position,
                                     unsigned lane) const {
    const std::uint32_t bits = planned_.ans_size_log;
    return bits32(heads, position + std::uint64_t{lane} * bits, bits);
  }

  template <class Warp, class SharedScratch>
  NUMPACT_HD void undo_serial(Warp& warp, const PlanView& plan, const PlannedChunk& chunk,
                              SharedScratch& scratch, std::uint32_t done, unsigned stored,
                              unsigned n, L (&latents)[kPerLane]) {
    const unsigned first = warp.lane() * kPerLane;
    for (unsigned k = 0; k < kPerLane; ++k) scratch.staged[first + k] = latents[k];
    warp.sync();
    if (chunk.delta == Delta::kLookback) {
      undo_lookback(warp, chunk.window_n, scratch.serial.lookbacks, scratch.staged, stored, page_,
                    known_);
      known_ += stored;
      for (unsigned k = 0; k < kPerLane; ++k) {
        if (first + k < n) latents[k] = page_[done + first + k];
      }
    } else if constexpr (sizeof(L) <= 4) {
      std::uint32_t* const history = scratch.serial.history;
      undo_conv1<L>(warp, chunk, plan.weights + chunk.weights, scratch.staged, stored, history);
      for (unsigned k = 0; k < kPerLane; ++k) latents[k] = static_cast<L>(history[first + k]);
      // Conv1 decodes `order` latents ahead: the last ones begin the next batch. All lanes read
      // them before any lane overwrites the front of the history.
      const unsigned lane = warp.lane();
      const std::uint32_t kept = lane < chunk.order ? history[n + lane] : 0;
      warp.sync();
      if (lane < chunk.order) history[lane] = kept;
    }
    warp.sync();
  }

  const PlannedVariable& planned_;
  L* page_;
  std::uint64_t known_ = 0;  // Lookback: decoded latents in `page_`
  std::uint32_t left_ = 0;   // stored latents that are not read yet
  std::uint32_t state_ = 0;  // tANS state; lanes 0 to 3
  SumOf<L> moment_ = 0;      // Consecutive: the moment whose order is this lane's number
};

}  // namespace numpact::gpu
