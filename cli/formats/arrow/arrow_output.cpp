// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/arrow_output.hpp"

#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include <utility>

#include "formats/arrow/array_output.hpp"
#include "formats/arrow/array_sizes.hpp"
#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/arrow_others.hpp"

namespace numpact::cli {
namespace {

// Adapts an output to Arrow's interface.
class ArrowSink final : public arrow::io::OutputStream {
 public:
  explicit ArrowSink(ByteSink& file) : file_(file) {}
  ~ArrowSink() override = default;

  arrow::Status Write(const void* data, std::int64_t bytes) override {
    written_ += bytes;
    const Status status =
        file_.write({static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)});
    return status.ok() ? arrow::Status::OK() : arrow::Status::IOError(status.what());
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return written_; }
  bool closed() const override { return closed_; }

 private:
  ByteSink& file_;
  std::int64_t written_ = 0;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<arrow::io::OutputStream> sink_to(ByteSink& file) {
  return std::make_shared<ArrowSink>(file);
}

std::shared_ptr<arrow::Buffer> validity_bits(std::span<const std::uint8_t> valid,
                                             const std::string& place) {
  const auto count = static_cast<std::int64_t>(valid.size());
  std::shared_ptr<arrow::Buffer> bits = take_arrow(arrow::AllocateEmptyBitmap(count), place);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    arrow::bit_util::SetBitTo(bits->mutable_data(), static_cast<std::int64_t>(i), valid[i] != 0);
  }
  return bits;
}

ArrowOutput::ArrowOutput(OutputFile& file, const OutputPlan& plan)
    : file_(file), columns_(plan.columns), sink_(std::make_shared<ArrowSink>(file)) {
  check_table_columns(file, plan);
  arrow::FieldVector fields;
  for (const OtherFiles& other : plan.others) {
    const ArrowOtherColumn& opened = others_.emplace_back(other, plan.limits);
    if (plan.limits != nullptr) {
      plan.limits->add_output(opened.dictionary_bytes(), opened.place());
    }
  }
  for (const Column& column : columns_) {
    if (column.other) {
      fields.push_back(others_[*column.other].field());
      continue;
    }
    Owned<ArrowSchema> type = export_type(column);
    fields.push_back(arrow::field(column.name,
                                  take_arrow(arrow::ImportType(type.get()), file.name()),
                                  column.nullable, arrow_metadata_of(column.metadata)));
  }
  schema_ = arrow::schema(std::move(fields), arrow_metadata_of(plan.metadata));
}

ArrowOutput::~ArrowOutput() = default;

void ArrowOutput::write(std::span<const ColumnBlock> columns) {
  const auto rows = static_cast<std::int64_t>(columns[0].rows);
  if (rows == 0) return;
  arrow::ArrayVector arrays;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns_[c].other) {
      const std::span<const std::uint8_t> kept = columns[c].kept;
      const ArrowOtherColumn& file = others_[*columns_[c].other];
      arrays.push_back(
          file.read(columns[c].first_row, kept.empty() ? columns[c].rows : kept.size(), kept));
      if (file.limits() != nullptr) {
        file.limits()->add_output(bytes_of_rows(*arrays.back()), file.place());
      }
      continue;
    }
    Owned<ArrowArray> made =
        export_rows(columns_[c], columns[c], column_place(file_.name(), columns_[c].name));
    const auto& type = schema_->field(static_cast<int>(c))->type();
    arrays.push_back(take_arrow(arrow::ImportArray(made.get(), type), file_.name()));
  }
  check_output(write_batch(*arrow::RecordBatch::Make(schema_, rows, std::move(arrays))));
}

void ArrowOutput::check_output(const arrow::Status& status) const {
  if (status.ok()) return;
  file_.throw_if_failed();
  fail(file_.name(), status.message());
}

}  // namespace numpact::cli
