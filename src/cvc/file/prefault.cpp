// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/prefault.hpp"

#include <algorithm>

#include "base/pages.hpp"
#include "base/task_pool.hpp"
#include "cvc/file/targets.hpp"

namespace numpact::cvc {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{1} << 22;  // below, allocators have pages at hand
constexpr std::size_t kTaskBytes = std::size_t{1} << 24;
constexpr std::uint64_t kMostValuesPerByte = 16;

// Whether the file is as large as so many values make one expect, in every chunk.
bool is_filled(const Info& info, std::size_t column) {
  for (std::size_t chunk = 0; chunk < info.chunks.size(); ++chunk) {
    const std::uint64_t values = info.chunks[chunk].rows * info.columns[column].dimension;
    const std::uint64_t size = info.slice(chunk, column).size;
    if (size == Chunk::kUnknown || values / kMostValuesPerByte > size) return false;
  }
  return true;
}

}  // namespace

void prefault_bytes(std::span<std::byte> out, const ReadConfig& config) {
  if (!config.prefault || out.size() < kLeastBytes) return;
  const std::span<std::byte> pages = whole_pages(out);
  prefer_large_pages(pages);
  TaskPool pool(config.threads, config.executor);
  pool.run((pages.size() + kTaskBytes - 1) / kTaskBytes, [&](std::size_t i) {
    const std::size_t at = i * kTaskBytes;
    populate_pages(pages.subspan(at, std::min(kTaskBytes, pages.size() - at)));
  });
}

void prefault_targets(const Info& info, std::span<const Target> targets, std::uint64_t rows,
                      const ReadConfig& config) {
  if (!config.prefault) return;
  for (const Target& target : targets) {
    const MutableRows& out = target.rows;
    const auto bytes = static_cast<std::size_t>(rows * out.stride);
    const bool has_gaps = out.stride != row_bytes(out);
    if (has_gaps || bytes < kLeastBytes || !is_filled(info, target.column)) continue;
    prefault_bytes({static_cast<std::byte*>(out.data), bytes}, config);
  }
}

}  // namespace numpact::cvc
