// SPDX-License-Identifier: Apache-2.0
#include "gpu/emulation/fibers.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <array>
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

namespace numpact::gpu {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 16;
constexpr unsigned kQuadLanes = 4;

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
  };

  Turns turns;
  const std::function<void(unsigned)>* body = nullptr;
  std::array<Lane, kLanes> lanes;
  std::array<std::uint64_t, kLanes> warp_given{};
  std::array<std::uint64_t, kQuadLanes> quad_given{};
  unsigned current = 0;
  ucontext_t caller = {};
  jmp_buf caller_place = {};

  static void enter(unsigned high, unsigned low) {
    auto* const state =
        reinterpret_cast<State*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low));
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
      swapcontext(&own.context, &caller);
    }
  }

  void resume(unsigned lane) {
    current = lane;
    Lane& own = lanes[lane];
    if constexpr (NUMPACT_JUMPS != 0) {
      if (_setjmp(caller_place) != 0) return;
      if (own.has_place) _longjmp(own.place, 1);
      setcontext(&own.context);
    } else {
      swapcontext(&caller, &own.context);
    }
  }

  void prepare(unsigned lane) {
    Lane& own = lanes[lane];
    own.stack.resize(kStackBytes);
    getcontext(&own.context);
    own.context.uc_stack.ss_sp = own.stack.data();
    own.context.uc_stack.ss_size = own.stack.size();
    own.context.uc_link = nullptr;
    own.has_place = false;
    own.condition = Condition::kRunnable;
    const auto self = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this));
    makecontext(&own.context, reinterpret_cast<void (*)()>(&State::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self & 0xffffffffu));
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
