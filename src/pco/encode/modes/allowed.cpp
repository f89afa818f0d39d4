// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/modes/allowed.hpp"

namespace numpact::internal {
namespace {

template <class Family>
FormatVersion first_version_of(const Family& any) {
  return std::visit([](const auto& member) { return member.kFirstVersion; }, any);
}

}  // namespace

bool is_allowed(NumberType type, const FormatVersion& version) {
  return version >= first_version(type);
}

bool is_allowed(const AnyMode& mode, const FormatVersion& version) {
  return version >= first_version_of(mode);
}

bool is_allowed(const AnyDelta& delta, const FormatVersion& version) {
  // Formats before the delta's tag have no field for a delta-encoded secondary variable.
  if (encodes_secondary(delta) && !version.has_delta_variants()) return false;
  return version >= first_version_of(delta);
}

}  // namespace numpact::internal
