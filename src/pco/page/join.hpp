// SPDX-License-Identifier: Apache-2.0
// Joins the latents of a batch to numbers.
#ifndef NUMPACT_PCO_PAGE_JOIN_HPP
#define NUMPACT_PCO_PAGE_JOIN_HPP

#include <algorithm>
#include <type_traits>

#include "number/ordered.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

// State of the primary latents of Classic: ordered latents, or already numbers.
enum class ClassicLatents { kOrdered, kNumbers };

// Stores the bits of the numbers to `out`, which may be `primary`. For all modes but Dict, whose
// entries already are numbers.
template <Latent L, Latent P>
void join_batch(const AnyMode& mode, NumberKind kind, ClassicLatents classic_latents,
                const P* primary, const L* secondary, std::size_t n, L* out) {
  if constexpr (std::is_same_v<L, P>) {
    if (primary != out) std::copy_n(primary, n, out);
    if (const auto* mult = std::get_if<IntMult>(&mode)) {
      join_int_mult(static_cast<L>(mult->base), kind, out, secondary, n);
      return;
    }
    if constexpr (FloatLatent<L>) {
      if (const auto* mult = std::get_if<FloatMult>(&mode)) {
        join_float_mult(static_cast<L>(mult->base_bits), out, secondary, n);
        return;
      }
      if (const auto* quant = std::get_if<FloatQuant>(&mode)) {
        join_float_quant(quant->k, out, secondary, n);
        return;
      }
    }
  }
  if (classic_latents == ClassicLatents::kOrdered) from_ordered(out, n, kind, out);
}

}  // namespace numpact

#endif
