// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp as fibers on one CPU thread: each lane has its own stack, and the lanes are
// switched at barriers. For tests: they find a lane that misses a barrier, and, by running the
// lanes in both orders, a lane that reads data without waiting for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/internal.hpp"
#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// The order in which lanes run from one barrier to the next. Correct code does not depend on it.
enum class LaneOrder { kUpwards, kDownwards };

class Fibers {
 public:
  explicit Fibers(LaneOrder order);
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Runs `body(lane)` on all lanes until they end. False if lanes wait at different barriers, or
  // wait for lanes that have ended.
  bool run(const std::function<void(unsigned lane)>& body);

  // Barrier and exchange, called by lanes: waits until all lanes of the group (the whole warp, or
  // lanes 0 to 3) have called it; then the values that they gave are visible to all.
  enum class Group : std::uint8_t { kWarp, kQuad };
  void exchange(unsigned lane, Group group, std::uint64_t given);
  // The value that a lane gave at the last barrier of the group.
  std::uint64_t given(Group group, unsigned lane) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The warp interface of src/gpu/walk/view.hpp for one lane.
class EmulatedWarp {
 public:
  EmulatedWarp(Fibers& fibers, unsigned lane, PlannedFailure& failure)
      : fibers_(fibers), lane_(lane), failure_(failure) {}

  unsigned lane() const { return lane_; }
  void sync() { fibers_.exchange(lane_, Fibers::Group::kWarp, 0); }

  template <class T>
  T from(T value, unsigned lane) {
    fibers_.exchange(lane_, Fibers::Group::kWarp, value);
    return static_cast<T>(fibers_.given(Fibers::Group::kWarp, lane % kLanes));
  }
  template <class T>
  T from_below(T value, unsigned distance) {
    return from(value, lane_ >= distance ? lane_ - distance : lane_);
  }
  bool any(bool condition) {
    fibers_.exchange(lane_, Fibers::Group::kWarp, condition ? 1 : 0);
    bool result = false;
    for (unsigned i = 0; i < kLanes; ++i) result |= fibers_.given(Fibers::Group::kWarp, i) != 0;
    return result;
  }
  std::uint32_t quad_or(std::uint32_t bits) {
    fibers_.exchange(lane_, Fibers::Group::kQuad, bits);
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) result |= fibers_.given(Fibers::Group::kQuad, i);
    return static_cast<std::uint32_t>(result);
  }
  // The first failure of the task is kept.
  void fail(PlannedFailure failure) {
    if (failure_ == PlannedFailure::kNone) failure_ = failure;
  }

 private:
  Fibers& fibers_;
  unsigned lane_;
  PlannedFailure& failure_;
};

}  // namespace numpact::gpu
