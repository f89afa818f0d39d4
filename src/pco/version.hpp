// SPDX-License-Identifier: Apache-2.0
// What depends on the version of the wrapped format, by name.
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
  // The delta field is an encoding's tag; before, it was the order of consecutive delta.
  constexpr bool has_delta_variants() const { return major >= 3; }
  // Version 0 had another encoding of mode 1, which was withdrawn.
  constexpr bool has_int_mult() const { return major >= 1; }

  // What readers of this version know, though a file of it may hold more.
  constexpr bool knows_float_quant() const { return major >= 2; }
  constexpr bool knows_16_bits() const { return major >= 2; }
  constexpr bool knows_lookback() const { return has_delta_variants(); }
  constexpr bool knows_dict() const { return major > 4 || (major == 4 && minor >= 1); }
  constexpr bool knows_conv1() const { return knows_dict(); }
  constexpr bool knows_8_bits() const { return knows_dict(); }
};

}  // namespace numpact

#endif
