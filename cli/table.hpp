// SPDX-License-Identifier: Apache-2.0
// Columns of numbers: where they come from and where they go, whatever the file format.
#ifndef NUMPACT_CLI_TABLE_HPP
#define NUMPACT_CLI_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files.hpp"
#include "logical_type.hpp"
#include "numpact/types.hpp"
#include "output_file.hpp"

namespace numpact::cli {

// Numbers are handed on in pieces of at most about this many.
inline constexpr std::size_t kPieceNumbers = std::size_t{1} << 16;

inline std::span<const std::byte> bytes_of(const NumberView& numbers) {
  return {static_cast<const std::byte*>(numbers.data), numbers.count * size_of(numbers.type)};
}

struct Column {
  std::string name;
  LogicalType logical;
  NumberType type = NumberType::kU8;  // of the numbers that are stored
  std::uint64_t list_size = 0;        // numbers in each value that is a list; 0: values are numbers
  std::string source_type;            // as the file calls it
  std::string unfit;                  // why it cannot be compressed; empty if it can
};

// The numbers of one column, from first to last.
class NumberInput {
 public:
  virtual ~NumberInput() = default;
  // The next piece, valid until the next call; empty at the end and from then on. Throws Failure.
  virtual NumberView next() = 0;
  // How many there are, if that is known beforehand; of lists all of their numbers.
  virtual std::optional<std::uint64_t> count() const { return std::nullopt; }
  // Nulls left out so far.
  virtual std::uint64_t nulls_dropped() const { return 0; }
};

// A file of one or more columns.
class TableInput {
 public:
  virtual ~TableInput() = default;
  const std::vector<Column>& columns() const { return columns_; }
  // Columns have names (Parquet, CSV), or there is just one array (NPY, raw).
  bool has_names() const { return has_names_; }
  // What the user should know about how the file was read.
  const std::vector<std::string>& notes() const { return notes_; }
  // Nameless inputs can be opened once.
  virtual std::unique_ptr<NumberInput> open(std::size_t column) = 0;

 protected:
  explicit TableInput(bool has_names) : has_names_(has_names) {}
  std::vector<Column> columns_;
  std::vector<std::string> notes_;

 private:
  bool has_names_;
};

struct InputOptions {
  std::optional<NumberType> dtype;    // the number type wanted
  std::optional<std::string> column;  // the only one wanted, by name or index
  bool drop_nulls = false;
  bool flatten = false;    // arrays of several dimensions are read as one
  bool lists = false;      // lists of a fixed number of numbers are wanted too
  bool has_header = true;  // the first line of CSV holds names
};

// The place of a name, or the index in digits; fails if there is none or more than one.
std::size_t find_name(std::span<const std::string> names, const std::string& file,
                      const std::string& wanted);
// The column of a name, or of an index in digits; fails if there is none or more than one.
std::size_t find_column(const TableInput& table, const std::string& file,
                        const std::string& wanted);

// Opens a column as numbers of `dtype` if given (conversions must be exact), and says in `column`
// what it has become.
std::unique_ptr<NumberInput> open_column(TableInput& table, std::size_t index,
                                         const std::string& file, std::optional<NumberType> dtype,
                                         Column& column);

// Rows of a column from the count of its numbers.
inline std::uint64_t rows_of(const Column& column, std::uint64_t numbers) {
  return column.list_size == 0 ? numbers : numbers / column.list_size;
}

struct OutputPlan {
  std::vector<Column> columns;
  std::optional<std::uint64_t> count;  // rows, if that is known beforehand
};

// Writes columns of equal length. Does not commit the file.
class TableOutput {
 public:
  virtual ~TableOutput() = default;
  // The next rows: a view for each column, all of one count of values.
  virtual void write(std::span<const NumberView> columns) = 0;
  virtual void finish() = 0;
};

}  // namespace numpact::cli

#endif
