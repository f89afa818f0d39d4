// SPDX-License-Identifier: Apache-2.0
// Chunks in a row, encoded at the same time.
#ifndef NUMPACT_API_CHUNK_WAVE_HPP
#define NUMPACT_API_CHUNK_WAVE_HPP

#include <span>
#include <vector>

#include "numpact/config.hpp"
#include "pco/standalone/parallel_walker.hpp"
#include "pco/trailer/summary.hpp"

namespace numpact {

struct WaveChunk {
  NumberView numbers;
  std::span<std::byte> place;  // where its bytes go
  std::size_t size = 0;        // how many they are
  Status status = {};          // kOutputTooSmall: the place has too little room
  // For the trailer, if the config wants one: where not null, becomes what is to be said of the
  // chunks, with offsets from the place.
  std::vector<trailer::Summary>* summaries = nullptr;
};

// Chunks for each task. One that is done with a chunk takes the next, so the more of them a wave
// has, the less is waited at its end; but all need a place.
inline constexpr std::size_t kShortWave = 2;    // numbers or places in scratch memory
inline constexpr std::size_t kLongWave = 4;     // numbers that a stream is given
inline constexpr std::size_t kLongestWave = 8;  // places in the output itself

// Room that a chunk of n numbers needs at most.
std::size_t chunk_bound(NumberType type, std::size_t n);

// Whether chunks of so many numbers in all are worth waking the crew for: each task has `per_task`
// of them, and numbers enough or very many chunks. One is enough if nobody works with the caller.
bool is_full_wave(const standalone::Crew& crew, std::size_t per_task, std::size_t chunks,
                  std::size_t numbers);

// Sets sizes and statuses; those behind the first chunk with an error mean nothing. A crew with an
// arena but nobody in it is the calling thread. The arenas are left as they were.
void encode_wave(std::span<WaveChunk> chunks, const EncodeConfig& config,
                 const standalone::Crew& crew);

// Adds the chunks of a run to a trailer, which lies at `offset` of the file.
void add_run(trailer::Builder& builder, const WaveChunk& run, std::uint64_t offset);

}  // namespace numpact

#endif
