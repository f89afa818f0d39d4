// SPDX-License-Identifier: Apache-2.0
#include "cvc/cvc_input.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <utility>

#include "commands/encode_options.hpp"
#include "cvc/args.hpp"
#include "failure.hpp"
#include "formats/table.hpp"

namespace numpact::cli {
namespace {

cvc::Reader reader_of(std::span<const std::byte> bytes, const DecodeLimits& limits,
                      const std::string& name) {
  Result<cvc::Reader> reader = cvc::Reader::create(bytes, limits);
  check(reader.status(), name);
  return std::move(*reader);
}

// Merges adjacent ranges.
std::vector<cvc::RowRange> joined(std::span<const cvc::RowRange> ranges) {
  std::vector<cvc::RowRange> all;
  for (const cvc::RowRange& range : ranges) {
    if (!all.empty() && all.back().first + all.back().count == range.first) {
      all.back().count += range.count;
    } else {
      all.push_back(range);
    }
  }
  return all;
}

}  // namespace

CvcInput::CvcInput(const std::string& path, const DecodeLimits& limits)
    : name_(path == "-" ? "(stdin)" : path),
      bytes_(path),
      reader_(reader_of(bytes_.bytes(), limits, name_)) {}

std::span<const std::byte> CvcInput::payload(std::size_t chunk) const {
  const cvc::Chunk& entry = info().chunks[chunk];
  return bytes_.bytes().subspan(static_cast<std::size_t>(entry.offset + info().record_head_bytes()),
                                static_cast<std::size_t>(entry.payload_bytes));
}

void add_part_options(CLI::App& command, PartArgs& args) {
  command.add_option("--rows", args.rows, "Only COUNT rows from row FIRST on (from 0)")
      ->type_name("FIRST:COUNT");
  command
      .add_option("--section", args.section,
                  "Only rows of sections whose metadata has this value (JSON, else a string)")
      ->type_name("KEY=VALUE");
  command.add_option("--column", args.columns, "A column, by name or index; may be given again")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
}

std::vector<cvc::RowRange> selected_rows(const CvcInput& input, const PartArgs& args) {
  const std::uint64_t rows = input.info().rows;
  const std::optional<SectionKey> section = parse_section(args.section);
  const std::optional<NumberRange> range = parse_range(args.rows, "--rows");
  if (section && range) fail_usage("--section", "cannot be combined with --rows");
  if (section) {
    std::vector<cvc::RowRange> found;
    check(input.reader().find_sections(section->key, section->value).into(found), input.name());
    if (found.empty()) {
      throw Failure(ExitCode::kFailure, input.name(),
                    fmt::format("no section has {} in its metadata", args.section));
    }
    return joined(found);
  }
  if (!range) return {{0, rows}};
  if (range->first > rows || range->count > rows - range->first) {
    fail_usage("--rows", fmt::format("{}: '{}' goes past the {} rows of the file", input.name(),
                                     args.rows, rows));
  }
  return {{range->first, range->count}};
}

std::vector<std::size_t> selected_columns(const CvcInput& input, const PartArgs& args) {
  const cvc::Info& info = input.info();
  if (!info.is_columnar && !args.columns.empty()) {
    fail_usage(input.name(), "has one array, no columns to choose from (--column)");
  }
  std::vector<std::string> names;
  for (const cvc::Column& column : info.columns) names.push_back(column.name);
  std::vector<std::size_t> chosen;
  for (const std::string& arg : args.columns) {
    chosen.push_back(find_name(names, input.name(), arg));
  }
  if (!args.columns.empty()) return chosen;
  for (std::size_t i = 0; i < names.size(); ++i) chosen.push_back(i);
  return chosen;
}

std::uint64_t count_rows(std::span<const cvc::RowRange> ranges) {
  std::uint64_t rows = 0;
  for (const cvc::RowRange& range : ranges) rows += range.count;
  return rows;
}

bool is_list(const cvc::Info& info, std::size_t column) {
  const cvc::Column& entry = info.columns[column];
  return !info.is_columnar || entry.dimension != 1 || entry.is_vector;
}

}  // namespace numpact::cli
