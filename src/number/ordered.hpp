// SPDX-License-Identifier: Apache-2.0
// The order-preserving bijection between numbers and latents (docs/format/pco.md, "Ordered
// latents"). Numbers are handled as their bits: NaN payloads and -0.0 survive.
#ifndef NUMPACT_NUMBER_ORDERED_HPP
#define NUMPACT_NUMBER_ORDERED_HPP

#include "number/latent.hpp"

namespace numpact {

template <Latent L>
constexpr L to_ordered(L bits, NumberKind kind) {
  switch (kind) {
    case NumberKind::kUnsigned:
      return bits;
    case NumberKind::kSigned:
      return bits ^ kMid<L>;
    case NumberKind::kFloat:
      return static_cast<L>((bits & kMid<L>) != 0 ? ~bits : bits ^ kMid<L>);
  }
  return bits;
}

template <Latent L>
constexpr L from_ordered(L latent, NumberKind kind) {
  switch (kind) {
    case NumberKind::kUnsigned:
      return latent;
    case NumberKind::kSigned:
      return latent ^ kMid<L>;
    case NumberKind::kFloat:
      return static_cast<L>((latent & kMid<L>) != 0 ? latent ^ kMid<L> : ~latent);
  }
  return latent;
}

// Whole arrays; `out` may be `in`. Kernels, dispatched by CPU.
template <Latent L>
void to_ordered(const L* in, std::size_t n, NumberKind kind, L* out);
template <Latent L>
void from_ordered(const L* in, std::size_t n, NumberKind kind, L* out);

}  // namespace numpact

#endif
