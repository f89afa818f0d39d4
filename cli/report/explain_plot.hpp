// SPDX-License-Identifier: Apache-2.0
// Plots the distribution of a chunk's latents as described by its bins.
#pragma once

#include <cstddef>
#include <string>

#include "numbers/logical_type.hpp"
#include "numpact/inspect.hpp"

namespace numpact::cli {

// SVG with a panel for each latent variable. A bin is a box from its lower to its upper end, in the
// numbers of the column. Its height is the share of latents per value, and its colour stands for
// its offset bits.
std::string bins_plot(const std::string& place, std::size_t index, const ChunkInfo& chunk,
                      const LogicalType& logical);

}  // namespace numpact::cli
