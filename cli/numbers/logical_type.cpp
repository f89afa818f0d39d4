// SPDX-License-Identifier: Apache-2.0
#include "numbers/logical_type.hpp"

#include <fmt/format.h>

namespace numpact::cli {

std::string describe(const LogicalType& logical, NumberType type) {
  if (logical.kind == LogicalKind::kNumber) return std::string(name_of(type));
  if (logical.kind == LogicalKind::kDecimal) return to_string(logical.decimal);
  if (!has_unit(logical.kind)) return std::string(to_string(logical.kind));
  const std::string zone = logical.timezone.empty() ? "" : ", " + logical.timezone;
  return fmt::format("{}[{}{}]", to_string(logical.kind), to_string(logical.unit), zone);
}

}  // namespace numpact::cli
