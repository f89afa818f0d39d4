// SPDX-License-Identifier: Apache-2.0
#include "api/chunk_wave.hpp"

#include <algorithm>
#include <atomic>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "pco/standalone/chunk_writer.hpp"

namespace numpact {
namespace {

// Half a millisecond's work or more, many times what waking a thread takes.
constexpr std::size_t kTaskN = std::size_t{1} << 16;
// Chunks of a few numbers cost as much as larger ones; besides, the list of them is memory.
constexpr std::size_t kMostPerTask = 256;

// Numbers that are decoded at a time for a trailer.
constexpr std::size_t kSummaryN = std::size_t{1} << 13;

struct Job {
  std::span<WaveChunk> chunks;
  const EncodeConfig& config;
  std::span<Arena* const> arenas;
  std::atomic<std::size_t> next = 0;
};

// Restart points are found by decoding what was written.
Status summarise_decoded(std::span<const std::byte> run, const standalone::WrittenChunk& written,
                         NumberType type, const EncodeConfig& config, Arena& arena,
                         trailer::Summary& summary) {
  const ArenaScope scratch(arena);
  const std::span<std::byte> room = arena.make<std::byte>(kSummaryN * size_of(type));
  standalone::Header header;
  header.format = FormatVersion::of(config.compatibility);
  standalone::FileWalker walker(run, arena);
  walker.resume(header, type, written.at, 0);
  bool is_end = false;
  NUMPACT_TRY(walker.enter_chunk(is_end));
  return trailer::summarise(run, walker, config.trailer.restart_log(), room, summary);
}

Status summarise(WaveChunk& chunk, std::span<const standalone::WrittenChunk> written,
                 const EncodeConfig& config, Arena& arena) {
  const std::span<const std::byte> run = chunk.place.first(chunk.size);
  const NumberType type = chunk.numbers.type;
  const auto* at = static_cast<const std::byte*>(chunk.numbers.data);
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

Status encode(WaveChunk& chunk, const EncodeConfig& config, Arena& arena) {
  BitWriter writer(chunk.place);
  std::vector<standalone::WrittenChunk> written;
  const bool has_trailer = chunk.summaries != nullptr;
  standalone::write_run(chunk.numbers, config, arena, writer, nullptr,
                        has_trailer ? &written : nullptr);
  chunk.size = writer.size();
  NUMPACT_TRY(writer.status());
  return has_trailer ? summarise(chunk, written, config, arena) : Status();
}

// Chunks are begun in order, so all before one with an error are encoded.
void work(Job& job, Arena& arena) noexcept {
  const std::size_t n = job.chunks.size();
  for (std::size_t i = job.next++; i < n; i = job.next++) {
    WaveChunk& chunk = job.chunks[i];
    chunk.status = guarded([&] { return encode(chunk, job.config, arena); });
    if (!chunk.status.ok()) job.next = n;
  }
}

}  // namespace

std::size_t chunk_bound(NumberType type, std::size_t n) {
  return standalone::run_overhead_bound(type) + n * size_of(type);
}

bool is_full_wave(const standalone::Crew& crew, std::size_t per_task, std::size_t chunks,
                  std::size_t numbers) {
  if (crew.executor == nullptr) return chunks > 0;
  const std::size_t tasks = crew.arenas.size();
  return chunks >= tasks * per_task &&
         (numbers >= tasks * kTaskN || chunks >= tasks * kMostPerTask);
}

void encode_wave(std::span<WaveChunk> chunks, const EncodeConfig& config,
                 const standalone::Crew& crew) {
  Job job{chunks, config, crew.arenas};
  const std::size_t tasks = std::min(chunks.size(), crew.arenas.size());
  if (crew.executor == nullptr || tasks < 2) return work(job, *crew.arenas[0]);
  const auto task = [](void* argument, std::size_t worker) noexcept {
    Job& shared = *static_cast<Job*>(argument);
    work(shared, *shared.arenas[worker]);
  };
  crew.executor->run(tasks, task, &job);
}

void add_run(trailer::Builder& builder, const WaveChunk& run, std::uint64_t offset) {
  for (const trailer::Summary& summary : *run.summaries) {
    trailer::ChunkRecord record = summary.record;
    record.offset += offset;
    builder.add(run.numbers.type, record, summary.points);
  }
}

}  // namespace numpact
