// SPDX-License-Identifier: Apache-2.0
// What a TableWriter holds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "numpact/table_writer.hpp"
#include "platform/locks.hpp"
#include "table/reader/failure.hpp"
#include "table/reader/folder.hpp"
#include "table/writer/match.hpp"
#include "table/writer/new_file.hpp"
#include "table/writer/number_file.hpp"
#include "table/writer/text_codes.hpp"
#include "table/writer/widening.hpp"

namespace numpact::internal {

// Waits until no other program replaces the folder.
Status wait_for_turn(const std::string& folder, const LockConfig& config,
                     platform::FolderTurn& turn);

}  // namespace numpact::internal

namespace numpact::table {

using internal::NewFile;

struct TableWriter::State {
  struct Written {
    std::unique_ptr<internal::NumberPartFiles> numbers;
    std::unique_ptr<NewFile> other;
    std::unique_ptr<internal::TextCodes> texts;  // until they are written
    std::unique_ptr<NewFile> text_file;
    std::optional<Column> coded;   // of another column that becomes one of texts
    std::optional<TextFile> text;  // once it is written
    NumberPart number_part;
    Part other_part;
    std::optional<internal::Widening> widening;  // of new rows
    std::string type;                            // of another column
    std::uint64_t new_rows = 0;
    // Which of write() and write_packed() the rows come by: their order is not known of both.
    enum class Form : std::uint8_t { kNone, kRows, kPacked };
    Form form = Form::kNone;
    // Of write_packed(): numbers, those in runs, and of which kind the next run is.
    std::uint64_t packed = 0;
    std::uint64_t packed_in_runs = 0;
    bool has_runs = false;
    bool next_is_null = false;
    std::uint64_t expected_rows = 0;   // 0: not known
    std::unique_ptr<Rounder> rounder;  // of new rows
    std::uint64_t dropped = 0;         // null rows that the caller has left out
    bool is_finished = false;
    bool has_failed = false;
    bool is_left = false;  // nothing is written

    std::uint64_t rows() const { return new_rows + dropped + (has_runs ? 0 : packed); }
  };

  ~State();
  Status open_table(const std::string& folder, bool joins_all, Failure* failure);
  Status set_rows(const Manifest& rows, SchemaChange allowed, Failure* failure);
  Status rewrite_other(std::size_t column, const std::string& type, Failure* failure);
  Status begin_table(const std::string& target, bool may_replace, Failure* failure);
  Status begin(std::size_t column, Failure* failure);
  Status set_rounding(std::size_t column, const RoundingSpec& spec, Failure* failure);
  Status finish(std::size_t column, std::uint64_t dropped, Failure* failure);
  Status write(std::size_t column, const NumberView& numbers, std::span<const std::uint8_t> valid,
               Failure* failure);
  Status write_packed(std::size_t column, const NumberView& numbers,
                      std::span<const std::uint64_t> runs, Failure* failure);
  Status write_other(std::size_t column, OtherSource& source, Failure* failure);
  Status begin_other(std::size_t column, Failure* failure);
  Status finish_other(std::size_t column, std::uint64_t rows, const std::string& type,
                      Failure* failure);
  Status name_other(std::size_t column);
  Status begin_texts(std::size_t column, const Column& like, Failure* failure);
  Status add_texts(std::size_t column, const TextRows& rows, bool& is_taken, Failure* failure);
  Status add_categories(std::size_t column, const TextRows& texts,
                        std::span<const std::uint32_t> places, std::span<const std::uint8_t> valid,
                        bool& is_taken, Failure* failure);
  Status finish_texts(std::size_t column, bool& is_taken, Failure* failure);
  Status refuse(Failure* failure, std::size_t column, const std::string& text) const;
  // A folder is written, rather than parts.
  bool is_new() const {
    return plan.kind == WritePlan::Kind::kCreate || plan.kind == WritePlan::Kind::kReplace;
  }
  Status commit(Failure* failure);
  Status move(const std::string& made, const std::string& target, Failure* failure);

  WriterConfig config;
  WritePlan plan;
  std::vector<ColumnEntry> entries;  // of plan.after
  std::vector<Written> columns;
  Manifest after;
  std::string path;    // of the table
  std::string folder;  // where files are written
  std::string leftover;
  platform::FolderTurn turn;
  FileLock lock;
  std::shared_ptr<internal::Folder> old;
  bool is_there = false;      // a folder is replaced
  bool is_committed = false;  // or was left

 private:
  void list_entries();
  Status hold_copied();
  bool has_begun() const;
  template <class Use>
  Status converted(std::size_t column, const NumberView& numbers,
                   std::span<const std::uint8_t> valid, Failure* failure, const Use& use);
  void leave_unchanged();
  Status write_absent(Failure* failure);
  bool stays_open() const;
  // A column of which nothing is written.
  bool is_left(std::size_t column) const {
    return columns[column].is_left ||
           (plan.kind == WritePlan::Kind::kCompact && plan.columns[column].copied_rows() == 0);
  }
  Status look_at_target(const std::string& target, bool may_replace, Failure* failure);
  Status fail(Failure* failure, const Status& status, const std::string& file,
              const std::string& column, const std::string& text = {}) const {
    return internal::fail(failure, status, file.empty() ? path : path + "/" + file, column, text);
  }
  // The column of numbers that is written.
  const Column& described_of(std::size_t column) const {
    return entries[column].numbers != nullptr ? *entries[column].numbers : *columns[column].coded;
  }
  Column* texts_column(std::size_t column);
  Status texts_to_add_to(std::size_t column, const TextRows& texts,
                         std::span<const std::uint8_t> valid, const Column*& described,
                         Failure* failure);
  Status tell_added(std::size_t column, const Column& described, internal::TextCodes::Added added,
                    Failure* failure) const;
  Status write_codes(std::size_t column, Column& described, Failure* failure);
  Status write_text_file(std::size_t column, const Column& described, Failure* failure);
  Status begin_write(std::size_t column, const NumberView& numbers, Written::Form form,
                     Failure* failure);
  Status check_nulls(std::size_t column, std::uint64_t nulls, Failure* failure) const;
  Status check_rows(Failure* failure) const;
  Status finish_columns(Failure* failure);
  Status describe(Failure* failure);
  Status add_number_part(const ColumnPlan& planned, const NumberPart& made, table::Column& column,
                         Failure* failure);
  Status add_other_part(const ColumnPlan& planned, Written& made, Other& other, Failure* failure);
  Status sync_files(const std::vector<NewFile*>& files, Failure* failure);
  Status write_manifest(NewFile& file, const std::string& at, Failure* failure);
  Status commit_append(Failure* failure);
  Status commit_folder(Failure* failure);
  Status publish(const std::vector<NewFile*>& files, NewFile& manifest, Failure* failure);
  Status old_files(std::set<std::string>& files, Failure* failure) const;
  Status take_access(const std::vector<NewFile*>& files, const std::set<std::string>& old,
                     Failure* failure);
  std::vector<NewFile*> new_files();
};

}  // namespace numpact::table
