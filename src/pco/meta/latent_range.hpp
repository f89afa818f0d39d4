// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers as ordered latents, and what the metadata of a chunk say about them.
#pragma once

#include "pco/meta/chunk_meta.hpp"

namespace numpact::internal {

// Latents from `min` to `max`, both included. Without any if min > max.
struct LatentRange {
  std::uint64_t min = 1;
  std::uint64_t max = 0;

  bool is_empty() const { return min > max; }
  bool holds(std::uint64_t latent) const { return latent >= min && latent <= max; }
};

// All latents of a type that are no NaN.
LatentRange numeric_range(NumberType type);

// The latents of the numbers that compare as within the bounds: no NaN, and both zeros or none.
// Empty if a bound is NaN.
LatentRange comparable_range(NumberType type, std::uint64_t min, std::uint64_t max);

// The part of a set of numbers that is in a range. kSome: some, or it is not known.
enum class Overlap { kNone, kSome, kAll };

// Compares two ranges, of which `values` is not empty.
Overlap overlap_of(const LatentRange& values, const LatentRange& range);

// The same for the numbers of every page of a chunk, if dictionary or bins tell: in mode Dict, and
// in Classic and IntMult without a delta encoding.
Overlap overlap_of(const ChunkMeta& meta, const LatentRange& range);

}  // namespace numpact::internal
