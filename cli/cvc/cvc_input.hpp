// SPDX-License-Identifier: Apache-2.0
// A CVC input file, and the part of it that the user selected.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files.hpp"
#include "numpact/cvc/collection.hpp"
#include "numpact/cvc/reader.hpp"

namespace CLI {
class App;
}

namespace numpact::cli {

// Mapped, or read into memory if it comes through a pipe ("-"); or a folder, whose files are read
// as one. Throws Failure.
class CvcInput {
 public:
  explicit CvcInput(const std::string& path, const DecodeLimits& limits = {});

  // For messages.
  const std::string& name() const { return name_; }
  const cvc::Reader& reader() const { return reader_; }
  const cvc::Info& info() const { return reader_.info(); }
  // Of a folder those of all its files.
  std::uint64_t file_bytes() const;
  // The path of the file that has a chunk.
  std::string file_of(std::size_t chunk) const;
  // Fails if the output is the input, or a file of it. `advice`: what to do instead.
  void refuse_output(const std::string& output, std::string_view advice = {}) const;
  // The payload of a chunk.
  std::span<const std::byte> payload(std::size_t chunk) const;

 private:
  std::string name_;
  cvc::CollectionIndex index_;  // of a folder
  std::optional<FileBytes> bytes_;
  cvc::Reader reader_;
};

// The arguments that select a part of a file.
struct PartArgs {
  std::string rows;
  std::string section;
  std::vector<std::string> columns;
};

void add_part_options(CLI::App& command, PartArgs& args);

// The selected ranges of rows, in order; all rows if none are selected. Fails if they exceed the
// file, or if no section matches.
std::vector<cvc::RowRange> selected_rows(const CvcInput& input, const PartArgs& args);
// Indices of the selected columns, in the order of the arguments; all columns if none are selected.
std::vector<std::size_t> selected_columns(const CvcInput& input, const PartArgs& args);

std::uint64_t count_rows(std::span<const cvc::RowRange> ranges);
// Whether the column's values are written as lists, not as numbers.
bool is_list(const cvc::Info& info, std::size_t column);

}  // namespace numpact::cli
