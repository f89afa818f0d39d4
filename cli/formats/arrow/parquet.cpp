// SPDX-License-Identifier: Apache-2.0
// Parquet files. They are read one block of one column at a time.
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/arrow_others.hpp"
#include "formats/arrow/arrow_output.hpp"
#include "formats/arrow/parquet_fit.hpp"
#include "formats/formats.hpp"

namespace numpact::cli {
namespace {

using FileReader = std::shared_ptr<parquet::arrow::FileReader>;

// polars' integers of 128 bits are 16 bytes without a logical type. Arrow has no such integers and
// refuses the file without naming a column.
std::string columns_of_16_bytes(const parquet::SchemaDescriptor& schema) {
  std::string names;
  for (int i = 0; i < schema.num_columns(); ++i) {
    const parquet::ColumnDescriptor& column = *schema.Column(i);
    if (column.physical_type() != parquet::Type::FIXED_LEN_BYTE_ARRAY ||
        column.type_length() != 16 || !column.logical_type()->is_none()) {
      continue;
    }
    names += (names.empty() ? "'" : ", '") + column.path()->ToDotString() + "'";
  }
  return names;
}

void check_built(const arrow::Status& status, const parquet::SchemaDescriptor& schema,
                 const std::string& file) {
  if (status.IsNotImplemented() && status.message().find("64 bits") != std::string::npos) {
    const std::string names = columns_of_16_bytes(schema);
    if (!names.empty()) {
      fail(file,
           "integers of 128 bits, which Arrow does not have, are among the columns of 16 "
           "bytes (" +
               names + "): cast them to 64 bits, decimals or text, and write it again");
    }
  }
  check_arrow(status, file);
}

FileReader open_reader(const std::shared_ptr<arrow::io::RandomAccessFile>& bytes,
                       arrow::TimeUnit::type int96_unit, const std::string& file) {
  parquet::ArrowReaderProperties properties;
  properties.set_pre_buffer(false);
  properties.set_coerce_int96_timestamp_unit(int96_unit);
  parquet::ReaderProperties reader = parquet::default_reader_properties();
  reader.enable_buffered_stream();
  parquet::arrow::FileReaderBuilder builder;
  check_arrow(builder.Open(bytes, reader), file);
  builder.properties(properties);
  // Building takes the reader away, also where it fails.
  const std::shared_ptr<parquet::FileMetaData> metadata = builder.raw_reader()->metadata();
  std::unique_ptr<parquet::arrow::FileReader> built;
  check_built(builder.Build(&built), *metadata->schema(), file);
  return built;
}

class ParquetSource final : public ArrowSource {
 public:
  explicit ParquetSource(Input& input)
      : file_(input.name()),
        bytes_(arrow_file(input)),
        reader_(open_reader(bytes_, arrow::TimeUnit::NANO, file_)) {
    check_arrow(reader_->GetSchema(&schema_), file_);
  }

  ArrowFields fields() override { return exported(*schema_, file_); }

  std::optional<std::uint64_t> rows() const override { return row_count(); }

  NextArray arrays(std::size_t column, const ArrayOptions& options) override {
    const bool is_nested = schema_->field(static_cast<int>(column))->type()->num_fields() > 0;
    return exported(is_nested ? open_lists(column, options.rows)
                              : open_numbers(reader_in_unit(options.int96_unit), column),
                    options.checks_values, place_of(column));
  }

  bool is_int96(std::size_t column) const override {
    const parquet::arrow::SchemaField& field = reader_->manifest().schema_fields[column];
    if (field.column_index < 0) return false;
    const parquet::SchemaDescriptor& schema = *reader_->parquet_reader()->metadata()->schema();
    return schema.Column(field.column_index)->physical_type() == parquet::Type::INT96;
  }

  OtherColumn write_other(std::size_t column, ByteSink& file,
                          std::optional<table::Vectors> vectors) override {
    return write_arrays(schema_->field(static_cast<int>(column)), open_numbers(reader_, column),
                        file, place_of(column), vectors);
  }

 private:
  std::uint64_t row_count() const {
    return static_cast<std::uint64_t>(reader_->parquet_reader()->metadata()->num_rows());
  }

  std::string place_of(std::size_t column) const {
    return column_place(file_, schema_->field(static_cast<int>(column))->name());
  }

  // Turns exceptions of the reader into Failure, and checks for missing rows, which it reports too
  // late.
  static NextArrays checked(std::function<std::shared_ptr<arrow::ChunkedArray>()> next,
                            std::string place, std::uint64_t rows) {
    return [next = std::move(next), place = std::move(place),
            left = rows]() mutable -> std::shared_ptr<arrow::ChunkedArray> {
      if (left == 0) return nullptr;
      std::shared_ptr<arrow::ChunkedArray> arrays;
      try {
        arrays = next();
      } catch (const parquet::ParquetException& error) {
        fail_corrupt(place, error.what());
      }
      if (arrays == nullptr || arrays->length() == 0) {
        fail_corrupt(place, "truncated: holds fewer rows than the file says");
      }
      left -= std::min(left, static_cast<std::uint64_t>(arrays->length()));
      return arrays;
    };
  }

  NextArrays open_numbers(const FileReader& reader, std::size_t index) const {
    std::unique_ptr<parquet::arrow::ColumnReader> opened;
    // By index of the field in the schema, since fields before it may have any number of leaves.
    check_arrow(reader->GetColumn(static_cast<int>(index), &opened), file_);
    const std::shared_ptr<parquet::arrow::ColumnReader> column = std::move(opened);
    const std::string place = place_of(index);
    const auto next = [reader, column, place] {
      std::shared_ptr<arrow::ChunkedArray> arrays;
      check_arrow(column->NextBatch(std::int64_t{kBlockNumbers}, &arrays), place);
      return arrays;
    };
    return checked(next, place, row_count());
  }

  NextArrays open_lists(std::size_t index, std::uint64_t rows_at_once) const {
    const std::string place = place_of(index);
    const parquet::arrow::SchemaField& field = reader_->manifest().schema_fields[index];
    std::vector<int> groups(static_cast<std::size_t>(reader_->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    reader_->set_batch_size(static_cast<std::int64_t>(rows_at_once));
    std::shared_ptr<arrow::RecordBatchReader> batches = take_arrow(
        reader_->GetRecordBatchReader(groups, {field.children.at(0).column_index}), place);
    const auto next = [reader = reader_, batches, place]() -> std::shared_ptr<arrow::ChunkedArray> {
      std::shared_ptr<arrow::RecordBatch> batch;
      check_arrow(batches->ReadNext(&batch), place);
      if (batch == nullptr) return nullptr;
      return std::make_shared<arrow::ChunkedArray>(batch->column(0));
    };
    return checked(next, place, row_count());
  }

  FileReader reader_in_unit(TimeUnit unit) const {
    if (unit == TimeUnit::kNano) return reader_;
    return open_reader(
        bytes_, unit == TimeUnit::kMicro ? arrow::TimeUnit::MICRO : arrow::TimeUnit::MILLI, file_);
  }

  std::string file_;
  std::shared_ptr<arrow::io::RandomAccessFile> bytes_;
  FileReader reader_;
  std::shared_ptr<arrow::Schema> schema_;
};

// Bytes of rows that are held until the file is opened, so that small files, of which all rows are
// known by then, have statistics of floats.
constexpr std::int64_t kMaxHeldBytes = std::int64_t{16} << 20;

bool has_nan(const NumberView& numbers) {
  const auto contains = [&]<typename T>(T) {
    const std::span values(static_cast<const T*>(numbers.data), numbers.count);
    return std::any_of(values.begin(), values.end(), [](T x) { return x != x; });
  };
  switch (numbers.type) {
    case NumberType::kF64:
      return contains(double{});
    case NumberType::kF32:
      return contains(float{});
    case NumberType::kF16: {
      const std::span bits(static_cast<const std::uint16_t*>(numbers.data), numbers.count);
      return std::any_of(bits.begin(), bits.end(),
                         [](std::uint16_t x) { return (x & 0x7fff) > 0x7c00; });
    }
    default:
      return false;
  }
}

class ParquetOutput final : public ArrowOutput {
 public:
  ParquetOutput(OutputFile& file, const OutputPlan& plan)
      : ArrowOutput(file, plan), fit_(file.name()) {
    for (const Column& column : columns()) may_hold_nan_.push_back(column.other.has_value());
  }

  void write(std::span<const ColumnBlock> columns) override {
    fit_.check(this->columns(), columns);
    for (std::size_t c = 0; writer_ == nullptr && c < columns.size(); ++c) {
      may_hold_nan_[c] = may_hold_nan_[c] || has_nan(columns[c].numbers);
    }
    ArrowOutput::write(columns);
  }

 private:
  arrow::Status write_batch(const arrow::RecordBatch& batch) override {
    try {
      if (writer_ != nullptr) return writer_->WriteRecordBatch(batch);
      held_.push_back(batch.Slice(0, batch.num_rows()));
      held_bytes_ += arrow::util::TotalBufferSize(batch);
      return held_bytes_ < kMaxHeldBytes ? arrow::Status::OK() : open(false);
    } catch (const parquet::ParquetException& error) {
      return arrow::Status::IOError(error.what());
    }
  }

  arrow::Status close() override {
    if (writer_ == nullptr) ARROW_RETURN_NOT_OK(open(true));
    return writer_->Close();
  }

  arrow::Status open(bool are_all_rows_known) {
    parquet::WriterProperties::Builder properties;
    properties.compression(arrow::Compression::ZSTD);
    // Stores the Arrow schema, since Parquet has no seconds and no durations.
    const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    std::shared_ptr<parquet::SchemaDescriptor> descriptor;
    ARROW_RETURN_NOT_OK(parquet::arrow::ToParquetSchema(schema().get(), *properties.build(),
                                                        *arrow_properties, &descriptor));
    leave_out_statistics(*descriptor, are_all_rows_known, properties);
    auto writer = parquet::arrow::FileWriter::Open(*schema(), arrow::default_memory_pool(), sink(),
                                                   properties.build(), arrow_properties);
    ARROW_RETURN_NOT_OK(writer.status());
    writer_ = std::move(writer).ValueUnsafe();
    for (const auto& batch : held_) ARROW_RETURN_NOT_OK(writer_->WriteRecordBatch(*batch));
    held_.clear();
    return arrow::Status::OK();
  }

  // Arrow computes minimum and maximum of floats without NaN. Engines for which NaN is greater than
  // every number (DuckDB, DataFusion) then leave out the rows with NaN.
  void leave_out_statistics(const parquet::SchemaDescriptor& leaves, bool are_all_rows_known,
                            parquet::WriterProperties::Builder& properties) const {
    for (int i = 0; i < leaves.num_columns(); ++i) {
      const parquet::ColumnDescriptor& leaf = *leaves.Column(i);
      const auto& logical = leaf.logical_type();
      const bool is_float = leaf.physical_type() == parquet::Type::FLOAT ||
                            leaf.physical_type() == parquet::Type::DOUBLE ||
                            (logical && logical->is_float16());
      const int column = leaves.group_node()->FieldIndex(*leaves.GetColumnRoot(i));
      if (is_float && (!are_all_rows_known || may_hold_nan_[static_cast<std::size_t>(column)])) {
        properties.disable_statistics(leaf.path()->ToDotString());
      }
    }
  }

  ParquetFit fit_;
  std::vector<bool> may_hold_nan_;
  arrow::RecordBatchVector held_;
  std::int64_t held_bytes_ = 0;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

}  // namespace

std::unique_ptr<TableInput> open_parquet(std::unique_ptr<Input> input,
                                         const InputOptions& options) {
  try {
    return table_of(std::make_unique<ParquetSource>(*input), input->name(), options.purpose);
  } catch (const parquet::ParquetException& error) {
    fail_corrupt(input->name(), error.what());
  }
}

std::unique_ptr<TableOutput> make_parquet(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<ParquetOutput>(file, plan);
}

}  // namespace numpact::cli
