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
    std::uint64_t quad_n = 0;  // barriers of its quad that it passed
    SanitizerFiber sanitizer;
  };

  LaneOrder order;
  const std::function<void(unsigned)>* body = nullptr;
  std::array<Lane, kLanes> lanes;
  std::array<std::uint64_t, kLanes> warp_given{};
  std::array<std::uint64_t, kLanes> quad_given{};
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
    own.quad_n = 0;
    own.condition = Condition::kRunnable;
    makecontext(&own.context, &State::enter, 0);
  }

  bool all_are(unsigned first, unsigned count, Condition condition) const {
    for (unsigned i = first; i < first + count; ++i) {
      if (lanes[i].condition != condition) return false;
    }
    return true;
  }

  // All lanes call the functions of quads: on a GPU they are one instruction of the warp.
  bool quads_are_together() const {
    for (const Lane& lane : lanes) {
      if (lane.quad_n != lanes[0].quad_n) return false;
    }
    return true;
  }

  // Releases the groups all lanes of which wait at their barrier. False if there are none.
  bool release() {
    if (all_are(0, kLanes, Condition::kAtWarp) && quads_are_together()) {
      for (unsigned i = 0; i < kLanes; ++i) warp_given[i] = lanes[i].given_value;
      for (Lane& lane : lanes) lane.condition = Condition::kRunnable;
      return true;
    }
    bool is_any = false;
    for (unsigned first = 0; first < kLanes; first += kStates) {
      if (!all_are(first, kStates, Condition::kAtQuad)) continue;
      is_any = true;
      for (unsigned i = first; i < first + kStates; ++i) {
        quad_given[i] = lanes[i].given_value;
        lanes[i].condition = Condition::kRunnable;
        ++lanes[i].quad_n;
      }
    }
    return is_any;
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
  return state.all_are(0, kLanes, Condition::kFinished) && state.quads_are_together();
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
