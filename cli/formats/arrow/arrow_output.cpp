// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/arrow_output.hpp"

#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include <cstring>
#include <utility>

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

// Packs the booleans of `numbers` into bits.
std::shared_ptr<arrow::Buffer> packed_bits(const NumberView& numbers, const std::string& place) {
  const auto* values = static_cast<const std::uint8_t*>(numbers.data);
  const auto count = static_cast<std::int64_t>(numbers.count);
  std::shared_ptr<arrow::Buffer> bits = take_arrow(arrow::AllocateEmptyBitmap(count), place);
  for (std::int64_t i = 0; i < count; ++i) {
    if (values[i] > 1) {
      throw Failure(ExitCode::kCorrupt, place, "corrupt: a boolean is neither 0 nor 1");
    }
    arrow::bit_util::SetBitTo(bits->mutable_data(), i, values[i] == 1);
  }
  return bits;
}

// Numbers as decimals, which take more bytes: the sign fills them.
std::shared_ptr<arrow::Buffer> widened(const NumberView& numbers, unsigned bits,
                                       const std::string& place) {
  const std::size_t size = bits / 8;
  std::shared_ptr<arrow::Buffer> made =
      take_arrow(arrow::AllocateBuffer(static_cast<std::int64_t>(numbers.count * size)), place);
  const auto* const values = static_cast<const std::int64_t*>(numbers.data);
  std::uint8_t* to = made->mutable_data();
  for (std::size_t i = 0; i < numbers.count; ++i, to += size) {
    if (size < sizeof(std::int64_t)) {
      const auto narrow = static_cast<std::int32_t>(values[i]);
      if (narrow != values[i]) {
        throw Failure(ExitCode::kCorrupt, place, "corrupt: a decimal has too many digits");
      }
      std::memcpy(to, &narrow, sizeof narrow);
      continue;
    }
    std::memcpy(to, values + i, sizeof(std::int64_t));
    std::memset(to + sizeof(std::int64_t), values[i] < 0 ? 255 : 0, size - sizeof(std::int64_t));
  }
  return made;
}

std::shared_ptr<arrow::Array> make_array(const std::shared_ptr<arrow::DataType>& type,
                                         std::int64_t rows, std::shared_ptr<arrow::Buffer> values,
                                         const Column& column) {
  if (!column.is_list) {
    return arrow::MakeArray(arrow::ArrayData::Make(type, rows, {nullptr, std::move(values)}, 0));
  }
  const std::int64_t numbers = rows * static_cast<std::int64_t>(column.dimension);
  auto inner =
      arrow::ArrayData::Make(arrow_type_of(column.type), numbers, {nullptr, std::move(values)}, 0);
  return arrow::MakeArray(arrow::ArrayData::Make(type, rows, {nullptr}, {std::move(inner)}, 0));
}

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
    fields.push_back(arrow::field(column.name, arrow_type_of(column), column.nullable,
                                  arrow_metadata_of(column.metadata)));
  }
  schema_ = arrow::schema(std::move(fields), arrow_metadata_of(plan.metadata));
}

ArrowOutput::~ArrowOutput() = default;

void ArrowOutput::write(std::span<const ColumnBlock> columns) {
  const auto rows = static_cast<std::int64_t>(columns[0].rows);
  if (rows == 0) return;
  arrow::ArrayVector arrays;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const NumberView& numbers = columns[c].numbers;
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
    if (columns[c].texts != nullptr) {
      const std::string place = column_place(file_.name(), columns_[c].name);
      arrays.push_back(array_of(*columns[c].texts, schema_->field(static_cast<int>(c))->type(),
                                place, columns_[c].categories.get()));
      continue;
    }
    std::shared_ptr<arrow::Buffer> values;
    if (columns_[c].logical.kind == LogicalKind::kBool) {
      values = packed_bits(numbers, column_place(file_.name(), columns_[c].name));
    } else if (columns_[c].logical.kind == LogicalKind::kDecimal) {
      values = widened(numbers, columns_[c].logical.decimal.bits,
                       column_place(file_.name(), columns_[c].name));
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

void ArrowOutput::check_output(const arrow::Status& status) const {
  if (status.ok()) return;
  file_.throw_if_failed();
  throw Failure(ExitCode::kFailure, file_.name(), status.message());
}

}  // namespace numpact::cli
