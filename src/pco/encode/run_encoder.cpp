// SPDX-License-Identifier: Apache-2.0
// A run becomes the smallest of three alternatives: a single chunk, a single chunk with Lookback,
// or segments, each of which may use Lookback within itself. Lookback over the run and segments
// exclude each other, since a chunk looks back only within itself. The alternatives are estimated,
// and the least of them is encoded; more than one is encoded only where the estimates do not decide
// (docs/decisions.md, 11).
#include "pco/encode/run_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/try.hpp"
#include "base/tuned.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/scratch.hpp"
#include "pco/encode/segment/plan.hpp"
#include "pco/encode/segment/refine.hpp"
#include "pco/encode/session.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {
namespace {

using standalone::kChunkHeadBytes;

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// A single chunk may take up to this ratio of its estimate. Segments that take more than that are
// discarded. A higher ratio encodes segments to the end that lose; a lower one discards some that
// would win.
NUMPACT_TUNED(float, kSingleErrorRatio, 1.01f);

// Decoding cannot begin within a chunk with Lookback, so a file with restart points has at most
// this many numbers in one, unless its restart points are further apart: a reader of a few numbers
// decodes the chunk. Chunks of 2^16 instead of 2^20 numbers take 0.4 % more on three columns of
// made trades that look back, of 2^15 0.9 %.
constexpr std::size_t kMaxLookbackN = std::size_t{1} << 16;
// The share that they may take more than one chunk of the whole run, which may look back further.
NUMPACT_TUNED(float, kMaxLookbackLossShare, 0.03f);

// Which segments Lookback is evaluated for, in a run for which it was not promising, where time
// counts (LookbackLevel::skips_segments). Segments of a run are similar: each failure skips as many
// numbers as there were since the last success, or since the run began. For example, where it
// always fails, segments 1, 3, 7, 15, ... of equal length are attempted.
class Backoff {
 public:
  bool should_attempt(std::size_t n) {
    if (seen_ >= next_) return true;
    seen_ += n;
    return false;
  }
  void note(std::size_t n, bool succeeded) {
    seen_ = succeeded ? 0 : seen_ + n;
    next_ = 2 * seen_;
  }

 private:
  std::size_t seen_ = 0;  // numbers since the last success
  std::size_t next_ = 0;  // the next attempt comes after this many
};

// A requested mode, delta encoding or paging holds for all numbers, so their runs are not divided.
bool may_segment(const EncodeConfig& config) {
  return config.paging.is_automatic() && level_row(config.level).segments.segments &&
         !config.mode.mode() && !config.delta.delta() && config.recipe == nullptr;
}

// The most numbers of a chunk with Lookback.
std::size_t max_lookback_n(const EncodeConfig& config) {
  const std::optional<unsigned> log = config.trailer.restart_log();
  if (!log || !config.paging.is_automatic() || config.recipe != nullptr) return SIZE_MAX;
  return std::max(kMaxLookbackN, std::size_t{1} << *log);
}

// The most bytes that the run may take as a single chunk, allowing for the error of its estimate.
std::size_t estimated_bytes(const Choice& choice, std::size_t n) {
  const float bits = kSingleErrorRatio * choice.size_bits() * static_cast<float>(n);
  return static_cast<std::size_t>(bits / 8);
}

Status write(const EncodedChunk& chunk, ByteOutput& output, std::vector<WrittenChunk>* chunks) {
  if (chunks != nullptr) {
    chunks->push_back(
        {output.size(), chunk.n, kChunkHeadBytes + static_cast<std::size_t>(chunk.meta_bytes)});
  }
  std::span<std::byte> room;
  NUMPACT_TRY(output.room(kChunkHeadBytes + static_cast<std::size_t>(chunk.bytes()), room));
  BitWriter writer(room);
  standalone::write_chunk_head(writer, chunk.meta.type, chunk.n);
  write_chunk_meta(writer, chunk.meta);
  write_page(chunk, chunk.pages[0], writer);
  output.append(writer.size(), writer.status().ok());
  return {};
}

// The chunk, or the one that kRefineLevel makes of the numbers if that is smaller.
EncodedChunk smaller_chunk(const EncodedChunk& chunk, const NumberView& numbers,
                           const EncodeConfig& config, Arena& arena, ChoiceListener* listener) {
  EncodeConfig other = config;
  other.level = kRefineLevel;
  const EncodedChunk attempt = encode_chunk(numbers, {&numbers.count, 1}, other, arena, listener);
  return attempt.bytes() < chunk.bytes() ? attempt : chunk;
}

class RunEncoder {
 public:
  RunEncoder(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
             RunListener* listener, std::uint64_t max_bytes)
      : numbers_(numbers),
        config_(config),
        arena_(arena),
        listener_(listener),
        max_bytes_(max_bytes),
        max_lookback_n_(max_lookback_n(config)),
        session_({numbers.type, ordered_latents(numbers, arena), numbers.count}, config, arena,
                 listener == nullptr ? nullptr : listener->single()) {}

  // Estimates the alternatives and writes the least.
  Status write_smallest(ByteOutput& output, std::vector<WrittenChunk>* chunks) {
    RunPlan plan = plan_run(session_, {may_segment(config_), true});
    plan.max_bytes = estimated_bytes(session_.best(), numbers_.count);
    if (listener_ != nullptr) listener_->planned(plan);
    Choice best = session_.best();
    if (!plan.is_single) best.bits = std::min(best.bits, plan.segments.bits);
    best.decode_bits = std::min(best.decode_bits, best.bits);
    if (is_estimated_above(best, numbers_.count, max_bytes_)) return BitWriter::output_too_small();
    if (may_segment(config_) && refines_segments(config_) && !session_.is_random()) refine(plan);
    divide_lookback(plan);
    SegmentsResult result = SegmentsResult::kDiscarded;
    if (!plan.is_single) NUMPACT_TRY(write_segments_if_smaller(plan, output, chunks, result));
    if (result == SegmentsResult::kKept) return {};
    if (result == SegmentsResult::kAboveMax) return BitWriter::output_too_small();
    return write_single(output, chunks);
  }

 private:
  enum class SegmentsResult { kKept, kDiscarded, kAboveMax };

  // At most once: destroys the ordered latents.
  void encode_single() { single_ = encode_chosen(numbers_, session_, {&numbers_.count, 1}); }
  std::size_t single_bytes() const {
    return kChunkHeadBytes + static_cast<std::size_t>(single_->bytes());
  }

  // Encodes the single chunk first, and changes the segments by what theirs take.
  void refine(RunPlan& plan) {
    encode_single();
    single_ = smaller_chunk(*single_, numbers_, config_, arena_, session_.log().listener());
    plan.max_bytes = single_bytes();
    const bool was_single = plan.is_single;
    plan.sizes = refine_segments(numbers_, was_single ? std::span(&numbers_.count, 1) : plan.sizes,
                                 config_, arena_);
    plan.is_single = was_single && plan.sizes.size() == 1;
  }

  // Divides a run that is a single chunk with Lookback, if that is too long.
  void divide_lookback(RunPlan& plan) {
    const std::size_t n = numbers_.count;
    const std::size_t count = (n - 1) / max_lookback_n_ + 1;
    if (!plan.is_single || !session_.uses_lookback() || count == 1) return;
    const std::span<std::size_t> sizes = arena_.make<std::size_t>(count);
    for (std::size_t i = 0; i < count; ++i) sizes[i] = (i + 1) * n / count - i * n / count;
    const std::size_t single = single_ ? single_bytes() : estimated_bytes(session_.best(), n);
    plan.is_single = false;
    plan.sizes = sizes;
    plan.max_bytes =
        single + static_cast<std::size_t>(kMaxLookbackLossShare * static_cast<float>(single));
  }

  Status write_single(ByteOutput& output, std::vector<WrittenChunk>* chunks) {
    if (!single_ && is_estimated_above(session_.best(), numbers_.count, max_bytes_)) {
      return BitWriter::output_too_small();
    }
    if (!single_) encode_single();
    if (single_bytes() > max_bytes_) return BitWriter::output_too_small();
    if (chunks != nullptr) chunks->clear();
    return write(*single_, output, chunks);
  }

  // Keeps the segments if they are smaller than a single chunk, or else drops them.
  Status write_segments_if_smaller(const RunPlan& plan, ByteOutput& output,
                                   std::vector<WrittenChunk>* chunks, SegmentsResult& result) {
    const std::size_t begin = output.size();
    NUMPACT_TRY(write_segments(plan, output, chunks, result));
    if (result == SegmentsResult::kAboveMax) return {};
    const bool is_within_bound = result == SegmentsResult::kKept;
    const std::size_t bytes = output.size() - begin;
    if (!is_within_bound || bytes > plan.max_bytes) {
      output.truncate(begin);
      result = SegmentsResult::kDiscarded;
    } else if (listener_ != nullptr) {
      listener_->segments_are_kept();
    }
    return {};
  }

  // Encodes the segments one by one. kDiscarded: they take more than the plan allows, or more than
  // the bound of a single chunk, whatever the output has room for. kAboveMax: they and the single
  // chunk, if it is encoded, take more than the caller allows.
  Status write_segments(const RunPlan& plan, ByteOutput& output, std::vector<WrittenChunk>* chunks,
                        SegmentsResult& result) {
    result = SegmentsResult::kDiscarded;
    if (chunks != nullptr) chunks->clear();
    const std::size_t bound =
        run_overhead_bound(numbers_.type) + numbers_.count * size_of(numbers_.type);
    const std::size_t max_bytes = std::min(plan.max_bytes, bound);
    std::uint64_t bytes = 0;
    const bool attempts_all = session_.may_look_back() || !session_.level().lookback.skips_segments;
    Backoff backoff;
    NumberView segment = numbers_;
    std::size_t divided_n = 0;  // numbers left of a segment that is divided
    std::size_t part_n = 0;     // and in each part of it
    for (auto size = plan.sizes.begin(); size != plan.sizes.end() || divided_n > 0;) {
      const ArenaScope scratch(arena_);
      const std::size_t n = divided_n > 0 ? std::min(divided_n, part_n) : *size++;
      divided_n -= std::min(divided_n, n);
      segment.count = n;
      ChoiceSession session({segment.type, ordered_latents(segment, arena_), n}, config_, arena_,
                            listener_ == nullptr ? nullptr : listener_->next_segment());
      const bool looks_back = attempts_all || backoff.should_attempt(n);
      plan_run(session, {false, looks_back});
      if (looks_back) backoff.note(n, session.uses_lookback());
      if (session.uses_lookback() && n > max_lookback_n_) {
        divided_n = n;
        const std::size_t parts = (n - 1) / max_lookback_n_ + 1;
        part_n = (n - 1) / parts + 1;
        continue;
      }
      EncodedChunk chunk = encode_chosen(segment, session, {&n, 1});
      if (refines_segments(config_)) {
        chunk = smaller_chunk(chunk, segment, config_, arena_, session.log().listener());
      }
      bytes += kChunkHeadBytes + chunk.bytes();
      if (bytes > max_bytes_ && (!single_ || single_bytes() > max_bytes_)) {
        result = SegmentsResult::kAboveMax;
        return {};
      }
      if (bytes > max_bytes || bytes > max_bytes_) return {};
      NUMPACT_TRY(write(chunk, output, chunks));
      segment.data = static_cast<const std::byte*>(segment.data) + n * size_of(numbers_.type);
    }
    result = SegmentsResult::kKept;
    return {};
  }

  const NumberView& numbers_;
  const EncodeConfig& config_;
  Arena& arena_;
  RunListener* listener_;
  std::uint64_t max_bytes_;
  std::size_t max_lookback_n_;          // in a chunk
  ChoiceSession session_;               // for the run as a single chunk
  std::optional<EncodedChunk> single_;  // the run as a single chunk, once encoded
};

}  // namespace

Status write_run(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
                 ByteOutput& output, RunListener* listener, std::vector<WrittenChunk>* chunks,
                 std::uint64_t max_bytes) {
  const ArenaScope scratch(arena);
  NUMPACT_TRY(arena.ensure<std::byte>(encoding_bytes(numbers.type, numbers.count, config.level)));
  // The list grows by doubling.
  const std::uint64_t listed = chunks != nullptr ? run_chunks_bound(config, numbers.count) : 0;
  NUMPACT_TRY(ensure_memory(4 * listed * sizeof(WrittenChunk)));
  return RunEncoder(numbers, config, arena, listener, max_bytes).write_smallest(output, chunks);
}

std::size_t run_chunks_bound(const EncodeConfig& config, std::size_t n) {
  return 1 + n / (may_segment(config) ? kMinSegmentN : max_lookback_n(config));
}

std::size_t run_overhead_bound(NumberType type) {
  return kChunkHeadBytes + fallback_meta_bytes(type);
}

}  // namespace numpact::internal
