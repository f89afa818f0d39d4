// SPDX-License-Identifier: Apache-2.0
// NUMPACT_FUZZ_TARGET(name, run) makes a function a fuzz target: that of libFuzzer where it is
// linked, else one of the program that replays stored inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "support/bytes.hpp"

namespace numpact::fuzz {

using testing::Bytes;
using testing::ByteSpan;

// One input of a target. What is wrong ends the process.
using TargetFunction = void (*)(ByteSpan input);

#ifdef NUMPACT_LIBFUZZER
#define NUMPACT_FUZZ_TARGET(name, run)                                                \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    run({reinterpret_cast<const std::byte*>(data), size});                            \
    return 0;                                                                         \
  }
#else
// One of the targets in the program that replays.
class Registration {
 public:
  Registration(std::string_view name, TargetFunction run)
      : name_(name), run_(run), next_(std::exchange(newest_, this)) {}
  static TargetFunction find(std::string_view name) {
    const Registration* at = newest_;
    while (at != nullptr && at->name_ != name) at = at->next_;
    return at == nullptr ? nullptr : at->run_;
  }

 private:
  static inline const Registration* newest_ = nullptr;
  std::string_view name_;
  TargetFunction run_;
  const Registration* next_;
};
#define NUMPACT_FUZZ_TARGET(name, run) const Registration registration_##name(#name, run);
#endif

[[noreturn]] inline void fail(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  std::abort();
}

// A condition that must hold for every input.
#define NUMPACT_REQUIRE(condition) \
  ((condition) ? void() : ::numpact::fuzz::fail(__FILE__, __LINE__, #condition))

}  // namespace numpact::fuzz
