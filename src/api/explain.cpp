// SPDX-License-Identifier: Apache-2.0
#include "numpact/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <new>
#include <utility>

#include "api/chunk_group.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/describe.hpp"
#include "api/inspection.hpp"
#include "api/paging.hpp"
#include "api/stored_latents.hpp"
#include "api/trailer_use.hpp"
#include "base/byte_output.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/pco.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/run_encoder.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

// Every chunk is explained, so every chunk is described.
constexpr std::uint64_t kAllChunks = ~std::uint64_t{0};

using Candidates = std::vector<CandidateInfo>;

CandidateOutcome outcome_of(DropReason reason) {
  switch (reason) {
    case DropReason::kNotRepetitive:
      return CandidateOutcome::kNotRepetitive;
    case DropReason::kDecodesSlowly:
      return CandidateOutcome::kDecodesSlowly;
    case DropReason::kEnoughOthers:
      break;
  }
  return CandidateOutcome::kNear;
}

CandidateInfo candidate_of(const ChunkInfo& info) {
  CandidateInfo candidate;
  candidate.mode = info.mode();
  candidate.delta = info.delta();
  candidate.mode_text = info.mode_text();
  candidate.delta_text = info.delta_text();
  return candidate;
}

// Records each candidate encoding once.
class CandidateRecorder final : public ChoiceListener {
 public:
  explicit CandidateRecorder(NumberType type) : type_(type) {}

  void estimated(const AnyMode& mode, const AnyDelta& delta,
                 const BitsEstimate& estimate) noexcept override {
    note(mode, delta, [&](CandidateInfo& candidate) {
      candidate.estimated_bits = double{estimate.bits};
      candidate.error_bits = double{estimate.error};
      if (!candidate.bytes) candidate.outcome = CandidateOutcome::kFar;
    });
  }
  void dropped(const AnyMode& mode, const AnyDelta& delta, DropReason reason) noexcept override {
    // One that was not estimated is not listed.
    note(
        mode, delta, [&](CandidateInfo& candidate) { candidate.outcome = outcome_of(reason); },
        false);
  }
  void encoded(const AnyMode& mode, const AnyDelta& delta, std::uint64_t bytes) noexcept override {
    note(mode, delta, [&](CandidateInfo& candidate) {
      candidate.bytes = std::min(bytes, candidate.bytes.value_or(bytes));
      candidate.outcome = CandidateOutcome::kLarger;
    });
  }

  // Rethrows an allocation failure of the noexcept callbacks.
  Candidates take() {
    if (is_out_of_memory_) throw std::bad_alloc();
    return std::move(candidates_);
  }

 private:
  template <class F>
  void note(const AnyMode& mode, const AnyDelta& delta, F&& f, bool adds = true) noexcept {
    try {
      ChunkMeta meta;
      meta.type = type_;
      meta.mode = mode;
      meta.delta = delta;
      CandidateInfo candidate = candidate_of(describe(meta));
      for (CandidateInfo& known : candidates_) {
        const bool is_known =
            known.mode_text == candidate.mode_text && known.delta_text == candidate.delta_text;
        if (is_known) return f(known);
      }
      if (adds) f(candidates_.emplace_back(std::move(candidate)));
    } catch (...) {
      is_out_of_memory_ = true;
    }
  }

  NumberType type_;
  Candidates candidates_;
  bool is_out_of_memory_ = false;
};

// Sorts `values`.
template <Latent L>
EntropyBound bound_of(std::span<L> values) {
  EntropyBound bound;
  bound.count = values.size();
  if (values.empty()) return bound;
  std::sort(values.begin(), values.end());
  double sum = 0;  // sum of n log n over the distinct values
  for (auto at = values.begin(); at != values.end();) {
    const auto end = std::upper_bound(at, values.end(), *at);
    const auto n = static_cast<double>(end - at);
    sum += n * std::log2(n);
    ++bound.distinct;
    at = end;
  }
  const auto count = static_cast<double>(values.size());
  bound.bits = std::max(0.0, std::log2(count) - sum / count);
  return bound;
}

EntropyBound bound_of(const LatentArray& latents) {
  return latents.visit([](auto values) { return bound_of(values); });
}

// Works on a copy.
EntropyBound bound_of(const NumberView& numbers, Arena& arena) {
  const ArenaScope scratch(arena);
  return visit_latent(latent_bits(numbers.type), [&](auto width) {
    using L = decltype(width);
    const std::span<L> copy = arena.make<L>(numbers.count);
    if (!copy.empty()) std::memcpy(copy.data(), numbers.data, copy.size_bytes());
    return bound_of(copy);
  });
}

NumberView slice(const NumberView& numbers, std::uint64_t first, std::uint64_t count) {
  const auto* data = static_cast<const std::byte*>(numbers.data);
  return {numbers.type, data + first * size_of(numbers.type), static_cast<std::size_t>(count)};
}

Status explain_latents(std::span<const std::byte> file, const FormatVersion& version,
                       const ChunkInfo& info, Arena& arena, ChunkExplanation& chunk) {
  const ArenaScope scratch(arena);
  const std::uint64_t meta_offset = info.offset + standalone::kChunkHeadBytes;
  BitReader reader(file, 8 * meta_offset);
  ChunkMeta meta;
  NUMPACT_TRY(parse_chunk_meta(reader, info.type, version, arena, meta));
  const std::span<const std::byte> page =
      file.subspan(static_cast<std::size_t>(meta_offset + info.meta_bytes),
                   static_cast<std::size_t>(info.page_bytes));
  const std::array<LatentArray, kVariables> latents =
      stored_latents(page, meta, static_cast<std::size_t>(info.count), arena);
  for (const LatentArray& variable : latents) {
    if (variable.exists()) chunk.latents.push_back(bound_of(variable));
  }
  return {};
}

// Explains a valid file that holds these numbers, except for the candidates.
Status explain_contents(std::span<const std::byte> file, const NumberView& numbers,
                        const ProgressCallback& progress, Arena& arena, Explanation& explanation) {
  standalone::Header header;
  BitReader reader(file);
  NUMPACT_TRY(standalone::parse_header(reader, header));
  std::uint64_t first = 0;
  explanation.chunks.reserve(explanation.file.chunks.size());
  for (const ChunkInfo& info : explanation.file.chunks) {
    ChunkExplanation& chunk = explanation.chunks.emplace_back();
    chunk.numbers = bound_of(slice(numbers, first, info.count), arena);
    NUMPACT_TRY(explain_latents(file, header.format, info, arena, chunk));
    first += info.count;
    NUMPACT_TRY(report_progress(progress, {first, info.offset + standalone::kChunkHeadBytes +
                                                      info.meta_bytes + info.page_bytes}));
  }
  explanation.numbers = bound_of(numbers, arena);
  return {};
}

// The candidates of a run and of its chunks.
class RunRecorder final : public RunListener {
 public:
  explicit RunRecorder(NumberType type) : type_(type), single_(type) {}

  ChoiceListener* single() override { return &single_; }
  void planned(const RunPlan& plan) override {
    if (plan.single.bits > 0) run_.single_bits = double{plan.single.bits};
    run_.single_error_bits = double{plan.single.error};
    if (!std::isfinite(plan.segments.bits)) return;
    run_.segment_bits = double{plan.segments.bits};
    run_.segment_error_bits = double{plan.segments.error};
    run_.segment_count = plan.sizes.size();
    if (!plan.is_single) run_.segments = CandidateOutcome::kLarger;
  }
  ChoiceListener* next_segment() override { return &segments_.emplace_back(type_); }
  void segments_are_kept() override { run_.segments = CandidateOutcome::kTaken; }

  void take(std::vector<RunExplanation>& runs, std::vector<Candidates>& candidates) {
    run_.first_chunk = candidates.size();
    const bool keeps_segments = run_.segments == CandidateOutcome::kTaken;
    if (!keeps_segments) candidates.push_back(single_.take());
    for (CandidateRecorder& segment : segments_) {
      if (keeps_segments) candidates.push_back(segment.take());
    }
    run_.chunk_count = candidates.size() - run_.first_chunk;
    runs.push_back(run_);
  }

 private:
  NumberType type_;
  RunExplanation run_;
  CandidateRecorder single_;
  std::deque<CandidateRecorder> segments_;  // a deque: references stay valid
};

// The file that compress() would make, with the candidates of each chunk.
class RecordedFile {
 public:
  Status encode(const NumberView& numbers, const EncodeConfig& config, Arena& arena) {
    NUMPACT_TRY(check_specs(numbers.type, config));
    std::span<const std::size_t> sizes;
    NUMPACT_TRY(chunk_sizes(config, numbers.count, arena, sizes));
    standalone::Header header;
    header.format = FormatVersion::of(config.compatibility);
    header.n_hint = numbers.count;
    if (config.uniform_type) header.uniform_type = numbers.type;
    ByteOutput output(bytes_);
    NUMPACT_TRY(append(output, standalone::kMaxHeaderBytes,
                       [&](BitWriter& writer) { standalone::write_header(writer, header); }));
    std::uint64_t first = 0;
    for (const std::size_t n : sizes) {
      RunRecorder recorder(numbers.type);
      NUMPACT_TRY(write_run(slice(numbers, first, n), config, arena, output, &recorder));
      recorder.take(runs_, candidates_);
      first += n;
      NUMPACT_TRY(report_progress(config.progress, {first, output.size()}));
    }
    NUMPACT_TRY(append(output, 1, [](BitWriter& writer) {
      standalone::write_terminator(writer);
      writer.finish_byte();
    }));
    return output.finish();
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<Candidates>& candidates() { return candidates_; }
  std::vector<RunExplanation>& runs() { return runs_; }

 private:
  template <class F>
  static Status append(ByteOutput& output, std::size_t max_bytes, F&& write) {
    std::span<std::byte> room;
    NUMPACT_TRY(output.room(max_bytes, room));
    BitWriter writer(room);
    write(writer);
    output.append(writer.size());
    return {};
  }

  std::vector<std::byte> bytes_;
  std::vector<Candidates> candidates_;
  std::vector<RunExplanation> runs_;
};

// Candidates that were neither encoded nor dropped for another reason: by their estimates.
void set_outcomes(std::vector<CandidateInfo>& candidates, const CandidateInfo& chosen) {
  const double best = chosen.estimated_bits.value_or(HUGE_VAL) + chosen.error_bits;
  for (CandidateInfo& candidate : candidates) {
    if (candidate.outcome != CandidateOutcome::kFar || !candidate.estimated_bits) continue;
    const bool is_near = *candidate.estimated_bits - candidate.error_bits <= best;
    if (is_near) candidate.outcome = CandidateOutcome::kNear;
  }
}

void mark_chosen(const ChunkInfo& info, ChunkExplanation& chunk) {
  const std::uint64_t bytes = info.meta_bytes + info.page_bytes;
  CandidateInfo fallback = candidate_of(info);
  fallback.bytes = bytes;
  for (CandidateInfo& candidate : chunk.candidates) {
    if (candidate.mode_text != fallback.mode_text || candidate.delta_text != fallback.delta_text ||
        candidate.bytes.value_or(bytes) != bytes) {
      continue;
    }
    candidate.bytes = bytes;
    candidate.is_chosen = true;
    candidate.outcome = CandidateOutcome::kTaken;
    set_outcomes(chunk.candidates, candidate);
    return;
  }
  fallback.is_chosen = true;
  fallback.outcome = CandidateOutcome::kTaken;
  chunk.candidates.push_back(std::move(fallback));
  chunk.is_fallback = true;
}

Status explain_numbers(const NumberView& numbers, Explanation& explanation,
                       const EncodeConfig& config) {
  ScratchArena scratch(static_cast<EncodeContext*>(nullptr));
  RecordedFile file;
  NUMPACT_TRY(file.encode(numbers, config, *scratch));
  NUMPACT_TRY(inspect_within(file.bytes(), explanation.file, {}, kAllChunks));
  NUMPACT_TRY(explain_contents(file.bytes(), numbers, {}, *scratch, explanation));
  explanation.runs = std::move(file.runs());
  for (std::size_t i = 0; i < explanation.chunks.size(); ++i) {
    explanation.chunks[i].candidates = std::move(file.candidates()[i]);
    mark_chosen(explanation.file.chunks[i], explanation.chunks[i]);
  }
  return {};
}

Status explain_bytes(std::span<const std::byte> file, Explanation& explanation,
                     const DecodeConfig& config) {
  DecodeConfig silent = config;
  silent.progress = {};
  NUMPACT_TRY(inspect_within(file, explanation.file, silent, kAllChunks));
  if (explanation.file.count == 0) {  // the file may lack a number type
    TrailerCheck check;
    NUMPACT_TRY(check.start(file, config.trailer));
    return check.at_end(explanation.file.chunk_count, explanation.file.file_bytes, 0);
  }
  NumberArray numbers;
  NUMPACT_TRY(decompress_any(file, silent).into(numbers));
  ScratchArena scratch(static_cast<DecodeContext*>(nullptr), config.limits.max_memory);
  return explain_contents(file, numbers.view(), config.progress, *scratch, explanation);
}

}  // namespace

const CandidateInfo* ChunkExplanation::chosen() const noexcept {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [](const CandidateInfo& info) { return info.is_chosen; });
  return found != candidates.end() ? &*found : nullptr;
}

std::uint64_t SizeParts::total() const noexcept {
  return framing + choices + bins + delta_states + ans_states + codes + offsets + padding;
}

SizeParts parts_of(const ChunkInfo& chunk) noexcept {
  SizeParts parts;
  parts.framing = 8 * standalone::kChunkHeadBytes;
  std::uint64_t page_bits = 0;
  for (const LatentVariableInfo& variable : chunk.variables) {
    const std::uint64_t ans_bits = kAnsStates * std::uint64_t{variable.ans_size_log};
    const std::uint64_t ans_states = std::min(variable.state_bits, ans_bits);
    parts.bins += variable.meta_bits;
    parts.ans_states += ans_states;
    parts.delta_states += variable.state_bits - ans_states;
    parts.codes += variable.code_bits;
    parts.offsets += variable.offset_bits;
    page_bits += variable.state_bits + variable.code_bits + variable.offset_bits;
  }
  parts.choices = 8 * chunk.meta_bytes - parts.bins;
  parts.padding = 8 * chunk.page_bytes - page_bits;
  return parts;
}

SizeParts parts_of(const FileInfo& file) noexcept {
  SizeParts sum;
  std::uint64_t chunk_bits = 0;
  for (const ChunkInfo& chunk : file.chunks) {
    const SizeParts parts = parts_of(chunk);
    sum.choices += parts.choices;
    sum.bins += parts.bins;
    sum.delta_states += parts.delta_states;
    sum.ans_states += parts.ans_states;
    sum.codes += parts.codes;
    sum.offsets += parts.offsets;
    sum.padding += parts.padding;
    chunk_bits += parts.total() - parts.framing;
  }
  sum.framing = 8 * file.file_bytes - chunk_bits;
  return sum;
}

Result<Explanation> explain(const NumberView& numbers, const EncodeConfig& config) noexcept {
  return guarded_value<Explanation>([&](Explanation& explanation) -> Status {
    NUMPACT_TRY(check_view(numbers));
    return explain_numbers(numbers, explanation, config);
  });
}

Result<Explanation> explain_file(std::span<const std::byte> file,
                                 const DecodeConfig& config) noexcept {
  return guarded_value<Explanation>(
      [&](Explanation& explanation) { return explain_bytes(file, explanation, config); });
}

}  // namespace numpact
