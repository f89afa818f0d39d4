// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/arrow_others.hpp"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "formats/arrow/array_sizes.hpp"
#include "formats/arrow/arrow_output.hpp"

namespace numpact::cli {
namespace {

using ArrowType = arrow::Type;
using ArrayRef = std::shared_ptr<arrow::Array>;

const arrow::DataType& storage_type(const arrow::DataType& type) {
  if (type.id() != ArrowType::EXTENSION) return type;
  return storage_type(*static_cast<const arrow::ExtensionType&>(type).storage_type());
}

bool has_dictionary(const arrow::DataType& type) {
  const arrow::DataType& storage = storage_type(type);
  if (storage.id() == ArrowType::DICTIONARY) return true;
  const arrow::FieldVector& fields = storage.fields();
  return std::any_of(fields.begin(), fields.end(),
                     [](const auto& field) { return has_dictionary(*field->type()); });
}

// The values of a view without the bytes of other rows: all bytes that the views of a slice could
// point to would be written.
ArrayRef compact(const ArrayRef& array, const std::string& place) {
  const ArrowType::type id = array->type_id();
  if (id != ArrowType::STRING_VIEW && id != ArrowType::BINARY_VIEW) return array;
  const auto large = id == ArrowType::STRING_VIEW ? arrow::large_utf8() : arrow::large_binary();
  const ArrayRef plain = take_arrow(arrow::compute::Cast(*array, large), place);
  return take_arrow(arrow::compute::Cast(*plain, array->type()), place);
}

// Writes batches of kOtherBatchRows rows. A column with dictionaries is kept in memory up to
// close(), since a file has one dictionary for all batches.
class OtherFileWriter {
 public:
  OtherFileWriter(std::shared_ptr<arrow::Field> field, OutputFile& file, std::string place)
      : field_(std::move(field)),
        schema_(arrow::schema({field_})),
        place_(std::move(place)),
        is_whole_(has_dictionary(*field_->type())) {
    sink_ = sink_to(file);
    if (!is_whole_) begin();
  }

  void write(const ArrayRef& array) {
    if (array->length() == 0) return;
    if (array->null_count() > 0 && !field_->nullable()) {
      throw Failure(ExitCode::kCorrupt, place_, "corrupt: has nulls, which its field excludes");
    }
    pending_.push_back(array);
    rows_ += static_cast<std::uint64_t>(array->length());
    pending_rows_ += array->length();
    if (!is_whole_) flush(false);
  }

  OtherColumn close() {
    if (is_whole_) {
      if (!pending_.empty()) unify();
      begin();  // only the last row decides the type
    }
    flush(true);
    check_arrow(writer_->Close(), place_);
    return {field_->type()->ToString(), rows_};
  }

 private:
  static constexpr auto kBatchRows = static_cast<std::int64_t>(kOtherBatchRows);

  void begin() {
    arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
    options.codec = take_arrow(arrow::util::Codec::Create(arrow::Compression::ZSTD), place_);
    options.use_threads = false;
    writer_ = take_arrow(arrow::ipc::MakeFileWriter(sink_, schema_, options), place_);
  }

  void flush(bool is_end) {
    while (pending_rows_ >= kBatchRows || (is_end && pending_rows_ > 0)) {
      write_batch(take(std::min(kBatchRows, pending_rows_)));
    }
  }

  arrow::ArrayVector take(std::int64_t rows) {
    arrow::ArrayVector taken;
    pending_rows_ -= rows;
    std::size_t whole = 0;  // arrays that are taken whole
    while (rows > 0) {
      ArrayRef& array = pending_[whole];
      const std::int64_t count = std::min(rows, array->length());
      taken.push_back(array->Slice(0, count));
      rows -= count;
      if (count == array->length()) {
        ++whole;
      } else {
        array = array->Slice(count);
      }
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(whole));
    return taken;
  }

  void write_batch(const arrow::ArrayVector& arrays) {
    const ArrayRef array =
        arrays.size() == 1 ? arrays[0] : take_arrow(arrow::Concatenate(arrays), place_);
    const auto batch = arrow::RecordBatch::Make(schema_, array->length(), {compact(array, place_)});
    check_arrow(writer_->WriteRecordBatch(*batch), place_);
  }

  // Joins the dictionaries of all arrays. If the joined one has more values than the indices can
  // number, the indices become wider, and with them the type of the field.
  void unify() {
    const std::shared_ptr<arrow::DataType> whole = field_->type();
    if (whole->id() != ArrowType::DICTIONARY) {
      const auto chunked = std::make_shared<arrow::ChunkedArray>(pending_, whole);
      pending_ = take_arrow(arrow::DictionaryUnifier::UnifyChunkedArray(chunked), place_)->chunks();
      return;
    }
    const auto& type = static_cast<const arrow::DictionaryType&>(*whole);
    arrow::Status problem;
    for (const auto& indices : wider(type.index_type())) {
      const auto wide = arrow::dictionary(indices, type.value_type(), type.ordered());
      const arrow::Result<arrow::ArrayVector> unified = unified_as(wide);
      problem = unified.status();
      if (problem.IsInvalid()) continue;  // the indices are too narrow
      if (!problem.ok()) break;
      pending_ = *unified;
      field_ = field_->WithType(wide);
      schema_ = arrow::schema({field_});
      return;
    }
    check_arrow(problem, place_);
  }

  arrow::Result<arrow::ArrayVector> unified_as(const std::shared_ptr<arrow::DataType>& type) const {
    const auto& target = static_cast<const arrow::DictionaryType&>(*type);
    arrow::ArrayVector arrays;
    for (const ArrayRef& array : pending_) {
      const auto& coded = static_cast<const arrow::DictionaryArray&>(*array);
      ARROW_ASSIGN_OR_RAISE(const ArrayRef indices,
                            arrow::compute::Cast(*coded.indices(), target.index_type()));
      ARROW_ASSIGN_OR_RAISE(const ArrayRef made,
                            arrow::DictionaryArray::FromArrays(type, indices, coded.dictionary()));
      arrays.push_back(made);
    }
    if (arrays.size() < 2) return arrays;
    const auto chunked = std::make_shared<arrow::ChunkedArray>(arrays, type);
    ARROW_ASSIGN_OR_RAISE(const auto unified, arrow::DictionaryUnifier::UnifyChunkedArray(chunked));
    return unified->chunks();
  }

  // The type of indices and the wider ones of the same sign.
  static std::vector<std::shared_ptr<arrow::DataType>> wider(
      const std::shared_ptr<arrow::DataType>& indices) {
    std::vector<std::shared_ptr<arrow::DataType>> types = {arrow::int8(), arrow::int16(),
                                                           arrow::int32(), arrow::int64()};
    if (arrow::is_unsigned_integer(indices->id())) {
      types = {arrow::uint8(), arrow::uint16(), arrow::uint32(), arrow::uint64()};
    }
    types.erase(types.begin(), std::find_if(types.begin(), types.end(), [&](const auto& type) {
                  return type->Equals(indices);
                }));
    return types;
  }

  std::shared_ptr<arrow::Field> field_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string place_;
  bool is_whole_;
  std::shared_ptr<arrow::io::OutputStream> sink_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  arrow::ArrayVector pending_;
  std::int64_t pending_rows_ = 0;
  std::uint64_t rows_ = 0;
};

OtherKind kind_of(const arrow::DataType& type) {
  const arrow::DataType& storage = storage_type(type);
  switch (storage.id()) {
    case ArrowType::DICTIONARY:
      return kind_of(*static_cast<const arrow::DictionaryType&>(storage).value_type());
    case ArrowType::STRING:
    case ArrowType::LARGE_STRING:
    case ArrowType::STRING_VIEW:
      return OtherKind::kText;
    default:
      return arrow::is_decimal(storage.id()) ? OtherKind::kDecimal : OtherKind::kOpaque;
  }
}

// The text of a row that is not null.
std::string text_at(const arrow::Array& array, std::int64_t row) {
  switch (array.type_id()) {
    case ArrowType::STRING:
      return static_cast<const arrow::StringArray&>(array).GetString(row);
    case ArrowType::LARGE_STRING:
      return static_cast<const arrow::LargeStringArray&>(array).GetString(row);
    case ArrowType::STRING_VIEW:
      return static_cast<const arrow::StringViewArray&>(array).GetString(row);
    case ArrowType::DECIMAL32:
      return static_cast<const arrow::Decimal32Array&>(array).FormatValue(row);
    case ArrowType::DECIMAL64:
      return static_cast<const arrow::Decimal64Array&>(array).FormatValue(row);
    case ArrowType::DECIMAL128:
      return static_cast<const arrow::Decimal128Array&>(array).FormatValue(row);
    case ArrowType::DECIMAL256:
      return static_cast<const arrow::Decimal256Array&>(array).FormatValue(row);
    default:
      return {};
  }
}

// Where the value of a row is: in its array, or in the dictionary of that. None for a null.
std::optional<std::string> text_of_row(const arrow::Array& array, std::int64_t row) {
  if (array.type_id() == ArrowType::EXTENSION) {
    return text_of_row(*static_cast<const arrow::ExtensionArray&>(array).storage(), row);
  }
  if (array.IsNull(row)) return std::nullopt;
  if (array.type_id() != ArrowType::DICTIONARY) return text_at(array, row);
  const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
  return text_of_row(*coded.dictionary(), coded.GetValueIndex(row));
}

class ArrowOtherReader final : public OtherReader {
 public:
  ArrowOtherReader(const std::vector<OtherFile>& files, const ValueLimitsRef& limits) {
    for (const OtherFile& file : files) files_.emplace_back(file, limits);
  }

  OtherKind kind(std::size_t file) const override { return kind_of(*files_[file].field()->type()); }

  TextBlock read(std::size_t file, std::uint64_t first, std::uint64_t rows,
                 DecodeUse use) override {
    const ArrayRef array = files_[file].read(first, rows, {}, use);
    const ValueLimits* const limits = files_[file].limits().get();
    TextBlock block;
    for (std::int64_t row = 0; row < array->length(); ++row) {
      const std::optional<std::string> text = text_of_row(*array, row);
      if (limits != nullptr && text) {
        limits->check_memory(block.bytes.size() + text->size(), use, files_[file].place());
      }
      if (text) block.bytes += *text;
      block.add_row(block.bytes.size(), !text);
    }
    return block;
  }

  void check(std::size_t file) override {
    const ArrowOtherFile& checked = files_[file];
    for (std::uint64_t i = 0; i < checked.batches(); ++i) {
      const ArrayRef array = checked.batch(i);
      if (checked.limits() == nullptr) continue;
      checked.limits()->add_output(bytes_of_rows(*array), checked.place());
    }
  }

 private:
  std::vector<ArrowOtherFile> files_;
};

// A copy of the block as an array of text.
ArrayRef array_of(const TextBlock& block, const std::string& place) {
  std::vector<std::int64_t> offsets(1);
  for (const std::uint64_t end : block.ends) offsets.push_back(static_cast<std::int64_t>(end));
  std::shared_ptr<arrow::Buffer> valid;
  if (!block.valid.empty()) valid = validity_bits(block.valid, place);
  const auto large = arrow::MakeArray(
      arrow::ArrayData::Make(arrow::large_utf8(), static_cast<std::int64_t>(block.rows()),
                             {std::move(valid), arrow::Buffer::FromVector(std::move(offsets)),
                              arrow::Buffer::FromString(block.bytes)}));
  return take_arrow(arrow::compute::Cast(*large, arrow::utf8()), place);
}

}  // namespace

OtherColumn write_arrays(const std::shared_ptr<arrow::Field>& field, const NextArrays& next,
                         OutputFile& file, const std::string& place) {
  OtherFileWriter writer(field, file, place);
  while (const std::shared_ptr<arrow::ChunkedArray> arrays = next()) {
    for (const ArrayRef& array : arrays->chunks()) {
      check_arrow(array->Validate(), place);
      writer.write(array);
    }
  }
  return writer.close();
}

namespace {

// Whether the values are indices of a dictionary though the column has none: text that repeats
// (docs/format/table-folder.md).
bool has_encoding(const arrow::Schema& schema) {
  if (schema.metadata() == nullptr) return false;
  const arrow::Result<std::string> found = schema.metadata()->Get("numpact:encoding");
  return found.ok() && *found == "dictionary";
}

}  // namespace

ArrowOtherFile::ArrowOtherFile(const OtherFile& file, ValueLimitsRef limits)
    : place_(place_of(file)), rows_(file.rows) {
  if (limits != nullptr && limits->is_set()) limits_ = std::move(limits);
  if (file.file->size().value_or(0) == 0) {
    throw Failure(ExitCode::kCorrupt, place_, "corrupt: the file is empty");
  }
  Input input(file.file);
  arrow::ipc::IpcReadOptions options;
  options.use_threads = false;
  const std::shared_ptr<arrow::io::RandomAccessFile> bytes = arrow_file(input);
  reader_ = take_arrow(arrow::ipc::RecordBatchFileReader::Open(bytes, options), place_);
  if (reader_->schema()->num_fields() != 1) {
    throw Failure(ExitCode::kCorrupt, place_,
                  fmt::format("corrupt: has {} fields, not 1", reader_->schema()->num_fields()));
  }
  field_ = reader_->schema()->field(0);
  if (field_->name() != file.name) {
    throw Failure(ExitCode::kCorrupt, place_,
                  fmt::format("corrupt: holds column '{}', the manifest says '{}'", field_->name(),
                              file.name));
  }
  is_coded_ = has_encoding(*reader_->schema());
  if (is_coded_) {
    if (field_->type()->id() != ArrowType::DICTIONARY) {
      throw Failure(ExitCode::kCorrupt, place_,
                    "corrupt: has no dictionary, which its metadata announces");
    }
    const auto& type = static_cast<const arrow::DictionaryType&>(*field_->type());
    field_ = field_->WithType(type.value_type());
  }
  const auto found = static_cast<std::uint64_t>(reader_->num_record_batches());
  if (found != batches()) {
    throw Failure(
        ExitCode::kCorrupt, place_,
        fmt::format("corrupt: has {} batches, not the {} of {} rows", found, batches(), rows_));
  }
  if (limits_ == nullptr) return;
  sizes_.emplace(bytes, place_);
  dictionary_bytes_ = sizes_->dictionaries();
}

// Compares what Arrow will allocate for a batch, after those of the same read(), with the limits.
void ArrowOtherFile::check_batch(std::uint64_t index, DecodeUse use) const {
  if (limits_ == nullptr) return;
  if (!std::exchange(has_kept_, true)) limits_->keep(dictionary_bytes_, place_);
  read_bytes_ = saturated_sum(read_bytes_, sizes_->batch(static_cast<std::size_t>(index)));
  limits_->check_memory(saturated_sum(read_bytes_, dictionary_bytes_), use, place_);
}

std::shared_ptr<arrow::Array> ArrowOtherFile::batch(std::uint64_t index, DecodeUse use) const {
  read_bytes_ = 0;
  return decoded(index, use);
}

std::shared_ptr<arrow::Array> ArrowOtherFile::decoded(std::uint64_t index, DecodeUse use) const {
  check_batch(index, use);
  const std::uint64_t rows = std::min(kOtherBatchRows, rows_ - index * kOtherBatchRows);
  const auto batch = take_arrow(reader_->ReadRecordBatch(static_cast<int>(index)), place_);
  if (static_cast<std::uint64_t>(batch->num_rows()) != rows) {
    throw Failure(
        ExitCode::kCorrupt, place_,
        fmt::format("corrupt: batch {} has {} rows, not {}", index, batch->num_rows(), rows));
  }
  // Offsets and views of untrusted content may point anywhere.
  check_arrow(batch->ValidateFull(), place_);
  std::shared_ptr<arrow::Array> array = batch->column(0);
  if (is_coded_) {
    if (limits_ != nullptr) {
      read_bytes_ = saturated_sum(read_bytes_, spread_bytes(*array));
      limits_->check_memory(saturated_sum(read_bytes_, dictionary_bytes_), use, place_);
    }
    array = take_arrow(arrow::compute::Cast(*array, field_->type()), place_);
  }
  if (array->null_count() > 0 && !field_->nullable()) {
    throw Failure(ExitCode::kCorrupt, place_, "corrupt: has nulls, which its field excludes");
  }
  return array;
}

std::shared_ptr<arrow::Array> ArrowOtherFile::read(std::uint64_t first, std::uint64_t rows,
                                                   std::span<const std::uint8_t> kept,
                                                   DecodeUse use) const {
  arrow::ArrayVector arrays;
  read_bytes_ = 0;
  for (std::uint64_t done = 0; done < rows;) {
    const std::uint64_t row = first + done;
    const std::uint64_t in_batch = row % kOtherBatchRows;
    const std::uint64_t count = std::min(rows - done, kOtherBatchRows - in_batch);
    const bool is_whole =
        kept.empty() && (count == kOtherBatchRows || row + count == rows_) && in_batch == 0;
    arrays.push_back(
        decoded(row / kOtherBatchRows, is_whole ? use : DecodeUse::kSome)
            ->Slice(static_cast<std::int64_t>(in_batch), static_cast<std::int64_t>(count)));
    done += count;
  }
  std::shared_ptr<arrow::Array> array =
      arrays.size() == 1 ? arrays[0] : take_arrow(arrow::Concatenate(arrays), place_);
  if (kept.empty()) return array;
  const auto mask = arrow::MakeArray(
      arrow::ArrayData::Make(arrow::boolean(), static_cast<std::int64_t>(kept.size()),
                             {nullptr, validity_bits(kept, place_)}, 0));
  return take_arrow(arrow::compute::Filter(array, mask), place_).make_array();
}

bool has_arrow() { return true; }

std::unique_ptr<OtherReader> open_others(const std::vector<OtherFile>& files,
                                         const ValueLimitsRef& limits) {
  return std::make_unique<ArrowOtherReader>(files, limits);
}

OtherColumn write_text(TextInput& input, const std::string& name, OutputFile& file) {
  OtherFileWriter writer(arrow::field(name, arrow::utf8()), file, file.name());
  for (;;) {
    const TextBlock& block = input.next();
    if (block.rows() == 0) return writer.close();
    writer.write(array_of(block, file.name()));
  }
}

namespace {

// Whether a field declares the Enums of polars that another one declares, also inside of nested
// types. polars reads values that are none of the declared categories as nulls.
bool has_enums_of(const arrow::Field& field, const arrow::Field& other) {
  for (const char* const key : {"_PL_ENUM_VALUES", "_PL_ENUM_VALUES2"}) {
    const auto declared = [key](const arrow::Field& of) -> std::string {
      return of.HasMetadata() ? of.metadata()->Get(key).ValueOr("") : "";
    };
    if (!declared(other).empty() && declared(other) != declared(field)) return false;
  }
  const arrow::FieldVector& inside = field.type()->fields();
  if (field.type()->num_fields() != other.type()->num_fields()) return true;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (!has_enums_of(*inside[i], *other.type()->field(static_cast<int>(i)))) return false;
  }
  return true;
}

bool is_text(const arrow::DataType& type) {
  return type.id() == ArrowType::STRING || type.id() == ArrowType::LARGE_STRING ||
         type.id() == ArrowType::STRING_VIEW;
}

bool is_null(const ArrowOtherFile& file) {
  for (std::uint64_t i = 0; i < file.batches(); ++i) {
    const ArrayRef array = file.batch(i);
    if (array->null_count() < array->length() && array->type_id() != ArrowType::NA) return false;
  }
  return true;
}

// Nulls of a type, which may be an extension.
ArrayRef nulls_of(const std::shared_ptr<arrow::DataType>& type, std::int64_t rows,
                  const std::string& place) {
  if (type->id() != ArrowType::EXTENSION) {
    return take_arrow(arrow::MakeArrayOfNull(type, rows), place);
  }
  const auto& storage = static_cast<const arrow::ExtensionType&>(*type).storage_type();
  return arrow::ExtensionType::WrapArray(type, nulls_of(storage, rows, place));
}

// Rows to append to a column, in its type; null if they are of another one. CSV has text for
// columns of any text. The indices of a dictionary may be of another type.
ArrayRef joinable(const ArrayRef& array, const std::shared_ptr<arrow::DataType>& type,
                  const std::string& place) {
  if (array->type()->Equals(type)) return array;
  if (is_text(*array->type()) && is_text(*type)) {
    return take_arrow(arrow::compute::Cast(*array, type), place);
  }
  if (type->id() != ArrowType::DICTIONARY) return nullptr;
  const auto& target = static_cast<const arrow::DictionaryType&>(*type);
  if (is_text(*array->type()) && is_text(*target.value_type()) && !target.ordered()) {
    const ArrayRef values = take_arrow(arrow::compute::Cast(*array, target.value_type()), place);
    return take_arrow(arrow::compute::DictionaryEncode(values), place).make_array();
  }
  if (array->type_id() != ArrowType::DICTIONARY) return nullptr;
  const auto& given = static_cast<const arrow::DictionaryType&>(*array->type());
  const bool is_same =
      given.ordered() == target.ordered() && given.value_type()->Equals(target.value_type());
  return is_same ? array : nullptr;
}

}  // namespace

OtherColumn join_others(const OtherFile& first, const OtherFile& second, OutputFile& file) {
  const ArrowOtherFile before(first);
  const ArrowOtherFile after(second);
  const std::shared_ptr<arrow::Field>& field = before.field();
  const bool has_nulls_only = is_null(after);
  if (!has_nulls_only && !has_enums_of(*after.field(), *field)) {
    throw Failure(ExitCode::kFailure, place_of(second),
                  "its values are of an Enum of polars with other categories");
  }
  OtherFileWriter writer(field, file, file.name());
  for (std::uint64_t i = 0; i < before.batches(); ++i) writer.write(before.batch(i));
  for (std::uint64_t i = 0; i < after.batches(); ++i) {
    const ArrayRef array = after.batch(i);
    const bool has_nulls = array->null_count() > 0 || array->type_id() == ArrowType::NA;
    if (has_nulls && !field->nullable()) {
      throw Failure(ExitCode::kFailure, place_of(second),
                    "has nulls, which the folder's column excludes");
    }
    const ArrayRef joined = has_nulls_only
                                ? nulls_of(field->type(), array->length(), place_of(second))
                                : joinable(array, field->type(), place_of(second));
    if (joined == nullptr) {
      throw Failure(ExitCode::kFailure, place_of(second),
                    fmt::format("its type is {}, not {}", array->type()->ToString(),
                                field->type()->ToString()));
    }
    writer.write(joined);
  }
  return writer.close();
}

}  // namespace numpact::cli
