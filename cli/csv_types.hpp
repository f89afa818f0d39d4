// SPDX-License-Identifier: Apache-2.0
// The types of a CSV file's columns: the first of a list that fits all rows, found block by block.
#ifndef NUMPACT_CLI_CSV_TYPES_HPP
#define NUMPACT_CLI_CSV_TYPES_HPP

#include <arrow/csv/options.h>
#include <arrow/io/interfaces.h>
#include <arrow/type.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace numpact::cli {

struct CsvForm {
  char separator = ',';
  bool has_header = true;
};

class CsvTypes {
 public:
  // Reads the names.
  CsvTypes(std::shared_ptr<arrow::io::RandomAccessFile> file, const CsvForm& form,
           std::string file_name);

  const std::vector<std::string>& names() const { return names_; }
  // Before find(): values of another type are an error; nothing of the column is looked at.
  void fix(std::size_t column, std::shared_ptr<arrow::DataType> type);
  void leave_out(std::size_t column);

  // May be called again, with more columns fixed.
  void find();
  const std::shared_ptr<arrow::DataType>& type(std::size_t column) const;
  std::uint64_t rows() const { return rows_; }

  // To read one column from the start of the file.
  arrow::csv::ReadOptions read_options() const;
  arrow::csv::ParseOptions parse_options() const;
  arrow::csv::ConvertOptions convert_options(std::size_t column) const;

 private:
  struct Column {
    std::size_t rung = 0;  // of the list of types
    std::shared_ptr<arrow::DataType> fixed;
    bool is_left_out = false;
  };
  class Blocks;

  void read_names();
  bool look_at_all();
  bool look_at(const std::shared_ptr<arrow::Buffer>& block, bool is_first);
  arrow::csv::ConvertOptions convert_options() const;

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  CsvForm form_;
  std::string file_name_;
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::uint64_t rows_ = 0;
};

}  // namespace numpact::cli

#endif
