// SPDX-License-Identifier: Apache-2.0
// Joining primary and secondary latents to ordered latents, batch by batch.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "kernel_stages.hpp"
#include "pco/limits.hpp"
#include "pco/mode/dict.hpp"
#include "pco/mode/float_mult.hpp"
#include "pco/mode/float_quant.hpp"
#include "pco/mode/int_mult.hpp"

namespace numpact::bench {
namespace {

constexpr std::size_t kBatches = 8;
constexpr std::size_t kN = kBatches * kBatchN;
constexpr std::size_t kEntries = 200;

// Primary latents `around` some value, and small secondary ones.
template <Latent L>
struct Latents {
  std::vector<L> source = std::vector<L>(kN);
  std::vector<L> primary = std::vector<L>(kN);
  std::vector<L> secondary = std::vector<L>(kN);

  Latents(L around, L spread) {
    Random random;
    for (L& latent : source) latent = static_cast<L>(around + random.next() % spread);
    for (L& latent : secondary) latent = static_cast<L>(kMid<L> + random.next() % 3);
  }
  void reset() { std::copy(source.begin(), source.end(), primary.begin()); }
};

// `join` gets pointers to the primary and secondary latents of a batch.
template <Latent L, class Join>
void join_stage(benchmark::State& state, Latents<L> latents, const Join& join) {
  measure(
      state, kN, [&] { latents.reset(); },
      [&] {
        for (std::size_t i = 0; i < kN; i += kBatchN) {
          join(latents.primary.data() + i, latents.secondary.data() + i);
        }
      });
}

template <Latent L>
void int_mult(benchmark::State& state) {
  join_stage(state, Latents<L>(0, 100), [](L* primary, const L* secondary) {
    join_int_mult<L>(3, NumberKind::kUnsigned, primary, secondary, kBatchN);
  });
}

template <FloatLatent L>
void float_mult(benchmark::State& state) {
  const L base = FloatTraits<L>::to_bits(static_cast<typename FloatTraits<L>::Arithmetic>(0.01));
  join_stage(state, Latents<L>(kMid<L>, 1000), [base](L* primary, const L* secondary) {
    join_float_mult<L>(base, primary, secondary, kBatchN);
  });
}

template <FloatLatent L>
void float_quant(benchmark::State& state) {
  constexpr unsigned kK = FloatTraits<L>::kMantissaBits / 2;
  join_stage(state, Latents<L>(kMid<L> >> kK, 100), [](L* primary, const L* secondary) {
    join_float_quant<L>(kK, primary, secondary, kBatchN);
  });
}

template <Latent L>
void dict(benchmark::State& state) {
  Random random;
  std::vector<L> entries(kEntries);
  for (L& entry : entries) entry = static_cast<L>(random.next());
  std::vector<std::uint32_t> indices(kN);
  for (std::uint32_t& index : indices) {
    index = static_cast<std::uint32_t>(random.next() % kEntries);
  }
  std::vector<L> out(kN);
  measure(
      state, kN, [] {},
      [&] {
        for (std::size_t i = 0; i < kN; i += kBatchN) {
          benchmark::DoNotOptimize(
              join_dict<L>(entries, indices.data() + i, kBatchN, out.data() + i));
        }
      });
}

void add(const std::string& name, void (*stage)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name.c_str(), stage);
}

template <Latent L>
void add_for_all() {
  add(stage_name("int_mult", sizeof(L)), int_mult<L>);
  add(stage_name("dict", sizeof(L)), dict<L>);
}

template <FloatLatent L>
void add_for_floats() {
  add(stage_name("float_mult", sizeof(L)), float_mult<L>);
  add(stage_name("float_quant", sizeof(L)), float_quant<L>);
}

}  // namespace

void register_mode_stages() {
  add_for_all<std::uint8_t>();
  add_for_all<std::uint16_t>();
  add_for_all<std::uint32_t>();
  add_for_all<std::uint64_t>();
  add_for_floats<std::uint16_t>();
  add_for_floats<std::uint32_t>();
  add_for_floats<std::uint64_t>();
}

}  // namespace numpact::bench
