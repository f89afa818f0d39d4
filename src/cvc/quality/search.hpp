// SPDX-License-Identifier: Apache-2.0
// From a measurement to a report: which rows are searched, and the search itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "cvc/quality/measurement.hpp"
#include "cvc/quality/neighbours.hpp"
#include "cvc/quality/report.hpp"
#include "numpact/executor.hpp"

namespace numpact::cvc::quality {

// As a count of rows: all of them.
inline constexpr std::size_t kAllRows = std::numeric_limits<std::size_t>::max();

struct SearchOptions {
  Metric metric = Metric::kL2;
  std::size_t k = 10;
  Queries from = Queries::kOriginal;
  // Rows of the sample; default: 20 000, fewer if they are long.
  std::optional<std::size_t> sample;
  // Rows of the sample that are queries, 0 for no search; default: 1000, or all of up to 2000.
  std::optional<std::size_t> queries;
};

// The sample for vectors of this dimension.
std::size_t sample_rows(const SearchOptions& options, std::uint64_t dimension);

// The sizes and errors of a finished measurement. Exact rows have a recall of 1; the others get
// theirs from add_recalls().
QualityReport report_of(const Measurement& measurement, std::string source, const InputType& type,
                        std::uint64_t dimension, const SearchOptions& options);

// Searches that add_recalls() makes: one among the originals, and one for each row without a
// recall; 0 if there is no such row. Each has report.plan.queries queries.
std::size_t count_searches(const QualityReport& report);
void add_recalls(const Measurement& measurement, QualityReport& report, Executor& executor,
                 const QueriesDone& done = {});

}  // namespace numpact::cvc::quality
