// SPDX-License-Identifier: Apache-2.0
// Plots size against loss for each compression.
#pragma once

#include <string>

#include "cvc/quality/report.hpp"

namespace numpact::cli {

// SVG: the share of lost neighbours on a logarithmic axis against bytes per vector, with a point
// and its interval for each row that has a recall.
std::string quality_plot(const cvc::quality::QualityReport& report);

}  // namespace numpact::cli
