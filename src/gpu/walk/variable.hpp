// SPDX-License-Identifier: Apache-2.0
// A latent variable within a task: its states, and its latents batch by batch.
#ifndef NUMPACT_GPU_WALK_VARIABLE_HPP
#define NUMPACT_GPU_WALK_VARIABLE_HPP

#include "gpu/walk/codes.hpp"
#include "gpu/walk/deltas.hpp"
#include "gpu/walk/offsets.hpp"
#include "gpu/walk/room.hpp"

namespace numpact::gpu {

// L: its latents. Each lane has one; what belongs to all lanes is the same in each.
template <class L>
class Variable {
 public:
  // `page`: with Lookback, room for the latents of the page.
  NUMPACT_HD Variable(const PlannedVariable& planned, L* page) : planned_(planned), page_(page) {}

  NUMPACT_HD bool is_present() const { return planned_.latent_bits != 0; }

  // Reads its part of a head, at `position`, which moves behind it.
  template <class Warp>
  NUMPACT_HD void start(Warp& warp, const PlannedChunk& chunk, const std::uint32_t* heads,
                        std::uint64_t& position, std::uint32_t page_left, std::uint32_t* history) {
    if (!is_present()) return;
    left_ = page_left > planned_.skipped_n ? page_left - planned_.skipped_n : 0;
    known_ = planned_.state_n;
    const unsigned lane = warp.lane();
    for (std::uint32_t i = lane; i < planned_.state_n; i += kLanes) {
      const L latent = state_latent(heads, position, i);
      if (chunk.delta == PlannedDelta::kConsecutive) {
        moment_ = latent;
      } else if (chunk.delta == PlannedDelta::kLookback) {
        page_[i] = latent;
      } else if (history != nullptr) {
        history[i] = static_cast<std::uint32_t>(latent);  // of at most 32 bits
      }
    }
    position += std::uint64_t{planned_.state_n} * planned_.latent_bits;
    if (lane < kStates) state_ = ans_state(heads, position, lane);
    position += kStates * planned_.ans_size_log;
    warp.sync();
  }

  // Whether a head at `position`, which moves behind it, is what its states are now. `behind`:
  // numbers of the page that are left.
  template <class Warp>
  NUMPACT_HD bool is_at(Warp& warp, const PlannedChunk& chunk, const std::uint32_t* heads,
                        std::uint64_t& position, std::uint32_t behind,
                        const std::uint32_t* history) const {
    if (!is_present()) return true;
    const unsigned lane = warp.lane();
    bool differs = false;
    if (lane < planned_.state_n) {
      const L wanted = state_latent(heads, position, lane);
      if (chunk.delta == PlannedDelta::kConsecutive) {
        differs = wanted != static_cast<L>(moment_);
      } else if (history != nullptr) {
        // Behind the page's last latent there are none.
        differs = wanted != (lane < behind ? static_cast<L>(history[lane]) : L{0});
      }
    }
    position += std::uint64_t{planned_.state_n} * planned_.latent_bits;
    if (lane < kStates) differs |= ans_state(heads, position, lane) != state_;
    position += kStates * planned_.ans_size_log;
    return !warp.any(differs);
  }

  // Reads what a batch stores of it, deltas where it is delta encoded; how many is returned.
  template <class Warp>
  NUMPACT_HD unsigned read(Warp& warp, const PlanView& plan, std::uint16_t* bins,
                           std::uint64_t& position, L (&latents)[kPerLane]) {
    const unsigned n = left_ < kBatch ? left_ : kBatch;
    left_ -= n;
    const bool is_coded = planned_.bin_n > 1;
    if (is_coded) {
      position =
          walk_codes(warp, plan.nodes + planned_.nodes, plan.input, position, n, state_, bins);
    }
    position = read_offsets(warp, plan.bins + planned_.bins, is_coded ? bins : nullptr, plan.input,
                            position, n, latents);
    return n;
  }

  // Turns the deltas of a batch into its latents. `done`: numbers of the page before it, `n`: its
  // own.
  template <class Warp, class SharedRoom>
  NUMPACT_HD void undo_delta(Warp& warp, const PlanView& plan, const PlannedChunk& chunk,
                             SharedRoom& room, std::uint32_t done, unsigned stored, unsigned n,
                             L (&latents)[kPerLane]) {
    if (planned_.is_delta_encoded == 0) return;
    if (chunk.delta == PlannedDelta::kConsecutive) {
      undo_consecutive(warp, chunk.order, moment_, latents);
      return;
    }
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(room.serial)>, NoSerialRoom>) {
      undo_in_order(warp, plan, chunk, room, done, stored, n, latents);
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

  template <class Warp, class SharedRoom>
  NUMPACT_HD void undo_in_order(Warp& warp, const PlanView& plan, const PlannedChunk& chunk,
                                SharedRoom& room, std::uint32_t done, unsigned stored, unsigned n,
                                L (&latents)[kPerLane]) {
    const unsigned first = warp.lane() * kPerLane;
    for (unsigned k = 0; k < kPerLane; ++k) room.staged[first + k] = latents[k];
    warp.sync();
    if (chunk.delta == PlannedDelta::kLookback) {
      undo_lookback(warp, chunk.window_n, room.serial.lookbacks, room.staged, stored, page_,
                    known_);
      known_ += stored;
      for (unsigned k = 0; k < kPerLane; ++k) {
        if (first + k < n) latents[k] = page_[done + first + k];
      }
    } else if constexpr (sizeof(L) <= 4) {
      std::uint32_t* const history = room.serial.history;
      undo_conv1<L>(warp, chunk, plan.weights + chunk.weights, room.staged, stored, history);
      for (unsigned k = 0; k < kPerLane; ++k) latents[k] = static_cast<L>(history[first + k]);
      // Those that were made ahead are the next batch's first.
      const unsigned lane = warp.lane();
      const std::uint32_t kept = lane < chunk.order ? history[n + lane] : 0;
      warp.sync();
      if (lane < chunk.order) history[lane] = kept;
    }
    warp.sync();
  }

  const PlannedVariable& planned_;
  L* page_;
  std::uint64_t known_ = 0;  // Lookback: latents in `page_`
  std::uint32_t left_ = 0;   // stored latents not yet read
  std::uint32_t state_ = 0;  // of tANS, in the first four lanes
  SumOf<L> moment_ = 0;      // Consecutive: of this lane's order
};

}  // namespace numpact::gpu

#endif
