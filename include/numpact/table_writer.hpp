// SPDX-License-Identifier: Apache-2.0
// Writes tables: folders of Pco files with a manifest (docs/format/table-folder.md).
//
// A TableWriter has a plan, which is a value: what becomes of each column, and the files that are
// written and removed. It then takes the values of the columns, and commits: all or nothing.
//
//   TableWriter writer = TableWriter::append("measurements").value();
//   writer.write(0, hours);
//   writer.write(1, speeds, valid);
//   writer.commit();
//
// An append writes new files, the parts, and then replaces the manifest. Whoever reads the table
// meanwhile keeps what it has opened. If the process dies, the old table stays; the next writer
// removes files that no manifest names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/lossy.hpp"
#include "numpact/stream.hpp"
#include "numpact/table.hpp"
#include "numpact/table_reader.hpp"
#include "numpact/types.hpp"

namespace numpact::table {

// Rows of a part from which on it stays as it is. The next append joins smaller ones at the end of
// a column to its own part, so that many small appends leave few files. It is a batch of other
// columns: joining copies fewer rows than that for each row that is added.
inline constexpr std::uint64_t kMinPartRows = kOtherBatchRows;

// What values are, and the type that stores them.
struct ValueType {
  NumberType type = NumberType::kU8;
  Kind kind = Kind::kNumber;
  Unit unit = Unit::kSecond;  // if has_unit(kind)
  DecimalType decimal = {};   // of kDecimal

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

// What becomes of a column. Its new part has the rows of the last parts, and then the new ones.
struct ColumnPlan {
  std::size_t kept = 0;             // parts that stay
  std::vector<NumberPart> numbers;  // parts whose rows are copied; of other columns `others`
  std::vector<Part> others;
  std::string file;       // of the new part
  std::string null_file;  // written if a row is null
  // Of a new column: the rows of the table before, which come first in the part and are null.
  std::uint64_t null_rows = 0;
  // Types of numbers that are converted to that of the column: of rows that are copied, which are
  // all then, and of new rows.
  std::optional<ValueType> copied_type;
  std::optional<ValueType> given_type;
  // The place of the column in the rows that are appended; none: they do not have it, and are null.
  std::optional<std::size_t> source;

  NUMPACT_API std::uint64_t copied_rows() const noexcept;
  // Rows of the new part before the new ones.
  std::uint64_t old_rows() const noexcept { return copied_rows() + null_rows; }

  friend bool operator==(const ColumnPlan&, const ColumnPlan&) = default;
};

// How the columns of rows that are appended may differ from those of the table.
enum class SchemaChange : std::uint8_t {
  kNone,  // they have the same names and types, in any order
  // They may be new: null in the rows before, and behind the other columns. They may be absent:
  // null in the new rows. And a type may be wider: the rows of the other one, before or new, are
  // converted, if each value is exact in the wider type. A column of the table that becomes wider
  // is written anew.
  kExtend,
};

struct WritePlan {
  enum class Kind : std::uint8_t { kCreate, kReplace, kAppend, kCompact };

  Kind kind = Kind::kCreate;
  Manifest before;                     // without parts for a new table
  Manifest after;                      // its columns in their new types, and new ones, without rows
  std::vector<ColumnPlan> columns;     // of all columns of `after`, in the order of the table
  std::vector<std::string> leftovers;  // files of writers that died

  friend bool operator==(const WritePlan&, const WritePlan&) = default;
};

// The plan of an append. `names`: the files of the folder. `tag` makes the names of the new files:
// no two appends to a folder have the same. kInvalidArgument: nulls of a column were left out, so
// that rows cannot follow.
NUMPACT_API Result<WritePlan> plan_append(const Manifest& before,
                                          std::span<const std::string> names, std::uint32_t tag,
                                          std::string* why = nullptr) noexcept;
// The plan of an append of rows with the columns of `rows`, of which counts and files are not used.
// Columns are matched by their names, or if these repeat, by their order. Other columns of the type
// "null" have no values but nulls, and belong to any column; types of others are for the caller to
// compare. kTypeMismatch: they differ more than `allowed`, and `why` says what would be needed.
NUMPACT_API Result<WritePlan> plan_append(const Manifest& before, const Manifest& rows,
                                          SchemaChange allowed, std::span<const std::string> names,
                                          std::uint32_t tag, std::string* why = nullptr) noexcept;
// The plan that joins all parts of each column to one; a column with one part stays as it is.
NUMPACT_API Result<WritePlan> plan_compaction(const Manifest& before,
                                              std::span<const std::string> names, std::uint32_t tag,
                                              std::string* why = nullptr) noexcept;

// The default level, and a trailer with restart points every 2^14 numbers.
NUMPACT_API EncodeConfig table_encode_config() noexcept;

struct WriterConfig {
  // Of numbers; the default has a trailer, so that readers leave out what a filter does not need.
  EncodeConfig encode = table_encode_config();
  LockConfig lock = {};
  // Rows that will be written, if they are known: chunks are then of equal sizes.
  std::uint64_t rows = 0;
  // Decodes what was written, and compares it with the numbers.
  bool verify = true;
  // Of the encoders of all columns. Called by the threads that write.
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
  // Called by commit() right before the new table takes its name, when all waiting is over: for
  // programs that a signal ends, and that remove what was written then, up to here.
  std::function<void()> before_replacing = {};
};

// Writes columns that Pco cannot hold, with the Arrow that the caller has.
class NUMPACT_API OtherSource {
 public:
  virtual ~OtherSource();
  // Writes a file of Arrow IPC as the format's page says, with the rows of `copied`, which are
  // files of the folder, or the `null_rows` of a new column, and then the new ones. Returns the
  // count of all rows. May set `other.type`. `message` may receive a line for people.
  virtual Result<std::uint64_t> write(Other& other, std::span<const Part> copied, ByteSink& sink,
                                      std::string& message) = 0;
};

// Texts of rows, which are bytes that follow each other.
struct TextRows {
  std::string_view bytes;
  std::span<const std::uint64_t> ends;  // of each text in `bytes`; the next one begins there
  std::uint64_t begin = 0;              // of the first text
  std::span<const std::uint8_t> valid;  // 0 for null rows, else 1; empty: no row is null
};

// Rows that a writer gives back: the different texts, and for each row which one it has.
struct TakenTexts {
  TextValues texts;
  std::vector<std::uint32_t> codes;
  std::vector<std::uint8_t> valid;  // as TextRows::valid
};

// Columns may be written and finished by several threads, each by one at a time; all else is for
// one thread. Without commit(), the destructor removes what was written.
class NUMPACT_API TableWriter {
 public:
  // Locks a table and plans to add rows. kTimedOut and kCancelled as `config` says; kIo,
  // kCorrupt: it cannot be read; kInvalidArgument as plan_append().
  static Result<TableWriter> append(const std::string& folder, const WriterConfig& config = {},
                                    Failure* failure = nullptr) noexcept;
  // As append(), but joins all parts of each column to one, without new rows: columns whose plan
  // copies rows have to be finished or, if they are others, written; write() is refused. It makes
  // tables that grew by many appends faster to open and to read.
  static Result<TableWriter> compact(const std::string& folder, const WriterConfig& config = {},
                                     Failure* failure = nullptr) noexcept;
  // A new table with the columns, the metadata and the skipped columns of `table`, of which counts
  // and files are not used. The folder must not exist, or, if `may_replace`, be empty or a table
  // with no other files: else kInvalidArgument.
  static Result<TableWriter> create(const std::string& folder, const Manifest& table,
                                    bool may_replace = false, const WriterConfig& config = {},
                                    Failure* failure = nullptr) noexcept;
  TableWriter(TableWriter&& other) noexcept;
  TableWriter& operator=(TableWriter&& other) noexcept;
  ~TableWriter();

  const WritePlan& plan() const noexcept;
  // Before rows are appended: which columns they have. The plan becomes that of plan_append() with
  // `rows`. Columns of numbers without a source are completed with nulls by commit().
  Status set_rows(const Manifest& rows, SchemaChange allowed, Failure* failure = nullptr) noexcept;
  // Before another column is written: it gets another type, in which its new file is to have the
  // rows of all its parts.
  Status rewrite_other(std::size_t column, const std::string& type,
                       Failure* failure = nullptr) noexcept;
  // Where a file of the plan is. Until commit() a new table is in a hidden folder.
  std::string path_of(const std::string& file) const;

  // What is known of a column of numbers before its first write(): how many new rows it gets (0:
  // not known), so that chunks are of equal sizes; of a new table also the unit of its values.
  void expect(std::size_t column, std::uint64_t rows) noexcept;
  void set_unit(std::size_t column, Unit unit) noexcept;
  // Before the first write() to a column of numbers, booleans, dates and times excepted: its new
  // rows are rounded. Those that an append copies are not, and the table does not say that it was.
  // kInvalidArgument, kTypeMismatch: as Rounder::create(), for the column's type.
  Status set_rounding(std::size_t column, const RoundingSpec& spec,
                      Failure* failure = nullptr) noexcept;
  // What became of the rows so far; null: they are not rounded.
  const RoundingReport* rounding(std::size_t column) const noexcept;
  // Adds rows to a column of numbers: a number for each, those of null rows are not used. `valid`:
  // 0 for null rows, else 1; empty: no row is null. kTypeMismatch: numbers of another type than
  // the column's or, if the plan has one, `given_type`; or a value is not exact in the wider type.
  // kInvalidArgument: nulls, which the column of the table that is extended excludes; or rows came
  // by write_packed() before.
  Status write(std::size_t column, const NumberView& numbers,
               std::span<const std::uint8_t> valid = {}, Failure* failure = nullptr) noexcept;
  // The same of numbers without those of null rows, and of the lengths of runs, as in files of
  // nulls: the first one of a column is one of rows with numbers, and may be empty, the next one of
  // null rows. Both may come in any pieces, and have to fit at the end; without runs no row is
  // null. kInvalidArgument also: rows came by write() before.
  Status write_packed(std::size_t column, const NumberView& numbers,
                      std::span<const std::uint64_t> runs, Failure* failure = nullptr) noexcept;
  // After the last row of a column of numbers: completes and verifies its files, and frees the
  // memory of its encoder; commit() else does so for one column after the other. `dropped`: null
  // rows of a new table that the caller has left out.
  Status finish(std::size_t column, std::uint64_t dropped = 0, Failure* failure = nullptr) noexcept;
  // Adds rows to a column of texts (Kind::kText), 4 bytes of memory for each until the column is
  // finished. Texts may be new: then their file is replaced. The result is true. kInvalidArgument:
  // one is not UTF-8, or there are nulls, which the column excludes.
  //
  // Another column that begin_texts() has named becomes one of texts, if these repeat. False: they
  // do not, and nothing of these rows was added; take_texts() gives those before them, and the
  // column is written as any other one.
  Result<bool> add_texts(std::size_t column, const TextRows& rows,
                         Failure* failure = nullptr) noexcept;
  // The same of a column of categories (TextFile::index_type): first all of them, of which those
  // that the column has not come behind the others, in their order, and then rows by the places of
  // their categories among these. `valid`: 0 for null rows, else 1; or empty. A row of a category
  // that is null is null. A new column keeps all categories, in order and if no row has them, and
  // is taken if there are at most 65,536.
  Result<bool> add_categories(std::size_t column, const TextRows& texts,
                              std::span<const std::uint32_t> places,
                              std::span<const std::uint8_t> valid = {},
                              Failure* failure = nullptr) noexcept;
  // `like`: a column of texts, of which the type of these, the metadata and whether rows may be
  // null are used. kInvalidArgument: the column has rows in files of Arrow already.
  Status begin_texts(std::size_t column, const Column& like, Failure* failure = nullptr) noexcept;
  // As finish(), of columns to which texts were added. False: as add_texts().
  Result<bool> finish_texts(std::size_t column, Failure* failure = nullptr) noexcept;
  Result<TakenTexts> take_texts(std::size_t column, Failure* failure = nullptr) noexcept;
  // Adds all new rows of another column, by one call.
  Status write_other(std::size_t column, OtherSource& source, Failure* failure = nullptr) noexcept;
  // The same in steps, for rows that come one after the other: where the file of Arrow IPC goes,
  // which stays valid until finish_other(). That is told the count of all rows in the file, those
  // that are copied included, and the type of the column.
  Result<ByteSink*> begin_other(std::size_t column, Failure* failure = nullptr) noexcept;
  Status finish_other(std::size_t column, std::uint64_t rows, const std::string& type,
                      Failure* failure = nullptr) noexcept;

  // Completes the files, verifies and syncs them, and makes them the table. kInvalidArgument:
  // columns have different counts of new rows, or another column was not written. If it fails,
  // nothing has changed. Without new rows an append changes nothing but columns.
  Status commit(Failure* failure = nullptr) noexcept;
  // What commit() has written.
  const Manifest& manifest() const noexcept;
  // Where files of a replaced folder stay, since programs have them open or they came meanwhile;
  // empty: nowhere.
  const std::string& leftover() const noexcept;

  struct State;  // internal

 private:
  static Result<TableWriter> opened(const std::string& folder, bool joins_all,
                                    const WriterConfig& config, Failure* failure) noexcept;
  TableWriter();
  std::unique_ptr<State> state_;
};

// Gives the folder of a table the name `folder` on the same file system, in one step; replaces a
// table there, as TableWriter::create() with `may_replace`. `leftover` as TableWriter::leftover().
NUMPACT_API Status move_table(const std::string& made, const std::string& folder,
                              const LockConfig& lock = {}, Failure* failure = nullptr,
                              std::string* leftover = nullptr) noexcept;

}  // namespace numpact::table
