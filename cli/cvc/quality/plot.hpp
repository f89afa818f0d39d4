// SPDX-License-Identifier: Apache-2.0
// Plots size against loss for each compression.
#ifndef NUMPACT_CLI_CVC_QUALITY_PLOT_HPP
#define NUMPACT_CLI_CVC_QUALITY_PLOT_HPP

#include <string>

#include "cvc/quality/report.hpp"

namespace numpact::cli {

// SVG: the share of lost neighbours on a logarithmic axis against bytes per vector, with a point
// and its interval for each row that has a recall.
std::string quality_plot(const cvc::quality::QualityReport& report);

}  // namespace numpact::cli

#endif
