// SPDX-License-Identifier: Apache-2.0
#include "gpu/emulation/cvc_emulation.hpp"

#include <algorithm>

#include "base/internal.hpp"
#include "gpu/cvc/decode_block.hpp"

namespace numpact::gpu {
namespace {

template <Out kOut>
std::uint32_t run(const TaskTable& table, std::uint32_t blocks) {
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
