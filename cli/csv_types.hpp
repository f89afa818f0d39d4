// SPDX-License-Identifier: Apache-2.0
// The types of a CSV file's columns: the first of a list that fits all rows, found block by block.
#ifndef NUMPACT_CLI_CSV_TYPES_HPP
#define NUMPACT_CLI_CSV_TYPES_HPP

#include <arrow/buffer.h>
#include <arrow/csv/options.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/table.h>
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

// A file in pieces of whole rows. As to Arrow, a line's end is a row's.
class CsvBlocks {
 public:
  CsvBlocks(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string file_name);

  // Null at the end.
  std::shared_ptr<arrow::Buffer> next();
  // Of the block that next() gave.
  bool is_first() const { return count_ == 1; }

 private:
  std::shared_ptr<arrow::Buffer> take(const std::shared_ptr<arrow::Buffer>& read,
                                      std::int64_t bytes);

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string file_name_;
  std::int64_t offset_ = 0;
  std::uint64_t count_ = 0;
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

  // One column of a block of the file.
  std::shared_ptr<arrow::ChunkedArray> read(std::size_t column,
                                            const std::shared_ptr<arrow::Buffer>& block,
                                            bool is_first) const;

 private:
  struct Column {
    std::size_t rung = 0;  // of the list of types
    std::shared_ptr<arrow::DataType> fixed;
    bool is_left_out = false;
  };

  void read_names();
  bool look_at_all();
  bool look_at(const std::shared_ptr<arrow::Buffer>& block, bool is_first);
  arrow::Result<std::shared_ptr<arrow::Table>> parse(
      const std::shared_ptr<arrow::Buffer>& block, bool is_first,
      const arrow::csv::ConvertOptions& options) const;
  arrow::csv::ReadOptions read_options() const;
  arrow::csv::ParseOptions parse_options() const;
  arrow::csv::ConvertOptions convert_options() const;
  arrow::csv::ConvertOptions convert_options(std::size_t column) const;

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  CsvForm form_;
  std::string file_name_;
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::uint64_t rows_ = 0;
};

}  // namespace numpact::cli

#endif
