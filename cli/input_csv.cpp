// SPDX-License-Identifier: Apache-2.0
// Tables as text. Types are those that fit all rows, so the file is looked through before any
// number is handed on; then a column at a time is read from its start.
#include <utility>

#include "arrow_columns.hpp"
#include "convert.hpp"
#include "csv_types.hpp"
#include "formats.hpp"

namespace numpact::cli {
namespace {

class CsvTable final : public TableInput {
 public:
  CsvTable(Input& input, const InputOptions& options, char separator)
      : TableInput(true),
        name_(input.name()),
        options_(options),
        file_(arrow_file(input)),
        types_(file_, {separator, options.has_header}, name_) {
    if (options.column) {
      look_at_one(*options.column);
    } else {
      look_at_all();
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    Column parsed = columns_[index];
    if (parsed.type == NumberType::kF16) parsed.type = NumberType::kF32;
    const std::string place = column_place(name_, parsed.name);
    auto next = [this, index,
                 blocks =
                     CsvBlocks(file_, name_)]() mutable -> std::shared_ptr<arrow::ChunkedArray> {
      const std::shared_ptr<arrow::Buffer> block = blocks.next();
      return block == nullptr ? nullptr : types_.read(index, block, blocks.is_first());
    };
    auto numbers = read_arrays(std::move(next), parsed, types_.rows(), options_, name_);
    return convert_numbers(std::move(numbers), parsed.type, columns_[index].type,
                           Conversion::kRound, place);
  }

 private:
  std::shared_ptr<arrow::DataType> parse_type() const {
    return arrow_type_of(options_.dtype == NumberType::kF16 ? NumberType::kF32 : *options_.dtype);
  }

  Column describe(std::size_t index) const {
    Column column = describe_field(*arrow::field(types_.names()[index], types_.type(index)), false);
    // Arrow's CSV has no half-precision numbers: they are parsed as floats and rounded.
    const bool half = options_.dtype == NumberType::kF16 && column.type == NumberType::kF32;
    if (half) column.type = NumberType::kF16;
    return column;
  }

  // All columns are named in columns_, one is looked at.
  void look_at_one(const std::string& wanted) {
    for (const std::string& name : types_.names()) {
      Column& column = columns_.emplace_back();
      column.name = name;
      column.unfit = "was not read";
    }
    const std::size_t index = find_column(*this, name_, wanted);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i != index) types_.leave_out(i);
    }
    if (options_.dtype) types_.fix(index, parse_type());
    types_.find();
    columns_[index] = describe(index);
  }

  // With a number type: looks once more, at those columns in it that hold numbers.
  void look_at_all() {
    types_.find();
    bool any = false;
    for (std::size_t i = 0; options_.dtype && i < types_.names().size(); ++i) {
      const Column column = describe(i);
      if (!column.unfit.empty() || column.logical.kind != LogicalKind::kNumber) continue;
      types_.fix(i, parse_type());
      any = true;
    }
    if (any) types_.find();
    for (std::size_t i = 0; i < types_.names().size(); ++i) columns_.push_back(describe(i));
  }

  std::string name_;
  InputOptions options_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  CsvTypes types_;
};

}  // namespace

std::unique_ptr<TableInput> open_csv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<CsvTable>(*input, options, ',');
}

std::unique_ptr<TableInput> open_tsv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<CsvTable>(*input, options, '\t');
}

}  // namespace numpact::cli
