// SPDX-License-Identifier: Apache-2.0
// Undoing deltas, batch by batch: consecutive ones, Conv1 and Lookback.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "kernel_stages.hpp"
#include "pco/delta/consecutive.hpp"
#include "pco/delta/conv1.hpp"
#include "pco/delta/lookback.hpp"
#include "pco/limits.hpp"

namespace numpact::bench {
namespace {

constexpr std::size_t kBatches = 16;  // stays in the first cache

template <Latent L>
void consecutive(benchmark::State& state, unsigned order) {
  Random random;
  std::vector<L> latents(kBatches * kBatchN);
  for (L& latent : latents) latent = static_cast<L>(random.next());
  std::array<L, kMaxConsecutiveOrder> moments{};
  const std::span<L> used = std::span(moments).first(order);
  measure(
      state, latents.size(), [] {},
      [&] {
        for (std::size_t i = 0; i < latents.size(); i += kBatchN) {
          decode_consecutive(used, latents.data() + i, kBatchN);
        }
      });
}

// Weights that average the latents before.
template <Latent L>
void conv1(benchmark::State& state, unsigned order) {
  constexpr unsigned kQuantization = 5;
  Conv1 conv;
  conv.quantization = kQuantization;
  conv.order = order;
  for (unsigned i = 0; i < order; ++i) {
    conv.weights[i] = (1 << kQuantization) / static_cast<int>(order);
  }
  Random random;
  std::vector<L> latents(order + kBatches * kBatchN);
  for (L& latent : latents) latent = static_cast<L>(random.next() % 100);
  std::vector<L> deltas(kBatches * kBatchN);
  for (L& delta : deltas) delta = static_cast<L>(random.next() % 100);
  measure(
      state, deltas.size(), [] {},
      [&] {
        for (std::size_t i = 0; i < deltas.size(); i += kBatchN) {
          undo_conv1(conv, deltas.data() + i, kBatchN, latents.data() + order + i);
        }
      });
}

// Lookbacks that are all `first`, or draws from 1 to `first`.
template <Latent L>
void lookback(benchmark::State& state, std::uint32_t first, bool is_drawn) {
  constexpr unsigned kWindowNLog = 12;
  constexpr std::size_t kPageN = std::size_t{1} << 16;
  Lookback parameters;
  parameters.window_n_log = kWindowNLog;
  Random random;
  std::vector<std::uint32_t> lookbacks(kBatches * kBatchN, first);
  if (is_drawn) {
    for (std::uint32_t& at : lookbacks) {
      at = 1 + static_cast<std::uint32_t>(random.next() % first);
    }
  }
  std::vector<L> deltas(lookbacks.size());
  for (L& delta : deltas) delta = static_cast<L>(random.next() % 100);
  std::vector<L> latents(lookbacks.size());
  const std::array<L, 1> page_state{};
  Arena arena(std::pmr::new_delete_resource());
  LookbackState<L> decoder;
  decoder.start(parameters, arena, kPageN, page_state, L{0});
  measure(
      state, deltas.size(), [&] { latents = deltas; },
      [&] {
        for (std::size_t i = 0; i < deltas.size(); i += kBatchN) {
          (void)decoder.undo(
              {latents.data() + i, kBatchN, kBatchN, lookbacks.data() + i, kBatchN, false});
        }
      });
}

template <Latent L>
void add_lookback(const std::string& parameter, std::uint32_t first, bool is_drawn) {
  benchmark::RegisterBenchmark(
      stage_name("lookback", sizeof(L), parameter).c_str(),
      [first, is_drawn](benchmark::State& state) { lookback<L>(state, first, is_drawn); });
}

template <Latent L>
void add() {
  for (const unsigned order : {1u, 2u, 3u, 7u}) {
    const std::string name = stage_name("consecutive", sizeof(L), std::to_string(order));
    benchmark::RegisterBenchmark(
        name.c_str(), [order](benchmark::State& state) { consecutive<L>(state, order); });
  }
  if constexpr (sizeof(L) <= 4) {
    for (const unsigned order : {1u, 4u, 16u, 32u}) {
      const std::string name = stage_name("conv1", sizeof(L), std::to_string(order));
      benchmark::RegisterBenchmark(name.c_str(),
                                   [order](benchmark::State& state) { conv1<L>(state, order); });
    }
  }
  add_lookback<L>("1", 1, false);
  add_lookback<L>("1000", 1000, false);
  add_lookback<L>("drawn from 8", 8, true);
  add_lookback<L>("drawn from 1000", 1000, true);
}

}  // namespace

void register_delta_stages() {
  add<std::uint8_t>();
  add<std::uint16_t>();
  add<std::uint32_t>();
  add<std::uint64_t>();
}

}  // namespace numpact::bench
