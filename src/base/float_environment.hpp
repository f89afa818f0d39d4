// SPDX-License-Identifier: Apache-2.0
// The environment that floats are computed in: the same for every caller.
//
// Splitting and joining floats takes products and quotients, and the format fixes their bits:
// rounded to nearest, subnormals kept. A caller's thread may round another way, take subnormals for
// zero (it does where a library linked with -ffast-math was loaded), or trap on what is inexact.
#ifndef NUMPACT_BASE_FLOAT_ENVIRONMENT_HPP
#define NUMPACT_BASE_FLOAT_ENVIRONMENT_HPP

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

#include <cstdint>

namespace numpact {

// While it lives, the thread computes in the default environment: to nearest, subnormals kept, no
// traps. At its end the thread has the environment that it had, its exception flags too.
//
// A compiler may move arithmetic of the same function across the two instructions; what computes is
// therefore a call away from the function that holds this.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() noexcept { enter(); }
  ~DefaultFloatEnvironment() { leave(); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__) || defined(_M_X64)
  // To nearest, all exceptions masked, no flags, no flushing (Intel SDM, volume 1, 10.2.3). The x87
  // unit is not used.
  static constexpr unsigned kDefault = 0x1f80;

  void enter() noexcept {
    caller_ = _mm_getcsr();
    if (caller_ != kDefault) _mm_setcsr(kDefault);
  }
  void leave() noexcept {
    if (_mm_getcsr() != caller_) _mm_setcsr(caller_);
  }

  unsigned caller_;
#elif defined(__aarch64__)
  // FPCR 0: to nearest, no traps, no flushing. Writing FPCR is slow, so it is compared first.
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

}  // namespace numpact

#endif
