// SPDX-License-Identifier: Apache-2.0
// The results of a measurement, and the words for them. The command and the Python package lay them
// out as tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cvc/quality/errors.hpp"
#include "cvc/quality/recall.hpp"

namespace numpact::cvc::quality {

struct QualityRow {
  std::string name;  // of the compression or file
  std::string compression;
  std::uint64_t bytes = 0;
  ErrorFigures errors;
  std::optional<Recall> recall;  // none if it cannot be measured
};

// A compression that cannot store the values, and why.
struct LeftOut {
  std::string name;
  std::string why;
};

// The type of the values as the user has them, which sizes are compared with.
struct InputType {
  std::string name = "float32";
  std::size_t bytes = 4;
};

struct QualityReport {
  std::string source;
  InputType type;
  std::uint64_t vectors = 0;
  std::uint64_t dimension = 0;
  RecallSearch::Plan plan;
  std::size_t sample_rows = 0;  // rows that the search is among
  std::vector<QualityRow> rows;
  std::vector<LeftOut> left_out;
  std::string no_recall;  // why there is no search although one was wanted

  double bytes_per_vector(const QualityRow& row) const {
    return static_cast<double>(row.bytes) / static_cast<double>(vectors);
  }
  // Size of the input's values divided by this size.
  double ratio(const QualityRow& row) const {
    return static_cast<double>(type.bytes) * static_cast<double>(dimension) / bytes_per_vector(row);
  }
};

// A column of the table; numbers are aligned right.
struct Title {
  std::string text;
  bool is_number = false;
};

// The titles of the table's columns, and the cells of a row below them.
std::vector<Title> quality_titles(const QualityReport& report);
std::vector<std::string> quality_cells(const QualityReport& report, const QualityRow& row);
// The lines below the table, each terminated, without the advice.
std::string quality_explanation(const QualityReport& report);
// One sentence that recommends the smallest compression that keeps nearly all neighbours, or the
// best one of about that size; empty if there is none.
std::string quality_advice(const QualityReport& report);
// The row that the advice recommends; none if there is none.
std::optional<std::size_t> recommended_row(const QualityReport& report);

// Groups digits by three: 1234567 becomes "1,234,567".
std::string grouped_digits(std::uint64_t number);

}  // namespace numpact::cvc::quality
