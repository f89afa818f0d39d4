// SPDX-License-Identifier: Apache-2.0
// An untyped view of an array of latents whose width is known at run time.
#pragma once

#include <span>

#include "number/latent.hpp"

namespace numpact::internal {

// Non-owning. bits == 0: no array.
struct LatentArray {
  unsigned bits = 0;
  void* data = nullptr;
  std::size_t n = 0;

  LatentArray() = default;
  template <Latent L>
  explicit LatentArray(std::span<L> latents)
      : bits(kBits<L>), data(latents.data()), n(latents.size()) {}

  bool exists() const { return bits != 0; }

  template <Latent L>
  std::span<L> as() const {
    return {static_cast<L*>(data), n};
  }

  LatentArray slice(std::size_t first, std::size_t count) const {
    LatentArray part = *this;
    part.data = static_cast<std::byte*>(data) + first * (bits / 8);
    part.n = count;
    return part;
  }

  // Calls f with the latents as a typed span.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return visit_latent(bits,
                        [&](auto width) -> decltype(auto) { return f(as<decltype(width)>()); });
  }
};

}  // namespace numpact::internal
