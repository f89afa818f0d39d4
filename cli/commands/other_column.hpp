// SPDX-License-Identifier: Apache-2.0
// Writes columns that Pco cannot hold to a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/others.hpp"
#include "formats/table.hpp"
#include "pco/folder_writer.hpp"
#include "pco/table_folder.hpp"

namespace numpact::cli {

// All functions throw a Failure that names the column of the input or the file.
class OtherColumns {
 public:
  // `old`: the folder to which rows are appended; null for a new table.
  OtherColumns(TableInput& input, FolderWriter& folder, const TableFolder* old)
      : input_(input), folder_(folder), old_(old) {}

  // Writes column `index` of the input as `column` of the table, after the rows that the folder's
  // plan copies. `place` names the input. Returns how many rows the input has.
  std::uint64_t write(std::size_t index, std::size_t column, const std::string& place);
  // Decodes the files that were written.
  void verify() const;

 private:
  TableInput& input_;
  FolderWriter& folder_;
  const TableFolder* old_;
  std::vector<OtherFiles> written_;
};

// Counts the rows of a column by writing it nowhere.
std::uint64_t count_rows(TableInput& input, std::size_t index);

}  // namespace numpact::cli
