// SPDX-License-Identifier: Apache-2.0
// Joins the latents of a batch to numbers.
#pragma once

#include <algorithm>
#include <type_traits>

#include "number/ordered.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

inline Status index_past_dictionary(std::size_t first_byte) {
  return Status(ErrorKind::kCorrupt, "an index reaches past the dictionary", first_byte);
}

// State of the primary latents of Classic: ordered latents, or already numbers.
enum class ClassicLatents { kOrdered, kNumbers };

// Stores the bits of the numbers to `out`, which may be `primary`. For all modes but Dict, whose
// entries already are numbers.
template <Latent L, Latent P>
void join_batch(const AnyMode& mode, NumberKind kind, ClassicLatents classic_latents,
                const P* primary, const L* secondary, std::size_t n, L* out) {
  if constexpr (std::is_same_v<L, P>) {
    if (primary != out) std::copy_n(primary, n, out);
  }
  if (std::holds_alternative<Classic>(mode)) {
    if (classic_latents == ClassicLatents::kOrdered) from_ordered(out, n, kind, out);
    return;
  }
  std::visit(
      [&](const auto& member) {
        // Modes of floats have no join for 8-bit latents, and their metadata are rejected.
        if constexpr (requires { member.join(kind, out, secondary, n); }) {
          member.join(kind, out, secondary, n);
        }
      },
      mode);
}

}  // namespace numpact::internal
