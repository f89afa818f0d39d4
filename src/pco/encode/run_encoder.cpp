// SPDX-License-Identifier: Apache-2.0
// Cuts and looking back pull apart: what a chunk looks back to must lie within it. So Lookback over
// a whole run competes with the chunks that it may be cut into, each of which may look back within
// itself.
#include "pco/encode/run_encoder.hpp"

#include <algorithm>
#include <cmath>

#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/segment/backoff.hpp"
#include "pco/encode/segment/plan.hpp"
#include "pco/encode/segment/refine.hpp"
#include "pco/levels.hpp"

namespace numpact::standalone {
namespace {

constexpr unsigned kFirstCuttingLevel = 7;

// Cuts that save at least this share, before any chunk looks back, may save more where they do:
// only encoding them tells.
constexpr float kDeepCuts = 0.05f;
// But not where one chunk that looks back takes no more than this share of them.
constexpr float kFarBelowCuts = 0.6f;
constexpr float kFarBelowCutsForSize = 0.5f;
// Or this, of more chunks than a few, which have less to look back to.
constexpr std::size_t kFewChunks = 4;
constexpr float kBelowManyCuts = 0.8f;

// Shorter chunks of a cut run are encoded in one of the ways that suit the run, up to some level.
constexpr std::size_t kMinChosenN = std::size_t{1} << 15;
constexpr unsigned kLastHintedLevel = 9;

// Cuts that take this times what they were estimated at may have kept Lookback out in vain.
constexpr float kFarOverPlan = 1.02f;

// How far the estimate of one chunk may be off.
constexpr float kDoubt = 1.01f;

struct RunPlan {
  std::span<const std::size_t> sizes;  // of the chunks
  // The most bytes that they may take together: about what one chunk is estimated at.
  std::size_t most_bytes = SIZE_MAX;
  // One chunk, encoded as it was chosen for the run.
  bool is_whole = false;
  // What a number was estimated to take when Lookback was tried for the run.
  float cut_bits = HUGE_VALF;
};

// The most that the run may take as one chunk, if the estimate is right.
std::size_t estimated_bytes(const Choices& choices, std::size_t n) {
  return static_cast<std::size_t>(kDoubt * choices.all()[0].bits * static_cast<float>(n) / 8);
}

bool looks_back(const Choices& choices) {
  return std::holds_alternative<Lookback>(choices.all()[0].delta);
}

// Adds Lookback to the choices if it is better than all cuts.
RunPlan plan_run(NumberType type, const LatentArray& ordered, const EncodeConfig& config,
                 Choices& choices, Arena& arena) {
  const float plain_bits = choices.all()[0].bits;
  CutPlanner planner(ordered, choices.all()[0], config.level, arena);
  const float promised = planner.look_first();
  const auto look_back = [&](float bits) {
    return add_lookback(type, ordered, ordered.n, bits, config, arena, choices);
  };
  // A closer look takes long, and shallow cuts lose to looking back.
  const bool are_shallow = promised > 0 && promised < kDeepCuts && config.level < kLevelForSize;
  const float promised_bits = (1 - promised) * plain_bits;
  LookbackVerdict verdict = LookbackVerdict::kUnlikely;
  if (are_shallow) verdict = look_back(promised_bits);
  if (verdict == LookbackVerdict::kTaken) return {planner.uncut().sizes, SIZE_MAX, true};
  const CutPlan cuts = promised > 0 ? planner.look_closely() : planner.even();
  // In shares, as the cuts are weighed under a delta that may take far more than the chosen one.
  const float cut_bits =
      cuts.uncut_bits > 0 ? plain_bits * cuts.bits / cuts.uncut_bits : plain_bits;
  // Cuts that are less than was promised may leave room for what saved too little beside them.
  const bool was_near = verdict == LookbackVerdict::kTooLittle && cut_bits > promised_bits;
  if (!are_shallow || was_near) look_back(cut_bits);
  const Choice& whole = choices.all()[0];
  const bool is_deep = cut_bits <= (1 - kDeepCuts) * plain_bits;
  const float far = config.level >= kLevelForSize    ? kFarBelowCutsForSize
                    : cuts.sizes.size() > kFewChunks ? kBelowManyCuts
                                                     : kFarBelowCuts;
  if (looks_back(choices) && (!is_deep || whole.bits < far * cut_bits)) {
    return {cuts.sizes.first(1), SIZE_MAX, true};
  }
  return {cuts.sizes, estimated_bytes(choices, ordered.n), cuts.sizes.size() == 1, cut_bits};
}

void refine(const NumberView& numbers, const EncodeConfig& config, RunPlan& plan, Arena& arena) {
  const bool was_whole = plan.sizes.size() == 1;
  plan.sizes =
      refine_cuts(numbers, was_whole ? std::span(&numbers.count, 1) : plan.sizes, config, arena);
  plan.is_whole = was_whole && plan.sizes.size() == 1;
}

void write(const EncodedChunk& chunk, BitWriter& writer, std::vector<WrittenChunk>* chunks) {
  if (chunks != nullptr) {
    chunks->push_back(
        {writer.size(), chunk.n, kChunkHeadBytes + static_cast<std::size_t>(chunk.meta_bytes)});
  }
  write_chunk_head(writer, chunk.meta.type, chunk.n);
  write_chunk_meta(writer, chunk.meta);
  write_page(chunk, chunk.pages[0], writer);
}

// The chunk, or the one of the level at which cuts are tried if that is smaller.
EncodedChunk smaller_chunk(const EncodedChunk& chunk, const NumberView& numbers,
                           const EncodeConfig& config, Arena& arena, ChoiceLog* log) {
  EncodeConfig other = config;
  other.level = kTryingLevel;
  const EncodedChunk tried = encode_chunk(numbers, {&numbers.count, 1}, other, arena, nullptr, log);
  return tried.bytes() < chunk.bytes() ? tried : chunk;
}

// False if they take more than the plan allows or one chunk would, whatever room the writer has.
bool write_cut(const NumberView& numbers, const RunPlan& plan, const ChooseHints& hints,
               const EncodeConfig& config, Arena& arena, BitWriter& writer, RunLog* log,
               std::vector<WrittenChunk>* chunks) {
  const std::size_t bound =
      run_overhead_bound(numbers.type) + numbers.count * size_of(numbers.type);
  const std::size_t most = std::min(plan.most_bytes, bound);
  std::uint64_t taken = 0;
  LookbackTries tries;
  WayTries ways(hints);
  NumberView part = numbers;
  for (const std::size_t n : plan.sizes) {
    const ArenaScope scratch(arena);
    part.count = n;
    const bool is_part = n < kMinChosenN && config.level <= kLastHintedLevel;
    ChoiceLog* const choices = log == nullptr ? nullptr : log->next_part();
    const LatentArray ordered = ordered_latents(part, arena);
    const ChooseHints part_hints = config.level >= kLevelForSize ? hints : ways.hints();
    Choices chosen = choose_plain(part.type, ordered, n, config, arena,
                                  is_part ? &part_hints : nullptr, choices);
    chosen.is_part = true;
    if (is_part) ways.note(n, part_hints, chosen.all()[0]);
    if (config.level >= kLevelForSize || tries.is_due()) {
      tries.note(n,
                 add_lookback(part.type, ordered, n, chosen.all()[0].bits, config, arena, chosen));
    } else {
      tries.pass_over(n);
    }
    EncodedChunk chunk = encode_chosen(part, ordered, chosen, {&n, 1}, config, arena, choices);
    if (refines(config)) chunk = smaller_chunk(chunk, part, config, arena, choices);
    taken += kChunkHeadBytes + chunk.bytes();
    if (taken > most) return false;
    write(chunk, writer, chunks);
    part.data = static_cast<const std::byte*>(part.data) + n * size_of(numbers.type);
  }
  return true;
}

// What was asked for holds for all numbers alike.
bool may_cut(const EncodeConfig& config) {
  return config.paging.is_automatic() && config.level >= kFirstCuttingLevel &&
         config.mode.kind() == ModeSpec::Kind::kAuto &&
         config.delta.kind() == DeltaSpec::Kind::kAuto;
}

}  // namespace

void write_run(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
               BitWriter& writer, RunLog* log, std::vector<WrittenChunk>* chunks) {
  const ArenaScope scratch(arena);
  ChoiceLog* const choice_log = log == nullptr ? nullptr : log->whole();
  if (chunks != nullptr) chunks->clear();
  const std::size_t n = numbers.count;
  const LatentArray ordered = ordered_latents(numbers, arena);
  Choices choices = choose_plain(numbers.type, ordered, n, config, arena, nullptr, choice_log);
  EncodedChunk whole;
  const auto encode_whole = [&] {
    whole = encode_chosen(numbers, ordered, choices, {&n, 1}, config, arena, choice_log);
  };
  if (may_cut(config)) {
    RunPlan plan = plan_run(numbers.type, ordered, config, choices, arena);
    if (refines(config)) {
      encode_whole();
      whole = smaller_chunk(whole, numbers, config, arena, choice_log);
      refine(numbers, config, plan, arena);
    } else if (!plan.is_whole && n < kMinChosenN && looks_back(choices)) {
      encode_whole();
    }
    if (whole.n > 0) {
      plan.most_bytes = kChunkHeadBytes + static_cast<std::size_t>(whole.bytes());
    }
    BitWriter cut = writer;
    const bool is_cut =
        !plan.is_whole && write_cut(numbers, plan, choices.hints, config, arena, cut, log, chunks);
    const std::size_t cut_bytes = cut.size() - writer.size();
    const float cut_bits = 8 * static_cast<float>(cut_bytes) / static_cast<float>(n);
    const bool is_as_planned = is_cut && cut_bits <= kFarOverPlan * plan.cut_bits;
    if (whole.n == 0 && !plan.is_whole && !is_as_planned && !looks_back(choices)) {
      // What cuts promised may have kept it out.
      const float bits = is_cut ? cut_bits : choices.all()[0].bits;
      add_lookback(numbers.type, ordered, n, bits, config, arena, choices);
      if (is_cut && looks_back(choices)) encode_whole();
    }
    if (is_cut && (whole.n == 0 || cut_bytes <= kChunkHeadBytes + whole.bytes())) {
      writer = cut;
      if (log != nullptr) log->parts_are_taken();
      return;
    }
    if (chunks != nullptr) chunks->clear();
  } else {
    add_lookback(numbers.type, ordered, n, choices.all()[0].bits, config, arena, choices);
  }
  if (whole.n == 0) encode_whole();
  write(whole, writer, chunks);
}

std::size_t run_chunks_bound(const EncodeConfig& config, std::size_t n) {
  return may_cut(config) ? 1 + n / kMinCutN : 1;
}

std::size_t run_overhead_bound(NumberType type) {
  return kChunkHeadBytes + fallback_meta_bytes(type);
}

}  // namespace numpact::standalone
