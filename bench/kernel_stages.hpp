// SPDX-License-Identifier: Apache-2.0
// The functions that bench_kernels.cpp runs, one for each file of stages; and counting cycles.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "numpact/types.hpp"

namespace numpact::bench {

// Each registers its benchmarks, named stage/type/parameter.
void register_delta_stages();   // kernel_delta.cpp
void register_mode_stages();    // kernel_mode.cpp
void register_number_stages();  // kernel_number.cpp
void register_latent_stages();  // kernel_latent.cpp
void register_page_stages();    // kernel_page.cpp
void register_latencies();      // kernel_latency.cpp

// A counter that runs at one speed whatever the core's, and how much of it a cycle of the core
// takes right now.
std::uint64_t ticks();
double ticks_per_cycle();

// Repeats `run` on `numbers` numbers, each time after `prepare`, which is not counted. The counters
// say cycles and nanoseconds a number of the quickest time.
template <class Prepare, class Run>
void measure(benchmark::State& state, std::size_t numbers, const Prepare& prepare, const Run& run) {
  const double scale_before = ticks_per_cycle();
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (auto _ : state) {
    prepare();
    benchmark::ClobberMemory();
    const std::uint64_t start = ticks();
    run();
    benchmark::ClobberMemory();
    best = std::min(best, ticks() - start);
  }
  const double scale = std::min(scale_before, ticks_per_cycle());
  state.counters["cycles"] = static_cast<double>(best) / scale / static_cast<double>(numbers);
  state.SetItemsProcessed(static_cast<std::int64_t>(numbers) * state.iterations());
}

// Repeatable bits.
class Random {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

// "stage/u32/parameter", for latents or numbers of a width in bytes.
std::string stage_name(const char* stage, std::size_t bytes, const std::string& parameter = "");

}  // namespace numpact::bench
