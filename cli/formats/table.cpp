// SPDX-License-Identifier: Apache-2.0
#include "formats/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "failure.hpp"
#include "formats/convert.hpp"
#include "formats/others.hpp"

namespace numpact::cli {

std::size_t find_name(std::span<const std::string> names, const std::string& file,
                      const std::string& requested) {
  const auto found = std::count(names.begin(), names.end(), requested);
  if (found == 1) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), requested) -
                                    names.begin());
  }
  if (found > 1) fail_usage(file, "{} columns are named '{}', give an index", found, requested);
  std::size_t index = 0;
  const char* end = requested.data() + requested.size();
  const std::from_chars_result parsed = std::from_chars(requested.data(), end, index);
  if (parsed.ec == std::errc() && parsed.ptr == end && index < names.size()) return index;
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 12); ++i) {
    list += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > 12) list += ", ...";
  fail_usage(file, "no column '{}'; there are {}", requested, list.empty() ? "none" : list);
}

OtherColumn TableInput::write_other(std::size_t column, ByteSink&, std::optional<table::Vectors>) {
  fail(columns_[column].name, columns_[column].unfit);
}

std::unique_ptr<TextInput> TableInput::open_texts(std::size_t) { return nullptr; }

std::vector<std::string> names_of(std::span<const Column> columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

std::vector<std::optional<NumberType>> requested_dtypes(std::span<const std::string> names,
                                                        const std::string& file,
                                                        const InputOptions& options) {
  std::vector<std::optional<NumberType>> requested(names.size(), options.dtype);
  for (const auto& [name, type] : options.column_dtypes) {
    requested[find_name(names, file, name)] = type;
  }
  return requested;
}

std::size_t find_column(const TableInput& table, const std::string& file,
                        const std::string& requested) {
  return find_name(names_of(table.columns()), file, requested);
}

std::unique_ptr<NumberInput> open_column(TableInput& table, std::size_t index,
                                         const std::string& file, std::optional<NumberType> dtype,
                                         Column& column) {
  column = table.columns()[index];
  const std::string place = table.has_names() ? column_place(file, column.name) : file;
  if (!column.unfit.empty()) fail(place, column.unfit);
  std::unique_ptr<NumberInput> numbers = table.open(index);
  column = table.columns()[index];  // some tables refine the column when it is opened
  if (!dtype || *dtype == column.type) return numbers;
  numbers = convert_numbers(std::move(numbers), column.type, *dtype, Conversion::kExact, place);
  column.type = *dtype;
  column.logical = {};
  return numbers;
}

std::string no_vectors(const std::string& source_type) {
  return fmt::format("values of type {} are not numbers or lists of equally many numbers",
                     source_type);
}

std::string left_out_note(std::string_view noun, const std::string& name, const std::string& why) {
  return fmt::format("{} '{}' is left out: {}", noun, name, why);
}

const Column& only_column(const OutputFile& file, const OutputPlan& plan) {
  if (plan.columns.size() != 1) {
    fail_usage(file.name(), "this format holds one column (choose it with --column)");
  }
  return plan.columns[0];
}

void check_table_columns(const OutputFile& file, const OutputPlan& plan) {
  constexpr auto kMaxDimension =
      static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  for (const Column& column : plan.columns) {
    if (column.is_bfloat16) {
      fail_usage(file.name(), "tables have no bfloat16 (--dtype float32 or float16)");
    }
    if (column.dimension < 1 || column.dimension > kMaxDimension) {
      fail_usage(file.name(), "tables have no lists of {} numbers", column.dimension);
    }
  }
}

}  // namespace numpact::cli
