// SPDX-License-Identifier: Apache-2.0
#include "arrow_columns.hpp"

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/util/io_util.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace numpact::cli {
namespace {

using ArrowType = arrow::Type;

std::optional<NumberType> plain_number_type(ArrowType::type id) {
  switch (id) {
    case ArrowType::UINT8:
      return NumberType::kU8;
    case ArrowType::INT8:
      return NumberType::kI8;
    case ArrowType::UINT16:
      return NumberType::kU16;
    case ArrowType::INT16:
      return NumberType::kI16;
    case ArrowType::HALF_FLOAT:
      return NumberType::kF16;
    case ArrowType::UINT32:
      return NumberType::kU32;
    case ArrowType::INT32:
      return NumberType::kI32;
    case ArrowType::FLOAT:
      return NumberType::kF32;
    case ArrowType::UINT64:
      return NumberType::kU64;
    case ArrowType::INT64:
      return NumberType::kI64;
    case ArrowType::DOUBLE:
      return NumberType::kF64;
    default:
      return std::nullopt;
  }
}

TimeUnit unit_from_arrow(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return TimeUnit::kSecond;
    case arrow::TimeUnit::MILLI:
      return TimeUnit::kMilli;
    case arrow::TimeUnit::MICRO:
      return TimeUnit::kMicro;
    case arrow::TimeUnit::NANO:
      break;
  }
  return TimeUnit::kNano;
}

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

std::optional<LogicalType> logical_type(const arrow::DataType& type) {
  switch (type.id()) {
    case ArrowType::BOOL:
      return LogicalType{LogicalKind::kBool, {}, ""};
    case ArrowType::DATE32:
      return LogicalType{LogicalKind::kDate32, {}, ""};
    case ArrowType::DATE64:
      return LogicalType{LogicalKind::kDate64, {}, ""};
    case ArrowType::TIME32:
      return LogicalType{LogicalKind::kTime32,
                         unit_from_arrow(static_cast<const arrow::TimeType&>(type).unit()), ""};
    case ArrowType::TIME64:
      return LogicalType{LogicalKind::kTime64,
                         unit_from_arrow(static_cast<const arrow::TimeType&>(type).unit()), ""};
    case ArrowType::DURATION:
      return LogicalType{LogicalKind::kDuration,
                         unit_from_arrow(static_cast<const arrow::DurationType&>(type).unit()), ""};
    case ArrowType::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      return LogicalType{LogicalKind::kTimestamp, unit_from_arrow(timestamp.unit()),
                         timestamp.timezone()};
    }
    default:
      return std::nullopt;
  }
}

// The numbers of a column's arrays, nulls dropped or refused.
class ArrayNumbers final : public NumberInput {
 public:
  ArrayNumbers(NextArrays next, const Column& column, std::optional<std::uint64_t> rows,
               const InputOptions& options, const std::string& file)
      : next_(std::move(next)),
        column_(column),
        options_(options),
        place_(column_place(file, column.name)) {
    if (rows && !options.drop_nulls) {
      count_ = *rows * std::max<std::uint64_t>(1, column.list_size);
    }
  }

  NumberView next() override {
    for (;;) {
      while (array_ == nullptr || at_ == array_->length()) {
        if (!advance()) return {column_.type, nullptr, 0};
      }
      const std::int64_t length =
          std::min<std::int64_t>(array_->length() - at_, std::int64_t{kPieceNumbers});
      const NumberView piece = view(*array_->data(), at_, length);
      at_ += length;
      if (piece.count > 0) return piece;
    }
  }

  std::optional<std::uint64_t> count() const override { return count_; }
  std::uint64_t nulls_dropped() const override { return nulls_; }

 private:
  // To the next array. False at the end.
  bool advance() {
    at_ = 0;
    array_ = nullptr;
    while (arrays_ == nullptr || chunk_ == arrays_->num_chunks()) {
      arrays_ = next_();
      chunk_ = 0;
      if (arrays_ == nullptr) return false;
    }
    array_ = arrays_->chunk(chunk_++);
    check_arrow(array_->Validate(), place_);
    count_nulls();
    if (column_.list_size == 0) return true;
    array_ = take_arrow(static_cast<const arrow::FixedSizeListArray&>(*array_).Flatten(), place_);
    count_nulls();
    return true;
  }

  void count_nulls() {
    const auto nulls = static_cast<std::uint64_t>(array_->null_count());
    if (nulls > 0 && !options_.drop_nulls) refuse_nulls(nulls);
    nulls_ += nulls;
  }

  // Counts what is left to name the whole number of nulls.
  [[noreturn]] void refuse_nulls(std::uint64_t nulls) {
    for (; arrays_ != nullptr; arrays_ = next_(), chunk_ = 0) {
      for (int i = chunk_; i < arrays_->num_chunks(); ++i) {
        nulls += static_cast<std::uint64_t>(arrays_->chunk(i)->null_count());
      }
    }
    throw Failure(ExitCode::kFailure, place_,
                  fmt::format("{} null{}{}", nulls, nulls == 1 ? "" : "s",
                              options_.lists ? "" : " (--nulls drop leaves them out)"));
  }

  NumberView view(const arrow::ArrayData& data, std::int64_t at, std::int64_t length) {
    const std::size_t size = size_of(column_.type);
    const auto count = static_cast<std::size_t>(length);
    const std::int64_t first = data.offset + at;
    if (column_.logical.kind == LogicalKind::kBool) return bools(at, length);
    const std::uint8_t* numbers = data.buffers[1]->data() + static_cast<std::size_t>(first) * size;
    const bool aligned = reinterpret_cast<std::uintptr_t>(numbers) % size == 0;
    if (array_->null_count() == 0 && aligned) return {column_.type, numbers, count};
    buffer_.resize((count * size + 7) / 8);
    auto* out = reinterpret_cast<std::uint8_t*>(buffer_.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (array_->IsNull(at + static_cast<std::int64_t>(i))) continue;
      std::memcpy(out + kept * size, numbers + i * size, size);
      ++kept;
    }
    return {column_.type, out, kept};
  }

  NumberView bools(std::int64_t at, std::int64_t length) {
    const auto& array = static_cast<const arrow::BooleanArray&>(*array_);
    buffer_.resize((static_cast<std::size_t>(length) + 7) / 8);
    auto* out = reinterpret_cast<std::uint8_t*>(buffer_.data());
    std::size_t kept = 0;
    for (std::int64_t i = at; i < at + length; ++i) {
      if (!array.IsNull(i)) out[kept++] = array.Value(i) ? 1 : 0;
    }
    return {column_.type, out, kept};
  }

  NextArrays next_;
  Column column_;
  std::optional<std::uint64_t> count_;
  InputOptions options_;
  std::string place_;
  std::shared_ptr<arrow::ChunkedArray> arrays_;
  std::shared_ptr<arrow::Array> array_;
  int chunk_ = 0;        // the next of arrays_
  std::int64_t at_ = 0;  // within array_
  std::uint64_t nulls_ = 0;
  std::vector<std::uint64_t> buffer_;
};

constexpr std::size_t kMostHeld = std::size_t{32} << 20;

// A long stream, put in a file that is gone when the program is.
std::shared_ptr<arrow::io::RandomAccessFile> spooled(std::vector<std::byte>& piece, Input& input) {
  const std::string name = (std::filesystem::temp_directory_path() / "numpact.XXXXXX").string();
  std::vector<char> path(name.c_str(), name.c_str() + name.size() + 1);
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) fail_errno(name, "cannot be written");
  ::unlink(path.data());
  auto file = take_arrow(arrow::io::FileOutputStream::Open(::dup(descriptor)), name);
  while (!piece.empty()) {
    check_arrow(file->Write(piece.data(), static_cast<std::int64_t>(piece.size())), name);
    piece.resize(input.read_full(piece));
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

Column describe_field(const arrow::Field& field, bool lists) {
  Column column;
  column.name = field.name();
  column.source_type = field.type()->ToString();
  if (lists && field.type()->id() == ArrowType::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*field.type());
    const std::optional<NumberType> type = plain_number_type(list.value_type()->id());
    if (type && list.list_size() > 0) {
      column.type = *type;
      column.list_size = static_cast<std::uint64_t>(list.list_size());
      return column;
    }
  }
  if (const std::optional<NumberType> type = plain_number_type(field.type()->id())) {
    column.type = *type;
  } else if (std::optional<LogicalType> logical = logical_type(*field.type())) {
    column.type = *storage_of(logical->kind);
    column.logical = std::move(*logical);
  } else {
    column.unfit = fmt::format("values of type {} cannot be compressed", column.source_type);
  }
  return column;
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

std::shared_ptr<arrow::DataType> arrow_type_of(const Column& column) {
  const arrow::TimeUnit::type unit = unit_to_arrow(column.logical.unit);
  switch (column.logical.kind) {
    case LogicalKind::kNumber:
      if (column.list_size == 0) return arrow_type_of(column.type);
      return arrow::fixed_size_list(arrow_type_of(column.type),
                                    static_cast<std::int32_t>(column.list_size));
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
    case LogicalKind::kDuration:
      break;
  }
  return arrow::duration(unit);
}

std::shared_ptr<arrow::io::RandomAccessFile> arrow_file(Input& input) {
  if (input.size().value_or(0) > 0) {
    return take_arrow(arrow::io::ReadableFile::Open(input.path()), input.name());
  }
  std::vector<std::byte> bytes(kMostHeld);
  bytes.resize(input.read_full(bytes));
  if (bytes.size() == kMostHeld) return spooled(bytes, input);
  return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
}

std::unique_ptr<NumberInput> read_arrays(NextArrays next, const Column& column,
                                         std::optional<std::uint64_t> rows,
                                         const InputOptions& options, const std::string& file) {
  return std::make_unique<ArrayNumbers>(std::move(next), column, rows, options, file);
}

}  // namespace numpact::cli
