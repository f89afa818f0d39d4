// SPDX-License-Identifier: Apache-2.0
// Parquet files, read a piece of one column at a time.
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "arrow_columns.hpp"
#include "formats.hpp"

namespace numpact::cli {
namespace {

class ParquetTable final : public TableInput {
 public:
  ParquetTable(Input& input, const InputOptions& options)
      : TableInput(true), file_(input.name()), options_(options) {
    parquet::ArrowReaderProperties properties;
    properties.set_pre_buffer(false);
    parquet::arrow::FileReaderBuilder builder;
    parquet::ReaderProperties reader = parquet::default_reader_properties();
    reader.enable_buffered_stream();
    check_arrow(builder.Open(arrow_file(input), reader), file_);
    builder.properties(properties);
    std::unique_ptr<parquet::arrow::FileReader> reader_built;
    check_arrow(builder.Build(&reader_built), file_);
    reader_ = std::move(reader_built);
    std::shared_ptr<arrow::Schema> schema;
    check_arrow(reader_->GetSchema(&schema), file_);
    for (const std::shared_ptr<arrow::Field>& field : schema->fields()) {
      columns_.push_back(describe_field(*field, options_.lists));
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    return columns_[index].list_size == 0 ? open_numbers(index) : open_lists(index);
  }

 private:
  std::uint64_t rows() const {
    return static_cast<std::uint64_t>(reader_->parquet_reader()->metadata()->num_rows());
  }

  std::unique_ptr<NumberInput> open_numbers(std::size_t index) {
    std::shared_ptr<parquet::arrow::ColumnReader> column;
    {
      // Fields and leaves are counted apart: a structure is one field of several leaves.
      const parquet::arrow::SchemaField& field = reader_->manifest().schema_fields[index];
      std::unique_ptr<parquet::arrow::ColumnReader> opened;
      check_arrow(reader_->GetColumn(field.column_index, &opened), file_);
      column = std::move(opened);
    }
    const std::string place = column_place(file_, columns_[index].name);
    auto next = [column, place, left = rows()]() mutable -> std::shared_ptr<arrow::ChunkedArray> {
      if (left == 0) return nullptr;
      std::shared_ptr<arrow::ChunkedArray> arrays;
      try {
        check_arrow(column->NextBatch(std::int64_t{kPieceNumbers}, &arrays), place);
      } catch (const parquet::ParquetException& error) {
        throw Failure(ExitCode::kCorrupt, place, error.what());
      }
      if (arrays == nullptr || arrays->length() == 0) {
        throw Failure(ExitCode::kCorrupt, place, "truncated: holds less rows than the file says");
      }
      left -= std::min(left, static_cast<std::uint64_t>(arrays->length()));
      return arrays;
    };
    return read_arrays(std::move(next), columns_[index], rows(), options_, file_);
  }

  std::unique_ptr<NumberInput> open_lists(std::size_t index) {
    const std::string place = column_place(file_, columns_[index].name);
    const parquet::arrow::SchemaField& field = reader_->manifest().schema_fields[index];
    std::vector<int> groups(static_cast<std::size_t>(reader_->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    reader_->set_batch_size(static_cast<std::int64_t>(
        std::max<std::uint64_t>(1, kPieceNumbers / columns_[index].list_size)));
    std::shared_ptr<arrow::RecordBatchReader> batches = take_arrow(
        reader_->GetRecordBatchReader(groups, {field.children.at(0).column_index}), place);
    auto next = [file = reader_, batches, place,
                 left = rows()]() mutable -> std::shared_ptr<arrow::ChunkedArray> {
      std::shared_ptr<arrow::RecordBatch> batch;
      try {
        check_arrow(batches->ReadNext(&batch), place);
      } catch (const parquet::ParquetException& error) {
        throw Failure(ExitCode::kCorrupt, place, error.what());
      }
      if (batch == nullptr && left > 0) {
        throw Failure(ExitCode::kCorrupt, place, "truncated: holds less rows than the file says");
      }
      if (batch == nullptr) return nullptr;
      left -= std::min(left, static_cast<std::uint64_t>(batch->num_rows()));
      return std::make_shared<arrow::ChunkedArray>(batch->column(0));
    };
    return read_arrays(std::move(next), columns_[index], rows(), options_, file_);
  }

  std::string file_;
  InputOptions options_;
  std::shared_ptr<parquet::arrow::FileReader> reader_;
};

}  // namespace

std::unique_ptr<TableInput> open_parquet(std::unique_ptr<Input> input,
                                         const InputOptions& options) {
  try {
    return std::make_unique<ParquetTable>(*input, options);
  } catch (const parquet::ParquetException& error) {
    throw Failure(ExitCode::kCorrupt, input->name(), error.what());
  }
}

}  // namespace numpact::cli
