// SPDX-License-Identifier: Apache-2.0
// Arrow IPC: the file format and the stream format.
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>

#include <utility>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/arrow_others.hpp"
#include "formats/arrow/arrow_output.hpp"
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

class ArrowTable : public TableInput {
 protected:
  ArrowTable(Input& input, const InputOptions& options)
      : TableInput(true), name_(input.name()), options_(options), file_(arrow_file(input)) {}

  void describe(const arrow::Schema& schema) {
    metadata_ = metadata_of(schema.metadata());
    fields_ = schema.fields();
    columns_ = describe_fields(
        schema, options_.purpose, [this](std::size_t index) { return arrays(index); }, name_);
  }

  virtual NextArrays arrays(std::size_t index) = 0;

  bool can_keep(std::size_t) const override { return true; }

  std::unique_ptr<TextInput> open_texts(std::size_t index) override {
    return texts_of(*fields_[index], arrays(index), column_place(name_, columns_[index].name));
  }

  OtherColumn write_other(std::size_t index, ByteSink& file,
                          std::optional<table::Vectors> vectors) override {
    return write_arrays(fields_[index], arrays(index), file,
                        column_place(name_, columns_[index].name), vectors);
  }

  std::string name_;
  InputOptions options_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  arrow::FieldVector fields_;
};

class ArrowFileTable final : public ArrowTable {
 public:
  ArrowFileTable(Input& input, const InputOptions& options) : ArrowTable(input, options) {
    const auto reader = take_arrow(arrow::ipc::RecordBatchFileReader::Open(file_), name_);
    describe(*reader->schema());  // NOLINT(clang-analyzer-optin.cplusplus.VirtualCall): final
    rows_ = static_cast<std::uint64_t>(take_arrow(reader->CountRows(), name_));
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    return read_arrays(arrays(index), columns_[index], rows_, nulls_, name_);
  }

 private:
  NextArrays arrays(std::size_t index) override {
    const auto reader =
        take_arrow(arrow::ipc::RecordBatchFileReader::Open(file_, only_field(index)), name_);
    return [reader, place = name_, batch = 0]() mutable -> std::shared_ptr<arrow::ChunkedArray> {
      if (batch == reader->num_record_batches()) return nullptr;
      return only_column(*take_arrow(reader->ReadRecordBatch(batch++), place));
    };
  }

  std::uint64_t rows_ = 0;
};

class ArrowStreamTable final : public ArrowTable {
 public:
  ArrowStreamTable(Input& input, const InputOptions& options) : ArrowTable(input, options) {
    describe(*open_stream({})->schema());  // NOLINT(clang-analyzer-optin.cplusplus.VirtualCall)
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    return read_arrays(arrays(index), columns_[index], std::nullopt, nulls_, name_);
  }

 private:
  NextArrays arrays(std::size_t index) override {
    const auto reader = open_stream(only_field(index));
    return [reader, place = name_]() -> std::shared_ptr<arrow::ChunkedArray> {
      std::shared_ptr<arrow::RecordBatch> batch;
      check_arrow(reader->ReadNext(&batch), place);
      return batch == nullptr ? nullptr : only_column(*batch);
    };
  }

  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> open_stream(
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
  return std::make_unique<ArrowFileTable>(*input, options);
}

std::unique_ptr<TableInput> open_arrow_stream(std::unique_ptr<Input> input,
                                              const InputOptions& options) {
  return std::make_unique<ArrowStreamTable>(*input, options);
}

std::unique_ptr<TableOutput> make_arrow_file(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<IpcOutput>(file, plan, IpcOutput::Form::kFile);
}

std::unique_ptr<TableOutput> make_arrow_stream(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<IpcOutput>(file, plan, IpcOutput::Form::kStream);
}

}  // namespace numpact::cli
