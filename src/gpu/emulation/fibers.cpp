// SPDX-License-Identifier: Apache-2.0
#include "gpu/emulation/fibers.hpp"
#include "base/internal.hpp"

#include <ucontext.h>

#include <array>
#include <csetjmp>
#include <vector>

// Fibers are switched by longjmp, which needs no system call; with sanitizers, which do not support
// that, by swapcontext.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NUMPACT_JUMPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define NUMPACT_JUMPS 0
#endif
#endif
#ifndef NUMPACT_JUMPS
#define NUMPACT_JUMPS 1
#endif

// ThreadSanitizer keeps a call stack for each fiber that is registered with it.
#if defined(__SANITIZE_THREAD__)
#define NUMPACT_SANITIZER_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NUMPACT_SANITIZER_FIBERS 1
#endif
#endif
#ifdef NUMPACT_SANITIZER_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace numpact::gpu {
namespace {

// Stack of a lane; the kernels keep their buffers in other memory.
constexpr std::size_t kStackBytes = std::size_t{1} << 16;
constexpr unsigned kQuadLanes = 4;

#ifdef NUMPACT_SANITIZER_FIBERS
// A fiber that is registered with ThreadSanitizer.
class SanitizerFiber {
 public:
  SanitizerFiber() = default;
  SanitizerFiber(const SanitizerFiber&) = delete;
  SanitizerFiber& operator=(const SanitizerFiber&) = delete;
  ~SanitizerFiber() { end(); }
  // A fiber that never returns leaves frames on its call stack, so each run gets a new one.
  void begin() {
    end();
    own_ = __tsan_create_fiber(0);
  }
  void enter() {
    caller_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_, 0);
  }
  void leave() { __tsan_switch_to_fiber(caller_, 0); }

 private:
  void end() {
    if (own_ != nullptr) __tsan_destroy_fiber(own_);
  }
  void* own_ = nullptr;
  void* caller_ = nullptr;
};
#else
struct SanitizerFiber {
  void begin() {}
  void enter() {}
  void leave() {}
};
#endif

enum class Condition : std::uint8_t { kRunnable, kAtWarp, kAtQuad, kFinished };

}  // namespace

struct Fibers::State {
  struct Lane {
    std::vector<std::byte> stack;
    ucontext_t context = {};
    jmp_buf resume_point = {};
    bool has_resume_point = false;
    Condition condition = Condition::kRunnable;
    std::uint64_t given_value = 0;
    SanitizerFiber sanitizer;
  };

  LaneOrder order;
  const std::function<void(unsigned)>* body = nullptr;
  std::array<Lane, kLanes> lanes;
  std::array<std::uint64_t, kLanes> warp_given{};
  std::array<std::uint64_t, kQuadLanes> quad_given{};
  unsigned current = 0;
  ucontext_t caller = {};
  jmp_buf caller_resume_point = {};

  // A new context takes no arguments, so its object is passed here.
  static thread_local State* starting;

  static void enter() {
    State* const state = starting;
    const unsigned lane = state->current;
    (*state->body)(lane);
    state->lanes[lane].condition = Condition::kFinished;
    state->to_caller(lane);
  }

  void to_caller(unsigned lane) {
    Lane& own = lanes[lane];
    if constexpr (NUMPACT_JUMPS != 0) {
      own.has_resume_point = true;
      if (_setjmp(own.resume_point) == 0) _longjmp(caller_resume_point, 1);
    } else {
      own.sanitizer.leave();
      swapcontext(&own.context, &caller);
    }
  }

  void resume(unsigned lane) {
    current = lane;
    starting = this;
    Lane& own = lanes[lane];
    if constexpr (NUMPACT_JUMPS != 0) {
      if (_setjmp(caller_resume_point) != 0) return;
      if (own.has_resume_point) _longjmp(own.resume_point, 1);
      setcontext(&own.context);
    } else {
      own.sanitizer.enter();
      swapcontext(&caller, &own.context);
    }
  }

  void prepare(unsigned lane) {
    Lane& own = lanes[lane];
    own.sanitizer.begin();
    own.stack.resize(kStackBytes);
    getcontext(&own.context);
    own.context.uc_stack.ss_sp = own.stack.data();
    own.context.uc_stack.ss_size = own.stack.size();
    own.context.uc_link = nullptr;
    own.has_resume_point = false;
    own.condition = Condition::kRunnable;
    makecontext(&own.context, &State::enter, 0);
  }

  bool all_are(unsigned count, Condition condition) const {
    for (unsigned i = 0; i < count; ++i) {
      if (lanes[i].condition != condition) return false;
    }
    return true;
  }

  void release_group(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      (count == kQuadLanes ? quad_given[i] : warp_given[i]) = lanes[i].given_value;
      lanes[i].condition = Condition::kRunnable;
    }
  }

  // Releases a group all lanes of which wait at its barrier. False if there is none.
  bool release() {
    if (all_are(kLanes, Condition::kAtWarp)) {
      release_group(kLanes);
      return true;
    }
    if (all_are(kQuadLanes, Condition::kAtQuad)) {
      release_group(kQuadLanes);
      return true;
    }
    return false;
  }
};

thread_local Fibers::State* Fibers::State::starting = nullptr;

Fibers::Fibers(LaneOrder order) : state_(std::make_unique<State>()) { state_->order = order; }
Fibers::~Fibers() = default;

bool Fibers::run(const std::function<void(unsigned lane)>& body) {
  State& state = *state_;
  state.body = &body;
  for (unsigned lane = 0; lane < kLanes; ++lane) state.prepare(lane);
  do {
    for (unsigned i = 0; i < kLanes; ++i) {
      const unsigned lane = state.order == LaneOrder::kUpwards ? i : kLanes - 1 - i;
      if (state.lanes[lane].condition == Condition::kRunnable) state.resume(lane);
    }
  } while (state.release());
  return state.all_are(kLanes, Condition::kFinished);
}

void Fibers::exchange(unsigned lane, Group group, std::uint64_t given) {
  State::Lane& own = state_->lanes[lane];
  own.given_value = given;
  own.condition = group == Group::kWarp ? Condition::kAtWarp : Condition::kAtQuad;
  state_->to_caller(lane);
}

std::uint64_t Fibers::given(Group group, unsigned lane) const {
  return group == Group::kWarp ? state_->warp_given[lane] : state_->quad_given[lane];
}

}  // namespace numpact::gpu
