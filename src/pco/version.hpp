// SPDX-License-Identifier: Apache-2.0
// Features of the wrapped format, by version.
#ifndef NUMPACT_PCO_VERSION_HPP
#define NUMPACT_PCO_VERSION_HPP

#include "numpact/config.hpp"
#include "pco/wire.hpp"

namespace numpact {

struct FormatVersion {
  unsigned major = wire::kFormatMajor;
  unsigned minor = wire::kFormatMinor;

  static constexpr FormatVersion of(Compatibility compatibility) {
    switch (compatibility) {
      case Compatibility::kV1:
        return {1, 0};
      case Compatibility::kV2:
        return {2, 0};
      case Compatibility::kV3:
        return {3, 0};
      case Compatibility::kV4_0:
        return {4, 0};
      case Compatibility::kV4_1:
        break;
    }
    return {};
  }

  constexpr bool is_readable() const { return major <= 4; }
  // A second byte follows the major version.
  constexpr bool has_minor() const { return major >= 4; }
  // The delta field is the tag of an encoding. Before, it is the order of consecutive delta.
  constexpr bool has_delta_variants() const { return major >= 3; }
  // In version 0, mode 1 had a different encoding, which was withdrawn.
  constexpr bool has_int_mult() const { return major >= 1; }

  // Features that readers of this version support. Files of this version may contain more.
  constexpr bool knows_float_quant() const { return major >= 2; }
  constexpr bool knows_16_bits() const { return major >= 2; }
  constexpr bool knows_lookback() const { return has_delta_variants(); }
  constexpr bool knows_dict() const { return major > 4 || (major == 4 && minor >= 1); }
  constexpr bool knows_conv1() const { return knows_dict(); }
  constexpr bool knows_8_bits() const { return knows_dict(); }
};

}  // namespace numpact

#endif
