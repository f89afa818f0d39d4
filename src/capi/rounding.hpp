// SPDX-License-Identifier: Apache-2.0
// Requests and reports of rounding as the caller's structs.
#pragma once

#include <optional>

#include "base/internal.hpp"
#include "numpact/lossy.hpp"
#include "numpact/numpact.h"

namespace numpact::internal::capi {

Status take_rounding(const numpact_rounding* from, NumberType type,
                     std::optional<RoundingSpec>& spec);
void give_report(const RoundingReport& from, numpact_rounding_report* to);

}  // namespace numpact::internal::capi
