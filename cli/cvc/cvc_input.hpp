// SPDX-License-Identifier: Apache-2.0
// A CVC file to read from, and what part of it is wanted.
#ifndef NUMPACT_CLI_CVC_CVC_INPUT_HPP
#define NUMPACT_CLI_CVC_CVC_INPUT_HPP

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cvc/vectors.hpp"
#include "files.hpp"
#include "numpact/cvc/reader.hpp"

namespace CLI {
class App;
}

namespace numpact::cli {

// Mapped, or read to its end where it comes through a pipe ("-"). Throws Failure.
class CvcInput {
 public:
  explicit CvcInput(const std::string& path, const DecodeLimits& limits = {});

  // For messages.
  const std::string& name() const { return name_; }
  const cvc::Reader& reader() const { return reader_; }
  const cvc::Info& info() const { return reader_.info(); }
  std::uint64_t file_bytes() const { return bytes_.bytes().size(); }
  // The payload of a chunk.
  std::span<const std::byte> payload(std::size_t chunk) const;

 private:
  std::string name_;
  FileBytes bytes_;
  cvc::Reader reader_;
};

// What of a file is wanted, as words.
struct PartWords {
  std::string rows;
  std::string section;
  std::vector<std::string> columns;
};

void add_part_options(CLI::App& command, PartWords& words);

// Ranges of rows, in order; all rows if the words name none. Fails if they go past the end, or if
// no section is such.
std::vector<cvc::RowRange> wanted_rows(const CvcInput& input, const PartWords& words);
// Places of columns, in the order of the words; all if they name none.
std::vector<std::size_t> wanted_columns(const CvcInput& input, const PartWords& words);

std::uint64_t count_rows(std::span<const cvc::RowRange> ranges);
// Whether its values are written as numbers or as lists of them.
Shape shape_of(const cvc::Info& info, std::size_t column);

}  // namespace numpact::cli

#endif
