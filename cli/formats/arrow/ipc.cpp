// SPDX-License-Identifier: Apache-2.0
// Arrow IPC: the file format and the stream format.
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>

#include <utility>
#include <vector>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/arrow_others.hpp"
#include "formats/arrow/arrow_output.hpp"
#include "formats/arrow/taken_rows.hpp"
#include "formats/formats.hpp"

namespace numpact::cli {
namespace {

// The only column of a batch that was read with only_field().
std::shared_ptr<arrow::ChunkedArray> only_column(const arrow::RecordBatch& batch) {
  return std::make_shared<arrow::ChunkedArray>(batch.column(0));
}

arrow::ipc::IpcReadOptions only_field(std::size_t index) {
  arrow::ipc::IpcReadOptions options;
  options.included_fields = {static_cast<int>(index)};
  options.use_threads = false;
  return options;
}

class IpcSource : public ArrowSource {
 public:
  NextArray arrays(std::size_t column, const ArrayOptions& options) override {
    return exported(arrays(column), options.checks_values, place_of(column));
  }

  OtherColumn write_other(std::size_t column, ByteSink& file,
                          std::optional<table::Vectors> vectors) override {
    return write_arrays(fields_[column], arrays(column), file, place_of(column), vectors);
  }

 protected:
  explicit IpcSource(Input& input) : name_(input.name()), file_(arrow_file(input)) {}

  ArrowFields fields_of(const arrow::Schema& schema) {
    fields_ = schema.fields();
    return exported(schema, name_);
  }
  std::string place_of(std::size_t column) const {
    return column_place(name_, fields_[column]->name());
  }
  virtual NextArrays arrays(std::size_t column) = 0;

  std::string name_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  arrow::FieldVector fields_;
};

class IpcFile final : public IpcSource {
 public:
  explicit IpcFile(Input& input) : IpcSource(input) {}

  ArrowFields fields() override {
    const auto reader = take_arrow(arrow::ipc::RecordBatchFileReader::Open(file_), name_);
    ArrowFields fields = fields_of(*reader->schema());
    rows_ = static_cast<std::uint64_t>(take_arrow(reader->CountRows(), name_));
    return fields;
  }
  std::optional<std::uint64_t> rows() const override { return rows_; }

  void select(std::span<const std::uint64_t> rows) override {
    if (all_.empty()) {
      const auto reader = take_arrow(arrow::ipc::RecordBatchFileReader::Open(file_), name_);
      const auto table = take_arrow(take_arrow(reader->ToTable(), name_)->CombineChunks(), name_);
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        all_.emplace_back(table->column(static_cast<int>(i)), place_of(i));
      }
    }
    rows_ = rows.size();
    selected_.clear();
    for (const RowTaker& column : all_) selected_.push_back(column.take(rows));
  }

 private:
  NextArrays arrays(std::size_t column) override {
    if (!all_.empty()) {
      return [left = selected_[column]]() mutable { return std::exchange(left, nullptr); };
    }
    const auto reader =
        take_arrow(arrow::ipc::RecordBatchFileReader::Open(file_, only_field(column)), name_);
    return [reader, place = name_, batch = 0]() mutable -> std::shared_ptr<arrow::ChunkedArray> {
      if (batch == reader->num_record_batches()) return nullptr;
      return only_column(*take_arrow(reader->ReadRecordBatch(batch++), place));
    };
  }

  std::uint64_t rows_ = 0;
  std::vector<RowTaker> all_;  // of select()
  arrow::ChunkedArrayVector selected_;
};

class IpcStream final : public IpcSource {
 public:
  explicit IpcStream(Input& input) : IpcSource(input) {}

  ArrowFields fields() override { return fields_of(*open({})->schema()); }
  std::optional<std::uint64_t> rows() const override { return std::nullopt; }

 private:
  NextArrays arrays(std::size_t column) override {
    const auto reader = open(only_field(column));
    return [reader, place = name_]() -> std::shared_ptr<arrow::ChunkedArray> {
      std::shared_ptr<arrow::RecordBatch> batch;
      check_arrow(reader->ReadNext(&batch), place);
      return batch == nullptr ? nullptr : only_column(*batch);
    };
  }

  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> open(
      const arrow::ipc::IpcReadOptions& options) {
    const std::int64_t size = take_arrow(file_->GetSize(), name_);
    auto stream = take_arrow(arrow::io::RandomAccessFile::GetStream(file_, 0, size), name_);
    return take_arrow(arrow::ipc::RecordBatchStreamReader::Open(stream, options), name_);
  }
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

std::unique_ptr<TableInput> open_arrow_file(std::unique_ptr<Input> input,
                                            const InputOptions& options) {
  return table_of(std::make_unique<IpcFile>(*input), input->name(), options.purpose);
}

std::unique_ptr<TableInput> open_arrow_stream(std::unique_ptr<Input> input,
                                              const InputOptions& options) {
  return table_of(std::make_unique<IpcStream>(*input), input->name(), options.purpose);
}

std::unique_ptr<TableOutput> make_arrow_file(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<IpcOutput>(file, plan, IpcOutput::Form::kFile);
}

std::unique_ptr<TableOutput> make_arrow_stream(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<IpcOutput>(file, plan, IpcOutput::Form::kStream);
}

}  // namespace numpact::cli
