// SPDX-License-Identifier: Apache-2.0
#include "api/chunk_wave.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "pco/encode/run_encoder.hpp"

namespace numpact {
namespace {

// Half a millisecond's work or more, many times what waking a thread takes.
constexpr std::size_t kTaskN = std::size_t{1} << 16;
// Chunks of a few numbers cost as much as larger ones; besides, the list of them is memory.
constexpr std::size_t kMostPerTask = 256;

// Numbers that are decoded at a time for a trailer.
constexpr std::size_t kSummaryN = std::size_t{1} << 13;

// Of more chunks the last ones are a small part.
constexpr std::size_t kMostOrdered = 64;
// Stretches of a chunk that are looked at for its place, and numbers of each.
constexpr std::size_t kStretches = 16;
constexpr std::size_t kStretchN = 64;
static_assert(kTaskN / kStretches >= kStretchN);

struct Job {
  std::span<WaveChunk> chunks;
  const EncodeConfig& config;
  std::span<Arena* const> arenas;
  std::span<const std::uint8_t> order = {};  // in which they are begun; empty: as they are
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> failed = SIZE_MAX;  // the first chunk with an error so far
};

// Whether numbers differ from their neighbours, as far as a look at few of them shows.
bool is_varied(const NumberView& numbers) {
  const std::size_t size = size_of(numbers.type);
  const auto* const data = static_cast<const std::byte*>(numbers.data);
  const std::size_t step = numbers.count / kStretches * size;
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
    const std::byte* const at = data + stretch * step;
    if (std::memcmp(at, at + size, (kStretchN - 1) * size) != 0) return true;
  }
  return false;
}

// Chunks of equal numbers take next to no time: they come last, so that no other one is waited for
// by itself.
std::span<const std::uint8_t> order_of(std::span<const WaveChunk> chunks,
                                       std::array<std::uint8_t, kMostOrdered>& order) {
  const bool are_few = chunks.size() <= kMostOrdered;
  const auto is_long = [](const WaveChunk& chunk) { return chunk.numbers.count >= kTaskN; };
  if (!are_few || !std::all_of(chunks.begin(), chunks.end(), is_long)) return {};
  std::array<std::uint8_t, kMostOrdered> equal;
  std::size_t n = 0;
  std::size_t equal_n = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::uint8_t& at = is_varied(chunks[i].numbers) ? order[n++] : equal[equal_n++];
    at = static_cast<std::uint8_t>(i);
  }
  std::copy_n(equal.begin(), equal_n, order.begin() + static_cast<std::ptrdiff_t>(n));
  return std::span(order).first(chunks.size());
}

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

// All chunks before one with an error are encoded.
void work(Job& job, Arena& arena) noexcept {
  const std::size_t n = job.chunks.size();
  for (std::size_t turn = job.next++; turn < n; turn = job.next++) {
    const std::size_t i = job.order.empty() ? turn : job.order[turn];
    std::size_t failed = job.failed;
    if (i > failed) continue;
    WaveChunk& chunk = job.chunks[i];
    chunk.status = guarded([&] { return encode(chunk, job.config, arena); });
    if (chunk.status.ok()) continue;
    while (i < failed && !job.failed.compare_exchange_weak(failed, i)) {
    }
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
  std::array<std::uint8_t, kMostOrdered> order;
  job.order = order_of(chunks, order);
  const auto task = [](void* argument, std::size_t worker) noexcept {
    const CallerState state;
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
