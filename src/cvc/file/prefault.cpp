// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/prefault.hpp"

#include <algorithm>

#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "cvc/file/targets.hpp"
#include "platform/pages.hpp"

namespace numpact::cvc::internal {
namespace {

// Smaller outputs are skipped: allocators usually reuse pages for them that are already populated.
constexpr std::size_t kMinPrefaultBytes = std::size_t{1} << 22;
// Bytes that a task populates at a time. Smaller tasks balance better and cost more scheduling.
constexpr std::size_t kPrefaultTaskBytes = std::size_t{1} << 24;
// A slice that claims more values per stored byte is not trusted to fill its output.
constexpr std::uint64_t kMaxPlausibleValuesPerByte = 16;

// Whether every slice of the column has enough bytes for the values that it claims.
bool is_plausible(const Info& info, std::size_t column) {
  for (std::size_t chunk = 0; chunk < info.chunks.size(); ++chunk) {
    const std::uint64_t values = info.chunks[chunk].rows * info.columns[column].dimension;
    const std::uint64_t size = info.slice(chunk, column).size;
    if (size == Chunk::kUnknown || values / kMaxPlausibleValuesPerByte > size) return false;
  }
  return true;
}

}  // namespace

void prefault_bytes(std::span<std::byte> out, const ReadConfig& config) {
  if (!config.prefault || out.size() < kMinPrefaultBytes) return;
  const std::span<std::byte> pages = platform::whole_pages(out);
  platform::prefer_large_pages(pages);
  TaskPool pool(config.threads, config.executor);
  pool.run((pages.size() + kPrefaultTaskBytes - 1) / kPrefaultTaskBytes, [&](std::size_t i) {
    const std::size_t at = i * kPrefaultTaskBytes;
    platform::populate_pages(pages.subspan(at, std::min(kPrefaultTaskBytes, pages.size() - at)));
  });
}

void prefault_targets(const Info& info, std::span<const Target> targets, std::uint64_t rows,
                      const ReadConfig& config) {
  if (!config.prefault) return;
  for (const Target& target : targets) {
    const MutableRows& out = target.rows;
    const auto bytes = static_cast<std::size_t>(rows * out.stride);
    const bool has_gaps = out.stride != row_bytes(out);
    if (has_gaps || bytes < kMinPrefaultBytes || !is_plausible(info, target.column)) continue;
    prefault_bytes({static_cast<std::byte*>(out.data), bytes}, config);
  }
}

}  // namespace numpact::cvc::internal
