// SPDX-License-Identifier: Apache-2.0
// Chunks of standalone files.
#ifndef NUMPACT_PCO_ENCODE_RUN_ENCODER_HPP
#define NUMPACT_PCO_ENCODE_RUN_ENCODER_HPP

#include <vector>

#include "bits/bit_writer.hpp"
#include "numpact/config.hpp"
#include "pco/encode/choice_log.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::standalone {

// Who wants to know what was tried for a run.
class RunLog {
 public:
  virtual ~RunLog() = default;
  // Of the run as a single chunk, which is weighed first; lives as long as this.
  virtual ChoiceLog* whole() = 0;
  // Of the next chunk that the run is cut into, the same.
  virtual ChoiceLog* next_part() = 0;
  // The parts are what was written, else the whole is.
  virtual void parts_are_taken() = 0;
};

struct WrittenChunk {
  std::size_t at = 0;       // where it begins in the writer's memory
  std::size_t n = 0;        // numbers
  std::size_t page_at = 0;  // bytes before its page
};

// Encodes 1 to kMaxChunkN numbers: as one chunk, or under automatic paging as several where that
// is smaller. The config must have passed check_specs. Leaves the arena as it was. log, chunks: may
// be null; chunks become those written.
void write_run(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
               BitWriter& writer, RunLog* log = nullptr,
               std::vector<WrittenChunk>* chunks = nullptr);

// The most chunks that a run of n numbers may become.
std::size_t run_chunks_bound(const EncodeConfig& config, std::size_t n);

// A run of n numbers takes at most this and n times their size.
std::size_t run_overhead_bound(NumberType type);

}  // namespace numpact::standalone

#endif
