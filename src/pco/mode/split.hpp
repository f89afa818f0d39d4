// SPDX-License-Identifier: Apache-2.0
// Splits numbers into latent variables, by any mode.
#pragma once

#include "number/latent_array.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

struct SplitLatents {
  LatentArray primary;
  LatentArray secondary;  // may be absent
};

// Splits the ordered latents of numbers. The results are new arrays in `arena`, except that the
// primary latents of Classic are `ordered` itself. For Dict, every latent must be among the
// entries, which must be distinct.
SplitLatents split(const AnyMode& mode, const LatentArray& ordered, Arena& arena);

// Sets `dict` to the distinct latents in ascending order. Returns false if there are no latents or
// more than max_n distinct ones.
bool make_dict(const LatentArray& ordered, std::size_t max_n, Arena& arena, Dict& dict);

}  // namespace numpact::internal
