// SPDX-License-Identifier: Apache-2.0
// Writes Parquet and Arrow IPC tables.
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <cstring>
#include <utility>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/parquet_fit.hpp"
#include "formats/formats.hpp"

namespace numpact::cli {
namespace {

// Adapts an OutputFile to Arrow's interface.
class ArrowSink final : public arrow::io::OutputStream {
 public:
  explicit ArrowSink(OutputFile& file) : file_(file) {}
  ~ArrowSink() override = default;

  arrow::Status Write(const void* data, std::int64_t bytes) override {
    const Status status =
        file_.write({static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)});
    return status.ok() ? arrow::Status::OK() : arrow::Status::IOError(status.what());
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override {
    return static_cast<std::int64_t>(file_.bytes_written());
  }
  bool closed() const override { return closed_; }

 private:
  OutputFile& file_;
  bool closed_ = false;
};

// Packs the booleans of `numbers` into bits.
std::shared_ptr<arrow::Buffer> packed_bits(const NumberView& numbers, const std::string& place) {
  const auto* values = static_cast<const std::uint8_t*>(numbers.data);
  const auto count = static_cast<std::int64_t>(numbers.count);
  std::shared_ptr<arrow::Buffer> bits = take_arrow(arrow::AllocateEmptyBitmap(count), place);
  for (std::int64_t i = 0; i < count; ++i) {
    if (values[i] > 1) {
      throw Failure(ExitCode::kCorrupt, place, "corrupt: a truth value is neither 0 nor 1");
    }
    arrow::bit_util::SetBitTo(bits->mutable_data(), i, values[i] == 1);
  }
  return bits;
}

// Packs validity bytes, one per row, into bits.
std::shared_ptr<arrow::Buffer> validity_bits(std::span<const std::uint8_t> valid,
                                             const std::string& place) {
  const auto count = static_cast<std::int64_t>(valid.size());
  std::shared_ptr<arrow::Buffer> bits = take_arrow(arrow::AllocateEmptyBitmap(count), place);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    arrow::bit_util::SetBitTo(bits->mutable_data(), static_cast<std::int64_t>(i), valid[i] != 0);
  }
  return bits;
}

// Converts blocks to record batches, which subclasses write.
class ArrowOutput : public TableOutput {
 public:
  ArrowOutput(OutputFile& file, const OutputPlan& plan)
      : file_(file), columns_(plan.columns), sink_(std::make_shared<ArrowSink>(file)) {
    arrow::FieldVector fields;
    for (const Column& column : columns_) {
      fields.push_back(arrow::field(column.name, arrow_type_of(column), column.nullable,
                                    arrow_metadata_of(column.metadata)));
    }
    schema_ = arrow::schema(std::move(fields), arrow_metadata_of(plan.metadata));
  }

  // Copies the numbers, since writers may keep a batch until its row group is full.
  void write(std::span<const ColumnBlock> columns) override {
    const auto rows = static_cast<std::int64_t>(rows_of(columns_[0], columns[0].numbers.count));
    if (rows == 0) return;
    arrow::ArrayVector arrays;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const NumberView& numbers = columns[c].numbers;
      std::shared_ptr<arrow::Buffer> values;
      if (columns_[c].logical.kind == LogicalKind::kBool) {
        values = packed_bits(numbers, column_place(file_.name(), columns_[c].name));
      } else {
        const std::size_t bytes = numbers.count * size_of(numbers.type);
        values = take_arrow(arrow::AllocateBuffer(static_cast<std::int64_t>(bytes)), file_.name());
        std::memcpy(values->mutable_data(), numbers.data, bytes);
      }
      const auto& type = schema_->field(static_cast<int>(c))->type();
      if (columns[c].valid.empty()) {
        arrays.push_back(make_array(type, rows, std::move(values), columns_[c]));
      } else {
        arrays.push_back(arrow::MakeArray(arrow::ArrayData::Make(
            type, rows, {validity_bits(columns[c].valid, file_.name()), std::move(values)})));
      }
    }
    check_output(write_batch(*arrow::RecordBatch::Make(schema_, rows, std::move(arrays))));
  }

  void finish() override { check_output(close()); }

 protected:
  void check_output(const arrow::Status& status) const {
    if (status.ok()) return;
    file_.throw_if_failed();
    throw Failure(ExitCode::kFailure, file_.name(), status.message());
  }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  const std::shared_ptr<ArrowSink>& sink() const { return sink_; }

 private:
  static std::shared_ptr<arrow::Array> make_array(const std::shared_ptr<arrow::DataType>& type,
                                                  std::int64_t rows,
                                                  std::shared_ptr<arrow::Buffer> values,
                                                  const Column& column) {
    if (column.list_size == 0) {
      return arrow::MakeArray(arrow::ArrayData::Make(type, rows, {nullptr, std::move(values)}, 0));
    }
    const std::int64_t numbers = rows * static_cast<std::int64_t>(column.list_size);
    auto inner = arrow::ArrayData::Make(arrow_type_of(column.type), numbers,
                                        {nullptr, std::move(values)}, 0);
    return arrow::MakeArray(arrow::ArrayData::Make(type, rows, {nullptr}, {std::move(inner)}, 0));
  }

  virtual arrow::Status write_batch(const arrow::RecordBatch& batch) = 0;
  virtual arrow::Status close() = 0;

  OutputFile& file_;

 protected:
  std::vector<Column> columns_;

 private:
  std::shared_ptr<ArrowSink> sink_;
  std::shared_ptr<arrow::Schema> schema_;
};

class ParquetOutput final : public ArrowOutput {
 public:
  ParquetOutput(OutputFile& file, const OutputPlan& plan)
      : ArrowOutput(file, plan), fit_(file.name()) {
    const auto properties =
        parquet::WriterProperties::Builder().compression(arrow::Compression::ZSTD)->build();
    // Stores the Arrow schema, since Parquet has no seconds and no durations.
    const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    auto writer = parquet::arrow::FileWriter::Open(*schema(), arrow::default_memory_pool(), sink(),
                                                   properties, arrow_properties);
    check_output(writer.status());
    writer_ = std::move(writer).ValueUnsafe();
  }

  void write(std::span<const ColumnBlock> columns) override {
    fit_.check(columns_, columns);
    ArrowOutput::write(columns);
  }

 private:
  arrow::Status write_batch(const arrow::RecordBatch& batch) override {
    try {
      return writer_->WriteRecordBatch(batch);
    } catch (const parquet::ParquetException& error) {
      return arrow::Status::IOError(error.what());
    }
  }
  arrow::Status close() override { return writer_->Close(); }

  ParquetFit fit_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

class IpcOutput final : public ArrowOutput {
 public:
  enum class Form { kFile, kStream };

  IpcOutput(OutputFile& file, const OutputPlan& plan, Form form) : ArrowOutput(file, plan) {
    auto writer = form == Form::kFile ? arrow::ipc::MakeFileWriter(sink(), schema())
                                      : arrow::ipc::MakeStreamWriter(sink(), schema());
    check_output(writer.status());
    writer_ = std::move(writer).ValueUnsafe();
  }

 private:
  arrow::Status write_batch(const arrow::RecordBatch& batch) override {
    return writer_->WriteRecordBatch(batch);
  }
  arrow::Status close() override { return writer_->Close(); }

  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

std::unique_ptr<TableOutput> make_parquet(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<ParquetOutput>(file, plan);
}

std::unique_ptr<TableOutput> make_arrow_file(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<IpcOutput>(file, plan, IpcOutput::Form::kFile);
}

std::unique_ptr<TableOutput> make_arrow_stream(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<IpcOutput>(file, plan, IpcOutput::Form::kStream);
}

}  // namespace numpact::cli
