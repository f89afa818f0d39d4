// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/size_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/scratch.hpp"
#include "pco/encode/session.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::internal {
namespace {

// The samples and the error were set by the sizes of the shared columns at level 8 against the time
// to encode them (`./dev bench estimates`).

// Blocks of neighbours that are spread over the numbers: as long as those of a chunk's sample, and
// as many as take less than a tenth of the time to encode 2^20 numbers.
constexpr std::size_t kBlockN = 128;
constexpr std::size_t kMinBlocks = 64;
constexpr std::size_t kMaxBlocks = 256;
constexpr std::size_t kNumbersPerBlock = std::size_t{1} << 14;
// Numbers that take fewer bits change so rarely that kMinBlocks show too few of the changes.
constexpr float kMaxRareBitsPerNumber = 0.75f;
// Below these bits in all the changes do not matter.
constexpr double kMinRareBits = 2048;

// Neighbours in the middle, which show what repeats at a distance, and how much the numbers of one
// place are like all others: one number in this many, between the bounds. Arrays and chunks of
// fewer than the lower one are estimated whole.
constexpr std::size_t kWindowOneIn = 32;
constexpr std::size_t kMinWindowN = std::size_t{1} << 12;
constexpr std::size_t kMaxWindowN = std::size_t{1} << 13;

// The error, as shares of the bytes: of every estimate; for each share by which the window differs
// from the blocks; and for the share that Lookback saves in the window. Together at most kMaxShare.
constexpr double kErrorShare = 0.06;
constexpr double kErrorPerSpread = 0.5;
constexpr double kErrorPerLookback = 0.5;
constexpr double kMaxErrorShare = 0.6;
// And in bits per number, and in bytes: what rare values and metadata may take.
constexpr double kErrorBitsPerNumber = 0.1;
constexpr double kErrorBytes = 32;

// Blocks of the numbers as ordered latents. Each is shifted by a fixed pseudorandom sequence, so
// that periods do not meet the same phase in every block.
LatentArray take_blocks(const NumberView& numbers, std::size_t blocks, Arena& arena) {
  const std::size_t size = size_of(numbers.type);
  const std::span<std::byte> copy = arena.make<std::byte>(blocks * kBlockN * size);
  const auto* const data = static_cast<const std::byte*>(numbers.data);
  const EvenPositions begins(numbers.count, blocks);
  std::uint64_t random = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < blocks; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::size_t end = i + 1 < blocks ? begins[i + 1] : numbers.count;
    const std::size_t max_shift = end - begins[i] - kBlockN;
    const std::size_t from = begins[i] + static_cast<std::size_t>((random >> 33) % (max_shift + 1));
    std::memcpy(copy.data() + i * kBlockN * size, data + from * size, kBlockN * size);
  }
  return ordered_latents({numbers.type, copy.data(), blocks * kBlockN}, arena);
}

Choice choice_by_blocks(const NumberView& numbers, std::size_t blocks, std::size_t chunk_n,
                        const EncodeConfig& config, Arena& arena) {
  const LatentArray latents = take_blocks(numbers, blocks, arena);
  ChunkNumbers sample{numbers.type, latents, latents.n};
  sample.run_n = kBlockN;
  sample.scale = static_cast<float>(chunk_n) / static_cast<float>(latents.n);
  ChoiceSession session(sample, config, arena);
  session.choose_plain();
  return session.best();
}

struct Window {
  float plain_bits = 0;  // without Lookback
  Choice best;
};

Window choose_window(const NumberView& numbers, std::size_t n, const EncodeConfig& config,
                     Arena& arena) {
  const std::size_t first = (numbers.count - n) / 2;
  const auto* const data = static_cast<const std::byte*>(numbers.data);
  const NumberView part(numbers.type, data + first * size_of(numbers.type), n);
  ChoiceSession session({part.type, ordered_latents(part, arena), n}, config, arena);
  const RunPlan plan = plan_run(session, {.segments = false});
  return {plan.plain_bits, session.best()};
}

SizeSample sample_of(const Choice& choice, double bits, double error_share, std::size_t n) {
  const auto count = static_cast<double>(n);
  SizeSample sample;
  sample.mode = choice.mode;
  sample.delta = choice.delta;
  sample.bytes = bits * count / 8;
  sample.error_bytes = std::min(error_share, kMaxErrorShare) * sample.bytes +
                       kErrorBitsPerNumber * count / 8 + kErrorBytes;
  return sample;
}

}  // namespace

SizeSample sample_size(const NumberView& numbers, std::size_t chunk_n, const EncodeConfig& given,
                       Arena& arena) {
  const ArenaScope scratch(arena);
  EncodeConfig config = given;
  config.recipe = nullptr;
  const std::size_t n = numbers.count;
  chunk_n = std::min(chunk_n, n);
  const std::size_t window_n =
      std::min(std::clamp(n / kWindowOneIn, kMinWindowN, kMaxWindowN), chunk_n);
  const Window window = choose_window(numbers, window_n, config, arena);
  if (window_n == n) return sample_of(window.best, window.best.size_bits(), kErrorShare, n);
  const std::size_t blocks =
      std::clamp(n / kNumbersPerBlock, std::min(kMinBlocks, n / kBlockN / 2), kMaxBlocks);
  Choice choice = choice_by_blocks(numbers, blocks, chunk_n, config, arena);
  const double total_bits = double{choice.size_bits()} * static_cast<double>(n);
  if (choice.size_bits() < kMaxRareBitsPerNumber && total_bits > kMinRareBits &&
      n / kBlockN / 2 >= kMaxBlocks) {
    choice = choice_by_blocks(numbers, kMaxBlocks, chunk_n, config, arena);
  }
  const double plain = std::max(1e-6, double{window.plain_bits});
  const double lookback = std::min(1.0, double{window.best.size_bits()} / plain);
  const double spread = std::abs(1 - plain / std::max(1e-6, double{choice.size_bits()}));
  const double share = kErrorShare + kErrorPerSpread * spread + kErrorPerLookback * (1 - lookback);
  const double bits = lookback * double{choice.size_bits()};
  return sample_of(lookback < 1 ? window.best : choice, bits, share, n);
}

}  // namespace numpact::internal
