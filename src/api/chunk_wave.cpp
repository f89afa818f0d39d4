// SPDX-License-Identifier: Apache-2.0
#include "api/chunk_wave.hpp"

#include <algorithm>
#include <atomic>

#include "base/guard.hpp"
#include "pco/standalone/chunk_writer.hpp"

namespace numpact {
namespace {

// Half a millisecond's work or more, many times what waking a thread takes.
constexpr std::size_t kTaskN = std::size_t{1} << 16;
// Chunks of a few numbers cost as much as larger ones; besides, the list of them is memory.
constexpr std::size_t kMostPerTask = 256;

struct Job {
  std::span<WaveChunk> chunks;
  const EncodeConfig& config;
  std::span<Arena* const> arenas;
  std::atomic<std::size_t> next = 0;
};

Status encode(WaveChunk& chunk, const EncodeConfig& config, Arena& arena) {
  BitWriter writer(chunk.place);
  standalone::write_run(chunk.numbers, config, arena, writer);
  chunk.size = writer.size();
  return writer.status();
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

}  // namespace numpact
