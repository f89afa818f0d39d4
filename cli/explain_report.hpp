// SPDX-License-Identifier: Apache-2.0
// Why columns have the size they have, for people and for programs.
#ifndef NUMPACT_CLI_EXPLAIN_REPORT_HPP
#define NUMPACT_CLI_EXPLAIN_REPORT_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numpact/explain.hpp"

namespace numpact::cli {

struct ExplainedColumn {
  std::string place;  // file and column
  Explanation explanation;
  // Level of the encoder; none where an existing file is explained.
  std::optional<unsigned> level;
  // What the numbers of an existing file become at that level.
  std::optional<Explanation> again;
  unsigned again_level = 0;
};

// chunk: the only one that is shown in detail; else all are if they are few.
std::string explain_report(const ExplainedColumn& column, std::optional<std::size_t> chunk);
// All chunks or one.
std::string explain_json(const std::vector<ExplainedColumn>& columns,
                         std::optional<std::size_t> chunk);

// Entropy of what the pages store, for each number.
double latent_bits(const Explanation& explanation);

}  // namespace numpact::cli

#endif
