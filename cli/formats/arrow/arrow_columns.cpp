// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/arrow_columns.hpp"

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/util/io_util.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "io/temporary_file.hpp"
#include "platform/files.hpp"
#include "text/utf8.hpp"

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

// Decimals that numbers hold; none for other types and decimals of more digits.
std::optional<LogicalType> decimal_type(const arrow::DataType& type) {
  if (!arrow::is_decimal(type.id())) return std::nullopt;
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  const bool is_byte = decimal.precision() <= 255 && decimal.scale() >= 0 && decimal.scale() <= 255;
  const table::DecimalType found{static_cast<std::uint8_t>(decimal.precision()),
                                 static_cast<std::uint8_t>(decimal.scale()),
                                 static_cast<std::uint16_t>(decimal.bit_width())};
  if (!is_byte || !table::is_valid(found)) return std::nullopt;
  return LogicalType{LogicalKind::kDecimal, {}, "", found};
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
      return decimal_type(type);
  }
}

bool is_list(const arrow::DataType& type) {
  return type.id() == ArrowType::FIXED_SIZE_LIST || type.id() == ArrowType::LIST ||
         type.id() == ArrowType::LARGE_LIST;
}

const arrow::DataType& value_type_of(const arrow::DataType& list) {
  return *static_cast<const arrow::BaseListType&>(list).value_type();
}

// Maps the rows of a list array to positions in its array of numbers. Lists must not be null.
class ListRows {
 public:
  explicit ListRows(const arrow::Array& array) : array_(array) {}

  std::uint64_t length(std::int64_t row) const {
    switch (array_.type_id()) {
      case ArrowType::LIST:
        return static_cast<std::uint64_t>(
            static_cast<const arrow::ListArray&>(array_).value_length(row));
      case ArrowType::LARGE_LIST:
        return static_cast<std::uint64_t>(
            static_cast<const arrow::LargeListArray&>(array_).value_length(row));
      default:
        return static_cast<std::uint64_t>(
            static_cast<const arrow::FixedSizeListArray&>(array_).value_length(row));
    }
  }

  arrow::Result<std::shared_ptr<arrow::Array>> numbers() const {
    switch (array_.type_id()) {
      case ArrowType::LIST:
        return static_cast<const arrow::ListArray&>(array_).Flatten();
      case ArrowType::LARGE_LIST:
        return static_cast<const arrow::LargeListArray&>(array_).Flatten();
      default:
        return static_cast<const arrow::FixedSizeListArray&>(array_).Flatten();
    }
  }

 private:
  const arrow::Array& array_;
};

std::shared_ptr<arrow::Array> without_extension(std::shared_ptr<arrow::Array> array) {
  while (array->type_id() == ArrowType::EXTENSION) {
    array = static_cast<const arrow::ExtensionArray&>(*array).storage();
  }
  return array;
}

// Reads the numbers of a column's arrays. Nulls are refused, dropped, or recorded as runs.
class ArrayNumbers final : public NumberInput {
 public:
  ArrayNumbers(NextArrays next, const Column& column, std::optional<std::uint64_t> rows,
               NullPolicy nulls, const std::string& file)
      : next_(std::move(next)),
        column_(column),
        policy_(nulls),
        place_(column_place(file, column.name)) {
    if (rows && policy_ != NullPolicy::kDrop) {
      count_ = *rows * column.dimension;
    }
  }

  NumberView next() override {
    for (;;) {
      while (array_ == nullptr || at_ == array_->length()) {
        if (!advance()) return {column_.type, nullptr, 0};
      }
      const std::int64_t length = static_cast<std::int64_t>(
          std::min(static_cast<std::uint64_t>(array_->length() - at_), block_numbers()));
      const NumberView block = view(*array_->data(), at_, length);
      if (policy_ == NullPolicy::kKeep) note_runs(at_, length);
      at_ += length;
      if (block.count > 0) return block;
    }
  }

  std::optional<std::uint64_t> count() const override { return count_; }
  std::uint64_t null_count() const override { return nulls_; }
  NullRuns* null_runs() override { return policy_ == NullPolicy::kKeep ? &runs_ : nullptr; }

 private:
  // Moves to the next array. Returns false at the end.
  bool advance() {
    if (array_ != nullptr) row_ += array_rows_;
    at_ = 0;
    array_ = nullptr;
    while (arrays_ == nullptr || chunk_ == arrays_->num_chunks()) {
      arrays_ = next_();
      chunk_ = 0;
      if (arrays_ == nullptr) return false;
    }
    array_ = without_extension(arrays_->chunk(chunk_++));
    check_arrow(array_->Validate(), place_);
    array_rows_ = static_cast<std::uint64_t>(array_->length());
    count_nulls(1);
    if (!column_.is_list) return true;
    check_lengths();
    array_ = take_arrow(ListRows(*array_).numbers(), place_);
    count_nulls(column_.dimension);
    return true;
  }

  void check_lengths() const {
    const ListRows lists(*array_);
    for (std::int64_t row = 0; row < array_->length(); ++row) {
      if (lists.length(row) == column_.dimension) continue;
      throw Failure(ExitCode::kFailure, place_,
                    fmt::format("row {} has {} numbers, row 0 has {}: vectors have one length",
                                row_ + static_cast<std::uint64_t>(row), lists.length(row),
                                column_.dimension));
    }
  }

  // `numbers_in_row`: elements of array_ per row.
  void count_nulls(std::uint64_t numbers_in_row) {
    const auto nulls = static_cast<std::uint64_t>(array_->null_count());
    if (nulls > 0 && policy_ == NullPolicy::kError) refuse_nulls(nulls, numbers_in_row);
    nulls_ += nulls;
  }

  // Counts the remaining nulls too, so that the message names their total.
  [[noreturn]] void refuse_nulls(std::uint64_t nulls, std::uint64_t numbers_in_row) {
    std::int64_t first = 0;
    while (!array_->IsNull(first)) ++first;
    const std::uint64_t row = row_ + static_cast<std::uint64_t>(first) / numbers_in_row;
    for (; arrays_ != nullptr; arrays_ = next_(), chunk_ = 0) {
      for (int i = chunk_; i < arrays_->num_chunks(); ++i) {
        nulls += static_cast<std::uint64_t>(arrays_->chunk(i)->null_count());
      }
    }
    throw Failure(ExitCode::kFailure, place_,
                  fmt::format("{} null{}, the first in row {}{}", nulls, nulls == 1 ? "" : "s", row,
                              column_.is_list ? "" : kNullAdvice));
  }

  void note_runs(std::int64_t at, std::int64_t length) {
    if (array_->null_count() == 0) return runs_.add_numbers(static_cast<std::uint64_t>(length));
    for (std::int64_t i = at; i < at + length;) {
      const bool is_null = array_->IsNull(i);
      std::int64_t end = i + 1;
      while (end < at + length && array_->IsNull(end) == is_null) ++end;
      const auto rows = static_cast<std::uint64_t>(end - i);
      is_null ? runs_.add_nulls(rows) : runs_.add_numbers(rows);
      i = end;
    }
  }

  NumberView view(const arrow::ArrayData& data, std::int64_t at, std::int64_t length) {
    const std::size_t size = size_of(column_.type);
    const auto count = static_cast<std::size_t>(length);
    const std::int64_t first = data.offset + at;
    if (column_.logical.kind == LogicalKind::kBool) return bools(at, length);
    if (column_.logical.kind == LogicalKind::kDecimal) return decimals(data, at, length);
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

  // The low bytes of each decimal, which is in two's complement.
  NumberView decimals(const arrow::ArrayData& data, std::int64_t at, std::int64_t length) {
    const std::size_t size = column_.logical.decimal.bits / 8;
    const std::uint8_t* const decimals =
        data.buffers[1]->data() + static_cast<std::size_t>(data.offset + at) * size;
    buffer_.resize(static_cast<std::size_t>(length));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
      if (array_->IsNull(at + static_cast<std::int64_t>(i))) continue;
      std::int64_t number = 0;
      if (size == sizeof(std::int32_t)) {
        std::int32_t narrow;
        std::memcpy(&narrow, decimals + i * size, sizeof narrow);
        number = narrow;
      } else {
        std::memcpy(&number, decimals + i * size, sizeof number);
        check_digits(decimals + i * size + sizeof number, size - sizeof number, number);
      }
      buffer_[kept++] = static_cast<std::uint64_t>(number);
    }
    return {column_.type, buffer_.data(), kept};
  }

  // Arrow does not check that values have the digits of their type: the sign fills the other bytes.
  void check_digits(const std::uint8_t* rest, std::size_t size, std::int64_t number) const {
    const std::uint8_t fill = number < 0 ? 255 : 0;
    if (std::all_of(rest, rest + size, [fill](std::uint8_t byte) { return byte == fill; })) return;
    throw Failure(ExitCode::kCorrupt, place_,
                  fmt::format("corrupt: a value of type {} has more digits",
                              to_string(column_.logical.decimal)));
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
  NullPolicy policy_;
  std::string place_;
  std::shared_ptr<arrow::ChunkedArray> arrays_;
  std::shared_ptr<arrow::Array> array_;
  int chunk_ = 0;                 // next chunk of arrays_
  std::int64_t at_ = 0;           // position in array_
  std::uint64_t row_ = 0;         // first row of array_
  std::uint64_t array_rows_ = 0;  // rows of array_
  std::uint64_t nulls_ = 0;
  NullRuns runs_;
  std::vector<std::uint64_t> buffer_;
};

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

// Collects the names of the leaf fields of a nested column.
void add_leaves(const std::string& path, const arrow::DataType& type,
                std::vector<std::string>& leaves) {
  if (type.num_fields() == 0) {
    leaves.push_back(fmt::format("'{}'", path));
    return;
  }
  for (const std::shared_ptr<arrow::Field>& field : type.fields()) {
    add_leaves(path + "." + field->name(), *field->type(), leaves);
  }
}

std::string why_unfit(const std::string& name, const arrow::DataType& type) {
  std::string of_type = fmt::format("values of type {} cannot be compressed", type.ToString());
  if (type.num_fields() == 0) return of_type;
  std::vector<std::string> leaves;
  add_leaves(name, type, leaves);
  return fmt::format("{} (with it {})", of_type, fmt::join(leaves, ", "));
}

// The length of the first list of a column; none if there is no list or it is null.
std::optional<std::uint64_t> first_length(const NextArrays& next) {
  while (const std::shared_ptr<arrow::ChunkedArray> arrays = next()) {
    for (const std::shared_ptr<arrow::Array>& chunk : arrays->chunks()) {
      if (chunk->length() == 0) continue;
      const std::shared_ptr<arrow::Array> lists = without_extension(chunk);
      if (lists->IsNull(0)) return std::nullopt;
      return ListRows(*lists).length(0);
    }
  }
  return std::nullopt;
}

// Sets type and dimension of a column of lists, or why it is unfit.
void describe_lists(const arrow::DataType& type, Column& column,
                    const std::function<NextArrays()>& open) {
  column.type = *plain_number_type(value_type_of(type).id());
  column.is_list = true;
  if (type.id() == ArrowType::FIXED_SIZE_LIST) {
    column.dimension =
        static_cast<std::uint64_t>(static_cast<const arrow::FixedSizeListType&>(type).list_size());
  } else {
    column.dimension = first_length(open()).value_or(0);
  }
  if (column.dimension == 0) column.unfit = no_vectors(column.source_type);
}

bool is_list_of_numbers(const arrow::DataType& type) {
  return is_list(type) && plain_number_type(value_type_of(type).id());
}

Column describe_field(const arrow::Field& field, Purpose purpose,
                      const std::function<NextArrays()>& open) {
  Column column;
  column.name = field.name();
  column.nullable = field.nullable();
  column.metadata = metadata_of(field.metadata());
  column.source_type = field.type()->ToString();
  std::shared_ptr<arrow::DataType> type = field.type();
  while (type->id() == ArrowType::EXTENSION) {
    const auto& extension = static_cast<const arrow::ExtensionType&>(*type);
    // Stored as in Arrow IPC for readers that do not know the extension type.
    column.metadata.emplace_back("ARROW:extension:name", extension.extension_name());
    column.metadata.emplace_back("ARROW:extension:metadata", extension.Serialize());
    type = extension.storage_type();
  }
  const bool is_for_vectors = purpose == Purpose::kVectors;
  if (is_for_vectors && is_list_of_numbers(*type)) {
    describe_lists(*type, column, open);
  } else if (const std::optional<NumberType> number = plain_number_type(type->id())) {
    column.type = *number;
  } else if (std::optional<LogicalType> logical = logical_type(*type)) {
    column.type = *table::stored_type(logical->kind);
    column.logical = std::move(*logical);
  } else {
    column.unfit =
        is_for_vectors ? no_vectors(column.source_type) : why_unfit(column.name, *field.type());
  }
  return column;
}

}  // namespace

void check_arrow(const arrow::Status& status, const std::string& place) {
  if (status.ok()) return;
  const bool failed = status.IsOutOfMemory() || status.IsCancelled() || status.IsNotImplemented() ||
                      arrow::internal::ErrnoFromStatus(status) != 0;
  throw Failure(failed ? ExitCode::kFailure : ExitCode::kCorrupt, place, status.message());
}

Metadata metadata_of(const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  Metadata pairs;
  for (std::int64_t i = 0; metadata != nullptr && i < metadata->size(); ++i) {
    pairs.emplace_back(metadata->key(i), metadata->value(i));
  }
  return pairs;
}

std::shared_ptr<arrow::KeyValueMetadata> arrow_metadata_of(const Metadata& metadata) {
  if (metadata.empty()) return nullptr;
  auto made = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : metadata) made->Append(key, value);
  return made;
}

std::vector<Column> describe_fields(const arrow::Schema& schema, Purpose purpose,
                                    const OpenArrays& open, const std::string& file) {
  std::vector<Column> columns;
  for (const std::shared_ptr<arrow::Field>& field : schema.fields()) {
    if (const std::optional<std::size_t> bad = first_not_utf8(field->name())) {
      throw Failure(ExitCode::kCorrupt, file,
                    fmt::format("corrupt: the name of column {} is not UTF-8", columns.size()));
    }
    const std::size_t index = columns.size();
    columns.push_back(describe_field(*field, purpose, [&] { return open(index); }));
  }
  return columns;
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

std::unique_ptr<NumberInput> read_arrays(NextArrays next, const Column& column,
                                         std::optional<std::uint64_t> rows, NullPolicy nulls,
                                         const std::string& file) {
  return std::make_unique<ArrayNumbers>(std::move(next), column, rows, nulls, file);
}

}  // namespace numpact::cli
