// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/arrow_columns.hpp"

#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/util/io_util.h>

#include <utility>
#include <vector>

#include "io/temporary_file.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

arrow::TimeUnit::type unit_to_arrow(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSecond:
      return arrow::TimeUnit::SECOND;
    case TimeUnit::kMilli:
      return arrow::TimeUnit::MILLI;
    case TimeUnit::kMicro:
      return arrow::TimeUnit::MICRO;
    case TimeUnit::kNano:
      break;
  }
  return arrow::TimeUnit::NANO;
}

constexpr std::size_t kMaxBufferedBytes = std::size_t{32} << 20;

// Copies a long stream to an unnamed temporary file.
std::shared_ptr<arrow::io::RandomAccessFile> spooled(std::vector<std::byte>& block, Input& input) {
  const std::string name = "temporary file";
  const int descriptor = open_unnamed_file();
  auto file = take_arrow(arrow::io::FileOutputStream::Open(::dup(descriptor)), name);
  while (!block.empty()) {
    check_arrow(file->Write(block.data(), static_cast<std::int64_t>(block.size())), name);
    block.resize(input.read_full(block));
  }
  check_arrow(file->Close(), name);
  return take_arrow(arrow::io::ReadableFile::Open(descriptor), name);
}

}  // namespace

void check_arrow(const arrow::Status& status, const std::string& place) {
  if (status.ok()) return;
  const bool failed = status.IsOutOfMemory() || status.IsCancelled() || status.IsNotImplemented() ||
                      arrow::internal::ErrnoFromStatus(status) != 0;
  throw Failure(failed ? ExitCode::kFailure : ExitCode::kCorrupt, place, status.message());
}

ArrowFields exported(const arrow::Schema& schema, const std::string& file) {
  ArrowFields made;
  check_arrow(arrow::ExportSchema(schema, made.schema.get()), file);
  for (const std::shared_ptr<arrow::Field>& field : schema.fields()) {
    made.fields.push_back(
        {field->name(), field->type()->ToString(), field->type()->id() == arrow::Type::EXTENSION});
  }
  return made;
}

NextArray exported(NextArrays next, bool checks_values, std::string place) {
  return [next = std::move(next), checks_values, place = std::move(place),
          arrays = std::shared_ptr<arrow::ChunkedArray>(), chunk = 0]() mutable {
    Owned<ArrowArray> made;
    while (arrays == nullptr || chunk == arrays->num_chunks()) {
      arrays = next();
      chunk = 0;
      if (arrays == nullptr) return made;
    }
    const std::shared_ptr<arrow::Array> array = arrays->chunk(chunk++);
    check_arrow(checks_values ? array->ValidateFull() : array->Validate(), place);
    check_arrow(arrow::ExportArray(*array, made.get()), place);
    return made;
  };
}

std::shared_ptr<arrow::KeyValueMetadata> arrow_metadata_of(const Metadata& metadata) {
  if (metadata.empty()) return nullptr;
  auto made = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : metadata) made->Append(key, value);
  return made;
}

std::shared_ptr<arrow::DataType> arrow_type_of(NumberType type) {
  switch (type) {
    case NumberType::kU8:
      return arrow::uint8();
    case NumberType::kI8:
      return arrow::int8();
    case NumberType::kU16:
      return arrow::uint16();
    case NumberType::kI16:
      return arrow::int16();
    case NumberType::kF16:
      return arrow::float16();
    case NumberType::kU32:
      return arrow::uint32();
    case NumberType::kI32:
      return arrow::int32();
    case NumberType::kF32:
      return arrow::float32();
    case NumberType::kU64:
      return arrow::uint64();
    case NumberType::kI64:
      return arrow::int64();
    case NumberType::kF64:
      break;
  }
  return arrow::float64();
}

std::shared_ptr<arrow::DataType> text_type_of(const table::TextFile& text) {
  const auto values = [&]() -> std::shared_ptr<arrow::DataType> {
    switch (text.type) {
      case table::TextType::kString:
        return arrow::utf8();
      case table::TextType::kLargeString:
        return arrow::large_utf8();
      case table::TextType::kBinary:
        return arrow::binary();
      case table::TextType::kLargeBinary:
        return arrow::large_binary();
      case table::TextType::kStringView:
        return arrow::utf8_view();
      case table::TextType::kBinaryView:
        break;
    }
    return arrow::binary_view();
  }();
  if (!text.index_type) return values;
  return arrow::dictionary(arrow_type_of(*text.index_type), values, text.is_ordered);
}

std::shared_ptr<arrow::DataType> arrow_type_of(const Column& column) {
  const arrow::TimeUnit::type unit = unit_to_arrow(column.logical.unit);
  switch (column.logical.kind) {
    case LogicalKind::kNumber:
      if (!column.is_list) return arrow_type_of(column.type);
      return arrow::fixed_size_list(arrow_type_of(column.type),
                                    static_cast<std::int32_t>(column.dimension));
    case LogicalKind::kBool:
      return arrow::boolean();
    case LogicalKind::kDate32:
      return arrow::date32();
    case LogicalKind::kDate64:
      return arrow::date64();
    case LogicalKind::kTime32:
      return arrow::time32(unit);
    case LogicalKind::kTime64:
      return arrow::time64(unit);
    case LogicalKind::kTimestamp:
      return arrow::timestamp(unit, column.logical.timezone);
    case LogicalKind::kText:
      return text_type_of(column.text[0]);
    case LogicalKind::kDecimal: {
      const auto& [precision, scale, bits] = column.logical.decimal;
      return bits == 32    ? arrow::decimal32(precision, scale)
             : bits == 64  ? arrow::decimal64(precision, scale)
             : bits == 128 ? arrow::decimal128(precision, scale)
                           : arrow::decimal256(precision, scale);
    }
    case LogicalKind::kDuration:
      break;
  }
  return arrow::duration(unit);
}

std::shared_ptr<arrow::io::RandomAccessFile> arrow_file(Input& input) {
  if (input.size().value_or(0) > 0) {
    const int descriptor = platform::duplicate(input.file()->descriptor());
    if (descriptor < 0) fail_errno(input.name(), "");
    return take_arrow(arrow::io::ReadableFile::Open(descriptor), input.name());
  }
  std::vector<std::byte> bytes(kMaxBufferedBytes);
  bytes.resize(input.read_full(bytes));
  if (bytes.size() == kMaxBufferedBytes) return spooled(bytes, input);
  return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
}

}  // namespace numpact::cli
