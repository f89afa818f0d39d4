// SPDX-License-Identifier: Apache-2.0
// Reads the columns of numbers of a table: a folder of Pco files with a manifest
// (docs/format/table-folder.md) on disk, in memory, or in a store of which byte ranges can be read.
//
// A Reader has the manifest and opens columns when they are first used. A Scan is a query that was
// bound to their types: the rows that may match. A Cursor reads the rows, in windows. Readers and
// scans are immutable; threads share them, each with a cursor of its own:
//
//   Reader reader = Reader::open("measurements").value();
//   Query query{.columns = {0, 2}, .where = reader.conditions("speed > 3").value()};
//   Scan scan = Scan::create(reader, query).value();
//   Cursor cursor = Cursor::create(scan).value();
//   cursor.start(scan.all());
//   for (Batch batch; cursor.next(batch).ok() && batch.window_rows > 0;) use(batch.columns[0]);
//
// Files are untrusted. Columns that Pco cannot hold (Manifest::others) are read by the caller, who
// narrows the rows of a scan through OtherColumns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/file_access.hpp"
#include "numpact/table.hpp"
#include "numpact/table_filter.hpp"
#include "numpact/types.hpp"

namespace numpact::table {

// What failed. The Status has the kind, the byte and the chunk.
struct Failure {
  std::string file;    // the path of the file or folder; of another source its name
  std::string column;  // empty: the failure is of no column
  std::string text;    // one line without these

  NUMPACT_API std::string message() const;  // 'FILE, column "x": TEXT'
};

// The files of a table, which must belong to one version of it. Called concurrently.
class NUMPACT_API Files {
 public:
  virtual ~Files();
  // Called once, with the names of all files of columns, before the first open() of one. A source
  // that other programs may replace gets hold of them. The default does nothing.
  virtual Status hold(std::span<const std::string> names);
  // Opens a file by a name for which is_file_name() holds. Its size must be known. Bytes are read
  // as few ranges: of the manifest all at once, of a column its end, and each run of adjacent
  // chunks that may match (up to 32 MiB in one request). `why` may receive a line for people.
  virtual Result<std::unique_ptr<RangeSource>> open(const std::string& name, std::string& why) = 0;
};

// A file of a folder on disk, which is mapped.
struct FolderFile {
  std::unique_ptr<RangeSource> source;
  std::int64_t changed = 0;  // when its contents were changed last, in a unit of the system
};

// Opens a file of a folder by its name, by the rules of Reader::open(): only a regular file, maybe
// by links within the folder. For programs that read some files of a table by themselves.
// kInvalidArgument: is_file_name() does not hold.
NUMPACT_API Result<FolderFile> open_file_in(const std::string& folder, const std::string& name,
                                            Failure* failure = nullptr) noexcept;

// Rows first to end - 1.
struct RowRange {
  static constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};  // for queries

  std::uint64_t first = 0;
  std::uint64_t end = 0;

  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// A comparison with a column by its position in the table.
struct Condition {
  std::size_t column = 0;
  FilterComparison comparison;  // its names of columns are for messages
  std::size_t other = 0;        // the position of comparison.other
};

// A column of the table: exactly one is set.
struct ColumnEntry {
  const Column* numbers = nullptr;
  const Other* other = nullptr;

  const std::string& name() const { return numbers != nullptr ? numbers->name : other->name; }
  std::uint64_t rows() const { return numbers != nullptr ? numbers->rows() : other->rows; }
};

class NUMPACT_API Reader {
 public:
  // Opens a folder, once: all its files of numbers are mapped (of more than 4,096 size and time are
  // noted, and a file that is replaced before it is used is an error), so that what is read belongs
  // to one version of the table, also if the folder is replaced meanwhile. Files must not be
  // truncated. Only regular files are opened, and links to files of the folder.
  //
  // The config's limits bound what one window needs: max_memory the memory for nulls and decoding;
  // the policy for trailers and the threads are those of decoding. `failure`, here and below, may
  // be null.
  static Result<Reader> open(const std::string& folder, const DecodeConfig& config = {},
                             Failure* failure = nullptr) noexcept;
  static Result<Reader> open(std::shared_ptr<Files> files, const DecodeConfig& config = {},
                             Failure* failure = nullptr) noexcept;
  // Of a manifest that the caller has, such as one with some columns of a table that another
  // program has parsed: that of the files is not read. kInvalidArgument: other columns are not at
  // their positions, or have no file.
  static Result<Reader> open(Manifest manifest, std::shared_ptr<Files> files,
                             const DecodeConfig& config = {}, Failure* failure = nullptr) noexcept;
  // One Pco file on disk as a table of one column, with the file's name without ".pco".
  static Result<Reader> open_file(const std::string& path, const DecodeConfig& config = {},
                                  Failure* failure = nullptr) noexcept;
  // Of the file that open_file() has opened: what lies behind its end, which is not read. For a
  // table of several files it has no warning.
  const FileEnd& file_end() const noexcept;

  const Manifest& manifest() const noexcept;
  // The path that was opened; empty for Files.
  const std::string& path() const noexcept;
  // Where the files of other columns are opened; null for open_file().
  const std::shared_ptr<Files>& files() const noexcept;
  // All columns, in the order of the table.
  std::span<const ColumnEntry> columns() const noexcept;
  // The only column with a name. kInvalidArgument: there is none, or several.
  Result<std::size_t> find(std::string_view name, Failure* failure = nullptr) const noexcept;
  // The conditions of a filter (table_filter.hpp) or of its comparisons. kInvalidArgument.
  Result<std::vector<Condition>> conditions(std::string_view filter,
                                            Failure* failure = nullptr) const noexcept;
  Result<std::vector<Condition>> conditions(std::span<const FilterComparison> comparisons,
                                            Failure* failure = nullptr) const noexcept;

  // Opens a column of numbers, which a Scan does too: compares the type and count of its file with
  // the manifest, and checks its null runs. kTypeMismatch: it is another column.
  Status load(std::size_t column, Failure* failure = nullptr) const noexcept;

  // The texts of a column of them, whose numbers are places among them: all that cursors give are.
  // kTypeMismatch: it is another column.
  Result<std::shared_ptr<const TextValues>> texts(std::size_t column,
                                                  Failure* failure = nullptr) const noexcept;

  struct Table;

 private:
  friend class Scan;
  std::shared_ptr<const Table> table_;
};

// Narrows the rows of a scan by the columns that Pco cannot hold. Called concurrently.
class NUMPACT_API OtherColumns {
 public:
  virtual ~OtherColumns();
  // Binds comparisons with one column, joined as they say. `test` counts the calls: 0, 1, ...; a
  // filter may need several tests of a column. kTypeMismatch: values of another kind, with a
  // message.
  virtual Status bind(std::size_t test, std::size_t column, const Other& other,
                      std::span<const FilterComparison> comparisons, std::string& message) = 0;
  // Sets kept[i] to 0 if row first + i of the column does not satisfy the test.
  virtual Status narrow(std::size_t test, std::size_t column, std::uint64_t first,
                        std::span<std::uint8_t> kept) = 0;
};

struct Query {
  // Positions of columns, whose values batches have, in this order.
  std::vector<std::size_t> columns = {};
  std::vector<Condition> where = {};  // joined as the comparisons say
  std::optional<RowRange> rows = {};
  // For callers who compare the rows again, and for whom a NaN may satisfy any comparison: chunks
  // with NaNs are not left out.
  bool nan_may_match = false;
  // Cuts the ranges of the scan into parts of at least this many rows, which threads read, where
  // chunks of the first column end or decoding can begin. 0: no cuts.
  std::uint64_t min_part_rows = 0;
  // Rows of a window at most; windows begin at multiples of it where a range does not.
  std::uint64_t window_rows = kOtherBatchRows;
  OtherColumns* others = nullptr;  // must outlive the scan; null: no condition has another column
};

class NUMPACT_API Scan {
 public:
  // Binds the conditions, and finds the rows that may match by the trailers of the columns in
  // conditions. Opens all columns of the query. kInvalidArgument: the columns cannot be joined row
  // by row, or the query's rows lie behind the end; kTypeMismatch: a value is of another kind than
  // its column.
  static Result<Scan> create(const Reader& reader, const Query& query,
                             Failure* failure = nullptr) noexcept;

  // The rows that may match: ascending, apart, not empty; cut as the query asks.
  std::span<const RowRange> ranges() const noexcept;
  // Rows of the columns.
  std::uint64_t rows() const noexcept;
  RowRange all() const noexcept { return {0, rows()}; }

  struct Plan;

 private:
  friend class Cursor;
  std::shared_ptr<const Plan> plan_;
};

// Values of a column for the rows of a batch. Valid until the next call of the cursor.
struct BatchColumn {
  NumberView numbers;                   // 0 for null rows; without data: another column
  std::span<const std::uint8_t> valid;  // 0 for null rows, else 1; empty: no row is null
};

struct Batch {
  // A window of rows, and which of them match: 1 for those, else 0; empty: all. 0 rows: the end.
  std::uint64_t first_row = 0;
  std::uint64_t window_rows = 0;
  std::span<const std::uint8_t> kept = {};
  std::uint64_t rows = 0;  // that match; at least one
  std::vector<BatchColumn> columns = {};
};

// Reads rows of a scan: the scratch memory of one thread. For each column it keeps one window of
// decoded numbers: of a chunk without restart points from the first row that was asked for up to
// its end, else at most 2^17.
class NUMPACT_API Cursor {
 public:
  static Result<Cursor> create(const Scan& scan) noexcept;
  ~Cursor();
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&& other) noexcept;

  // The threads that decode from here on, instead of those of the reader's config, and what is told
  // of the progress of each call that decodes, as in DecodeConfig.
  void decode_with(unsigned threads, Executor* executor = nullptr,
                   ProgressCallback progress = nullptr) noexcept;
  // Reads from here: what lies in the range of the rows that may match.
  void start(const RowRange& range) noexcept;
  // The next window in which a row matches. Each column is read only if a row is left.
  Status next(Batch& batch, Failure* failure = nullptr) noexcept;

  // Reads rows of any column, which is opened if need be: `out.count` numbers of the column's type
  // from row `first` on, 0 for null rows. `valid`: as many, 0 for null rows, else 1; or empty. A
  // caller that reads on tells up to which row (`ahead`), so that chunks are decoded once and
  // adjacent ones requested at once; 0: it does not.
  Status read(std::size_t column, std::uint64_t first, const MutableNumberView& out,
              std::span<std::uint8_t> valid, std::uint64_t ahead = 0,
              Failure* failure = nullptr) noexcept;
  // Rows by their numbers, which increase or repeat; chunks without any of them are not decoded.
  // `out` and `valid` as above, for as many rows.
  Status take(std::size_t column, std::span<const std::uint64_t> rows, const MutableNumberView& out,
              std::span<std::uint8_t> valid = {}, Failure* failure = nullptr) noexcept;

  struct State;

 private:
  Cursor();
  std::unique_ptr<State> state_;
};

// Packs bytes into a bitmap of Arrow: bit i % 8 of byte i / 8 is 1 if valid[i] is not 0. `bits` has
// (valid.size() + 7) / 8 bytes; the rest of the last one is 0.
NUMPACT_API void pack_validity(std::span<const std::uint8_t> valid,
                               std::span<std::uint8_t> bits) noexcept;

}  // namespace numpact::table
