// SPDX-License-Identifier: Apache-2.0
// Reports the results of `numpact cvc quality` as text and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cvc/quality/errors.hpp"
#include "cvc/quality/recall.hpp"

namespace numpact::cli {

struct QualityRow {
  std::string name;  // of the compression or file
  std::string compression;
  std::uint64_t bytes = 0;
  ErrorFigures errors;
  std::optional<Recall> recall;  // none if it cannot be measured
};

struct QualityReport {
  std::string source;
  std::string dtype;
  std::uint64_t vectors = 0;
  std::uint64_t dimension = 0;
  RecallSearch::Plan plan;
  std::size_t sample_rows = 0;  // rows that the search is among
  std::vector<QualityRow> rows;

  double bytes_per_vector(const QualityRow& row) const {
    return static_cast<double>(row.bytes) / static_cast<double>(vectors);
  }
  // Size of float32 divided by this size.
  double ratio(const QualityRow& row) const {
    return 4 * static_cast<double>(dimension) / bytes_per_vector(row);
  }
};

std::string quality_table(const QualityReport& report);
std::string quality_json(const QualityReport& report);
// One sentence that recommends the smallest compression that keeps nearly all neighbours, or the
// best one of about that size; empty if there is none.
std::string quality_advice(const QualityReport& report);

}  // namespace numpact::cli
