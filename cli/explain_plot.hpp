// SPDX-License-Identifier: Apache-2.0
// A picture of how a chunk's latents are distributed, as its bins have it.
#ifndef NUMPACT_CLI_EXPLAIN_PLOT_HPP
#define NUMPACT_CLI_EXPLAIN_PLOT_HPP

#include <cstddef>
#include <string>

#include "numpact/inspect.hpp"

namespace numpact::cli {

// SVG: a panel for each latent variable. A bin is a box from its lower to its upper end, as high as
// the share of latents that each of its values has, in the colour of its offset bits.
std::string bins_plot(const std::string& place, std::size_t index, const ChunkInfo& chunk);

}  // namespace numpact::cli

#endif
