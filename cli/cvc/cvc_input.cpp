// SPDX-License-Identifier: Apache-2.0
#include "cvc/cvc_input.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <utility>

#include "commands/encode_options.hpp"
#include "cvc/args.hpp"
#include "failure.hpp"
#include "formats/table.hpp"
#include "options.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

bool is_folder(const std::string& path) {
  platform::FileInfo found;
  return path != "-" && platform::look_at(path, found) && found.is_folder();
}

// Reads a file to `bytes`, or finds the files of a folder.
cvc::Reader open_reader(const std::string& path, const DecodeLimits& limits,
                        const std::string& name, std::optional<FileBytes>& bytes,
                        cvc::CollectionIndex& index) {
  if (!is_folder(path)) {
    bytes.emplace(path);
    Result<cvc::Reader> reader = cvc::Reader::create(bytes->bytes(), limits);
    check(reader.status(), name);
    return std::move(*reader);
  }
  table::Failure failure;
  Result<cvc::Reader> reader = cvc::open_collection(path, limits, &failure, &index);
  if (!reader.ok()) {
    throw Failure(exit_code_of(reader.status().kind()), failure.file, failure.text);
  }
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
      reader_(open_reader(path, limits, name_, bytes_, index_)) {}

std::uint64_t CvcInput::file_bytes() const {
  if (bytes_) return bytes_->bytes().size();
  std::uint64_t bytes = 0;
  for (const cvc::CollectionFile& file : index_) bytes += file.bytes;
  return bytes;
}

std::string CvcInput::file_of(std::size_t chunk) const {
  std::uint64_t row = info().chunks[chunk].first_row;
  for (const cvc::CollectionFile& file : index_) {
    if (row < file.rows) return name_ + "/" + file.name;
    row -= file.rows;
  }
  return name_;
}

void CvcInput::refuse_output(const std::string& output, std::string_view advice) const {
  refuse_same_file(name_, output, advice);
  for (const cvc::CollectionFile& file : index_) {
    refuse_same_file(name_ + "/" + file.name, output, advice);
  }
}

std::span<const std::byte> CvcInput::payload(std::size_t chunk) const {
  const cvc::Chunk& entry = info().chunks[chunk];
  const auto size = static_cast<std::size_t>(entry.payload_bytes);
  if (bytes_) {
    return bytes_->bytes().subspan(
        static_cast<std::size_t>(entry.offset + info().record_head_bytes()), size);
  }
  // The file is behind the reader; a slice is a part of the payload.
  cvc::StoredSlice slice;
  check(reader_.stored_slice(chunk, 0).into(slice), name_);
  return {slice.bytes.data() - info().slice(chunk, 0).offset, size};
}

void add_part_options(CLI::App& command, PartArgs& args) {
  add_value(command, "--rows", "FIRST:COUNT", args.rows,
            "Only COUNT rows from row FIRST on (from 0)");
  add_value(command, "--section", "KEY=VALUE", args.section,
            "Only rows of sections whose metadata has this value (JSON, else a string)");
  add_list(command, "--column", "NAME", args.columns,
           "A column, by name or index; may be given again");
}

std::vector<cvc::RowRange> selected_rows(const CvcInput& input, const PartArgs& args) {
  const std::uint64_t rows = input.info().rows;
  const std::optional<SectionKey> section = parse_section(args.section);
  const std::optional<NumberRange> range = parse_range(args.rows, "--rows");
  if (section && range) fail_usage("--section", "cannot be combined with --rows");
  if (section) {
    std::vector<cvc::RowRange> found;
    check(input.reader().find_sections(section->key, section->value).into(found), input.name());
    if (found.empty()) fail(input.name(), "no section has {} in its metadata", args.section);
    return joined(found);
  }
  if (!range) return {{0, rows}};
  if (range->first > rows || range->count > rows - range->first) {
    fail_usage("--rows", "{}: '{}' goes past the {} rows of the file", input.name(), args.rows,
               rows);
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
