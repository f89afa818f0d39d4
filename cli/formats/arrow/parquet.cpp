// SPDX-License-Identifier: Apache-2.0
// Parquet files. They are read one block of one column at a time.
#include <arrow/array/array_primitive.h>
#include <arrow/array/concatenate.h>
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
#include <array>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/arrow_others.hpp"
#include "formats/arrow/arrow_output.hpp"
#include "formats/arrow/int96.hpp"
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
      throw Failure(ExitCode::kFailure, file,
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

class ParquetTable final : public TableInput {
 public:
  ParquetTable(Input& input, const InputOptions& options)
      : TableInput(true),
        file_(input.name()),
        options_(options),
        bytes_(arrow_file(input)),
        reader_(open_reader(bytes_, arrow::TimeUnit::NANO, file_)) {
    std::shared_ptr<arrow::Schema> schema;
    check_arrow(reader_->GetSchema(&schema), file_);
    metadata_ = metadata_of(schema->metadata());
    columns_ = describe_fields(
        *schema, options_.purpose, [this](std::size_t index) { return open_lists(index, 1); },
        file_);
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    Column& column = columns_[index];
    FileReader reader = reader_;
    if (is_int96(index)) reader = reader_in_unit(choose_int96_unit(index));
    NextArrays next =
        column.is_list
            ? open_lists(index, std::max<std::uint64_t>(1, kBlockNumbers / column.dimension))
            : open_numbers(reader, index);
    return read_arrays(std::move(next), column, rows(), nulls_, file_);
  }

  bool can_keep(std::size_t) const override { return true; }

  std::unique_ptr<TextInput> open_texts(std::size_t index) override {
    std::shared_ptr<arrow::Schema> schema;
    check_arrow(reader_->GetSchema(&schema), file_);
    return texts_of(*schema->field(static_cast<int>(index)), open_numbers(reader_, index),
                    place_of(index));
  }

  OtherColumn write_other(std::size_t index, ByteSink& file,
                          std::optional<table::Vectors> vectors) override {
    std::shared_ptr<arrow::Schema> schema;
    check_arrow(reader_->GetSchema(&schema), file_);
    return write_arrays(schema->field(static_cast<int>(index)), open_numbers(reader_, index), file,
                        place_of(index), vectors);
  }

 private:
  std::uint64_t rows() const {
    return static_cast<std::uint64_t>(reader_->parquet_reader()->metadata()->num_rows());
  }

  std::string place_of(std::size_t index) const {
    return column_place(file_, reader_->manifest().schema_fields[index].field->name());
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
        throw Failure(ExitCode::kCorrupt, place, error.what());
      }
      if (arrays == nullptr || arrays->length() == 0) {
        throw Failure(ExitCode::kCorrupt, place, "truncated: holds fewer rows than the file says");
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
    return checked(next, place, rows());
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
    return checked(next, place, rows());
  }

  bool is_int96(std::size_t index) const {
    const parquet::arrow::SchemaField& field = reader_->manifest().schema_fields[index];
    if (columns_[index].logical.kind != LogicalKind::kTimestamp || field.column_index < 0) {
      return false;
    }
    const parquet::SchemaDescriptor& schema = *reader_->parquet_reader()->metadata()->schema();
    return schema.Column(field.column_index)->physical_type() == parquet::Type::INT96;
  }

  FileReader reader_in_unit(arrow::TimeUnit::type unit) const {
    return unit == arrow::TimeUnit::NANO ? reader_ : open_reader(bytes_, unit, file_);
  }

  // Reads the column in three units, and sets the suitable one in columns_.
  arrow::TimeUnit::type choose_int96_unit(std::size_t index) {
    using arrow::TimeUnit;
    std::array<NextArrays, 3> units;
    std::size_t at = 0;
    for (const TimeUnit::type unit : {TimeUnit::NANO, TimeUnit::MICRO, TimeUnit::MILLI}) {
      units[at++] = open_numbers(reader_in_unit(unit), index);
    }
    Int96Unit found;
    std::uint64_t row = 0;
    while (std::shared_ptr<arrow::Array> nanos = next_array(units[0])) {
      const auto micros = next_array(units[1]);
      const auto millis = next_array(units[2]);
      for (std::int64_t i = 0; i < nanos->length(); ++i, ++row) {
        if (nanos->IsNull(i)) continue;
        found.add(row, value_at(*nanos, i), value_at(*micros, i), value_at(*millis, i));
      }
    }
    if (!found.unit()) throw Failure(ExitCode::kFailure, place_of(index), found.problem());
    columns_[index].logical.unit = *found.unit();
    return *found.unit() == cli::TimeUnit::kNano ? TimeUnit::NANO : TimeUnit::MICRO;
  }

  // Combines all arrays of a block into one.
  std::shared_ptr<arrow::Array> next_array(const NextArrays& next) const {
    const std::shared_ptr<arrow::ChunkedArray> arrays = next();
    if (arrays == nullptr) return nullptr;
    if (arrays->num_chunks() == 1) return arrays->chunk(0);
    return take_arrow(arrow::Concatenate(arrays->chunks()), file_);
  }

  static std::int64_t value_at(const arrow::Array& timestamps, std::int64_t i) {
    return static_cast<const arrow::TimestampArray&>(timestamps).Value(i);
  }

  std::string file_;
  InputOptions options_;
  std::shared_ptr<arrow::io::RandomAccessFile> bytes_;
  FileReader reader_;
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
    return std::make_unique<ParquetTable>(*input, options);
  } catch (const parquet::ParquetException& error) {
    throw Failure(ExitCode::kCorrupt, input->name(), error.what());
  }
}

std::unique_ptr<TableOutput> make_parquet(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<ParquetOutput>(file, plan);
}

}  // namespace numpact::cli
