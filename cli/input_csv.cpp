// SPDX-License-Identifier: Apache-2.0
// Tables as text. Types are those that fit all rows, so the whole table is read before any number
// is handed on.
#include <arrow/csv/options.h>
#include <arrow/csv/reader.h>
#include <arrow/table.h>

#include <algorithm>
#include <utility>

#include "arrow_columns.hpp"
#include "convert.hpp"
#include "formats.hpp"

namespace numpact::cli {
namespace {

class CsvTable final : public TableInput {
 public:
  CsvTable(Input& input, const InputOptions& options, char separator)
      : TableInput(true),
        name_(input.name()),
        options_(options),
        separator_(separator),
        file_(arrow_file(input)) {
    // Missing values, as Arrow has them but for NaN, which is a float.
    convert_.null_values = {"",        "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "1.#IND",
                            "1.#QNAN", "N/A",  "NA",       "NULL", "null",    "<NA>"};
    if (options.column) {
      read_one(*options.column);
    } else {
      read_all();
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    Column parsed = columns_[index];
    if (parsed.type == NumberType::kF16) parsed.type = NumberType::kF32;
    const bool only_one = table_->num_columns() == 1;
    const auto arrays = table_->column(only_one ? 0 : static_cast<int>(index));
    auto next = [arrays, done = false]() mutable {
      return std::exchange(done, true) ? nullptr : arrays;
    };
    const auto rows = static_cast<std::uint64_t>(table_->num_rows());
    auto numbers = read_arrays(std::move(next), parsed, rows, options_, name_);
    return convert_numbers(std::move(numbers), parsed.type, columns_[index].type,
                           Conversion::kRound, column_place(name_, parsed.name));
  }

 private:
  arrow::csv::ReadOptions read_options() const {
    arrow::csv::ReadOptions options = arrow::csv::ReadOptions::Defaults();
    options.autogenerate_column_names = !options_.has_header;
    return options;
  }

  arrow::csv::ParseOptions parse_options() const {
    arrow::csv::ParseOptions options = arrow::csv::ParseOptions::Defaults();
    options.delimiter = separator_;
    return options;
  }

  void read() {
    check_arrow(file_->Seek(0), name_);
    const auto reader =
        take_arrow(arrow::csv::TableReader::Make(arrow::io::default_io_context(), shared_stream(),
                                                 read_options(), parse_options(), convert_),
                   name_);
    auto table = reader->Read();
    // That a value is not of the type asked for does not make the file corrupt.
    if (table.status().message().find("conversion error") != std::string::npos) {
      throw Failure(ExitCode::kFailure, name_, table.status().message());
    }
    table_ = take_arrow(std::move(table), name_);
  }

  // The reader closes what it is given; the file must stay open to be read again.
  std::shared_ptr<arrow::io::InputStream> shared_stream() {
    const std::int64_t size = take_arrow(file_->GetSize(), name_);
    return take_arrow(arrow::io::RandomAccessFile::GetStream(file_, 0, size), name_);
  }

  std::shared_ptr<arrow::DataType> parse_type() const {
    return arrow_type_of(options_.dtype == NumberType::kF16 ? NumberType::kF32 : *options_.dtype);
  }

  Column describe(const arrow::Field& field) const {
    Column column = describe_field(field, false);
    // Arrow's CSV has no half-precision numbers: they are parsed as floats and rounded.
    const bool half = options_.dtype == NumberType::kF16 && column.type == NumberType::kF32;
    if (half) column.type = NumberType::kF16;
    return column;
  }

  // All columns are named in columns_, one is read.
  void read_one(const std::string& wanted) {
    for (const std::string& name : column_names()) {
      Column& column = columns_.emplace_back();
      column.name = name;
      column.unfit = "was not read";
    }
    const std::size_t index = find_column(*this, name_, wanted);
    const std::string name = columns_[index].name;
    const auto same = [&](const Column& column) { return column.name == name; };
    if (options_.dtype) convert_.column_types[name] = parse_type();
    // Columns of one name can only be told apart when all are read.
    const bool unique = std::count_if(columns_.begin(), columns_.end(), same) == 1;
    if (unique) convert_.include_columns = {name};
    read();
    columns_[index] = describe(*table_->schema()->field(unique ? 0 : static_cast<int>(index)));
  }

  // With a number type: reads once more, those columns in it that hold numbers.
  void read_all() {
    read();
    if (options_.dtype) {
      for (const std::shared_ptr<arrow::Field>& field : table_->schema()->fields()) {
        const Column column = describe_field(*field, false);
        if (column.unfit.empty() && column.logical.kind == LogicalKind::kNumber) {
          convert_.column_types[field->name()] = parse_type();
        }
      }
      read();
    }
    for (const std::shared_ptr<arrow::Field>& field : table_->schema()->fields()) {
      columns_.push_back(describe(*field));
    }
  }

  std::vector<std::string> column_names() {
    if (take_arrow(file_->GetSize(), name_) == 0) read();  // fails with the right words
    const auto reader = take_arrow(
        arrow::csv::StreamingReader::Make(arrow::io::default_io_context(), shared_stream(),
                                          read_options(), parse_options(), convert_),
        name_);
    return reader->schema()->field_names();
  }

  std::string name_;
  InputOptions options_;
  char separator_;
  arrow::csv::ConvertOptions convert_ = arrow::csv::ConvertOptions::Defaults();
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<arrow::Table> table_;
};

}  // namespace

std::unique_ptr<TableInput> open_csv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<CsvTable>(*input, options, ',');
}

std::unique_ptr<TableInput> open_tsv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<CsvTable>(*input, options, '\t');
}

}  // namespace numpact::cli
