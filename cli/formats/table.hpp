// SPDX-License-Identifier: Apache-2.0
// Columns of numbers and of lists of numbers, independent of the file format they are read from or
// written to. Commands for Pco files read a column after the other; those for CVC files read rows
// of all columns, with cvc/vectors.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numbers/logical_type.hpp"
#include "numbers/null_runs.hpp"
#include "numpact/types.hpp"

namespace numpact {
class Executor;
}

namespace numpact::cli {

class TextInput;
class ValueLimits;

// Inputs return numbers in blocks of at most about this many. Larger blocks take more memory,
// smaller ones more calls.
inline constexpr std::size_t kBlockNumbers = std::size_t{1} << 16;

inline std::span<const std::byte> bytes_of(const NumberView& numbers) {
  return {static_cast<const std::byte*>(numbers.data), numbers.count * size_of(numbers.type)};
}

// Key-value metadata of a table or field. Keys and values may be any bytes.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// The source type of columns of text of CSV.
inline constexpr std::string_view kCsvTextType = "text";

struct Column {
  std::string name;
  LogicalType logical;
  NumberType type = NumberType::kU8;  // type of the stored numbers
  bool is_bfloat16 = false;           // the numbers are the bits of bfloat16, as kU16
  bool is_list = false;               // values are lists of `dimension` numbers
  std::uint64_t dimension = 1;        // numbers in a row; 1 if values are numbers
  std::string source_type;            // name of the type in the source file
  std::string unfit;                  // why it cannot be compressed; empty if it can
  bool nullable = true;               // values may be null according to the table
  Metadata metadata;  // metadata of the field, including the name of an extension type
  // Of LogicalKind::kText one, the type of the texts; else empty. For output of categories also
  // these, in order.
  std::vector<table::TextFile> text = {};
  std::shared_ptr<const table::TextValues> categories = nullptr;
  // For output: the values are those of this entry of OutputPlan::others.
  std::optional<std::size_t> other;
};

// A column that was written to a file of Arrow (formats/others.hpp).
struct OtherColumn {
  std::string type;  // as Arrow prints it
  std::uint64_t rows = 0;
};

// Such a file of a folder, and those of a column, whose rows follow each other.
struct OtherFile {
  std::string name;  // of the column
  FileRef file;
  std::uint64_t rows = 0;
  table::Part part;   // its checksums, if it has any
  std::string place;  // for messages; empty: the file and the column
};
using OtherFiles = std::vector<OtherFile>;

// Reads the numbers of one column, from first to last.
class NumberInput {
 public:
  virtual ~NumberInput() = default;
  // Returns the next block, valid until the next call; empty at the end and from then on. Throws
  // Failure.
  virtual NumberView next() = 0;
  // The count of numbers, if known in advance; for lists the count of all their numbers. If nulls
  // are kept it is the count of rows, and there may be fewer numbers.
  virtual std::optional<std::uint64_t> count() const { return std::nullopt; }
  // Count of null rows so far. Their values are not among the numbers.
  virtual std::uint64_t null_count() const { return 0; }
  // The null rows up to the last block, for callers that keep nulls; null if nulls are dropped or
  // impossible.
  virtual NullRuns* null_runs() { return nullptr; }
  // Bytes from one list to the next in a block; 0: there are no gaps. Other than 0 only for formats
  // that Pco commands do not read.
  virtual std::size_t row_stride() const { return 0; }

  // Asks for blocks of at most this many numbers, a whole number of rows. Some inputs have a block
  // size of their own.
  void set_block_numbers(std::uint64_t numbers) { block_numbers_ = numbers; }

 protected:
  std::uint64_t block_numbers() const { return block_numbers_; }

 private:
  std::uint64_t block_numbers_ = kBlockNumbers;
};

enum class NullPolicy : std::uint8_t {
  kError,  // a null is an error
  kKeep,   // NumberInput::null_runs() returns them
  kDrop,   // they are left out
};

// Reads a file of one or more columns.
class TableInput {
 public:
  virtual ~TableInput() = default;
  const std::vector<Column>& columns() const { return columns_; }
  // True if columns have names (Parquet, CSV); false for a single array (NPY, raw, fvecs).
  bool has_names() const { return has_names_; }
  // Messages for the user about how the file was read.
  const std::vector<std::string>& notes() const { return notes_; }
  std::vector<std::string> take_notes() { return std::move(notes_); }
  const Metadata& metadata() const { return metadata_; }
  // An object of JSON that the file has instead, valid while the table is; empty: none.
  std::string_view json_metadata() const { return json_metadata_; }
  // Applies to columns that are opened later.
  void set_nulls(NullPolicy nulls) { nulls_ = nulls; }
  // Inputs without names can be opened once.
  virtual std::unique_ptr<NumberInput> open(std::size_t column) = 0;
  // Whether several columns may be opened and read at the same time.
  virtual bool reads_columns_at_once() const { return false; }
  // Whether types of numbers are those of the values, since the file does not state any.
  virtual bool infers_types() const { return false; }
  // Whether write_other() can write a column that cannot be compressed.
  virtual bool can_keep(std::size_t /*column*/) const { return false; }
  // Writes such a column as a file of Arrow, or, if it has lists that can be vectors, of CVC.
  // `vectors`: none: of Arrow only.
  virtual OtherColumn write_other(std::size_t column, ByteSink& file,
                                  std::optional<table::Vectors> vectors);
  // The texts or bytes of such a column, also of one of categories; null: it has others. Columns
  // can be read again.
  virtual std::unique_ptr<TextInput> open_texts(std::size_t column);
  // Of Arrow IPC files, which are then kept in memory: the rows that are read from now on.
  virtual void select(std::span<const std::uint64_t> /*rows*/) {}

 protected:
  explicit TableInput(bool has_names) : has_names_(has_names) {}
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  Metadata metadata_;
  std::string_view json_metadata_;
  NullPolicy nulls_ = NullPolicy::kError;

 private:
  bool has_names_;
};

// Options for parsing CSV: docs/text-to-numbers.md.
struct CsvOptions {
  std::optional<char> delimiter;    // none: detected
  std::optional<char> quote = '"';  // none: quotes are text
  char decimal = '.';
  bool has_header = true;  // the first record holds names
  std::vector<std::string> null_values;
  // Maximum memory for parsed columns; the excess goes to a temporary file.
  std::uint64_t memory_bytes = std::uint64_t{32} << 20;
  // Parses blocks of the file at the same time while it is read; none: one after the other.
  Executor* executor = nullptr;
};

// The type of a column of a folder, which a column of a file that states no types takes.
struct StatedType {
  enum class Kind : std::uint8_t {
    kNumbers,  // with `logical` and `type`
    kText,     // texts are taken as they are written
    kNulls,    // text cannot be read as it
  };
  Kind kind = Kind::kNumbers;
  LogicalType logical;
  NumberType type = NumberType::kU8;
  std::string name;  // for messages
};

// The purpose of reading or writing numbers. It decides which formats and shapes there are.
enum class Purpose : std::uint8_t {
  kNumbers,  // Pco files: columns of numbers
  kVectors,  // CVC files: columns of numbers, and of lists of equally many numbers
};

struct InputOptions {
  Purpose purpose = Purpose::kNumbers;
  std::optional<NumberType> dtype;  // the requested number type
  // Requested types of single columns, by name or index.
  std::vector<std::pair<std::string, NumberType>> column_dtypes;
  std::optional<std::string> column;  // the only column to read, by name or index
  std::vector<std::string> skip;      // columns that are left out, by name or index
  NullPolicy nulls = NullPolicy::kError;
  bool flatten = false;  // read arrays of several dimensions as one
  // For raw vectors: their numbers are bfloat16 (with the dtype kU16); the numbers in a row.
  bool is_bfloat16 = false;
  std::optional<std::uint64_t> dimension;
  // For CSV: keep the texts of columns of text for write_other().
  bool keeps_text = false;
  // For CSV: types of columns by name, of several columns with one name in their order.
  std::vector<std::pair<std::string, StatedType>> stated;
  // Leave out what holds no vectors, with a note, where a file decides how many columns it names:
  // a description of each would take more memory than its name in the file.
  bool skips_unfit = false;
  CsvOptions csv;
};

inline constexpr const char* kSkipped = "--skip leaves it out";

// The index of the column `requested`, a name or an index in digits. Fails if there is none or more
// than one.
std::size_t find_name(std::span<const std::string> names, const std::string& file,
                      const std::string& requested);
// The requested number type of each column. Fails if the options name a column that does not exist.
std::vector<std::optional<NumberType>> requested_dtypes(std::span<const std::string> names,
                                                        const std::string& file,
                                                        const InputOptions& options);
std::vector<std::string> names_of(std::span<const Column> columns);
// The column with this name, or with this index in digits. Fails if there is none or more than one.
std::size_t find_column(const TableInput& table, const std::string& file,
                        const std::string& requested);

// Opens a column, converted to `dtype` if given (conversions must be exact). Sets `column` to the
// description of the result.
std::unique_ptr<NumberInput> open_column(TableInput& table, std::size_t index,
                                         const std::string& file, std::optional<NumberType> dtype,
                                         Column& column);

// Why a column of a table holds no vectors.
std::string no_vectors(const std::string& source_type);
// The note that a column is not read. `noun`: as "column".
std::string left_out_note(std::string_view noun, const std::string& name, const std::string& why);

struct OutputPlan {
  Purpose purpose = Purpose::kNumbers;
  std::vector<Column> columns;
  std::optional<std::uint64_t> count;   // count of rows, if known in advance
  Metadata metadata;                    // of the table
  std::vector<OtherFiles> others;       // which Column::other refers to
  std::shared_ptr<ValueLimits> limits;  // which the values of `others` count in; null: none
  unsigned threads = 1;                 // that may make text of rows at the same time
};

struct TextBlock;

// A block of rows of one column. The number of a null row is 0.
struct ColumnBlock {
  NumberView numbers;
  std::span<const std::uint8_t> valid;  // one byte per row, 0 for null; empty: no row is null
  std::uint64_t rows = numbers.count;   // of lists: how many lists there are
  // For columns of OutputPlan::others: the rows are those from `first_row` on for which `kept` is
  // not 0; if that is empty, `rows` of them.
  std::uint64_t first_row = 0;
  std::span<const std::uint8_t> kept = {};
  // The rows as text, for formats of text; of LogicalKind::kText for all formats, instead of
  // numbers.
  const TextBlock* texts = nullptr;

  bool is_null(std::size_t row) const { return !valid.empty() && valid[row] == 0; }
};

// Writes columns of equal length. Does not commit the file.
class TableOutput {
 public:
  virtual ~TableOutput() = default;
  // Writes the next rows: one block per column, all with the same count of rows.
  virtual void write(std::span<const ColumnBlock> columns) = 0;
  virtual void finish() = 0;
};

// Fails unless the plan has exactly one column.
const Column& only_column(const OutputFile& file, const OutputPlan& plan);
// Fails unless tables (Parquet, Arrow) can hold the columns.
void check_table_columns(const OutputFile& file, const OutputPlan& plan);

}  // namespace numpact::cli
