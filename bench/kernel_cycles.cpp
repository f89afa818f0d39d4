// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "kernel_stages.hpp"

namespace numpact::bench {
namespace {

constexpr int kMultiplications = 4096;
constexpr int kRounds = 200;
// From one dependent multiplication of 64 bits to the next: 3 on all x86-64 of the last decade, and
// on current 64-bit Arm.
constexpr double kMultiplyLatency = 3;

std::uint64_t chain_ticks() {
  std::uint64_t value = 3;
  const std::uint64_t factor = 0x9e3779b97f4a7c15u;
  const std::uint64_t start = ticks();
  for (int i = 0; i < kMultiplications / 8; ++i) {
    for (int unrolled = 0; unrolled < 8; ++unrolled) {
      value *= factor;
      benchmark::DoNotOptimize(value);
    }
  }
  return ticks() - start;
}

}  // namespace

std::uint64_t ticks() {
#if defined(__x86_64__)
  unsigned core = 0;
  _mm_lfence();
  return __rdtscp(&core);
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

double ticks_per_cycle() {
  std::uint64_t best = chain_ticks();
  for (int round = 0; round < kRounds; ++round) best = std::min(best, chain_ticks());
  return static_cast<double>(best) / (kMultiplications * kMultiplyLatency);
}

std::string stage_name(const char* stage, std::size_t bytes, const std::string& parameter) {
  std::string name(stage);
  name.append("/u").append(std::to_string(8 * bytes));
  if (!parameter.empty()) name.append("/").append(parameter);
  return name;
}

}  // namespace numpact::bench
