// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers between C and C++.
#pragma once

#include <cstring>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/trailer.hpp"

namespace numpact::internal::capi {

// The number at an address, in the order of latents.
template <class Bits>
std::uint64_t latent_at(NumberType type, const void* number) {
  Bits bits = 0;
  std::memcpy(&bits, number, sizeof bits);
  return to_ordered_latent(type, bits);
}

inline std::uint64_t latent_at(NumberType type, const void* number) {
  switch (size_of(type)) {
    case 1:
      return latent_at<std::uint8_t>(type, number);
    case 2:
      return latent_at<std::uint16_t>(type, number);
    case 4:
      return latent_at<std::uint32_t>(type, number);
    default:
      return latent_at<std::uint64_t>(type, number);
  }
}

inline Status make_range(numpact_type type, const void* min, const void* max, ValueRange& range) {
  NUMPACT_TRY(check_type(type));
  NUMPACT_TRY(check_given(min));
  NUMPACT_TRY(check_given(max));
  const auto known = static_cast<NumberType>(type);
  range = {known, latent_at(known, min), latent_at(known, max)};
  return {};
}

inline numpact_chunk_summary summary_of(NumberType type, const ChunkSummary& chunk) {
  numpact_chunk_summary summary = {};
  summary.offset = chunk.place.offset;
  summary.size = chunk.bytes;
  summary.first = chunk.place.first;
  summary.count = chunk.place.count;
  summary.nan_count = chunk.nan_count;
  summary.restart_points = chunk.restart_points;
  summary.crc = chunk.crc;
  summary.has_range = chunk.has_range() ? 1 : 0;
  if (chunk.has_range()) {
    summary.min_bits = from_ordered_latent(type, chunk.min_latent);
    summary.max_bits = from_ordered_latent(type, chunk.max_latent);
  }
  return summary;
}

}  // namespace numpact::internal::capi
