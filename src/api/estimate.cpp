// SPDX-License-Identifier: Apache-2.0
#include "numpact/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "api/chunk_group.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/describe.hpp"
#include "api/paging.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/pco.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/scratch.hpp"
#include "pco/encode/size_estimate.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact {
namespace {

// Memory of the samples, in numbers: those of a window, and of the blocks once or twice.
constexpr std::size_t kMaxSampledN = std::size_t{1} << 17;

void describe_choice(const SizeSample& sample, NumberType type, SizeEstimate& estimate) {
  ChunkMeta meta;
  meta.type = type;
  meta.mode = sample.mode;
  meta.delta = sample.delta;
  const ChunkInfo info = describe(meta);
  estimate.mode = info.mode();
  estimate.delta = info.delta();
  estimate.mode_text = info.mode_text();
  estimate.delta_text = info.delta_text();
}

Status estimate(const NumberView& numbers, const EncodeConfig& config, EncodeContext* context,
                SizeEstimate& result) {
  NUMPACT_TRY(check_view(numbers));
  ScratchArena scratch(context);
  NUMPACT_TRY(scratch.status());
  NUMPACT_TRY(check_specs(numbers.type, config));
  Arena& arena = *scratch;
  const std::size_t n = numbers.count;
  std::span<const std::size_t> sizes;
  NUMPACT_TRY(arena.ensure<std::size_t>(chunk_count_bound(config, n)));
  NUMPACT_TRY(chunk_sizes(config, n, arena, sizes));
  double bytes = static_cast<double>(file_frame_bytes(numbers.type, n, sizes.size(), config));
  if (n > 0) {
    const std::size_t sampled_n = std::min(n, kMaxSampledN);
    NUMPACT_TRY(arena.ensure<std::byte>(encoding_bytes(numbers.type, sampled_n, config.level)));
    const SizeSample sample = sample_size(numbers, n / sizes.size(), config, arena);
    bytes += sample.bytes;
    result.error_bytes = static_cast<std::uint64_t>(std::ceil(sample.error_bytes));
    describe_choice(sample, numbers.type, result);
  }
  result.error_bytes += standalone::kMaxHeaderBytes;  // which of its bytes are used
  const std::size_t bound = compress_bound(numbers.type, n, config);
  result.bytes = std::min<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(bytes)), bound);
  return {};
}

}  // namespace

Result<SizeEstimate> estimate_size(const NumberView& numbers, const EncodeConfig& config,
                                   EncodeContext* context) noexcept {
  return guarded_value<SizeEstimate>(
      [&](SizeEstimate& result) { return estimate(numbers, config, context, result); });
}

}  // namespace numpact
