// SPDX-License-Identifier: Apache-2.0
#include "api/budget.hpp"

#include <cstring>

#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/session.hpp"

namespace numpact {
namespace {

// The sample of a file: blocks of neighbours, so that deltas can be estimated. 8,192 numbers take
// less than a millisecond to choose for, and files of several runs far longer to encode.
constexpr std::size_t kBlockN = 128;
constexpr std::size_t kBlocks = 64;

// Whether a sample takes more than max_bytes, for all numbers.
bool is_sample_above(const NumberView& numbers, const EncodeConfig& config, std::uint64_t max_bytes,
                     Arena& arena) {
  if (numbers.count < 2 * kBlocks * kBlockN) return true;
  const ArenaScope scratch(arena);
  const std::size_t size = size_of(numbers.type);
  const std::span<std::byte> sample = arena.make<std::byte>(kBlocks * kBlockN * size);
  const auto* const data = static_cast<const std::byte*>(numbers.data);
  const EvenPositions positions(numbers.count - kBlockN, kBlocks);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    std::memcpy(sample.data() + i * kBlockN * size, data + positions[i] * size, kBlockN * size);
  }
  const NumberView view(numbers.type, sample.data(), kBlocks * kBlockN);
  ChoiceSession session({view.type, ordered_latents(view, arena), view.count}, config, arena);
  session.choose_plain();
  return is_estimated_above(session.best(), numbers.count, max_bytes);
}

}  // namespace

Budget::Budget(const BudgetInput& input, const EncodeConfig& config, Arena& arena)
    : count_(input.numbers.count) {
  if (!config.max_bytes || *config.max_bytes >= input.bound) return;
  max_bytes_ = *config.max_bytes;
  is_shared_ = input.runs > 1 && is_sample_above(input.numbers, config, max_bytes_, arena);
}

std::uint64_t Budget::of_run(std::size_t n, std::size_t done, std::size_t bytes) const {
  if (max_bytes_ == ~std::uint64_t{0}) return max_bytes_;
  const std::uint64_t left = max_bytes_ > bytes ? max_bytes_ - bytes : 0;
  if (!is_shared_) return left;
  const double share = static_cast<double>(n) / static_cast<double>(count_ - done);
  return static_cast<std::uint64_t>(static_cast<double>(left) * share);
}

}  // namespace numpact
