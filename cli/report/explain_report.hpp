// SPDX-License-Identifier: Apache-2.0
// Reports why columns have the size they have, as text and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numpact/inspect.hpp"

namespace numpact::cli {

struct ExplainedColumn {
  std::string place;  // file and column
  Explanation explanation;
  // Level of the encoder; none if an existing file is explained.
  std::optional<unsigned> level;
  // The result of re-encoding the numbers of an existing file at that level.
  std::optional<Explanation> again;
  unsigned again_level = 0;
};

// `chunk`: the only chunk to show in detail. Without it all chunks are, if they are few.
std::string explain_report(const ExplainedColumn& column, std::optional<std::size_t> chunk);
// `chunk`: the only chunk to list; none lists all.
std::string explain_json(const std::vector<ExplainedColumn>& columns,
                         std::optional<std::size_t> chunk);

// Entropy of the stored latents, in bits per number.
double latent_bits(const Explanation& explanation);

}  // namespace numpact::cli
