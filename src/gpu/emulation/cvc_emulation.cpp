// SPDX-License-Identifier: Apache-2.0
#include "gpu/emulation/cvc_emulation.hpp"

#include <algorithm>
#include <memory>

#include "base/internal.hpp"
#include "gpu/cvc/decode_block.hpp"
#include "gpu/cvc/rotated.hpp"

namespace numpact::gpu {
namespace {

// All threads of a block. The items of a call are done upwards and downwards in turns, so that a
// call whose items depend on each other gives wrong values.
class EmulatedTeam {
 public:
  template <class F>
  void each(std::uint32_t n, const F& f) {
    is_upwards_ = !is_upwards_;
    for (std::uint32_t i = 0; i < n; ++i) f(is_upwards_ ? i : n - 1 - i);
  }

 private:
  bool is_upwards_ = false;
};

template <Out kOut>
void run_rotated(const TaskTable& table, std::uint32_t blocks) {
  const std::uint32_t bytes = rotated_scratch_bytes(table.rotated_dimension);
  EmulatedTeam team;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    // Shared memory is not initialized: a pattern shows reads before writes.
    const auto shared = std::make_unique<std::uint64_t[]>((bytes + 7) / 8);
    std::fill_n(reinterpret_cast<std::byte*>(shared.get()), bytes, std::byte{0xa5});
    decode_rotated<kOut>(team, table, block, reinterpret_cast<std::byte*>(shared.get()));
  }
}

template <Out kOut>
std::uint32_t run(const TaskTable& table, std::uint32_t blocks) {
  if (table.rotated_dimension > 0) {
    run_rotated<kOut>(table, blocks);
    return ~std::uint32_t{0};
  }
  std::uint32_t corrupt = ~std::uint32_t{0};
  const auto report = [&corrupt](std::uint32_t task) { corrupt = std::min(corrupt, task); };
  for (std::uint32_t block = 0; block < blocks; ++block) {
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      decode_block<kOut>(table, block, thread, report);
    }
  }
  return corrupt;
}

}  // namespace

std::uint32_t emulate_tasks(const TaskTable& table, std::uint32_t blocks, Out out) {
  switch (out) {
    case Out::kFloat:
      return run<Out::kFloat>(table, blocks);
    case Out::kHalf:
      return run<Out::kHalf>(table, blocks);
    case Out::kBFloat:
      return run<Out::kBFloat>(table, blocks);
  }
  return 0;
}

}  // namespace numpact::gpu
