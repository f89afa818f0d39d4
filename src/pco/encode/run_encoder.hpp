// SPDX-License-Identifier: Apache-2.0
// Encodes runs of numbers as chunks of a standalone file.
//
// The whole procedure from numbers to bytes, in the order of the code. An indented line is a part
// of the one above it; parts that depend on a level or an option say so.
//
//   write_run                one run of at most kMaxChunkN numbers: RunEncoder::write_smallest
//     ordered_latents        numbers become unsigned latents of the same order
//     plan_run               the race of the alternatives (encode/race.hpp)
//       choose_plain         of the ChoiceSession of the run: mode and delta encoding as one chunk,
//                            without Lookback. With a recipe, use_recipe instead of what follows
//         looks_random       tests for random numbers; if they are, one bin, and the choice ends
//         take_sample        runs of neighbours
//         rank               the estimates of the sample; once more on a larger one if numbers
//                            take so few bits that rare ones matter:
//           take_subsample   128 or 256 latents
//           collect_candidates Classic, and what the functions propose_* find in the sample
//           coarse_estimate  each candidate on the subsample; far ones are dropped
//           estimate_mode    the others on the sample: split, orders of Consecutive, coarse bins
//           rank_divisors    divisors of the best base, if it needs many corrections
//           rank_weights     Conv1 for the best mode, and for a second one that may suit it better
//           rank_dict        all numbers are counted, if tests on the sample pass
//         finalize           the best estimate, and others that are encoded for comparison
//       coarse_plan          segments, unless requests, paging or the level rule them out:
//                            histograms of blocks on a sample
//       plan                 where that saves much: the full plan, in which blocks are joined while
//                            that saves bits
//       add_lookback         Lookback over the run, with up to three modes, against the least
//       plan                 unless it was made, or Lookback was accepted
//     is_estimated_above     ends the procedure if the least estimate exceeds max_bytes
//     refine                 from level 10 on, unless decoding speed is favored (refines_segments):
//       encode_single        the single chunk
//       smaller_chunk        the same numbers at kRefineLevel, if that is smaller
//       refine_segments      joins and splits segments by encoding them
//     write_segments_if_smaller, unless a single chunk is planned:
//       write_segments       each segment, until together they exceed the single chunk's size or
//                            estimate, or max_bytes:
//         choose_plain       of a session of its own, then add_lookback; where it was not
//                            promising for the run, Backoff skips it on most segments
//         encode_chosen      as below; then smaller_chunk where segments are refined
//     write_single           if segments are not kept: is_estimated_above again, and encode_chosen,
//                            unless the single chunk is encoded already
//
//   encode_chosen            encodes a session's choices
//     encode_as              for the best choice, and for others that may be smaller:
//       split                the mode's primary and secondary latents
//       encode_page_deltas   lookbacks, unless they are known, and deltas in place, page by page
//       narrow               latents in the smallest type that holds their range
//       make_binning         histogram, optimized bins, ANS weights; the bin of each latent
//       encode_pages         tANS codes, last to first, and the exact size of each page
//     encode_as              once more as the fallback, if all choices are larger than that
//   write                    chunk header, metadata, and the page's codes and offsets
#pragma once

#include <vector>

#include "base/byte_output.hpp"
#include "numpact/config.hpp"
#include "pco/encode/choice_log.hpp"
#include "pco/encode/race.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::internal {

// Listens to the alternatives that are compared for a run.
class RunListener {
 public:
  virtual ~RunListener() = default;
  // For the run as a single chunk, which is estimated first. It lives as long as this.
  virtual ChoiceListener* single() = 0;
  // The alternatives for the run were estimated.
  virtual void planned(const RunPlan& plan) = 0;
  // For the next segment of the run. It lives as long as this.
  virtual ChoiceListener* next_segment() = 0;
  // The segments were written; if this is not called, the single chunk was.
  virtual void segments_are_kept() = 0;
};

struct WrittenChunk {
  std::size_t at = 0;       // position in the output
  std::size_t n = 0;        // numbers
  std::size_t page_at = 0;  // bytes before its page
};

// Encodes 1 to kMaxChunkN numbers as one chunk, or under automatic paging as several segments if
// they are smaller. The config must have passed check_specs. Leaves the arena as it was. listener,
// chunks: may be null; *chunks becomes the list of the chunks written. kOutputTooSmall: the run
// takes more than max_bytes, also if only estimates say so, or than the output has room for.
Status write_run(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
                 ByteOutput& output, RunListener* listener = nullptr,
                 std::vector<WrittenChunk>* chunks = nullptr,
                 std::uint64_t max_bytes = ~std::uint64_t{0});

// The maximum number of chunks that a run of n numbers may become.
std::size_t run_chunks_bound(const EncodeConfig& config, std::size_t n);

// A run of n numbers takes at most this many bytes and n times the size of a number.
std::size_t run_overhead_bound(NumberType type);

}  // namespace numpact::internal
