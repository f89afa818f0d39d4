// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp share.
#ifndef NUMPACT_GPU_WALK_ROOM_HPP
#define NUMPACT_GPU_WALK_ROOM_HPP

#include <type_traits>

#include "gpu/walk/view.hpp"
#include "pco/limits.hpp"

namespace numpact::gpu {

// Deltas that lanes undo together need less than those that are undone in order.
enum class Order { kTogether, kSerial };

// A place for each latent of a batch, and gaps: lanes that take kPerLane neighbours each meet other
// banks then.
template <class L>
class Staged {
 public:
  NUMPACT_HD L& operator[](unsigned i) { return latents_[i + i / kPerLane]; }

 private:
  L latents_[kBatch + kBatch / kPerLane];
};

struct NoSerialRoom {};

struct SerialRoom {
  std::uint32_t lookbacks[kBatch];
  // Conv1: the last latents, oldest first, and behind them those of a batch.
  std::uint32_t history[kMaxConv1Order + kBatch];
};

// L: numbers' latents; primary ones may be dictionary indices of 32 bits instead.
template <class L, Order kOrder>
struct Room {
  alignas(16) std::uint16_t bins[kBatch];
  Staged<std::conditional_t<sizeof(L) == 8, std::uint64_t, std::uint32_t>> staged;
  std::conditional_t<kOrder == Order::kSerial, SerialRoom, NoSerialRoom> serial;
};

}  // namespace numpact::gpu

#endif
