// SPDX-License-Identifier: Apache-2.0
// Sets the floating-point environment to the default, independently of the caller's.
//
// Splitting and joining floats computes products and quotients whose bits are fixed by the format:
// rounded to nearest, subnormals kept. A caller's thread may use another rounding mode, flush
// subnormals to zero (after loading a library linked with -ffast-math), or trap on inexact results.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

#include <cstdint>

#include "platform/x87_flags.hpp"

namespace numpact::internal {

// While it lives, the thread uses the default environment: round to nearest, keep subnormals, no
// traps. The destructor restores the caller's environment, including exception flags.
//
// A compiler may move arithmetic of the same function across the two instructions, so floats must
// be computed in functions called by the one that holds this object.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() noexcept { enter(); }
  ~DefaultFloatEnvironment() { leave(); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__) || defined(_M_X64)
  // MXCSR: round to nearest, all exceptions masked, no flags, no flushing (Intel SDM, volume 1,
  // 10.2.3). This code does not use the x87 unit.
  static constexpr unsigned kDefault = 0x1f80;
  // The flags of exceptions. Most programs have raised one, and nothing here reads them, so they
  // are no reason to write the register, which waits for all instructions before it.
  static constexpr unsigned kFlags = 0x3f;

  void enter() noexcept {
    caller_ = _mm_getcsr();
    if ((caller_ & ~kFlags) != kDefault) _mm_setcsr(kDefault);
  }
  void leave() noexcept {
    if (_mm_getcsr() != caller_) _mm_setcsr(caller_);
  }

  unsigned caller_;
  [[maybe_unused, no_unique_address]] platform::KeptX87Flags x87_flags_;
#elif defined(__aarch64__)
  // FPCR 0: round to nearest, no traps, no flushing. Writing FPCR is slow, so it is compared first.
  void enter() noexcept {
    __asm__ volatile("mrs %0, fpcr" : "=r"(control_));
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags_));
    if (control_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}) : "memory");
  }
  void leave() noexcept {
    if (control_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(control_) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(flags_) : "memory");
  }

  std::uint64_t control_;
  std::uint64_t flags_;
#else
  void enter() noexcept {
    std::fegetenv(&caller_);
    std::fesetenv(FE_DFL_ENV);
  }
  void leave() noexcept { std::fesetenv(&caller_); }

  std::fenv_t caller_;
#endif
};

}  // namespace numpact::internal
