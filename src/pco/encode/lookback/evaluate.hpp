// SPDX-License-Identifier: Apache-2.0
// Whether Lookback pays.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_EVALUATE_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_EVALUATE_HPP

#include "pco/encode/choice.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/levels.hpp"

namespace numpact {

struct PageRepeats;

struct Trial {
  std::size_t page_n;    // length of the longest page
  float bits;            // what a number takes under the choice as it is, by estimate
  bool may_change_mode;  // the mode may become Classic along with the delta
  unsigned level = kDefaultLevel;
  float secondary_bits = 0;   // how many of the bits are the secondary variable's
  float sampled_bits = bits;  // what the sample said of the choice: more where cuts save
  float promise = 0;          // the share that must be promised at least before a search is tried
  PageRepeats* repeats = nullptr;  // of the page, kept from trial to trial; or null
  bool is_part = false;            // of a run that is cut, and time counts
};

// Changes the choice's delta to Lookback if the chunk repeats itself enough: kTaken.
LookbackVerdict try_lookback(const Sample& sample, const LatentArray& ordered, const Trial& trial,
                             Choice& choice, Arena& arena);

}  // namespace numpact

#endif
