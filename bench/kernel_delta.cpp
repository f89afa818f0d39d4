// SPDX-License-Identifier: Apache-2.0
// Undoing consecutive deltas, batch by batch.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "kernel_stages.hpp"
#include "pco/delta/consecutive.hpp"
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

template <Latent L>
void add() {
  for (const unsigned order : {1u, 2u, 3u, 7u}) {
    const std::string name = stage_name("consecutive", sizeof(L), std::to_string(order));
    benchmark::RegisterBenchmark(
        name.c_str(), [order](benchmark::State& state) { consecutive<L>(state, order); });
  }
}

}  // namespace

void register_delta_stages() {
  add<std::uint8_t>();
  add<std::uint16_t>();
  add<std::uint32_t>();
  add<std::uint64_t>();
}

}  // namespace numpact::bench
