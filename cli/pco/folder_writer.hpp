// SPDX-License-Identifier: Apache-2.0
// Writes tables and appends to them, by the library's writer.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/table.hpp"
#include "io/cleanup.hpp"
#include "io/overwrite.hpp"
#include "numpact/table_writer.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"

namespace numpact::cli {

// All functions throw a Failure. Without commit(), and when a signal ends the program, nothing
// remains.
class FolderWriter {
 public:
  // A new folder with the columns of `table`, or one that replaces a table.
  FolderWriter(const std::string& path, const Manifest& table, const WriteOptions& options,
               const Overwrite& overwrite);
  // Locks a table, to append to it or to join its parts.
  FolderWriter(const std::string& path, const WriteOptions& options, const Overwrite& overwrite,
               table::WritePlan::Kind work = table::WritePlan::Kind::kAppend);

  // Of an append: which columns the rows have, and whether they may differ.
  void set_rows(const Manifest& rows, table::SchemaChange allowed);
  // An other column gets another type.
  void rewrite_other(std::size_t column, const std::string& type);

  // Of an append the table as it is.
  const Manifest& before() const { return writer_->plan().before; }
  const std::vector<ManifestEntry>& entries() const { return entries_; }
  const table::ColumnPlan& plan(std::size_t column) const {
    return writer_->plan().columns[column];
  }
  bool is_append() const { return writer_->plan().kind == table::WritePlan::Kind::kAppend; }
  const std::string& name() const { return name_; }
  // Where a file of the plan is, and what messages call it.
  std::string path_of(const std::string& file) const { return writer_->path_of(file); }
  std::string name_of(const std::string& file) const { return name_ + "/" + file; }

  // Writes all rows of a column, and returns how many there are, those included that are dropped.
  // Threads may write different columns at the same time. `place` names the input. Its numbers are
  // of the type that the plan says, which the library converts.
  struct Rows {
    std::uint64_t all = 0;
    std::uint64_t dropped = 0;  // nulls
  };
  Rows write(std::size_t column, NumberInput& numbers, TimeUnit unit, const std::string& place);
  void write_other(std::size_t column, table::OtherSource& source);
  // Writes texts to a column of texts, or to a new one of the input's column `source`, if they
  // repeat. Returns how many rows there are; none: they do not, or the column is another one, and
  // nothing was written.
  std::optional<std::uint64_t> write_texts(std::size_t column, TextInput& texts,
                                           const Column& source);
  // Completes a column of numbers to which nothing is written.
  void finish(std::size_t column);
  void commit();
  const Manifest& manifest() const { return writer_->manifest(); }
  // The files of a table that are in the folder.
  struct Files {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  Files files_of(const Manifest& table) const;
  // The size of the files of new tables: of numbers, or of other columns.
  std::uint64_t number_bytes() const;
  std::uint64_t other_bytes() const;

 private:
  table::WriterConfig config(const Overwrite& overwrite);
  void check(const Status& status, const table::Failure& failure) const;
  void guard_files();
  std::uint64_t size_of_files(const ManifestColumn& column) const;

  std::string name_;
  WriteOptions options_;
  SignalGuard guard_;
  std::unique_ptr<table::TableWriter> writer_;
  std::vector<ManifestEntry> entries_;  // of the plan's new table
};

// What a source throws is kept for the caller, since the library's functions do not throw.
class GuardedSource : public table::OtherSource {
 public:
  Result<std::uint64_t> write(table::Other& other, std::span<const table::Part> copied,
                              ByteSink& sink, std::string& message) final;
  void rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 protected:
  // As write(). Failures of the sink are reported by it.
  virtual std::uint64_t write_rows(table::Other& other, std::span<const table::Part> copied,
                                   ByteSink& sink) = 0;

 private:
  std::exception_ptr thrown_;
};

}  // namespace numpact::cli
