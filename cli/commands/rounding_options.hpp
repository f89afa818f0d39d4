// SPDX-License-Identifier: Apache-2.0
// Options that round numbers before they are compressed, and inputs that do so.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/table.hpp"
#include "numpact/lossy.hpp"

namespace CLI {
class App;
}

namespace numpact::cli {

// Values as given: VALUE, or COLUMN=VALUE for one column.
struct RoundingArgs {
  std::vector<std::string> max_error;
  std::vector<std::string> keep_bits;
  std::vector<std::string> decimals;
  std::vector<std::string> fill;
};

void add_rounding_options(CLI::App& command, RoundingArgs& args);

// How the columns of an input are rounded, and what became of them. Threads may wrap different
// columns at the same time.
class Roundings {
 public:
  // A usage error names the option. `names`: of the columns; none: the input is one array.
  Roundings(const RoundingArgs& args, std::span<const std::string> names, const std::string& file);

  bool is_empty() const { return columns_.empty(); }
  // The input with rounded numbers of the column's type, or the same one. Without a name in the
  // option, floats of tables are rounded, and the numbers of one array. A usage error if a column
  // that is named has dates, times or booleans.
  std::unique_ptr<NumberInput> wrap(std::unique_ptr<NumberInput> input, std::size_t index,
                                    const Column& column, const EncodeConfig& encode,
                                    const std::string& place);
  // Fails if an option applied to no column.
  void require_use() const;
  // Prints the largest errors: as JSON to standard output, and a line a column unless `is_quiet`.
  void print(const std::string& output, bool as_json, bool is_quiet) const;

 private:
  // A column that was rounded. The count of numbers appended is that of this command.
  struct Done {
    std::string name;  // empty: the input is one array
    RoundingReport report;
  };
  std::vector<Done> done() const;
  // "largest error 0.005 (12 of 20 numbers changed)".
  static std::string text_of(const RoundingReport& report);
  // The reports as a JSON array.
  std::string json(const std::string& output) const;
  struct Of {
    std::optional<RoundingSpec> spec;
    const char* option = "";
    std::string fill;  // empty: none
    bool is_named = false;
    std::unique_ptr<Rounder> rounder;
  };

  template <class Parse>
  void add(const char* option, const std::vector<std::string>& args,
           std::span<const std::string> names, const std::string& file, const Parse& parse);

  std::vector<Of> columns_;  // empty: nothing is rounded
  std::vector<std::string> names_;
};

}  // namespace numpact::cli
