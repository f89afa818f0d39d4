// SPDX-License-Identifier: Apache-2.0
// Interface of the choice of mode and delta encoding for a chunk.
#ifndef NUMPACT_PCO_ENCODE_CHOICE_HPP
#define NUMPACT_PCO_ENCODE_CHOICE_HPP

#include <algorithm>
#include <array>
#include <span>

#include "number/latent_array.hpp"
#include "numpact/config.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/encode/choice_log.hpp"
#include "pco/encode/estimate/binned.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

// One way to encode a chunk.
struct Choice {
  AnyMode mode;
  AnyDelta delta;
  // The lookbacks found while Lookback was evaluated, for a chunk of one page; may be empty.
  std::span<std::uint32_t> lookbacks;
  float bits = 0;  // estimate per number
  // Encoded only if the smallest encoding so far takes more bits per number than this.
  float attempt_above_bits = 0;
};

// kInvalidArgument if mode or delta do not apply to the type, or a parameter is out of range.
Status check_specs(NumberType type, const EncodeConfig& config);

// Which alternatives, of those that are slow to estimate, are worth estimating for a segment of a
// run: Conv1 and dictionaries if they did well on the whole run, and bases, since each segment may
// have its own.
struct SegmentHints {
  bool bases = true;
  bool conv1 = false;
  bool dict = false;
};

// The outcome of an evaluation of Lookback. The order matters: later ones found more repetition.
enum class LookbackResult {
  kNotPromising,  // cheap tests found no sign of repetition
  kWorse,         // takes at least as many bits as the numbers do otherwise
  kBelowMargin,   // saves less than the penalty for its slower decoding
  kAccepted,
};

struct PageRepeats;

// Alternatives for a chunk, in the order in which they are encoded: the best by estimate first,
// then those that are encoded for comparison.
class Choices {
 public:
  // Encoding more of them takes longer than it saves.
  static constexpr std::size_t kMaxChoices = 4;

  // Drops the choice if the list is full.
  void add(const Choice& choice) {
    if (size_ < kMaxChoices) choices_[size_++] = choice;
  }
  // Inserts a choice before the others and keeps `others` of them. The first of these is encoded
  // only if the new one takes more than attempt_above_bits.
  void prepend(const Choice& choice, std::size_t others, float attempt_above_bits) {
    choices_[0].attempt_above_bits = attempt_above_bits;
    size_ = std::min({size_, others, kMaxChoices - 1});
    std::copy_backward(choices_.begin(), choices_.begin() + static_cast<std::ptrdiff_t>(size_),
                       choices_.begin() + static_cast<std::ptrdiff_t>(size_) + 1);
    choices_[0] = choice;
    ++size_;
  }
  std::span<const Choice> all() const { return {choices_.data(), size_}; }

  // What the choices were made from: the best estimates, best first, and the sample they are for.
  std::array<Estimate, kMaxChoices> estimates;
  std::size_t estimate_n = 0;
  Sample sample;
  SegmentHints hints;  // for the segments of this chunk's numbers
  PageRepeats* repeats =
      nullptr;              // of the chunk's first page_n latents; null if Lookback is excluded
  bool is_segment = false;  // the chunk is a segment of a run

 private:
  std::array<Choice, kMaxChoices> choices_;
  std::size_t size_ = 0;
};

// Chooses mode and delta encoding: choose_plain(), then add_lookback(). ordered: the chunk's
// numbers as ordered latents, at least one. page_n: length of the longest page. What the choices
// refer to is allocated in `arena`. The specs must have passed check_specs. hints: null, or those
// of the run that the numbers are a segment of. log: null, or receives every estimate.
Choices choose(NumberType type, const LatentArray& ordered, std::size_t page_n,
               const EncodeConfig& config, Arena& arena, const SegmentHints* hints = nullptr,
               ChoiceLog* log = nullptr);

// Chooses without Lookback, which is slow to evaluate.
Choices choose_plain(NumberType type, const LatentArray& ordered, std::size_t page_n,
                     const EncodeConfig& config, Arena& arena, const SegmentHints* hints = nullptr,
                     ChoiceLog* log = nullptr);
// Evaluates Lookback, and prepends it to the choices if it takes less than `bits` per number by the
// required margin.
LookbackResult add_lookback(NumberType type, const LatentArray& ordered, std::size_t page_n,
                            float bits, const EncodeConfig& config, Arena& arena, Choices& choices);

}  // namespace numpact

#endif
