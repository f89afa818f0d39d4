// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "convert.hpp"
#include "failure.hpp"

namespace numpact::cli {

std::size_t find_column(const TableInput& table, const std::string& file,
                        const std::string& wanted) {
  const std::vector<Column>& columns = table.columns();
  const auto named = [&](const Column& column) { return column.name == wanted; };
  const auto found = std::count_if(columns.begin(), columns.end(), named);
  if (found == 1) {
    return static_cast<std::size_t>(std::find_if(columns.begin(), columns.end(), named) -
                                    columns.begin());
  }
  if (found > 1) {
    fail_usage(file, fmt::format("{} columns are named '{}', give an index", found, wanted));
  }
  std::size_t index = 0;
  const char* end = wanted.data() + wanted.size();
  const std::from_chars_result parsed = std::from_chars(wanted.data(), end, index);
  if (parsed.ec == std::errc() && parsed.ptr == end && index < columns.size()) return index;
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(columns.size(), 12); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", columns[i].name);
  }
  if (columns.size() > 12) names += ", ...";
  fail_usage(file,
             fmt::format("no column '{}'; there are {}", wanted, names.empty() ? "none" : names));
}

std::unique_ptr<NumberInput> open_column(TableInput& table, std::size_t index,
                                         const std::string& file, std::optional<NumberType> dtype,
                                         Column& column) {
  column = table.columns()[index];
  const std::string place = table.has_names() ? column_place(file, column.name) : file;
  if (!column.unfit.empty()) throw Failure(ExitCode::kFailure, place, column.unfit);
  std::unique_ptr<NumberInput> numbers = table.open(index);
  if (!dtype || *dtype == column.type) return numbers;
  numbers = convert_numbers(std::move(numbers), column.type, *dtype, Conversion::kExact, place);
  column.type = *dtype;
  column.logical = {};
  return numbers;
}

}  // namespace numpact::cli
