// SPDX-License-Identifier: Apache-2.0
// What depends on the version of the wrapped format, by name.
#ifndef NUMPACT_PCO_VERSION_HPP
#define NUMPACT_PCO_VERSION_HPP

#include "pco/wire.hpp"

namespace numpact {

struct FormatVersion {
  unsigned major = wire::kFormatMajor;
  unsigned minor = wire::kFormatMinor;

  constexpr bool is_readable() const { return major <= 4; }
  // A second byte follows the major version.
  constexpr bool has_minor() const { return major >= 4; }
  // The delta field is an encoding's tag; before, it was the order of consecutive delta.
  constexpr bool has_delta_variants() const { return major >= 3; }
  // Version 0 had another encoding of mode 1, which was withdrawn.
  constexpr bool has_int_mult() const { return major >= 1; }
};

}  // namespace numpact

#endif
