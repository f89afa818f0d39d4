// SPDX-License-Identifier: Apache-2.0
// Whether a dictionary pays, and the order of its entries.
#ifndef NUMPACT_PCO_CHOOSE_WEIGH_DICT_HPP
#define NUMPACT_PCO_CHOOSE_WEIGH_DICT_HPP

#include <optional>

#include "pco/choose/weigh.hpp"

namespace numpact {

// What the best way without a dictionary takes.
struct ToBeat {
  float bits;
  float rough_bits;
};

// The best order of the entries, each with its best delta, if it may take less. The entries are in
// `arena`.
std::optional<Weighed> weigh_dict(const LatentArray& ordered, const Sample& sample,
                                  const ToBeat& to_beat, const ChooseEffort& effort, Arena& arena);

}  // namespace numpact

#endif
