// SPDX-License-Identifier: Apache-2.0
// The exception flags of the x87 unit. On x86-64 nothing computes with it but the mathematical
// functions of MinGW's C library.
#pragma once

#include <cstdint>

namespace numpact::internal::platform {

#if defined(__MINGW32__) && defined(__x86_64__)

// The destructor restores the flags (Intel SDM, volume 1, 8.1.3 and 8.1.10).
class KeptX87Flags {
 public:
  KeptX87Flags() noexcept : status_(status()) {}
  ~KeptX87Flags() {
    if (((status() ^ status_) & kFlags) == 0) return;
    struct {
      std::uint32_t control, status, tags, rest[4];
    } environment;
    __asm__ volatile("fnstenv %0" : "=m"(environment));
    environment.status = (environment.status & ~std::uint32_t{kFlags}) | (status_ & kFlags);
    __asm__ volatile("fldenv %0" : : "m"(environment));
  }
  KeptX87Flags(const KeptX87Flags&) = delete;
  KeptX87Flags& operator=(const KeptX87Flags&) = delete;

 private:
  static constexpr std::uint16_t kFlags = 0x3f;

  static std::uint16_t status() noexcept {
    std::uint16_t word;
    __asm__ volatile("fnstsw %0" : "=am"(word));
    return word;
  }

  std::uint16_t status_;
};

#else

class KeptX87Flags {};

#endif

}  // namespace numpact::internal::platform
