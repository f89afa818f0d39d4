// SPDX-License-Identifier: Apache-2.0
// Lays out the report of `numpact cvc quality` as text and as JSON.
#pragma once

#include <string>

#include "cvc/quality/report.hpp"

namespace numpact::cli {

std::string quality_table(const cvc::quality::QualityReport& report);
std::string quality_json(const cvc::quality::QualityReport& report);

}  // namespace numpact::cli
