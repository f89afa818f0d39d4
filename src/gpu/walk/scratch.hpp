// SPDX-License-Identifier: Apache-2.0
// Shared memory of a warp: buffers through which its lanes exchange the data of a batch.
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/internal.hpp"
#include "gpu/walk/view.hpp"
#include "pco/limits.hpp"

namespace numpact::gpu {

// How deltas are undone: by all lanes in parallel (None, Consecutive), or in order (Lookback,
// Conv1), which needs more shared memory.
enum class DeltaOrder { kParallel, kSerial };

// The latents of a batch, with one unused element after every kPerLane latents. The gaps avoid bank
// conflicts when each lane accesses its kPerLane neighbouring latents:
//   lane 0 accesses elements 0 to 7, lane 1 elements 9 to 16, lane 2 elements 18 to 25, ...
template <class L>
class Staged {
 public:
  NUMPACT_HD L& operator[](unsigned i) { return latents_[i + i / kPerLane]; }

 private:
  L latents_[kBatch + kBatch / kPerLane];
};

// What determines the size of the scratch of a warp.
struct ScratchShape {
  std::uint32_t tasks = 1;      // most tasks of a group
  std::uint32_t variables = 1;  // most latent variables of a chunk
};

// The symbols of the neighbouring latents of a lane, which it loads at once.
struct alignas(2 * kPerLane) Symbols {
  std::uint16_t of[kPerLane];
};

// The scratch of a warp, in shared memory that the caller provides. L: latents of the numbers;
// primary latents may be dictionary indices of 32 bits instead.
template <class L, DeltaOrder kDeltaOrder>
class Scratch {
 public:
  using Latents = Staged<std::conditional_t<sizeof(L) == 8, std::uint64_t, std::uint32_t>>;

  // Alignment of the memory, and a divisor of its size.
  static constexpr std::size_t kAlignment = 16;

  static constexpr std::size_t bytes(const ScratchShape& shape) {
    return sizeof(Latents) + serial_bytes(shape) +
           std::size_t{2} * kBatch * shape.tasks * shape.variables;
  }

  NUMPACT_HD Scratch(std::byte* memory, const ScratchShape& shape)
      : staged_(reinterpret_cast<Latents*>(memory)),
        history_(reinterpret_cast<std::uint32_t*>(memory + sizeof(Latents))),
        symbols_(reinterpret_cast<std::uint16_t*>(memory + sizeof(Latents) + serial_bytes(shape))),
        tasks_(shape.tasks) {}

  NUMPACT_HD Latents& staged() const { return *staged_; }
  // The symbols of a batch of a task. `variable` counts those of the chunk.
  NUMPACT_HD std::uint16_t* symbols(unsigned variable, unsigned task) const {
    return symbols_ + kBatch * (variable * tasks_ + task);
  }
  // Lookback: the distances of a batch.
  NUMPACT_HD std::uint32_t* lookbacks() const { return history_; }
  // Conv1: the last `order` latents of a task, oldest first, followed by those of the batch.
  NUMPACT_HD std::uint32_t* history(unsigned task) const {
    return history_ + kHistoryStride * task;
  }

 private:
  // Odd, so that lanes that work on different tasks access different banks.
  static constexpr unsigned kHistoryStride = kMaxConv1Order + kBatch + 1;
  static_assert(kHistoryStride % 2 == 1 && kHistoryStride >= kBatch);
  static_assert(sizeof(Latents) % kAlignment == 0);

  static constexpr NUMPACT_HD std::size_t serial_bytes(const ScratchShape& shape) {
    if (kDeltaOrder == DeltaOrder::kParallel) return 0;
    const std::size_t bytes = std::size_t{4} * kHistoryStride * shape.tasks;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  Latents* staged_;
  std::uint32_t* history_;
  std::uint16_t* symbols_;
  std::uint32_t tasks_;
};

}  // namespace numpact::gpu
