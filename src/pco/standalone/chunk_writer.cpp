// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/chunk_writer.hpp"

#include <algorithm>

#include "pco/wrapped/chunk_encoder.hpp"
#include "pco/wrapped/run_plan.hpp"

namespace numpact::standalone {
namespace {

// Fewer numbers are not worth two chunks.
constexpr std::size_t kMinCutN = std::size_t{1} << 11;

void write_chunk(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
                 BitWriter& writer, RunLog* log) {
  const ArenaScope scratch(arena);
  const std::size_t n = numbers.count;
  ChoiceLog* const choices = log == nullptr ? nullptr : log->next_chunk();
  const EncodedChunk chunk = encode_chunk(numbers, {&n, 1}, config, arena, choices);
  write_chunk_head(writer, numbers.type, n);
  write_chunk_meta(writer, chunk.meta);
  write_page(chunk, chunk.pages[0], writer);
}

// False if that takes more than one chunk would.
bool write_cut(const NumberView& numbers, const RunPlan& plan, const EncodeConfig& config,
               Arena& arena, BitWriter& writer, RunLog* log) {
  const std::size_t before = writer.size();
  const std::size_t bound =
      run_overhead_bound(numbers.type) + numbers.count * size_of(numbers.type);
  const std::size_t most = std::min(plan.whole_bytes, bound);
  NumberView part = numbers;
  for (const std::size_t n : plan.sizes) {
    part.count = n;
    write_chunk(part, config, arena, writer, log);
    if (writer.size() - before > most || !writer.status().ok()) return false;
    part.data = static_cast<const std::byte*>(part.data) + n * size_of(numbers.type);
  }
  return true;
}

}  // namespace

void write_run(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
               BitWriter& writer, RunLog* log) {
  const ArenaScope scratch(arena);
  if (config.paging.is_automatic() && numbers.count >= kMinCutN) {
    const RunPlan plan = plan_run(numbers, config, arena);
    if (plan.sizes.size() > 1) {
      BitWriter cut = writer;
      if (write_cut(numbers, plan, config, arena, cut, log)) {
        writer = cut;
        return;
      }
      if (log != nullptr) log->drop_chunks();
    }
  }
  write_chunk(numbers, config, arena, writer, log);
}

std::size_t run_overhead_bound(NumberType type) {
  return kChunkHeadBytes + fallback_meta_bytes(type);
}

}  // namespace numpact::standalone
