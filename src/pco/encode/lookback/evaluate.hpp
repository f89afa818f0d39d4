// SPDX-License-Identifier: Apache-2.0
// Decides whether a chunk uses Lookback: the filter, the search, and the comparison of the result.
#pragma once

#include "pco/encode/choice.hpp"
#include "pco/encode/choice_log.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/lookback/fixed.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {

struct PageRepeats;

// The facts about a chunk that are known before lookbacks are tested. All bits are per number.
struct LookbackInput {
  std::size_t page_n;    // length of the longest page
  float bits;            // estimated size under the current choice
  bool may_change_mode;  // the mode may become Classic along with the delta
  const Level* level = &level_row(kDefaultLevel);
  float secondary_bits = 0;        // the secondary variable's part of `bits`
  float sampled_bits = bits;       // estimate by the sample; above `bits` where segments save
  float error_ratio = 1;           // of estimates, for the log
  PageRepeats* repeats = nullptr;  // the page's, kept from one call to the next; or null
};

// Changes the choice's delta to Lookback, and its mode and bits accordingly, if that is estimated
// to save enough: kAccepted. Otherwise the choice stays as it is. The estimate goes to the log in
// any case; if the prefilter fails, its lowest one.
LookbackResult try_lookback(const Sample& sample, const LatentArray& ordered,
                            const LookbackInput& input, Choice& choice, Arena& arena,
                            const ChoiceLog& log = {});

// Whether one distance for all numbers saves enough; sets the choice if so. page_n and
// bits of the input are read.
bool accepts_fixed_lookback(const FixedLookback& fixed, const LookbackInput& input, Choice& choice);

// Whether a page has enough bits to save any by lookbacks.
bool has_enough_bits(const LookbackInput& input);

}  // namespace numpact::internal
