// SPDX-License-Identifier: Apache-2.0
// Bins. A latent is stored as the tANS code of its bin and its offset from the lower end.
#pragma once

#include <cstdint>
#include <span>

namespace numpact::internal {

struct Bin {
  std::uint64_t lower = 0;
  std::uint32_t weight = 0;  // states of the 2^ans_size_log
  std::uint32_t offset_bits = 0;
};

// The binning of one latent variable of a chunk.
struct Binning {
  unsigned latent_bits = 0;  // 8, 16, 32, 64
  unsigned ans_size_log = 0;
  std::span<const Bin> bins;
};

}  // namespace numpact::internal
