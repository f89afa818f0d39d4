// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp as fibers on one CPU thread: each lane has its own stack, and the lanes are
// switched at barriers. For tests: they find a lane that misses a barrier, and, by running the
// lanes in both orders, a lane that reads data without waiting for it.
#pragma once

#include <algorithm>
#include <array>
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
  // the own quad) have called it; then the values that they gave are visible to all.
  enum class Group : std::uint8_t { kWarp, kQuad };
  void exchange(unsigned lane, Group group, std::uint64_t given);
  // The value that a lane gave at the last barrier of the group.
  std::uint64_t given(Group group, unsigned lane) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// How often the warps of an emulation executed each step.
using StepCounts = std::array<std::uint64_t, static_cast<std::size_t>(Step::kSteps)>;

// What the lanes of a warp report.
struct WarpReport {
  // Of each task of the group, the first failure.
  std::array<PlannedFailure, kMaxGroupTasks> failures{};
  StepCounts steps{};
};

// The warp interface of src/gpu/walk/view.hpp for one lane.
class EmulatedWarp {
 public:
  // `first`: number of the first task of the group.
  EmulatedWarp(Fibers& fibers, unsigned lane, std::uint32_t first, WarpReport& report)
      : fibers_(fibers), lane_(lane), first_(first), report_(report) {}

  unsigned lane() const { return lane_; }
  void sync() { fibers_.exchange(lane_, Fibers::Group::kWarp, 0); }

  template <class T>
  T from(T value, unsigned lane) {
    fibers_.exchange(lane_, Fibers::Group::kWarp, value);
    return static_cast<T>(fibers_.given(Fibers::Group::kWarp, lane % kLanes));
  }
  template <class T>
  T plus_below(T value, unsigned distance) {
    const T below = from(value, lane_ - distance);
    return lane_ >= distance ? static_cast<T>(value + below) : value;
  }
  std::uint32_t max(std::uint32_t value) {
    fibers_.exchange(lane_, Fibers::Group::kWarp, value);
    std::uint64_t result = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      result = std::max(result, fibers_.given(Fibers::Group::kWarp, i));
    }
    return static_cast<std::uint32_t>(result);
  }
  bool any(bool condition) { return max(condition ? 1 : 0) != 0; }
  std::uint32_t quad_or(std::uint32_t bits) {
    return of_quad(bits, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  std::uint32_t quad_sum(std::uint32_t value) {
    return of_quad(value, [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }
  void fail(std::uint32_t task, PlannedFailure failure) {
    PlannedFailure& first = report_.failures[task - first_];
    if (first == PlannedFailure::kNone) first = failure;
  }
  // Lane 0 takes part in every step.
  void count(Step step) {
    if (lane_ == 0) ++report_.steps[static_cast<std::size_t>(step)];
  }

 private:
  template <class Combine>
  std::uint32_t of_quad(std::uint32_t value, Combine combine) {
    fibers_.exchange(lane_, Fibers::Group::kQuad, value);
    std::uint64_t result = 0;
    for (unsigned i = 0; i < kStates; ++i) {
      result = combine(result, fibers_.given(Fibers::Group::kQuad, lane_ / kStates * kStates + i));
    }
    return static_cast<std::uint32_t>(result);
  }

  Fibers& fibers_;
  unsigned lane_;
  std::uint32_t first_;
  WarpReport& report_;
};

}  // namespace numpact::gpu
