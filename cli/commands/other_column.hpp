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
  // `old`: the folder whose rows are copied; null if it has none.
  OtherColumns(FolderWriter& folder, const TableFolder* old) : folder_(folder), old_(old) {}

  // Writes column `index` of the input as `column` of the table, after the rows that the folder's
  // plan copies. `place` names the input. `may_widen`: as of JoinedRows. Returns how many rows the
  // input has.
  std::uint64_t write(TableInput& input, std::size_t index, std::size_t column,
                      const std::string& place, bool may_widen = false);
  // Writes a column with null rows after those that the plan copies.
  void join(std::size_t column, std::uint64_t nulls);
  // Decodes the files that were written.
  void verify() const;

 private:
  class ColumnSource;
  std::uint64_t write(ColumnSource& source, std::size_t column);

  FolderWriter& folder_;
  const TableFolder* old_;
  std::vector<OtherFiles> written_;
};

// Counts the rows of a column by writing it nowhere.
std::uint64_t count_rows(TableInput& input, std::size_t index);

}  // namespace numpact::cli
