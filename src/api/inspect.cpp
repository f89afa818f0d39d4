// SPDX-License-Identifier: Apache-2.0
#include "numpact/inspect.hpp"

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/describe.hpp"
#include "api/file_end.hpp"
#include "api/headers.hpp"
#include "api/inspection.hpp"
#include "api/trailer_use.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {
namespace {

// Maximum bytes for descriptions of chunks, in addition to half of the file.
constexpr std::uint64_t kMaxDescribedBytes = std::uint64_t{1} << 20;

using Sizes = std::array<PageVariableSizes, kVariables>;

ChunkInfo describe_chunk(const standalone::FileWalker& walker, const Sizes& sizes) {
  ChunkInfo info = describe(walker.meta());
  info.count = walker.head().n;
  info.offset = walker.chunk_offset();
  info.meta_bytes = walker.page_offset() - walker.chunk_offset() - standalone::kChunkHeadBytes;
  info.page_bytes = walker.offset() - walker.page_offset();
  for (LatentVariableInfo& variable : info.variables) {
    const auto index = static_cast<std::size_t>(variable.variable);
    variable.stored = walker.meta().stored_n(index, walker.head().n);
    variable.state_bits = sizes[index].state_bits;
    variable.code_bits = sizes[index].code_bits;
    variable.offset_bits = sizes[index].offset_bits;
  }
  return info;
}

void describe_rest(std::span<const std::byte> file, FileInfo& info) {
  info.trailing_bytes = file.size() - info.file_bytes;
  trailer::View view;
  info.trailer =
      end_of_file(file.subspan(to_size(info.file_bytes)), info.file_bytes, &view).trailer;
  if (info.trailer != TrailerState::kSound) return;
  const bool agrees = view.front.chunk_n == info.chunk_count && view.front.number_n == info.count &&
                      agree(view.front, info.header);
  if (!agrees) info.trailer = TrailerState::kDamaged;
  if (agrees) info.restart_log = view.front.restart_log;
}

}  // namespace

Status inspect_within(std::span<const std::byte> file, FileInfo& info, const DecodeConfig& config,
                      std::uint64_t max_bytes) {
  info = {};
  std::uint64_t bytes_left = max_bytes;
  NUMPACT_TRY(read_header(file).into(info.header));
  ScratchArena arena(static_cast<DecodeContext*>(nullptr), config.limits.max_memory);
  standalone::FileWalker walker(file, *arena);
  NUMPACT_TRY(walker.read_header());
  while (true) {
    bool is_end = false;
    info.file_bytes = walker.offset();
    NUMPACT_TRY(walker.enter_chunk(is_end));
    if (is_end) break;
    const standalone::ChunkHead& head = walker.head();
    NUMPACT_TRY(
        check_limits(config.limits, info.count + head.n, head.type).at_chunk(walker.chunk_index()));
    Sizes sizes{};
    NUMPACT_TRY(walker.skip(sizes));
    NUMPACT_TRY(walker.leave_chunk());
    const std::uint64_t taken = described_bytes(walker.meta());
    bytes_left = taken <= bytes_left ? bytes_left - taken
                                     : 0;  // once a chunk is omitted, all later ones are
    if (bytes_left > 0) info.chunks.push_back(describe_chunk(walker, sizes));
    ++info.chunk_count;
    info.count += head.n;
    info.raw_bytes += head.n * size_of(head.type);
    NUMPACT_TRY(report_progress(config.progress, {info.count, walker.offset()}));
  }
  info.file_bytes = walker.offset();
  describe_rest(file, info);
  return {};
}

Status inspect_into(std::span<const std::byte> file, FileInfo& info,
                    const DecodeConfig& config) noexcept {
  return guarded(
      [&] { return inspect_within(file, info, config, kMaxDescribedBytes + file.size() / 2); });
}

Result<FileInfo> inspect(std::span<const std::byte> file, const DecodeConfig& config) noexcept {
  FileInfo info;
  NUMPACT_TRY(inspect_into(file, info, config));
  return info;
}

}  // namespace numpact
