// SPDX-License-Identifier: Apache-2.0
// Classic: the ordered latents are the only latent variable.
#pragma once

#include "pco/mode/mode.hpp"

namespace numpact::internal {

struct Classic {
  friend bool operator==(const Classic&, const Classic&) = default;

  static constexpr Mode kTag = Mode::kClassic;
  static constexpr const char* kForm = "classic";
  static constexpr ModeParameter kParameter = ModeParameter::kNone;
  static constexpr FormatVersion kFirstVersion{0, 0};
  static constexpr bool kHasSecondary = false;
  static constexpr bool kSplitsBits = false;

  static Status check_request(const ModeSpec&, NumberType) { return {}; }
  static Classic requested(const ModeSpec&, NumberType) { return {}; }

  static Status parse(BitReader&, const ModeContext&, Classic&) { return {}; }
  void write(BitWriter&, NumberType) const {}
  static constexpr unsigned parameter_bits(unsigned) { return 0; }
  std::uint64_t payload_bits(NumberType, unsigned) const { return 0; }
};

}  // namespace numpact::internal
