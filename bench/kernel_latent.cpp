// SPDX-License-Identifier: Apache-2.0
// The stages of src/pco/latent: walking the codes of tANS, unpacking offsets, both at once. Their
// input is noise: any bits are codes and offsets of some latents.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "kernel_stages.hpp"
#include "pco/latent/latent_decoder.hpp"

namespace numpact::bench {
namespace {

constexpr std::size_t kBatches = 8;
constexpr std::size_t kN = kBatches * kBatchN;
constexpr unsigned kSizeLog = 10;

// Bins of one weight each, but for a first one where `share` (of 1024) says so. Offsets take up to
// `width` bits.
struct Shape {
  std::size_t bin_n = 20;
  unsigned width = 0;
  std::uint32_t share = 0;
};

template <Latent L>
class Variable {
 public:
  explicit Variable(const Shape& shape) {
    Random random;
    std::vector<Bin> bins(shape.bin_n);
    const std::uint32_t size = std::uint32_t{1} << kSizeLog;
    const auto others = static_cast<std::uint32_t>(shape.bin_n - 1);
    const std::uint32_t each =
        shape.share == 0 ? size / (others + 1) : (size - shape.share) / others;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const auto less = static_cast<unsigned>(i % 3);
      bins[i] = {random.next() & L(~L{0}), each, shape.width - std::min(shape.width, less)};
    }
    bins[0].weight = size - others * each;
    tables_ = LatentTables<L>::make(Binning{kBits<L>, kSizeLog, bins}, L{0}, arena_);
    noise_.resize((kBatches + 1) * kBatchN * 80 / 8 + kReadSlackBytes);
    for (std::byte& byte : noise_) byte = static_cast<std::byte>(random.next() >> 56);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  const LatentTables<L>& tables() const { return tables_; }
  const std::byte* in() const { return noise_.data(); }
  CodeWalk aim(std::uint64_t position, CodeTrail* trail) {
    return {tables_.nodes.data(), tables_.layout, tables_.jumps, &states_, in(), position, trail};
  }
  // Batches that begin where those before them end.
  void walk_all(std::array<CodeTrail, kBatches>& trails) {
    CodeWalk walk = aim(0, &trails[0]);
    for (CodeTrail& trail : trails) {
      walk.trail = &trail;
      tables_.kernels->walk(walk);
    }
  }

 private:
  Arena arena_{std::pmr::new_delete_resource()};
  LatentTables<L> tables_;
  AnsStates states_{};
  std::vector<std::byte> noise_;
};

template <Latent L>
void walk(benchmark::State& state, const Shape& shape) {
  Variable<L> variable(shape);
  std::array<CodeTrail, kBatches> trails;
  measure(
      state, kN, [] {}, [&] { variable.walk_all(trails); });
}

template <Latent L>
void unpack(benchmark::State& state, const Shape& shape) {
  Variable<L> variable(shape);
  const auto& tables = variable.tables();
  std::array<CodeTrail, kBatches> trails;
  variable.walk_all(trails);
  std::vector<L> out(kN);
  measure(
      state, kN, [] {},
      [&] {
        std::uint64_t position = 0;
        for (std::size_t i = 0; i < kBatches; ++i) {
          Finish<L> finish;
          tables.kernels->unpack(tables, trails[i], variable.in(), position,
                                 out.data() + i * kBatchN, finish);
          position += trails[i].offset_bits;
        }
      });
}

// As a page of this variable alone is decoded: the batches follow each other.
template <Latent L>
void unpack_and_walk(benchmark::State& state, const Shape& shape) {
  Variable<L> variable(shape);
  const auto& tables = variable.tables();
  std::vector<L> out(kN);
  measure(
      state, kN, [] {},
      [&] {
        CodeTrail trails[2];
        CodeWalk walk = variable.aim(0, &trails[0]);
        tables.kernels->walk(walk);
        for (std::size_t i = 0; i < kBatches; ++i) {
          const CodeTrail& trail = trails[i % 2];
          const std::uint64_t offsets = walk.position;
          walk = variable.aim(offsets + trail.offset_bits, &trails[(i + 1) % 2]);
          Finish<L> finish;
          L* const to = out.data() + i * kBatchN;
          if (i + 1 == kBatches) {
            tables.kernels->unpack(tables, trail, variable.in(), offsets, to, finish);
          } else {
            tables.kernels->unpack_and_walk(tables, trail, variable.in(), offsets, to, finish,
                                            walk);
          }
        }
      });
}

// By the letter, as the ends of pages and tables of many bins are decoded.
template <Latent L>
void decode(benchmark::State& state, const Shape& shape) {
  Variable<L> variable(shape);
  const auto& tables = variable.tables();
  std::vector<L> out(kN);
  AnsStates states{};
  measure(
      state, kN, [] {},
      [&] {
        std::uint64_t position = 0;
        for (std::size_t i = 0; i < kN; i += kBatchN) {
          position = tables.kernels->decode(tables, states, variable.in(), position, kBatchN,
                                            out.data() + i);
        }
      });
}

template <Latent L>
void add(const char* stage, const std::string& parameter, const Shape& shape,
         void (*run)(benchmark::State&, const Shape&)) {
  const std::string name = stage_name(stage, sizeof(L), parameter);
  benchmark::RegisterBenchmark(name.c_str(),
                               [shape, run](benchmark::State& state) { run(state, shape); });
}

template <Latent L>
void add_for_width() {
  for (const unsigned width : {0u, 5u, 15u, 28u, 45u, 60u}) {
    if (width > kBits<L>) break;
    const std::string parameter = std::to_string(width);
    const Shape shape{20, width};
    add<L>("unpack", parameter, shape, unpack<L>);
    add<L>("unpack_and_walk", parameter, shape, unpack_and_walk<L>);
    add<L>("decode", parameter, shape, decode<L>);
  }
  // Lower ends that fill more or fewer registers, or none.
  for (const std::size_t bin_n : {4u, 60u, 200u}) {
    add<L>("unpack_and_walk", "5,bins=" + std::to_string(bin_n), Shape{bin_n, 5},
           unpack_and_walk<L>);
  }
}

}  // namespace

void register_latent_stages() {
  // The codes do not depend on the width of latents.
  for (const std::size_t bin_n : {2u, 20u, 200u}) {
    add<std::uint32_t>("walk", "bins=" + std::to_string(bin_n), Shape{bin_n}, walk<std::uint32_t>);
  }
  for (const std::uint32_t share : {1000u, 1012u, 1020u, 1023u}) {
    const Shape shape{2, 0, share};
    const std::string parameter = std::to_string(share) + "/1024";
    add<std::uint32_t>("walk_jumps", parameter, shape, walk<std::uint32_t>);
    add<std::uint32_t>("unpack_and_walk_jumps", parameter, shape, unpack_and_walk<std::uint32_t>);
  }
  add_for_width<std::uint8_t>();
  add_for_width<std::uint16_t>();
  add_for_width<std::uint32_t>();
  add_for_width<std::uint64_t>();
}

}  // namespace numpact::bench
