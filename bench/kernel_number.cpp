// SPDX-License-Identifier: Apache-2.0
// Ordered latents to numbers.
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "kernel_stages.hpp"
#include "number/ordered.hpp"
#include "pco/limits.hpp"

namespace numpact::bench {
namespace {

constexpr std::size_t kN = 8 * kBatchN;

template <Latent L>
void add(NumberKind kind, const std::string& kind_name) {
  const std::string name = stage_name("from_ordered", sizeof(L), kind_name);
  benchmark::RegisterBenchmark(name.c_str(), [kind](benchmark::State& state) {
    Random random;
    std::vector<L> latents(kN);
    for (L& latent : latents) latent = static_cast<L>(random.next());
    std::vector<L> out(kN);
    measure(
        state, kN, [] {},
        [&] {
          for (std::size_t i = 0; i < kN; i += kBatchN) {
            from_ordered(latents.data() + i, kBatchN, kind, out.data() + i);
          }
        });
  });
}

template <Latent L>
void add_kinds() {
  add<L>(NumberKind::kUnsigned, "unsigned");
  add<L>(NumberKind::kSigned, "signed");
  if constexpr (sizeof(L) > 1) add<L>(NumberKind::kFloat, "float");
}

}  // namespace

void register_number_stages() {
  add_kinds<std::uint8_t>();
  add_kinds<std::uint16_t>();
  add_kinds<std::uint32_t>();
  add_kinds<std::uint64_t>();
}

}  // namespace numpact::bench
