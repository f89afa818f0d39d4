// SPDX-License-Identifier: Apache-2.0
#include "gpu/emulation/fibers.hpp"

#include <ucontext.h>

#include <array>
#include <csetjmp>
#include <vector>

// Switching by jumps takes no system call; sanitizers do not follow them.
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

// ThreadSanitizer keeps a stack of calls for each fiber that it is told of.
#if defined(__SANITIZE_THREAD__)
#define NUMPACT_TOLD_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NUMPACT_TOLD_FIBERS 1
#endif
#endif
#ifdef NUMPACT_TOLD_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace numpact::gpu {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 16;
constexpr unsigned kQuadLanes = 4;

#ifdef NUMPACT_TOLD_FIBERS
class ToldFiber {
 public:
  ToldFiber() = default;
  ToldFiber(const ToldFiber&) = delete;
  ToldFiber& operator=(const ToldFiber&) = delete;
  ~ToldFiber() { end(); }
  // One that never returns leaves its calls behind: each run of it is a new one.
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
struct ToldFiber {
  void begin() {}
  void enter() {}
  void leave() {}
};
#endif

enum class Condition : std::uint8_t { kRunnable, kAtWarp, kAtQuad, kEnded };

}  // namespace

struct Fibers::State {
  struct Lane {
    std::vector<std::byte> stack;
    ucontext_t context = {};
    jmp_buf place = {};
    bool has_place = false;
    Condition condition = Condition::kRunnable;
    std::uint64_t gives = 0;
    ToldFiber told;
  };

  Turns turns;
  const std::function<void(unsigned)>* body = nullptr;
  std::array<Lane, kLanes> lanes;
  std::array<std::uint64_t, kLanes> warp_given{};
  std::array<std::uint64_t, kQuadLanes> quad_given{};
  unsigned current = 0;
  ucontext_t caller = {};
  jmp_buf caller_place = {};

  // A context is given nothing but a function: whose lane begins is noted here.
  static thread_local State* beginning;

  static void enter() {
    State* const state = beginning;
    const unsigned lane = state->current;
    (*state->body)(lane);
    state->lanes[lane].condition = Condition::kEnded;
    state->to_caller(lane);
  }

  void to_caller(unsigned lane) {
    Lane& own = lanes[lane];
    if constexpr (NUMPACT_JUMPS != 0) {
      own.has_place = true;
      if (_setjmp(own.place) == 0) _longjmp(caller_place, 1);
    } else {
      own.told.leave();
      swapcontext(&own.context, &caller);
    }
  }

  void resume(unsigned lane) {
    current = lane;
    beginning = this;
    Lane& own = lanes[lane];
    if constexpr (NUMPACT_JUMPS != 0) {
      if (_setjmp(caller_place) != 0) return;
      if (own.has_place) _longjmp(own.place, 1);
      setcontext(&own.context);
    } else {
      own.told.enter();
      swapcontext(&caller, &own.context);
    }
  }

  void prepare(unsigned lane) {
    Lane& own = lanes[lane];
    own.told.begin();
    own.stack.resize(kStackBytes);
    getcontext(&own.context);
    own.context.uc_stack.ss_sp = own.stack.data();
    own.context.uc_stack.ss_size = own.stack.size();
    own.context.uc_link = nullptr;
    own.has_place = false;
    own.condition = Condition::kRunnable;
    makecontext(&own.context, &State::enter, 0);
  }

  bool are_all(unsigned count, Condition condition) const {
    for (unsigned i = 0; i < count; ++i) {
      if (lanes[i].condition != condition) return false;
    }
    return true;
  }

  void let_go(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      (count == kQuadLanes ? quad_given[i] : warp_given[i]) = lanes[i].gives;
      lanes[i].condition = Condition::kRunnable;
    }
  }

  // Lets those go that have all come. False: nobody can.
  bool release() {
    if (are_all(kLanes, Condition::kAtWarp)) {
      let_go(kLanes);
      return true;
    }
    if (are_all(kQuadLanes, Condition::kAtQuad)) {
      let_go(kQuadLanes);
      return true;
    }
    return false;
  }
};

thread_local Fibers::State* Fibers::State::beginning = nullptr;

Fibers::Fibers(Turns turns) : state_(std::make_unique<State>()) { state_->turns = turns; }
Fibers::~Fibers() = default;

bool Fibers::run(const std::function<void(unsigned lane)>& body) {
  State& state = *state_;
  state.body = &body;
  for (unsigned lane = 0; lane < kLanes; ++lane) state.prepare(lane);
  do {
    for (unsigned i = 0; i < kLanes; ++i) {
      const unsigned lane = state.turns == Turns::kUpwards ? i : kLanes - 1 - i;
      if (state.lanes[lane].condition == Condition::kRunnable) state.resume(lane);
    }
  } while (state.release());
  return state.are_all(kLanes, Condition::kEnded);
}

void Fibers::meet(unsigned lane, Group group, std::uint64_t given) {
  State::Lane& own = state_->lanes[lane];
  own.gives = given;
  own.condition = group == Group::kWarp ? Condition::kAtWarp : Condition::kAtQuad;
  state_->to_caller(lane);
}

std::uint64_t Fibers::given(Group group, unsigned lane) const {
  return group == Group::kWarp ? state_->warp_given[lane] : state_->quad_given[lane];
}

}  // namespace numpact::gpu
