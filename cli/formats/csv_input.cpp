// SPDX-License-Identifier: Apache-2.0
// Reads CSV tables. The file is read once. The type of a column depends on all of its values, so
// the values are spooled until the last row was read.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "csv/block_queue.hpp"
#include "csv/block_reader.hpp"
#include "csv/csv_column.hpp"
#include "csv/dialect.hpp"
#include "csv/record_block.hpp"
#include "csv/record_reader.hpp"
#include "csv/text_column.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "io/decompressed_source.hpp"
#include "io/give_back.hpp"
#include "io/spool.hpp"
#include "pco/manifest.hpp"
#include "text/utf8.hpp"

namespace numpact::cli {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
// The fields of wider tables are added one by one: parsing a block ahead takes some 250 bytes for
// each column and block, and a block of 128 KiB has few of such rows.
constexpr std::size_t kMaxParsedWidth = std::size_t{1} << 12;

// Detects UTF-16 and UTF-32 from the first bytes, by a byte order mark or by the zero bytes of
// ASCII characters; empty for other encodings.
std::string_view other_encoding(std::string_view front) {
  using namespace std::string_view_literals;
  if (front.starts_with("\xff\xfe\0\0"sv) || front.starts_with("\0\0\xfe\xff"sv)) return "UTF-32";
  if (front.starts_with("\xff\xfe"sv) || front.starts_with("\xfe\xff"sv)) return "UTF-16";
  if (front.size() < 4) return {};
  const bool zeros[] = {front[0] == 0, front[1] == 0, front[2] == 0, front[3] == 0};
  if ((zeros[0] && zeros[1] && zeros[2]) || (zeros[1] && zeros[2] && zeros[3])) return "UTF-32";
  if ((zeros[0] && zeros[2]) || (zeros[1] && zeros[3])) return "UTF-16";
  return {};
}

bool is_empty_line(std::span<const CsvField> record) {
  return record.size() == 1 && record[0].text.empty() && !record[0].is_quoted;
}

// Keeps the bytes that it passes on.
class CopyingSource final : public ByteSource {
 public:
  CopyingSource(ByteSource& source, Spool& spool)
      : source_(source), spool_(spool), stream_(spool.add_stream()) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    Result<std::size_t> got = source_.read(out);
    if (got.ok()) spool_.append(stream_, out.first(*got));
    return got;
  }

  Spool::Stream stream() const { return stream_; }

 private:
  ByteSource& source_;
  Spool& spool_;
  Spool::Stream stream_;
};

// Reads a stream of a spool.
class SpooledSource final : public ByteSource {
 public:
  SpooledSource(const Spool& spool, Spool::Stream stream) : spool_(spool), stream_(stream) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::uint64_t left = spool_.size(stream_) - at_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left));
    spool_.read(stream_, at_, out.first(count));
    at_ += count;
    return count;
  }

 private:
  const Spool& spool_;
  Spool::Stream stream_;
  std::uint64_t at_ = 0;
};

// A table is read once for its numbers, and again for its texts if some columns of text are to be
// kept: only the last row decides which columns these are.
class CsvTable final : public TableInput, private BlockWork {
 public:
  CsvTable(Input& input, const InputOptions& options, char delimiter)
      : TableInput(true),
        name_(input.name()),
        options_(options),
        file_(input.file()),
        is_plain_(is_plain(input)),
        dialect_{options.csv.delimiter.value_or(delimiter), options.csv.quote, options.csv.decimal,
                 options.csv.has_header, options.csv.null_values},
        spool_(options.csv.memory_bytes) {
    const std::unique_ptr<ByteSource> source = decompressed(input);
    std::optional<CopyingSource> copying;
    if (options.keeps_text && !file_->size()) {  // a pipe, which cannot be read again
      copying.emplace(*source, spool_);
      copy_ = copying->stream();
    }
    CsvRecordReader reader(copying ? static_cast<ByteSource&>(*copying) : *source, name_);
    set_byte_after_end(reader);
    begin(reader);
    read_names(reader);
    make_columns();
    add_empty_lines_before();
    read_rows(reader);
    if (truncated_line_) {
      notes_.push_back(
          fmt::format("line {} is left out: it was written only in part when the file "
                      "was opened",
                      *truncated_line_));
    }
    finish();
    if (options_.keeps_text) {
      read_texts();
    } else {
      texts_.resize(names_.size());
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    const CsvColumn& column = *values_[index];
    const Occurrence& nulls = column.nulls();
    if (nulls && nulls_ == NullPolicy::kError) {
      fail(column_place(name_, columns_[index].name), "{} null{}, the first on line {}{}",
           nulls.count, nulls.count == 1 ? "" : "s", nulls.first->line, kNullAdvice);
    }
    return column.open(nulls_ == NullPolicy::kKeep);
  }

  bool reads_columns_at_once() const override { return true; }
  bool infers_types() const override { return true; }

  bool can_keep(std::size_t index) const override {
    return texts_[index] != nullptr && !texts_[index]->not_utf8() && has_arrow();
  }

  std::unique_ptr<TextInput> open_texts(std::size_t index) override {
    return texts_[index] != nullptr && !texts_[index]->not_utf8() ? texts_[index]->open() : nullptr;
  }

  OtherColumn write_other(std::size_t index, ByteSink& file,
                          std::optional<table::Vectors>) override {
    return write_text(*texts_[index]->open(), names_[index], file,
                      column_place(name_, names_[index]));
  }

 private:
  void set_byte_after_end(CsvRecordReader& reader) const {
    reader.set_byte_after_end([file = file_, plain = is_plain_]() -> std::optional<char> {
      const std::optional<char> next = file->byte_after_end();
      // For compressed files the next decompressed byte is unknown. It is assumed to continue the
      // line.
      return next && !plain ? '\0' : next;
    });
  }

  // Reads the columns of text again.
  void read_texts() {
    texts_.resize(names_.size());
    reads_texts_ = true;
    read_.clear();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (why_not_read_[i] != nullptr || columns_[i].unfit.empty()) continue;
      texts_[i] = std::make_unique<CsvTextColumn>(dialect_, spool_);
      read_.push_back(i);
    }
    if (read_.empty()) return;
    Input input(file_);
    std::unique_ptr<ByteSource> source;
    if (copy_) {
      source = std::make_unique<SpooledSource>(spool_, *copy_);
    } else {
      source = decompressed(input);
    }
    CsvRecordReader reader(*source, name_);
    set_byte_after_end(reader);
    begin(reader);
    const std::size_t width = names_.size();
    names_.clear();
    empty_lines_before_ = 0;
    read_names(reader);
    if (names_.size() != width) refuse_changed();
    add_empty_lines_before();
    const std::uint64_t expected = std::exchange(rows_, 0);
    read_rows(reader);
    if (rows_ != expected) refuse_changed();
    for (const std::size_t i : read_) {
      texts_[i]->finish();
      if (texts_[i]->not_utf8()) {
        columns_[i].unfit =
            fmt::format("text that is not UTF-8, {}", texts_[i]->not_utf8().place());
      }
    }
  }

  [[noreturn]] void refuse_changed() const {
    fail(name_, "did the file change while it was read?");
  }

  // Checks the encoding and determines the dialect.
  void begin(CsvRecordReader& reader) {
    const std::string_view front = reader.front();
    if (front.empty()) fail_corrupt(name_, "is empty: there is no header");
    if (const std::string_view encoding = other_encoding(front); !encoding.empty()) {
      fail(name_, "the encoding is {}, not UTF-8 (iconv -f {} -t UTF-8 converts it)", encoding,
           encoding);
    }
    if (front.starts_with(kUtf8Mark)) reader.skip_bytes(kUtf8Mark.size());
    if (!options_.csv.delimiter && dialect_.delimiter == ',') {
      dialect_.delimiter = detect_delimiter(reader.front(), reader.front_is_whole(), dialect_);
      if (dialect_.delimiter != ',' && !reads_texts_) {
        notes_.push_back(
            fmt::format("the delimiter is taken to be {}", delimiter_name(dialect_.delimiter)));
      }
    }
    if (dialect_.decimal == dialect_.delimiter) {
      fail_usage("--decimal", "{} is the delimiter too (--delimiter)",
                 delimiter_name(dialect_.delimiter));
    }
    if (dialect_.quote == dialect_.delimiter) {
      fail_usage("--quote", "{} is the delimiter too (--delimiter)",
                 delimiter_name(dialect_.delimiter));
    }
    reader.set_dialect(dialect_);
    reader.set_max_fields(kMaxTableColumns);
  }

  // The first record that is not an empty line is the header, or the first row if there is no
  // header.
  void read_names(CsvRecordReader& reader) {
    bool is_empty = true;
    while (is_empty && reader.next(record_)) {
      is_empty = is_empty_line(record_);
      if (is_empty) ++empty_lines_before_;
    }
    if (is_empty && (dialect_.has_header || empty_lines_before_ == 0)) {
      fail_corrupt(name_, "holds empty lines only: there is no header");
    }
    if (is_empty) record_.resize(1);  // no header: a column of nulls
    first_is_row_ = !dialect_.has_header && !is_empty;
    names_.reserve(record_.size());
    for (std::size_t i = 0; i < record_.size(); ++i) {
      if (!dialect_.has_header) {
        names_.push_back(fmt::format("f{}", i));
        continue;
      }
      const std::string_view text = record_[i].text;
      if (const std::optional<std::size_t> bad = first_not_utf8(text)) {
        fail(name_,
             "line {}: the name of column {} is not UTF-8 (byte 0x{:02x}); "
             "what encoding is it? (iconv -f LATIN1 -t UTF-8 converts)",
             record_[i].line, i, static_cast<unsigned char>(text[*bad]));
      }
      names_.emplace_back(text);
    }
    if (!first_is_row_) give_back(record_);
  }

  void make_columns() {
    dtypes_ = requested_dtypes(names_, name_, options_);
    why_not_read_.resize(names_.size());
    for (const std::string& skipped : options_.skip) {
      why_not_read_[find_name(names_, name_, skipped)] = kSkipped;
    }
    if (options_.column) {
      const std::size_t chosen = find_name(names_, name_, *options_.column);
      for (std::size_t i = 0; i < names_.size(); ++i) {
        if (i != chosen) why_not_read_[i] = "was not read";
      }
    }
    stated_ = stated_types();
    values_.resize(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (why_not_read_[i] != nullptr) continue;
      read_.push_back(i);
      if (!is_wide()) values(i);
    }
  }

  bool is_wide() const { return names_.size() > kMaxParsedWidth; }

  // The values of a column that is read. A wide table makes them for its first row, which may have
  // another count of fields: the first line of a file of commas takes little memory.
  CsvColumn& values(std::size_t i) {
    if (values_[i] == nullptr) {
      const std::optional<NumberType> requested = stated_[i] != nullptr ? std::nullopt : dtypes_[i];
      values_[i] = std::make_unique<CsvColumn>(dialect_, spool_, requested, stated_[i]);
    }
    return *values_[i];
  }

  // The stated types of the columns. A number type that was requested for a column by its name
  // replaces another stated type; one for all columns applies to numbers only.
  std::vector<const StatedType*> stated_types() const {
    std::vector<const StatedType*> stated(names_.size());
    if (options_.stated.empty()) return stated;
    InputOptions by_name = options_;
    by_name.dtype.reset();
    const std::vector<std::optional<NumberType>> named = requested_dtypes(names_, name_, by_name);
    // Of several columns with one name, each takes the next type.
    std::unordered_map<std::string_view, std::deque<const StatedType*>> types;
    for (const auto& [name, type] : options_.stated) types[name].push_back(&type);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto found = types.find(names_[i]);
      if (found == types.end() || found->second.empty()) continue;
      const StatedType* const type = found->second.front();
      found->second.pop_front();
      const bool is_plain =
          type->kind == StatedType::Kind::kNumbers && type->logical.kind == LogicalKind::kNumber;
      if (!(is_plain ? dtypes_ : named)[i]) stated[i] = type;
    }
    return stated;
  }

  // Without a header, leading empty lines are rows of a single column.
  void add_empty_lines_before() {
    if (dialect_.has_header || names_.size() > 1) return;
    for (std::uint64_t line = 1; line <= empty_lines_before_; ++line) {
      for (const std::size_t i : read_)
        add_field(i, {.text = {}, .is_quoted = false, .line = line});
    }
  }

  // Adds all rows after the header. An empty line is a null if there is one column, and is skipped
  // otherwise.
  void read_rows(CsvRecordReader& reader) {
    if (std::exchange(first_is_row_, false)) add_row();
    give_back(record_);
    next_line_ = reader.next_line();
    if (reader.truncated_line()) truncated_line_ = reader.truncated_line();
    CsvBlockReader blocks(reader, dialect_);
    read_blocks(blocks, options_.csv.executor, *this);
  }

  void parse(ParsedBlock& block) const override {
    const std::size_t width = names_.size();
    block.records.split(dialect_, width);
    if (is_wide()) return;
    block.numbers.resize(reads_texts_ ? 0 : width);
    block.texts.resize(reads_texts_ ? width : 0);
    for (ColumnPart& part : block.numbers) part.clear();
    for (const std::size_t i : read_) {
      if (reads_texts_) {
        block.texts[i].parse(block.records, i, dialect_);
      } else if (!values_[i]->is_text()) {
        block.numbers[i].parse(block.records, i, values_[i]->part_rules());
      }
    }
  }

  void add(ParsedBlock& block) override {
    const RecordBlock& records = block.records;
    for (const std::size_t i : read_) {
      if (is_wide()) {
        add_fields(records, i);
      } else if (reads_texts_) {
        texts_[i]->add_part(block.texts[i], records, i, next_line_);
      } else {
        values_[i]->add_part(block.numbers[i], records, i, next_line_);
      }
    }
    rows_ += records.rows();
    refuse_stop(records);
    next_line_ += records.lines();
  }

  // Adds the fields of a column in a block that was not parsed.
  void add_fields(const RecordBlock& records, std::size_t column) {
    for (std::size_t row = 0; row < records.rows(); ++row) {
      add_field(column, {records.text(row, column), records.is_quoted(row, column),
                         next_line_ + records.line(row, column)});
    }
  }

  // Reports why the rows of a block end early.
  void refuse_stop(const RecordBlock& records) {
    const std::uint64_t line = next_line_ + records.stop_line();
    switch (records.stop()) {
      case RecordBlock::Stop::kNone:
        return;
      case RecordBlock::Stop::kTruncated:
        truncated_line_ = line;
        return;
      case RecordBlock::Stop::kWidth:
        refuse_row(line, records.stop_width());
      case RecordBlock::Stop::kOpenQuote:
        CsvRecordReader::refuse_open_quote(name_, line);
      case RecordBlock::Stop::kTooLong:
        CsvRecordReader::refuse_long_record(name_, line);
    }
  }

  [[noreturn]] void refuse_row(std::uint64_t line, std::size_t width) const {
    fail_corrupt(name_, "line {}: {} field{}, the {} has {}{}", line, width, width == 1 ? "" : "s",
                 dialect_.has_header ? "header" : "first line", names_.size(), delimiter_hint());
  }

  // Suggests another delimiter if the header contains one.
  std::string delimiter_hint() const {
    if (names_.size() > 1) return "";
    for (const char other : {',', ';', '\t', '|'}) {
      if (other == dialect_.delimiter || names_[0].find(other) == std::string::npos) continue;
      return fmt::format(" (the delimiter is {}; the header holds {}: --delimiter sets it)",
                         delimiter_name(dialect_.delimiter), delimiter_name(other));
    }
    return "";
  }

  void add_row() {
    for (const std::size_t i : read_) add_field(i, record_[i]);
    ++rows_;
  }

  void add_field(std::size_t column, const CsvField& field) {
    reads_texts_ ? texts_[column]->add(field) : values(column).add(field);
  }

  void finish() {
    columns_.reserve(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (why_not_read_[i] != nullptr) {
        Column& column = columns_.emplace_back();
        column.name = names_[i];
        column.source_type = "text";
        column.unfit = why_not_read_[i];
        continue;
      }
      values(i).finish();
      refuse_problem(i);
      columns_.push_back(values_[i]->describe(names_[i]));
      if (!columns_[i].unfit.empty()) columns_[i].unfit += delimiter_hint();
      for (const std::string& note : values_[i]->notes()) {
        notes_.push_back(fmt::format("column '{}': {}", names_[i], note));
      }
    }
  }

  void refuse_problem(std::size_t index) const {
    const std::optional<std::string> problem = values_[index]->problem();
    if (!problem) return;
    if (stated_[index] != nullptr) {
      fail(column_place(name_, names_[index]), "{}; the folder has {}", *problem,
           stated_[index]->name);
    }
    fail(column_place(name_, names_[index]),
         "{} (--dtype '{}=f64' sets a type, --skip '{}' leaves it out)", *problem, names_[index],
         names_[index]);
  }

  std::string name_;
  InputOptions options_;
  FileRef file_;
  bool is_plain_;  // not compressed
  CsvDialect dialect_;
  Spool spool_;
  std::optional<Spool::Stream> copy_;  // of the whole input, if it cannot be read again
  std::vector<std::string> names_;
  std::vector<const char*> why_not_read_;              // null for columns that are read
  std::vector<const StatedType*> stated_;              // in options_; null: none
  std::vector<std::unique_ptr<CsvColumn>> values_;     // null: not needed yet, or not read
  std::vector<std::optional<NumberType>> dtypes_;      // requested
  std::vector<std::unique_ptr<CsvTextColumn>> texts_;  // null for columns that are not text
  bool reads_texts_ = false;                           // instead of values
  std::uint64_t rows_ = 0;
  std::vector<std::size_t> read_;
  std::vector<CsvField> record_;
  std::uint64_t next_line_ = 1;  // of the next block
  std::optional<std::uint64_t> truncated_line_;
  bool first_is_row_ = false;             // record_ holds the first row, not yet added
  std::uint64_t empty_lines_before_ = 0;  // before the first nonempty record
};

}  // namespace

std::unique_ptr<TableInput> open_csv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<CsvTable>(*input, options, ',');
}

std::unique_ptr<TableInput> open_tsv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<CsvTable>(*input, options, '\t');
}

}  // namespace numpact::cli
