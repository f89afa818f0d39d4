// SPDX-License-Identifier: Apache-2.0
// Splitting numbers into latent variables by any mode.
#ifndef NUMPACT_PCO_MODE_SPLIT_HPP
#define NUMPACT_PCO_MODE_SPLIT_HPP

#include "number/latent_array.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

struct SplitLatents {
  LatentArray primary;
  LatentArray secondary;  // may not exist
};

// ordered: the numbers' ordered latents. Results are new arrays in `arena`, but for Classic, whose
// primary latents are `ordered` itself. For Dict every latent must be among the entries, which must
// be distinct.
SplitLatents split(const AnyMode& mode, const LatentArray& ordered, Arena& arena);

// The distinct latents in ascending order, as a mode; none if there are more than max_n.
bool make_dict(const LatentArray& ordered, std::size_t max_n, Arena& arena, Dict& dict);

}  // namespace numpact

#endif
