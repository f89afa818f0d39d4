// SPDX-License-Identifier: Apache-2.0
// No delta encoding: latents are stored as they are.
#pragma once

#include "pco/delta/delta.hpp"

namespace numpact::internal {

template <Latent L>
struct NoDeltaState {
  void write(BitWriter&, L) const {}
  bool undo(const DeltaBatch<L>&) { return true; }
};

struct NoDelta {
  static constexpr Delta kTag = Delta::kNone;
  static constexpr const char* kForm = "none";
  static constexpr bool kHasOrder = false;
  static constexpr FormatVersion kFirstVersion{0, 0};
  static constexpr std::size_t kMaxStateN = 0;
  static constexpr bool kCanRestart = true;
  static constexpr bool kHasWeights = false;
  template <Latent L>
  using State = NoDeltaState<L>;

  static Status check_request(const DeltaSpec&, NumberType) { return {}; }
  static Status parse(BitReader&, const DeltaContext&, NoDelta&) { return {}; }
  void write(BitWriter&) const {}
  std::uint64_t payload_bits() const { return 0; }
  std::size_t state_n() const { return 0; }
  bool encodes_secondary() const { return false; }
};

}  // namespace numpact::internal
