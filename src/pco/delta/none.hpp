// SPDX-License-Identifier: Apache-2.0
// No delta encoding: latents are stored as they are.
#ifndef NUMPACT_PCO_DELTA_NONE_HPP
#define NUMPACT_PCO_DELTA_NONE_HPP

#include "pco/delta/delta.hpp"

namespace numpact {

struct NoDelta {
  static constexpr unsigned kTag = 0;
  static constexpr bool kHasWeights = false;

  static Status parse(BitReader&, const DeltaContext&, NoDelta&) { return {}; }
  void write(BitWriter&) const {}
  std::uint64_t payload_bits() const { return 0; }
  std::size_t state_n() const { return 0; }
  bool encodes_secondary() const { return false; }
};

}  // namespace numpact

#endif
