// SPDX-License-Identifier: Apache-2.0
#include "api/chunk_group.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "pco/encode/run_encoder.hpp"

namespace numpact {
namespace {

// Minimum numbers per task: at least half a millisecond of work, many times the cost of waking a
// thread.
constexpr std::size_t kMinTaskN = std::size_t{1} << 16;
// Maximum chunks per task: tiny chunks cost as much as larger ones, and the list of them takes
// memory.
constexpr std::size_t kMaxChunksPerTask = 256;

// Numbers decoded at a time to summarize a chunk for the trailer.
constexpr std::size_t kSummaryStepN = std::size_t{1} << 13;

// Groups with more chunks are encoded in file order: there the last chunks are a small part of the
// work.
constexpr std::size_t kMaxReorderedChunks = 64;
// A chunk counts as constant if this many windows of this many numbers are constant.
constexpr std::size_t kSampleWindows = 16;
constexpr std::size_t kSampleWindowN = 64;
static_assert(kMinTaskN / kSampleWindows >= kSampleWindowN);

struct Job {
  std::span<PendingChunk> chunks;
  const EncodeConfig& config;
  std::span<Arena* const> arenas;
  std::span<const std::uint8_t> order = {};  // order in which chunks are started; empty: file order
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> failed = SIZE_MAX;  // the first chunk with an error so far
};

// Whether any sampled window holds numbers that differ from their neighbors.
bool seems_varied(const NumberView& numbers) {
  const std::size_t size = size_of(numbers.type);
  const auto* const data = static_cast<const std::byte*>(numbers.data);
  const std::size_t step = numbers.count / kSampleWindows * size;
  for (std::size_t window = 0; window < kSampleWindows; ++window) {
    const std::byte* const at = data + window * step;
    if (std::memcmp(at, at + size, (kSampleWindowN - 1) * size) != 0) return true;
  }
  return false;
}

// Constant chunks take almost no time. Starting them last avoids waiting for a single expensive
// chunk at the end. Example, v = varied, c = constant: chunks c v c v are started in the order 1 3
// 0 2.
std::span<const std::uint8_t> start_order(std::span<const PendingChunk> chunks,
                                          std::array<std::uint8_t, kMaxReorderedChunks>& order) {
  const bool are_few = chunks.size() <= kMaxReorderedChunks;
  const auto is_long = [](const PendingChunk& chunk) { return chunk.numbers.count >= kMinTaskN; };
  if (!are_few || !std::all_of(chunks.begin(), chunks.end(), is_long)) return {};
  std::array<std::uint8_t, kMaxReorderedChunks> constant;
  std::size_t n = 0;
  std::size_t constant_n = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::uint8_t& at = seems_varied(chunks[i].numbers) ? order[n++] : constant[constant_n++];
    at = static_cast<std::uint8_t>(i);
  }
  std::copy_n(constant.begin(), constant_n, order.begin() + static_cast<std::ptrdiff_t>(n));
  return std::span(order).first(chunks.size());
}

// Restart points are found by decoding the encoded chunk.
Status summarise_decoded(std::span<const std::byte> run, const WrittenChunk& written,
                         NumberType type, const EncodeConfig& config, Arena& arena,
                         trailer::Summary& summary) {
  const ArenaScope scratch(arena);
  const std::span<std::byte> buffer = arena.make<std::byte>(kSummaryStepN * size_of(type));
  standalone::Header header;
  header.format = FormatVersion::of(config.compatibility);
  standalone::FileWalker walker(run, arena);
  walker.resume(header, type, written.at, 0);
  bool is_end = false;
  NUMPACT_TRY(walker.enter_chunk(is_end));
  return trailer::summarise(run, walker, config.trailer.restart_log(), buffer, summary);
}

Status summarise(PendingChunk& chunk, std::span<const WrittenChunk> written,
                 const EncodeConfig& config, Arena& arena) {
  const std::span<const std::byte> run = std::span<const std::byte>(chunk.place).first(chunk.size);
  const NumberType type = chunk.numbers.type;
  const auto* at = static_cast<const std::byte*>(chunk.numbers.data);
  NUMPACT_TRY(ensure_memory(2 * written.size() * sizeof(trailer::Summary)));
  chunk.summaries->resize(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    trailer::Summary& summary = (*chunk.summaries)[i];
    const std::size_t end = i + 1 < written.size() ? written[i + 1].at : chunk.size;
    if (config.trailer.restart_log()) {
      NUMPACT_TRY(summarise_decoded(run, written[i], type, config, arena, summary));
    } else {
      summary.record = trailer::summarise_numbers({type, at, written[i].n},
                                                  run.subspan(written[i].at, end - written[i].at),
                                                  written[i].page_at);
      summary.record.offset = written[i].at;
    }
    at += written[i].n * size_of(type);
  }
  return {};
}

Status encode(PendingChunk& chunk, const EncodeConfig& config, Arena& arena) {
  ByteOutput place(chunk.place);
  ByteOutput& output = chunk.output != nullptr ? *chunk.output : place;
  const std::size_t begin = output.size();
  std::vector<WrittenChunk> written;
  const bool has_trailer = chunk.summaries != nullptr;
  NUMPACT_TRY(write_run(chunk.numbers, config, arena, output, nullptr,
                        has_trailer ? &written : nullptr, chunk.max_bytes));
  if (!output.is_complete()) return BitWriter::output_too_small();
  chunk.size = output.size() - begin;
  if (chunk.output != nullptr) chunk.place = output.bytes().subspan(begin);
  for (WrittenChunk& part : written) part.at -= begin;
  return has_trailer ? summarise(chunk, written, config, arena) : Status();
}

// Postcondition: all chunks before the first one with an error are encoded.
void work(Job& job, Arena& arena) noexcept {
  const std::size_t n = job.chunks.size();
  for (std::size_t turn = job.next++; turn < n; turn = job.next++) {
    const std::size_t i = job.order.empty() ? turn : job.order[turn];
    std::size_t failed = job.failed;
    if (i > failed) continue;
    PendingChunk& chunk = job.chunks[i];
    chunk.status = guarded([&] { return encode(chunk, job.config, arena); });
    if (chunk.status.ok()) continue;
    while (i < failed && !job.failed.compare_exchange_weak(failed, i)) {
    }
  }
}

}  // namespace

std::size_t chunk_bound(NumberType type, std::size_t n) {
  return run_overhead_bound(type) + n * size_of(type);
}

bool enough_for_tasks(const standalone::TaskGroup& group, std::size_t per_task, std::size_t chunks,
                      std::size_t numbers) {
  if (group.executor == nullptr) return chunks > 0;
  const std::size_t tasks = group.arenas.size();
  return chunks >= tasks * per_task &&
         (numbers >= tasks * kMinTaskN || chunks >= tasks * kMaxChunksPerTask);
}

void encode_chunks(std::span<PendingChunk> chunks, const EncodeConfig& config,
                   const standalone::TaskGroup& group) {
  Job job{chunks, config, group.arenas};
  const std::size_t tasks = std::min(chunks.size(), group.arenas.size());
  if (group.executor == nullptr || tasks < 2) return work(job, *group.arenas[0]);
  std::array<std::uint8_t, kMaxReorderedChunks> order;
  job.order = start_order(chunks, order);
  const auto task = [](void* argument, std::size_t worker) noexcept {
    const CallerState state;
    Job& shared = *static_cast<Job*>(argument);
    work(shared, *shared.arenas[worker]);
  };
  group.executor->run(tasks, task, &job);
}

std::uint64_t bytes_in_trailer(const PendingChunk& run) {
  std::uint64_t bytes = 0;
  for (const trailer::Summary& summary : *run.summaries) {
    bytes += trailer::kRecordBytes + summary.points.size();
  }
  return 3 * bytes;  // lists grow by doubling
}

void add_run(trailer::Builder& builder, const PendingChunk& run, std::uint64_t offset) {
  for (const trailer::Summary& summary : *run.summaries) {
    trailer::ChunkRecord record = summary.record;
    record.offset += offset;
    builder.add(run.numbers.type, record, summary.points);
  }
}

}  // namespace numpact
