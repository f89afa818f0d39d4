// SPDX-License-Identifier: Apache-2.0
// Features of the wrapped format, by version.
#pragma once

#include <compare>

#include "numpact/config.hpp"
#include "numpact/types.hpp"
#include "pco/wire.hpp"

namespace numpact::internal {

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

  // Each mode, delta encoding and number type states the first version whose readers support it
  // (kFirstVersion); files of older versions may contain it nevertheless.
  // clang-tidy takes the 0 of a defaulted comparison for a null pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend constexpr auto operator<=>(const FormatVersion&, const FormatVersion&) = default;
};

constexpr FormatVersion first_version(NumberType type) {
  switch (size_of(type)) {
    case 1:
      return {4, 1};
    case 2:
      return {2, 0};
    default:
      return {0, 0};
  }
}

}  // namespace numpact::internal
