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
#include <utility>
#include <vector>

#include "files.hpp"
#include "logical_type.hpp"
#include "null_runs.hpp"
#include "numpact/types.hpp"
#include "output_file.hpp"

namespace numpact::cli {

// Numbers are handed on in pieces of at most about this many.
inline constexpr std::size_t kPieceNumbers = std::size_t{1} << 16;

inline std::span<const std::byte> bytes_of(const NumberView& numbers) {
  return {static_cast<const std::byte*>(numbers.data), numbers.count * size_of(numbers.type)};
}

// Names and values that a table or a field carries beside its data; both may be any bytes.
using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Column {
  std::string name;
  LogicalType logical;
  NumberType type = NumberType::kU8;  // of the numbers that are stored
  std::uint64_t list_size = 0;        // numbers in each value that is a list; 0: values are numbers
  std::string source_type;            // as the file calls it
  std::string unfit;                  // why it cannot be compressed; empty if it can
  bool nullable = true;               // the table says that values may be null
  Metadata metadata;                  // of the field; the name of an extension type among it
};

// The numbers of one column, from first to last.
class NumberInput {
 public:
  virtual ~NumberInput() = default;
  // The next piece, valid until the next call; empty at the end and from then on. Throws Failure.
  virtual NumberView next() = 0;
  // How many there are, if that is known beforehand; of lists all of their numbers. Where nulls are
  // kept it is the count of rows: there may be fewer numbers.
  virtual std::optional<std::uint64_t> count() const { return std::nullopt; }
  // Null rows that were passed so far: their values are not among the numbers.
  virtual std::uint64_t null_count() const { return 0; }
  // Which rows were null up to the last piece, for whoever takes them along; null where nulls are
  // dropped, or where there cannot be any.
  virtual NullRuns* null_runs() { return nullptr; }
};

enum class NullPolicy : std::uint8_t {
  kError,  // a null is an error
  kKeep,   // NumberInput::null_runs() has them
  kDrop,   // they are left out
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
  const Metadata& metadata() const { return metadata_; }
  // For columns that are opened from then on.
  void set_nulls(NullPolicy nulls) { nulls_ = nulls; }
  // Nameless inputs can be opened once.
  virtual std::unique_ptr<NumberInput> open(std::size_t column) = 0;

 protected:
  explicit TableInput(bool has_names) : has_names_(has_names) {}
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  Metadata metadata_;
  NullPolicy nulls_ = NullPolicy::kError;

 private:
  bool has_names_;
};

// How text becomes numbers: docs/text-to-numbers.md.
struct CsvOptions {
  std::optional<char> delimiter;    // none: recognised
  std::optional<char> quote = '"';  // none: quotes are text
  char decimal = '.';
  bool has_header = true;  // the first record holds names
  std::vector<std::string> null_values;
  // The most bytes of parsed columns in memory; the rest waits in a temporary file.
  std::uint64_t memory_bytes = std::uint64_t{32} << 20;
};

struct InputOptions {
  std::optional<NumberType> dtype;  // the number type wanted
  // Those of single columns, by name or index.
  std::vector<std::pair<std::string, NumberType>> column_dtypes;
  std::optional<std::string> column;  // the only one wanted, by name or index
  std::vector<std::string> skip;      // columns that are left out, by name or index
  NullPolicy nulls = NullPolicy::kError;
  bool flatten = false;  // arrays of several dimensions are read as one
  bool lists = false;    // lists of a fixed number of numbers are wanted too
  CsvOptions csv;
};

inline constexpr const char* kSkipped = "--skip leaves it out";

// The place of a name, or the index in digits; fails if there is none or more than one.
std::size_t find_name(std::span<const std::string> names, const std::string& file,
                      const std::string& wanted);
// For each name the number type that is wanted. Fails if a column is named that is not there.
std::vector<std::optional<NumberType>> wanted_dtypes(std::span<const std::string> names,
                                                     const std::string& file,
                                                     const InputOptions& options);
std::vector<std::string> names_of(std::span<const Column> columns);
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
  Metadata metadata;                   // of the table
};

// Rows of one column. Where a row is null its number is 0.
struct ColumnPiece {
  NumberView numbers;
  std::span<const std::uint8_t> valid;  // one byte a row, 0 for null; empty: no row is null

  bool is_null(std::size_t row) const { return !valid.empty() && valid[row] == 0; }
};

// Writes columns of equal length. Does not commit the file.
class TableOutput {
 public:
  virtual ~TableOutput() = default;
  // The next rows: a piece of each column, all of one count of values.
  virtual void write(std::span<const ColumnPiece> columns) = 0;
  virtual void finish() = 0;
};

}  // namespace numpact::cli

#endif
