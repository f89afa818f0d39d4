// SPDX-License-Identifier: Apache-2.0
// The latencies that bound the stages: chains in which each operation needs the result of the one
// before. limits.py computes the bounds from them.
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel_stages.hpp"

namespace numpact::bench {
namespace {

constexpr std::size_t kSteps = 4096;
constexpr std::size_t kUnrolledN = 8;

// `step` computes the next value from the last one.
template <class Step>
void chain(benchmark::State& state, const Step& step) {
  std::uint64_t value = 1;
  measure(
      state, kSteps, [] {},
      [&] {
        for (std::size_t i = 0; i < kSteps / kUnrolledN; ++i) {
          for (std::size_t unrolled = 0; unrolled < kUnrolledN; ++unrolled) {
            value = step(value);
            benchmark::DoNotOptimize(value);
          }
        }
      });
}

// A table of 8-byte nodes of which each holds the index of the next, as a tANS table of size 2^10
// does. It fits in the first cache.
void load(benchmark::State& state) {
  constexpr std::size_t kNodes = 1024;
  constexpr std::size_t kStride = 389;  // coprime to kNodes, so the chain visits all nodes
  static std::array<std::uint64_t, kNodes> nodes;
  for (std::size_t i = 0; i < kNodes; ++i) nodes[i] = (i + kStride) % kNodes;
  chain(state, [](std::uint64_t value) { return nodes[value]; });
}

void shift(benchmark::State& state) {
  chain(state, [](std::uint64_t value) { return value >> (value & 63); });
}

void mask(benchmark::State& state) {
  const std::uint64_t bits = 0xffff;
  chain(state, [bits](std::uint64_t value) { return value & bits; });
}

void add(benchmark::State& state) {
  chain(state, [](std::uint64_t value) { return value + 3; });
}

void multiply(benchmark::State& state) {
  const std::uint64_t factor = 0x9e3779b97f4a7c15u;
  chain(state, [factor](std::uint64_t value) { return value * factor; });
}

}  // namespace

void register_latencies() {
  benchmark::RegisterBenchmark("latency/load", load);
  benchmark::RegisterBenchmark("latency/shift", shift);
  benchmark::RegisterBenchmark("latency/mask", mask);
  benchmark::RegisterBenchmark("latency/add", add);
  benchmark::RegisterBenchmark("latency/multiply", multiply);
}

}  // namespace numpact::bench
