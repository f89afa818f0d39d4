// SPDX-License-Identifier: Apache-2.0
// Choosing how a chunk is encoded.
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

struct Choice {
  AnyMode mode;
  AnyDelta delta;
  // Found while choosing Lookback, for a chunk of one page; may be empty.
  std::span<std::uint32_t> lookbacks;
  float bits = 0;  // a number, by estimate
  // Worth trying only if the best of those before takes more for each number.
  float worth_over_bits = 0;
};

// kInvalidArgument if mode or delta do not apply to the type, or a parameter is out of range.
Status check_specs(NumberType type, const EncodeConfig& config);

// What is worth a try for a chunk that a run is cut into: of these ways, which are costly to weigh,
// such that did well on all of the run. Each chunk may have its own base.
struct ChooseHints {
  bool bases = true;
  bool conv1 = false;
  bool dict = false;
};

// What came of looking for repeats; the later, the more of them.
enum class LookbackVerdict {
  kUnlikely,  // nothing hints at them
  kLost,      // they take more than the numbers do otherwise
  kTooLittle,
  kTaken,
};

struct PageRepeats;

// Ways to encode a chunk, the best by estimate first, then others to be tried in full: near ones if
// the chunk or the level is such that it costs little, and one for a sample that misled.
class Choices {
 public:
  static constexpr std::size_t kMost = 4;

  // Dropped if there is no room.
  void add(const Choice& choice) {
    if (size_ < kMost) choices_[size_++] = choice;
  }
  // Before the others, of which so many stay; the first of these is tried only if this one takes
  // more bits than given.
  void add_first(const Choice& choice, std::size_t others, float worth_over_bits) {
    choices_[0].worth_over_bits = worth_over_bits;
    size_ = std::min({size_, others, kMost - 1});
    std::copy_backward(choices_.begin(), choices_.begin() + static_cast<std::ptrdiff_t>(size_),
                       choices_.begin() + static_cast<std::ptrdiff_t>(size_) + 1);
    choices_[0] = choice;
    ++size_;
  }
  std::span<const Choice> all() const { return {choices_.data(), size_}; }

  // What they were chosen from: the best ways that were weighed, on which sample.
  std::array<Weighed, kMost> ways;
  std::size_t way_n = 0;
  Sample sample;
  ChooseHints hints;
  PageRepeats* repeats = nullptr;  // of the chunk's longest page; null if it can't look back
  bool is_part = false;            // of a run that is cut

 private:
  std::array<Choice, kMost> choices_;
  std::size_t size_ = 0;
};

// ordered: the chunk's numbers as ordered latents, at least one. page_n: length of the longest
// page. What the choices point to lives in `arena`. The specs must have passed check_specs.
// hints: of the run that the numbers are a part of, if not null. log: told what was weighed, if not
// null.
Choices choose(NumberType type, const LatentArray& ordered, std::size_t page_n,
               const EncodeConfig& config, Arena& arena, const ChooseHints* hints = nullptr,
               ChoiceLog* log = nullptr);

// The two steps of it: without Lookback, which is costly to weigh, and with it if a number takes
// less than `bits` so, before all others then.
Choices choose_plain(NumberType type, const LatentArray& ordered, std::size_t page_n,
                     const EncodeConfig& config, Arena& arena, const ChooseHints* hints = nullptr,
                     ChoiceLog* log = nullptr);
LookbackVerdict add_lookback(NumberType type, const LatentArray& ordered, std::size_t page_n,
                             float bits, const EncodeConfig& config, Arena& arena,
                             Choices& choices);

}  // namespace numpact

#endif
