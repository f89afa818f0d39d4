// SPDX-License-Identifier: Apache-2.0
// The order-preserving bijection between numbers and latents (docs/format/pco.md, "Ordered
// latents"). It operates on bits, so NaN payloads and -0.0 are preserved.
#pragma once

#include "number/latent.hpp"

namespace numpact::internal {

// All ones if the top bit is set, else zero. Compilers vectorize this form without branches.
template <Latent L>
constexpr L top_bit_mask(L word) {
  return static_cast<L>(L{0} - static_cast<L>(word >> (kBits<L> - 1)));
}

template <Latent L>
constexpr L to_ordered(L bits, NumberKind kind) {
  switch (kind) {
    case NumberKind::kUnsigned:
      return bits;
    case NumberKind::kSigned:
      return bits ^ kMid<L>;
    case NumberKind::kFloat:
      return static_cast<L>(bits ^ (top_bit_mask(bits) | kMid<L>));  // flips all bits, or the sign
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
      return static_cast<L>(latent ^ (~top_bit_mask(latent) | kMid<L>));
  }
  return latent;
}

// Converts arrays; `out` may be `in`. Kernels dispatched by instruction set. The numbers to convert
// may have any alignment.
template <Latent L>
void to_ordered(const void* in, std::size_t n, NumberKind kind, L* out);
template <Latent L>
void from_ordered(const L* in, std::size_t n, NumberKind kind, L* out);

}  // namespace numpact::internal
