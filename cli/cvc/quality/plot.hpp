// SPDX-License-Identifier: Apache-2.0
// A picture of what each compression costs and loses.
#ifndef NUMPACT_CLI_CVC_QUALITY_PLOT_HPP
#define NUMPACT_CLI_CVC_QUALITY_PLOT_HPP

#include <string>

#include "cvc/quality/report.hpp"

namespace numpact::cli {

// SVG: the share of neighbours that are lost, on a logarithmic axis, against bytes per vector; a
// point with its interval for each row that has a recall.
std::string quality_plot(const QualityReport& report);

}  // namespace numpact::cli

#endif
