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
#include "base/byte_output.hpp"
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

// Encodes one file, in groups of chunks.
class FileEncoder {
 public:
  FileEncoder(const NumberView& numbers, ByteOutput& out, const EncodeConfig& config,
              const standalone::TaskGroup& group, const Budget& budget, Arena& arena)
      : numbers_(numbers),
        out_(out),
        config_(config),
        group_(group),
        budget_(budget),
        arena_(arena) {}

  Status run(std::span<const std::size_t> sizes) {
    standalone::Header header;
    header.format = FormatVersion::of(config_.compatibility);
    header.n_hint = numbers_.count;
    if (config_.uniform_type) header.uniform_type = numbers_.type;
    NUMPACT_TRY(append_bits(standalone::kMaxHeaderBytes,
                            [&](BitWriter& writer) { standalone::write_header(writer, header); }));
    if (config_.trailer.is_requested()) {
      trailer_.emplace(out_.bytes(), header.format, config_.trailer.restart_log());
      trailer_->set_type(numbers_.type);
    }
    for (sizes_ = sizes; !sizes_.empty();) NUMPACT_TRY(write_pending());
    NUMPACT_TRY(append_bits(1, [](BitWriter& writer) {
      standalone::write_terminator(writer);
      writer.finish_byte();
    }));
    if (trailer_) NUMPACT_TRY(ensure_memory(trailer_->next_bytes()));
    if (trailer_) NUMPACT_TRY(append(trailer_->finish(out_.size())));
    return check_budget();
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

  Status check_budget() const {
    return budget_.is_exceeded_by(out_.size()) ? BitWriter::output_too_small() : Status();
  }

  template <class F>
  Status append_bits(std::size_t max_bytes, const F& write) {
    std::span<std::byte> room;
    NUMPACT_TRY(out_.room(max_bytes, room));
    BitWriter writer(room);
    write(writer);
    out_.append(writer.size());
    return writer.status();
  }

  Status append(std::span<const std::byte> bytes) {
    NUMPACT_TRY(out_.append_copy(bytes));
    return out_.is_complete() ? Status() : BitWriter::output_too_small();
  }

  // Encodes the next group: as many chunks as fit into the output one after another in the worst
  // case. If these are too few for all tasks, or if the output grows, several tasks encode chunks
  // into scratch memory. A single one appends to an output that grows.
  Status write_pending() {
    const ArenaScope scratch(arena_);
    const bool is_alone = group_.executor == nullptr;
    std::span<std::byte> space;
    std::size_t chunks = 1;
    if (!out_.grows()) NUMPACT_TRY(out_.room(0, space));
    if (!is_alone) {
      Plan of_group = plan(kChunksPerTaskInPlace, out_.grows() ? SIZE_MAX : space.size());
      const bool are_few = of_group.chunks < std::min(sizes_.size(), group_.arenas.size());
      if (are_few) of_group = plan(kChunksPerTaskBuffered, SIZE_MAX);
      if (are_few || out_.grows()) space = arena_.make<std::byte>(of_group.bytes);
      chunks = of_group.chunks;
    }
    const std::span<PendingChunk> pending = arena_.make<PendingChunk>(chunks);
    if (trailer_ && summaries_.size() < chunks) summaries_.resize(chunks);
    const auto* data =
        static_cast<const std::byte*>(numbers_.data) + done_ * size_of(numbers_.type);
    for (PendingChunk& chunk : pending) {
      const std::size_t n = sizes_.front();
      const std::size_t bound = std::min(chunk_bound(numbers_.type, n), space.size());
      chunk = {NumberView(numbers_.type, data, n), space.first(bound)};
      chunk.max_bytes = budget_.of_run(n, done_, out_.size());
      if (out_.grows() && is_alone) chunk.output = &out_;
      const auto index = static_cast<std::size_t>(&chunk - pending.data());
      chunk.summaries = trailer_ ? &summaries_[index] : nullptr;
      space = space.subspan(bound);
      data += n * size_of(numbers_.type);
      sizes_ = sizes_.subspan(1);
    }
    expect_after(pending.front());
    encode_chunks(pending, config_, group_);
    for (const PendingChunk& chunk : pending) NUMPACT_TRY(append(chunk));
    return {};
  }

  // The rest is expected to take what the numbers up to the end of this chunk did.
  void expect_after(const PendingChunk& chunk) {
    const std::size_t done = done_ + chunk.numbers.count;
    out_.expect(static_cast<double>(numbers_.count) / static_cast<double>(done));
  }

  Status append(const PendingChunk& chunk) {
    NUMPACT_TRY(chunk.status);
    expect_after(chunk);
    if (chunk.output == nullptr) NUMPACT_TRY(append(chunk.place.first(chunk.size)));
    if (trailer_) {
      NUMPACT_TRY(ensure_memory(trailer_->next_bytes() + bytes_in_trailer(chunk)));
      add_run(*trailer_, chunk, out_.size() - chunk.size);
    }
    done_ += chunk.numbers.count;
    NUMPACT_TRY(check_budget());
    return report_progress(config_.progress, {done_, out_.size()});
  }

  const NumberView& numbers_;
  ByteOutput& out_;
  const EncodeConfig& config_;
  const standalone::TaskGroup& group_;
  const Budget& budget_;
  Arena& arena_;
  std::span<const std::size_t> sizes_;  // of the remaining chunks
  std::size_t done_ = 0;                // numbers encoded
  std::optional<trailer::Builder> trailer_;
  std::vector<std::vector<trailer::Summary>> summaries_;  // of the current group
};

// The size of a trailer for this count of chunks.
std::size_t trailer_bytes(NumberType type, std::size_t count, std::size_t chunks,
                          const EncodeConfig& config) {
  if (!config.trailer.is_requested()) return 0;
  std::size_t bytes = trailer::kFrontBytes + trailer::kFooterBytes;
  bytes = saturating_add(bytes, saturating_mul(chunks, trailer::kRecordBytes));
  if (config.trailer.restart_log()) {
    // The size must exist for any config; values out of range are rejected later.
    const unsigned log = std::min(*config.trailer.restart_log(), kMaxRestartLog);
    const std::size_t point = trailer::kPositionBytes + max_state_bytes(type);
    bytes = saturating_add(bytes, saturating_mul(chunks, trailer::kStateSizeBytes));
    bytes = saturating_add(bytes, saturating_mul(count >> log, point));
  }
  return bytes;
}

// Maximum size of a trailer.
std::size_t trailer_bound(NumberType type, std::size_t count, const EncodeConfig& config) {
  const std::size_t runs = chunk_count_bound(config, count);
  const std::size_t run_n = std::min(count, std::min(config.max_chunk_n(), kMaxChunkN));
  const std::size_t chunks = saturating_mul(runs, run_chunks_bound(config, run_n));
  return trailer_bytes(type, count, chunks, config);
}

// bound: of the size of the file.
Status encode_file(const NumberView& numbers, ByteOutput& out, std::size_t bound,
                   const EncodeConfig& config, EncodeContext* context) {
  NUMPACT_TRY(check_view(numbers));
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
  const Budget budget({numbers, sizes.size(), bound}, config, *arena);
  return FileEncoder(numbers, out, config, group, budget, *arena).run(sizes);
}

// An error with the memory that would always suffice.
template <class T>
Result<T> with_bound(Result<T> result, std::size_t bound) {
  if (result.status().kind() != ErrorKind::kOutputTooSmall) return result;
  return result.status().needing(bound);
}

}  // namespace

std::size_t file_frame_bytes(NumberType type, std::size_t count, std::size_t chunks,
                             const EncodeConfig& config) {
  const std::size_t heads = saturating_mul(chunks, standalone::kChunkHeadBytes);
  const std::size_t frame = saturating_add(standalone::kMaxHeaderBytes + 1, heads);
  return saturating_add(frame, trailer_bytes(type, count, chunks, config));
}

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
  const std::size_t bound = compress_bound(numbers.type, numbers.count, config);
  return with_bound(guarded_value<std::size_t>([&](std::size_t& written) -> Status {
                      NUMPACT_TRY(check_bytes(out));
                      ByteOutput output(out);
                      NUMPACT_TRY(encode_file(numbers, output, bound, config, context));
                      written = output.size();
                      return {};
                    }),
                    bound);
}

Result<std::vector<std::byte>> compress(const NumberView& numbers, const EncodeConfig& config,
                                        EncodeContext* context) noexcept {
  const std::size_t bound = compress_bound(numbers.type, numbers.count, config);
  return with_bound(
      guarded_value<std::vector<std::byte>>([&](std::vector<std::byte>& out) -> Status {
        ByteOutput output(out, bound);
        NUMPACT_TRY(encode_file(numbers, output, bound, config, context));
        return output.finish();
      }),
      bound);
}

}  // namespace numpact
