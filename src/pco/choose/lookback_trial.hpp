// SPDX-License-Identifier: Apache-2.0
// Whether Lookback pays.
#ifndef NUMPACT_PCO_CHOOSE_LOOKBACK_TRIAL_HPP
#define NUMPACT_PCO_CHOOSE_LOOKBACK_TRIAL_HPP

#include "pco/choose/choice.hpp"
#include "pco/choose/sample.hpp"

namespace numpact {

// Changes the choice's delta to Lookback if the chunk repeats itself enough. bits: what a number
// takes under the choice as it is, by estimate. page_n: length of the longest page.
// may_change_mode: whether the mode may become Classic along with it.
void try_lookback(const Sample& sample, const LatentArray& ordered, std::size_t page_n, float bits,
                  bool may_change_mode, Choice& choice, Arena& arena);

}  // namespace numpact

#endif
