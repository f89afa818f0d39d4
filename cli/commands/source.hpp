// SPDX-License-Identifier: Apache-2.0
// Reads columns of numbers for compress, explain, estimate and bench: their common arguments, and
// whole columns in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"
#include "formats/table.hpp"

namespace numpact::cli {

// How to read numbers from files that are not Pco. Values are as given; empty where not given.
struct SourceArgs {
  std::string from;
  std::optional<std::string> column;  // empty names are allowed
  std::vector<std::string> dtypes;    // TYPE or NAME=TYPE
  std::vector<std::string> skip;
  std::string nulls;  // empty: the policy that suits the output
  bool flatten = false;
  bool no_header = false;
  // CSV
  std::string delimiter;
  std::string quote = "\"";
  std::string decimal = ".";
  std::string null_values;
  std::string memory;
};

// Fails with a usage error that names the option.
InputOptions parse_source_args(const SourceArgs& args, NullPolicy default_nulls);

// Reads all numbers of a column into `numbers` as bytes, aligned for the type. Returns their count.
std::size_t read_all(NumberInput& input, NumberType type, std::vector<std::uint64_t>& numbers);

// A column in memory.
struct ReadColumn {
  std::string name;   // empty: that of an array
  std::string place;  // file and column, for messages
  NumberView numbers;
};

// Reads the columns that the options choose, one after the other, for `use`. A column of a table
// that cannot be read or used is reported, and the others follow; the exit code is that of the last
// such failure. What is left out is noted; notes are for after the report.
ExitCode for_each_column(TableInput& table, const std::string& file, const InputOptions& options,
                         std::vector<std::string>& notes,
                         const std::function<void(const ReadColumn&)>& use);

}  // namespace numpact::cli
