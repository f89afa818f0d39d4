// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp on one thread of the CPU: each has a stack of its own, and they take turns
// where they wait for each other. For tests: a lane that does not come where the others wait, or
// that reads what it should have waited for, is found.
#ifndef NUMPACT_GPU_EMULATION_FIBERS_HPP
#define NUMPACT_GPU_EMULATION_FIBERS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// In which order lanes run from one meeting to the next: what is right does not depend on it.
enum class Turns { kUpwards, kDownwards };

class Fibers {
 public:
  explicit Fibers(Turns turns);
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Runs `body(lane)` for all lanes to its end. False: lanes waited at different places, or some
  // for others that had ended.
  bool run(const std::function<void(unsigned lane)>& body);

  // Called by lanes. What a lane gives is seen by all when all of them have come: those of the
  // whole warp, or lanes 0 to 3.
  enum class Group : std::uint8_t { kWarp, kQuad };
  void meet(unsigned lane, Group group, std::uint64_t given);
  // What a lane gave at the last meeting of the group.
  std::uint64_t given(Group group, unsigned lane) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The warp that the functions of src/gpu/walk take, as one of its lanes sees it.
class EmulatedWarp {
 public:
  EmulatedWarp(Fibers& fibers, unsigned lane, PlannedFailure& failure)
      : fibers_(fibers), lane_(lane), failure_(failure) {}

  unsigned lane() const { return lane_; }
  void sync() { fibers_.meet(lane_, Fibers::Group::kWarp, 0); }

  template <class T>
  T from(T value, unsigned lane) {
    fibers_.meet(lane_, Fibers::Group::kWarp, value);
    return static_cast<T>(fibers_.given(Fibers::Group::kWarp, lane % kLanes));
  }
  template <class T>
  T from_below(T value, unsigned distance) {
    return from(value, lane_ >= distance ? lane_ - distance : lane_);
  }
  bool any(bool condition) {
    fibers_.meet(lane_, Fibers::Group::kWarp, condition ? 1 : 0);
    bool result = false;
    for (unsigned i = 0; i < kLanes; ++i) result |= fibers_.given(Fibers::Group::kWarp, i) != 0;
    return result;
  }
  std::uint32_t quad_or(std::uint32_t bits) {
    fibers_.meet(lane_, Fibers::Group::kQuad, bits);
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) result |= fibers_.given(Fibers::Group::kQuad, i);
    return static_cast<std::uint32_t>(result);
  }
  // The first that is noted stays.
  void fail(PlannedFailure failure) {
    if (failure_ == PlannedFailure::kNone) failure_ = failure;
  }

 private:
  Fibers& fibers_;
  unsigned lane_;
  PlannedFailure& failure_;
};

}  // namespace numpact::gpu

#endif
