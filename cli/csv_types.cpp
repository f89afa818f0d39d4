// SPDX-License-Identifier: Apache-2.0
#include "csv_types.hpp"

#include <arrow/csv/reader.h>
#include <arrow/io/memory.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "arrow_columns.hpp"
#include "failure.hpp"

namespace numpact::cli {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{2} << 20;

// What Arrow takes a column for: the first that all values are.
const arrow::DataTypeVector& ladder() {
  static const arrow::DataTypeVector types = {
      arrow::null(),
      arrow::int64(),
      arrow::boolean(),
      arrow::date32(),
      arrow::time32(arrow::TimeUnit::SECOND),
      arrow::timestamp(arrow::TimeUnit::SECOND),
      arrow::timestamp(arrow::TimeUnit::NANO),
      arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"),
      arrow::timestamp(arrow::TimeUnit::NANO, "UTC"),
      arrow::float64(),
      arrow::utf8(),
      arrow::binary(),
  };
  return types;
}

// The first that is no number, date or truth value: such columns are looked at no more.
std::size_t text_rung() { return ladder().size() - 2; }

std::size_t rung_of(const arrow::DataType& type) {
  for (std::size_t i = 0; i < ladder().size(); ++i) {
    if (ladder()[i]->Equals(type)) return i;
  }
  return text_rung();
}

// Columns may share a name in the file; to Arrow they have these.
std::string id_of(std::size_t column) { return std::to_string(column); }

bool is_conversion_error(const arrow::Status& status) {
  return status.message().find("conversion error") != std::string::npos;
}

// The column that a value did not fit.
std::optional<std::size_t> failed_column(const arrow::Status& status) {
  constexpr std::string_view kBefore = "column #";
  const std::string& text = status.message();
  const std::size_t found = text.find(kBefore);
  if (found == std::string::npos || !is_conversion_error(status)) return std::nullopt;
  return std::stoull(text.substr(found + kBefore.size()));
}

}  // namespace

CsvBlocks::CsvBlocks(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string file_name)
    : file_(std::move(file)), file_name_(std::move(file_name)) {}

std::shared_ptr<arrow::Buffer> CsvBlocks::next() {
  for (std::int64_t wanted = kBlockBytes;; wanted *= 2) {
    const auto read = take_arrow(file_->ReadAt(offset_, wanted), file_name_);
    if (read->size() == 0) return nullptr;
    if (read->size() < wanted) return take(read, read->size());
    const std::string_view text(*read);
    const std::size_t end = text.find_last_of("\r\n");
    if (end != std::string_view::npos) return take(read, static_cast<std::int64_t>(end) + 1);
  }
}

std::shared_ptr<arrow::Buffer> CsvBlocks::take(const std::shared_ptr<arrow::Buffer>& read,
                                               std::int64_t bytes) {
  offset_ += bytes;
  ++count_;
  return arrow::SliceBuffer(read, 0, bytes);
}

CsvTypes::CsvTypes(std::shared_ptr<arrow::io::RandomAccessFile> file, const CsvForm& form,
                   std::string file_name)
    : file_(std::move(file)), form_(form), file_name_(std::move(file_name)) {
  read_names();
}

void CsvTypes::read_names() {
  std::shared_ptr<arrow::Buffer> block = CsvBlocks(file_, file_name_).next();
  if (block == nullptr) block = std::make_shared<arrow::Buffer>("");  // Arrow has the words for it
  arrow::csv::ReadOptions options = arrow::csv::ReadOptions::Defaults();
  options.autogenerate_column_names = !form_.has_header;
  const auto reader = take_arrow(
      arrow::csv::StreamingReader::Make(arrow::io::default_io_context(),
                                        std::make_shared<arrow::io::BufferReader>(block), options,
                                        parse_options(), arrow::csv::ConvertOptions::Defaults()),
      file_name_);
  names_ = reader->schema()->field_names();
  columns_.resize(names_.size());
}

void CsvTypes::fix(std::size_t column, std::shared_ptr<arrow::DataType> type) {
  columns_[column].fixed = std::move(type);
}

void CsvTypes::leave_out(std::size_t column) { columns_[column].is_left_out = true; }

const std::shared_ptr<arrow::DataType>& CsvTypes::type(std::size_t column) const {
  const Column& found = columns_[column];
  return found.fixed != nullptr ? found.fixed : ladder()[found.rung];
}

void CsvTypes::find() {
  // What a later block made of a column must fit the earlier ones too.
  while (look_at_all()) {
  }
}

// Says whether a column is of another type now than in blocks looked at before.
bool CsvTypes::look_at_all() {
  rows_ = 0;
  bool has_changed = false;
  CsvBlocks blocks(file_, file_name_);
  while (const std::shared_ptr<arrow::Buffer> block = blocks.next()) {
    if (look_at(block, blocks.is_first())) has_changed = true;
  }
  return has_changed;
}

bool CsvTypes::look_at(const std::shared_ptr<arrow::Buffer>& block, bool is_first) {
  bool has_changed = false;
  for (;;) {
    const auto table = parse(block, is_first, convert_options());
    if (table.ok()) {
      rows_ += static_cast<std::uint64_t>((*table)->num_rows());
      for (const std::shared_ptr<arrow::Field>& field : (*table)->schema()->fields()) {
        Column& column = columns_[std::stoull(field->name())];
        if (column.rung == 0) column.rung = rung_of(*field->type());
      }
      return has_changed;
    }
    const std::optional<std::size_t> failed = failed_column(table.status());
    const bool may_climb = failed && columns_[*failed].fixed == nullptr &&
                           columns_[*failed].rung + 1 < ladder().size();
    if (!may_climb) {
      // That a value is not of the type asked for does not make the file corrupt.
      if (failed) throw Failure(ExitCode::kFailure, file_name_, table.status().message());
      check_arrow(table.status(), file_name_);
    }
    ++columns_[*failed].rung;
    has_changed = true;
  }
}

std::shared_ptr<arrow::ChunkedArray> CsvTypes::read(std::size_t column,
                                                    const std::shared_ptr<arrow::Buffer>& block,
                                                    bool is_first) const {
  return take_arrow(parse(block, is_first, convert_options(column)),
                    column_place(file_name_, names_[column]))
      ->column(0);
}

arrow::Result<std::shared_ptr<arrow::Table>> CsvTypes::parse(
    const std::shared_ptr<arrow::Buffer>& block, bool is_first,
    const arrow::csv::ConvertOptions& convert) const {
  arrow::csv::ReadOptions options = read_options();
  if (!is_first) options.skip_rows_after_names = 0;
  const auto reader =
      take_arrow(arrow::csv::TableReader::Make(arrow::io::default_io_context(),
                                               std::make_shared<arrow::io::BufferReader>(block),
                                               options, parse_options(), convert),
                 file_name_);
  return reader->Read();
}

arrow::csv::ReadOptions CsvTypes::read_options() const {
  arrow::csv::ReadOptions options = arrow::csv::ReadOptions::Defaults();
  for (std::size_t i = 0; i < names_.size(); ++i) options.column_names.push_back(id_of(i));
  options.skip_rows_after_names = form_.has_header ? 1 : 0;
  return options;
}

arrow::csv::ParseOptions CsvTypes::parse_options() const {
  arrow::csv::ParseOptions options = arrow::csv::ParseOptions::Defaults();
  options.delimiter = form_.separator;
  return options;
}

namespace {

arrow::csv::ConvertOptions basic_options() {
  arrow::csv::ConvertOptions options = arrow::csv::ConvertOptions::Defaults();
  // Missing values, as Arrow has them but for NaN, which is a float.
  options.null_values = {"",        "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "1.#IND",
                         "1.#QNAN", "N/A",  "NA",       "NULL", "null",    "<NA>"};
  return options;
}

}  // namespace

// For a block: of columns without a type yet Arrow finds one.
arrow::csv::ConvertOptions CsvTypes::convert_options() const {
  arrow::csv::ConvertOptions options = basic_options();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const bool is_text = column.fixed == nullptr && column.rung >= text_rung();
    if (column.is_left_out || is_text) continue;
    options.include_columns.push_back(id_of(i));
    if (column.fixed != nullptr || column.rung > 0) options.column_types[id_of(i)] = type(i);
  }
  if (options.include_columns.empty()) {  // which would mean all
    options.include_columns.push_back(id_of(0));
    options.column_types[id_of(0)] = arrow::binary();
  }
  return options;
}

arrow::csv::ConvertOptions CsvTypes::convert_options(std::size_t column) const {
  arrow::csv::ConvertOptions options = basic_options();
  options.include_columns = {id_of(column)};
  options.column_types[id_of(column)] = type(column);
  return options;
}

}  // namespace numpact::cli
