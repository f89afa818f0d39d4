// SPDX-License-Identifier: Apache-2.0
// Whether a dictionary pays, and the order of its entries.
#ifndef NUMPACT_PCO_ENCODE_MODES_DICT_HPP
#define NUMPACT_PCO_ENCODE_MODES_DICT_HPP

#include <optional>

#include "pco/encode/estimate/binned.hpp"

namespace numpact {

// The best order of the entries, each with its best delta, if it may take less than the best way
// without a dictionary. The entries are in `arena`.
std::optional<Weighed> weigh_dict(const LatentArray& ordered, const Sample& sample,
                                  const Weighed& to_beat, const ChooseEffort& effort, Arena& arena);

}  // namespace numpact

#endif
