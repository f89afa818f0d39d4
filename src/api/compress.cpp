// SPDX-License-Identifier: Apache-2.0
// One-shot encoding: each page of the paging becomes a chunk.
#include <algorithm>
#include <cstring>
#include <optional>

#include "api/budget.hpp"
#include "api/chunk_group.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/paging.hpp"
#include "base/check_bytes.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/pco.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/run_encoder.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

std::size_t saturating_add(std::size_t a, std::size_t b) {
  return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

std::size_t saturating_mul(std::size_t a, std::size_t b) {
  return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

// Encodes one file into memory, in groups of chunks.
class FileEncoder {
 public:
  FileEncoder(const NumberView& numbers, std::span<std::byte> out, const EncodeConfig& config,
              const standalone::TaskGroup& group, const Budget& budget, Arena& arena)
      : numbers_(numbers),
        out_(out),
        config_(config),
        group_(group),
        budget_(budget),
        arena_(arena) {}

  Status run(std::span<const std::size_t> sizes, std::size_t& written) {
    BitWriter writer(out_);
    standalone::Header header;
    header.format = FormatVersion::of(config_.compatibility);
    header.n_hint = numbers_.count;
    if (config_.uniform_type) header.uniform_type = numbers_.type;
    standalone::write_header(writer, header);
    NUMPACT_TRY(writer.status());
    at_ = writer.size();
    if (config_.trailer.is_requested()) {
      trailer_.emplace(out_.first(at_), header.format, config_.trailer.restart_log());
      trailer_->set_type(numbers_.type);
    }
    for (sizes_ = sizes; !sizes_.empty();) NUMPACT_TRY(write_pending());
    BitWriter end(out_.subspan(at_));
    standalone::write_terminator(end);
    end.finish_byte();
    NUMPACT_TRY(end.status());
    at_ += end.size();
    if (trailer_) NUMPACT_TRY(ensure_memory(trailer_->next_bytes()));
    if (trailer_) NUMPACT_TRY(append_trailer(trailer_->finish(at_)));
    if (budget_.is_exceeded_by(at_)) return BitWriter::output_too_small();
    written = at_;
    return {};
  }

 private:
  struct Plan {
    std::size_t chunks = 0;
    std::size_t bytes = 0;  // upper bound of their encoded size
  };

  Plan plan(std::size_t per_task, std::size_t space) const {
    Plan result;
    std::size_t numbers = 0;
    for (const std::size_t n : sizes_) {
      const std::size_t bytes = chunk_bound(numbers_.type, n);
      if (bytes > space - result.bytes) break;
      if (enough_for_tasks(group_, per_task, result.chunks, numbers)) break;
      ++result.chunks;
      result.bytes += bytes;
      numbers += n;
    }
    return result;
  }

  // Encodes the next group: as many chunks as fit into the output one after another in the worst
  // case. If these are too few for all tasks, chunks are encoded into scratch memory instead.
  Status write_pending() {
    const ArenaScope scratch(arena_);
    std::span<std::byte> space = out_.subspan(at_);
    std::size_t chunks = 1;
    if (group_.executor != nullptr) {
      Plan plan_of_group = plan(kChunksPerTaskInPlace, space.size());
      if (plan_of_group.chunks < std::min(sizes_.size(), group_.arenas.size())) {
        plan_of_group = plan(kChunksPerTaskBuffered, SIZE_MAX);
        space = arena_.make<std::byte>(plan_of_group.bytes);
      }
      chunks = plan_of_group.chunks;
    }
    const std::span<PendingChunk> pending = arena_.make<PendingChunk>(chunks);
    if (trailer_ && summaries_.size() < chunks) summaries_.resize(chunks);
    const auto* data =
        static_cast<const std::byte*>(numbers_.data) + done_ * size_of(numbers_.type);
    for (PendingChunk& chunk : pending) {
      const std::size_t n = sizes_.front();
      const std::size_t bound = std::min(chunk_bound(numbers_.type, n), space.size());
      chunk = {NumberView(numbers_.type, data, n), space.first(bound),
               budget_.of_run(n, done_, at_)};
      const auto index = static_cast<std::size_t>(&chunk - pending.data());
      chunk.summaries = trailer_ ? &summaries_[index] : nullptr;
      space = space.subspan(bound);
      data += n * size_of(numbers_.type);
      sizes_ = sizes_.subspan(1);
    }
    encode_chunks(pending, config_, group_);
    for (const PendingChunk& chunk : pending) NUMPACT_TRY(append(chunk));
    return {};
  }

  Status append(const PendingChunk& chunk) {
    NUMPACT_TRY(chunk.status);
    if (chunk.size > out_.size() - at_) return BitWriter::output_too_small();
    std::byte* const to = out_.data() + at_;
    if (to != chunk.place.data()) std::memmove(to, chunk.place.data(), chunk.size);
    if (trailer_) {
      NUMPACT_TRY(ensure_memory(trailer_->next_bytes() + bytes_in_trailer(chunk)));
      add_run(*trailer_, chunk, at_);
    }
    at_ += chunk.size;
    done_ += chunk.numbers.count;
    if (budget_.is_exceeded_by(at_)) return BitWriter::output_too_small();
    return report_progress(config_.progress, {done_, at_});
  }

  Status append_trailer(std::span<const std::byte> trailer) {
    if (trailer.size() > out_.size() - at_) return BitWriter::output_too_small();
    std::copy(trailer.begin(), trailer.end(), out_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += trailer.size();
    return {};
  }

  const NumberView& numbers_;
  std::span<std::byte> out_;
  const EncodeConfig& config_;
  const standalone::TaskGroup& group_;
  const Budget& budget_;
  Arena& arena_;
  std::span<const std::size_t> sizes_;  // of the remaining chunks
  std::size_t at_ = 0;                  // bytes written
  std::size_t done_ = 0;                // numbers encoded
  std::optional<trailer::Builder> trailer_;
  std::vector<std::vector<trailer::Summary>> summaries_;  // of the current group
};

// Maximum size of a trailer.
std::size_t trailer_bound(NumberType type, std::size_t count, const EncodeConfig& config) {
  if (!config.trailer.is_requested()) return 0;
  const std::size_t runs = chunk_count_bound(config, count);
  const std::size_t run_n = std::min(count, std::min(config.max_chunk_n(), kMaxChunkN));
  const std::size_t chunks = saturating_mul(runs, run_chunks_bound(config, run_n));
  std::size_t bound = trailer::kFrontBytes + trailer::kFooterBytes;
  bound = saturating_add(bound, saturating_mul(chunks, trailer::kRecordBytes));
  if (config.trailer.restart_log()) {
    // The bound must exist for any config; values out of range are rejected later.
    const unsigned log = std::min(*config.trailer.restart_log(), kMaxRestartLog);
    const std::size_t point = trailer::kPositionBytes + max_state_bytes(type);
    bound = saturating_add(bound, saturating_mul(chunks, trailer::kStateSizeBytes));
    bound = saturating_add(bound, saturating_mul(count >> log, point));
  }
  return bound;
}

Status encode_file(const NumberView& numbers, std::span<std::byte> out, std::size_t& written,
                   const EncodeConfig& config, EncodeContext* context) {
  NUMPACT_TRY(check_view(numbers));
  NUMPACT_TRY(check_bytes(out));
  ScratchArena scratch(context);
  NUMPACT_TRY(scratch.status());
  Arena* const arena = &*scratch;
  NUMPACT_TRY(check_specs(numbers.type, config));
  std::span<const std::size_t> sizes;
  NUMPACT_TRY(arena->ensure<std::size_t>(chunk_count_bound(config, numbers.count)));
  NUMPACT_TRY(chunk_sizes(config, numbers.count, *arena, sizes));
  std::optional<WorkerPool> own;
  standalone::TaskGroup group;
  if (sizes.size() > 1 && WorkerPool::are_requested(config)) {
    group = worker_pool_of(context, own).group(config);
    for (Arena* const of_task : group.arenas) of_task->reset();
  }
  if (group.executor == nullptr) group.arenas = {&arena, 1};
  const std::size_t bound =
      config.max_bytes ? compress_bound(numbers.type, numbers.count, config) : 0;
  const Budget budget({numbers, sizes.size(), bound}, config, *arena);
  return FileEncoder(numbers, out, config, group, budget, *arena).run(sizes, written);
}

}  // namespace

std::size_t compress_bound(NumberType type, std::size_t count,
                           const EncodeConfig& config) noexcept {
  const std::size_t chunks = chunk_count_bound(config, count);
  const std::size_t per_chunk = run_overhead_bound(type);
  std::size_t bound = standalone::kMaxHeaderBytes + 1;
  bound = saturating_add(bound, saturating_mul(chunks, per_chunk));
  bound = saturating_add(bound, trailer_bound(type, count, config));
  return saturating_add(bound, saturating_mul(count, size_of(type)));
}

Result<std::size_t> compress_into(const NumberView& numbers, std::span<std::byte> out,
                                  const EncodeConfig& config, EncodeContext* context) noexcept {
  const auto result = guarded_value<std::size_t>(
      [&](std::size_t& written) { return encode_file(numbers, out, written, config, context); });
  if (result.status().kind() != ErrorKind::kOutputTooSmall) return result;
  return result.status().needing(compress_bound(numbers.type, numbers.count, config));
}

Result<std::vector<std::byte>> compress(const NumberView& numbers, const EncodeConfig& config,
                                        EncodeContext* context) noexcept {
  return guarded_value<std::vector<std::byte>>([&](std::vector<std::byte>& out) -> Status {
    NUMPACT_TRY(check_view(numbers));
    out.resize(compress_bound(numbers.type, numbers.count, config));
    std::size_t written = 0;
    NUMPACT_TRY(compress_into(numbers, out, config, context).into(written));
    out.resize(written);
    return {};
  });
}

}  // namespace numpact
