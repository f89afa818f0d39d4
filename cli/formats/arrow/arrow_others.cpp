// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/arrow_others.hpp"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
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

#include "formats/arrow/array_output.hpp"
#include "formats/arrow/array_sizes.hpp"
#include "formats/arrow/arrow_output.hpp"
#include "formats/arrow/checked_file.hpp"
#include "formats/arrow/other_writer.hpp"
#include "formats/arrow/taken_rows.hpp"

namespace numpact::cli {
namespace {

using ArrowType = arrow::Type;
using ArrayRef = std::shared_ptr<arrow::Array>;

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
  ArrowOtherReader(const std::vector<OtherFiles>& columns, const ValueLimitsRef& limits) {
    for (const OtherFiles& files : columns) columns_.emplace_back(files, limits);
  }

  OtherKind kind(std::size_t column) const override {
    return kind_of(*columns_[column].field()->type());
  }

  TextBlock read(std::size_t column, std::uint64_t first, std::uint64_t rows,
                 DecodeUse use) override {
    const ArrowOtherColumn& from = columns_[column];
    const ArrayRef array = from.read(first, rows, {}, use);
    const ValueLimits* const limits = from.limits().get();
    TextBlock block;
    for (std::int64_t row = 0; row < array->length(); ++row) {
      const std::optional<std::string> text = text_of_row(*array, row);
      if (limits != nullptr && text) {
        limits->check_memory(block.bytes.size() + text->size(), use, from.place());
      }
      if (text) block.bytes += *text;
      block.add_row(block.bytes.size(), !text);
    }
    return block;
  }

  void check(std::size_t column) override {
    for (const ArrowOtherFile& checked : columns_[column].files()) {
      for (std::uint64_t i = 0; i < checked.batches(); ++i) {
        const ArrayRef array = checked.batch(i);
        if (checked.limits() == nullptr) continue;
        checked.limits()->add_output(bytes_of_rows(*array), checked.place());
      }
    }
  }

 private:
  std::vector<ArrowOtherColumn> columns_;
};

}  // namespace

OtherColumn write_arrays(const std::shared_ptr<arrow::Field>& field, const NextArrays& next,
                         ByteSink& file, const std::string& place,
                         std::optional<table::Vectors> vectors) {
  OtherFileWriter writer(field, file, place, vectors);
  while (const std::shared_ptr<arrow::ChunkedArray> arrays = next()) {
    for (const ArrayRef& array : arrays->chunks()) {
      check_arrow(array->Validate(), place);
      writer.write(array);
    }
  }
  return writer.close();
}

namespace {

// Whether the values are indices of a dictionary though the column has none
// (docs/format/table-folder.md).
bool has_encoding(const arrow::Schema& schema) {
  if (schema.metadata() == nullptr) return false;
  const arrow::Result<std::string> found = schema.metadata()->Get("numpact:encoding");
  return found.ok() && *found == "dictionary";
}

// Whether a file is one of CVC.
bool starts_vectors(arrow::io::RandomAccessFile& file) {
  std::byte begin[4];
  const arrow::Result<std::int64_t> read = file.ReadAt(0, sizeof begin, begin);
  return read.ok() && table::is_vector_file({begin, static_cast<std::size_t>(*read)});
}

}  // namespace

ArrowOtherFile::ArrowOtherFile(const OtherFile& file, ValueLimitsRef limits)
    : place_(place_of(file)), rows_(file.rows) {
  if (limits != nullptr && limits->is_set()) limits_ = std::move(limits);
  if (file.file->size().value_or(0) == 0) {
    fail_corrupt(place_, "corrupt: the file is empty");
  }
  Input input(file.file);
  std::shared_ptr<arrow::io::RandomAccessFile> source = arrow_file(input);
  if (file.part.has_checksums()) {
    const auto checked = std::make_shared<CheckedFile>(std::move(source), file.part);
    check_arrow(checked->open(), place_);
    source = checked;
  }
  if (starts_vectors(*source)) {
    vectors_.emplace(source, rows_, place_);
    field_ = vectors_->field();
  } else {
    open_arrow(source);
  }
  if (field_->name() != file.name) {
    fail_corrupt(place_, "corrupt: holds column '{}', the manifest says '{}'", field_->name(),
                 file.name);
  }
}

void ArrowOtherFile::open_arrow(const std::shared_ptr<arrow::io::RandomAccessFile>& source) {
  arrow::ipc::IpcReadOptions options;
  options.use_threads = false;
  reader_ = take_arrow(arrow::ipc::RecordBatchFileReader::Open(source, options), place_);
  if (reader_->schema()->num_fields() != 1) {
    fail_corrupt(place_, "corrupt: has {} fields, not 1", reader_->schema()->num_fields());
  }
  field_ = reader_->schema()->field(0);
  is_coded_ = has_encoding(*reader_->schema());
  if (is_coded_) {
    if (field_->type()->id() != ArrowType::DICTIONARY) {
      fail_corrupt(place_, "corrupt: has no dictionary, which its metadata announces");
    }
    const auto& type = static_cast<const arrow::DictionaryType&>(*field_->type());
    field_ = field_->WithType(type.value_type());
  }
  const auto found = static_cast<std::uint64_t>(reader_->num_record_batches());
  if (found != batches()) {
    fail_corrupt(place_, "corrupt: has {} batches, not the {} of {} rows", found, batches(), rows_);
  }
  if (limits_ == nullptr) return;
  const auto read = [source, place = place_](std::uint64_t offset, std::span<std::byte> out) {
    const auto got = source->ReadAt(static_cast<std::int64_t>(offset),
                                    static_cast<std::int64_t>(out.size()), out.data());
    return static_cast<std::uint64_t>(take_arrow(got, place)) == out.size();
  };
  const std::int64_t size = take_arrow(source->GetSize(), place_);
  sizes_ = internal::arrow::IpcSizes::of(read, static_cast<std::uint64_t>(size));
  dictionary_bytes_ = known_size(sizes_ ? sizes_->dictionaries() : std::nullopt);
}

std::uint64_t ArrowOtherFile::known_size(std::optional<std::uint64_t> bytes) const {
  if (bytes) return *bytes;
  fail_corrupt(place_, "corrupt: its messages cannot be read");
}

// Compares what Arrow will allocate for a batch, after those of the same read(), with the limits.
void ArrowOtherFile::check_batch(std::uint64_t index, DecodeUse use) const {
  if (limits_ == nullptr) return;
  if (!std::exchange(has_kept_, true)) limits_->keep(dictionary_bytes_, place_);
  read_bytes_ =
      saturated_sum(read_bytes_, known_size(sizes_->batch(static_cast<std::size_t>(index))));
  limits_->check_memory(saturated_sum(read_bytes_, dictionary_bytes_), use, place_);
}

std::shared_ptr<arrow::Array> ArrowOtherFile::batch(std::uint64_t index, DecodeUse use) const {
  read_bytes_ = 0;
  if (!vectors_) return decoded(index, use);
  const std::uint64_t first = index * kOtherBatchRows;
  return read_vectors(first, std::min(kOtherBatchRows, rows_ - first), use);
}

std::shared_ptr<arrow::Array> ArrowOtherFile::read_vectors(std::uint64_t first, std::uint64_t rows,
                                                           DecodeUse use) const {
  if (limits_ != nullptr) limits_->check_memory(vectors_->bytes_of(rows), use, place_);
  return vectors_->read(first, rows);
}

std::shared_ptr<arrow::Array> ArrowOtherFile::decoded(std::uint64_t index, DecodeUse use) const {
  check_batch(index, use);
  const std::uint64_t rows = std::min(kOtherBatchRows, rows_ - index * kOtherBatchRows);
  const auto batch = take_arrow(reader_->ReadRecordBatch(static_cast<int>(index)), place_);
  if (static_cast<std::uint64_t>(batch->num_rows()) != rows) {
    fail_corrupt(place_, "corrupt: batch {} has {} rows, not {}", index, batch->num_rows(), rows);
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
    fail_corrupt(place_, "corrupt: has nulls, which its field excludes");
  }
  return array;
}

std::shared_ptr<arrow::Array> ArrowOtherFile::read(std::uint64_t first, std::uint64_t rows,
                                                   std::span<const std::uint8_t> kept,
                                                   DecodeUse use) const {
  arrow::ArrayVector arrays;
  read_bytes_ = 0;
  if (vectors_) arrays.push_back(read_vectors(first, rows, use));
  for (std::uint64_t done = vectors_ ? rows : 0; done < rows;) {
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
  return kept.empty() ? array : kept_rows(array, kept, place_);
}

// The fields of parts are the same, and have no dictionaries, which would differ from part to part.
ArrowOtherColumn::ArrowOtherColumn(const OtherFiles& files, const ValueLimitsRef& limits) {
  for (const OtherFile& file : files) {
    const ArrowOtherFile& opened = files_.emplace_back(file, limits);
    if (files.size() == 1) return;
    if (!opened.field()->Equals(*field(), true) || has_dictionary(*opened.field()->type())) {
      fail_corrupt(opened.place(),
                   "corrupt: parts of the column are of another type, or have dictionaries");
    }
  }
}

ArrayRef ArrowOtherColumn::read(std::uint64_t first, std::uint64_t rows,
                                std::span<const std::uint8_t> kept, DecodeUse use) const {
  arrow::ArrayVector arrays;
  std::size_t done = 0;
  for_each_part(
      files_.size(), first, rows, [&](std::size_t part) { return files_[part].rows(); },
      [&](std::size_t part, std::uint64_t at, std::uint64_t count) {
        const auto some = kept.empty() ? kept : kept.subspan(done, static_cast<std::size_t>(count));
        arrays.push_back(files_[part].read(at, count, some, use));
        done += static_cast<std::size_t>(count);
      });
  if (arrays.empty()) return files_[0].read(0, 0, {}, use);
  return arrays.size() == 1 ? arrays[0] : take_arrow(arrow::Concatenate(arrays), place());
}

bool has_arrow() { return true; }

std::unique_ptr<OtherReader> open_others(const std::vector<OtherFiles>& columns,
                                         const ValueLimitsRef& limits) {
  return std::make_unique<ArrowOtherReader>(columns, limits);
}

OtherColumn write_text(TextInput& input, const std::string& name, ByteSink& file,
                       const std::string& place) {
  OtherFileWriter writer(arrow::field(name, arrow::utf8()), file, place, std::nullopt);
  for (;;) {
    const TextBlock& block = input.next();
    if (block.rows() == 0) return writer.close();
    Owned<ArrowArray> made = export_texts(block, table::TextType::kString, place);
    writer.write(take_arrow(arrow::ImportArray(made.get(), arrow::utf8()), place));
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

// Types whose values are the same: offsets of other sizes, or views.
enum class TextFamily : std::uint8_t { kNone, kText, kBytes };

TextFamily text_family(const arrow::DataType& type) {
  switch (storage_type(type).id()) {
    case ArrowType::STRING:
    case ArrowType::LARGE_STRING:
    case ArrowType::STRING_VIEW:
      return TextFamily::kText;
    case ArrowType::BINARY:
    case ArrowType::LARGE_BINARY:
    case ArrowType::BINARY_VIEW:
      return TextFamily::kBytes;
    default:
      return TextFamily::kNone;
  }
}

bool are_same_text(const arrow::DataType& a, const arrow::DataType& b) {
  return text_family(a) != TextFamily::kNone && text_family(a) == text_family(b);
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

// Text in another form. Values that do not fit it, such as more bytes than offsets of 32 bits can
// number, are an error of the input.
ArrayRef as_form(const ArrayRef& array, const std::shared_ptr<arrow::DataType>& type,
                 const std::string& place) {
  const arrow::Result<ArrayRef> cast = arrow::compute::Cast(*array, type);
  if (cast.ok()) return *cast;
  fail(place, "its values do not fit type {}: {}", type->ToString(), cast.status().message());
}

// Rows to append to a column, in its type; null if they are of another one. The form of text does
// not matter, nor do the indices of a dictionary. CSV has text for columns of any text.
ArrayRef joinable(const ArrayRef& array, const std::shared_ptr<arrow::DataType>& type,
                  const std::string& place) {
  if (array->type()->Equals(type)) return array;
  if (are_same_text(*array->type(), *type)) return as_form(array, type, place);
  if (type->id() != ArrowType::DICTIONARY) return nullptr;
  const auto& target = static_cast<const arrow::DictionaryType&>(*type);
  if (are_same_text(*array->type(), *target.value_type()) && !target.ordered()) {
    const ArrayRef values = as_form(array, target.value_type(), place);
    return take_arrow(arrow::compute::DictionaryEncode(values), place).make_array();
  }
  if (array->type_id() != ArrowType::DICTIONARY) return nullptr;
  const auto& given = static_cast<const arrow::DictionaryType&>(*array->type());
  if (given.ordered() != target.ordered()) return nullptr;
  if (given.value_type()->Equals(target.value_type())) return array;
  if (!are_same_text(*given.value_type(), *target.value_type())) return nullptr;
  const auto& coded = static_cast<const arrow::DictionaryArray&>(*array);
  return take_arrow(
      arrow::DictionaryArray::FromArrays(
          arrow::dictionary(given.index_type(), target.value_type(), target.ordered()),
          coded.indices(), as_form(coded.dictionary(), target.value_type(), place)),
      place);
}

// The type that holds the values of both exactly, of decimals, and of categories and text; null if
// there is none that this program makes.
std::shared_ptr<arrow::DataType> wider(const std::shared_ptr<arrow::DataType>& one,
                                       const std::shared_ptr<arrow::DataType>& other) {
  if (arrow::is_decimal(one->id()) && arrow::is_decimal(other->id())) {
    const auto& a = static_cast<const arrow::DecimalType&>(*one);
    const auto& b = static_cast<const arrow::DecimalType&>(*other);
    const std::int32_t scale = std::max(a.scale(), b.scale());
    const std::int32_t digits =
        std::max(a.precision() - a.scale(), b.precision() - b.scale()) + scale;
    const bool is_wide = one->id() == ArrowType::DECIMAL256 || other->id() == ArrowType::DECIMAL256;
    if (digits > arrow::Decimal256Type::kMaxPrecision) return nullptr;
    return is_wide || digits > arrow::Decimal128Type::kMaxPrecision
               ? arrow::decimal256(digits, scale)
               : arrow::decimal128(digits, scale);
  }
  if (one->id() != ArrowType::DICTIONARY && other->id() == ArrowType::DICTIONARY) {
    return wider(other, one);
  }
  if (one->id() != ArrowType::DICTIONARY) return nullptr;
  const auto& coded = static_cast<const arrow::DictionaryType&>(*one);
  return are_same_text(*coded.value_type(), *other) ? other : nullptr;
}

ArrayRef widened(ArrayRef array, const std::shared_ptr<arrow::DataType>& type,
                 const std::string& place) {
  if (array->type()->Equals(type)) return array;
  const bool is_coded = array->type_id() == ArrowType::DICTIONARY;
  if (is_coded && type->id() == ArrowType::DICTIONARY) return array;  // the indices may differ
  if (is_coded) {
    array = as_form(array, static_cast<const arrow::DictionaryType&>(*array->type()).value_type(),
                    place);
  }
  return array->type()->Equals(type) ? array : as_form(array, type, place);
}

// Writes the rows of a column, in its field.
class Joining {
 public:
  Joining(const JoinedRows& rows, ByteSink& file) : rows_(rows), place_(place_of(rows.last())) {
    field_ = ArrowOtherFile(rows.like).field();
    if (rows.added) added_.emplace(*rows.added);
    has_nulls_only_ = !added_ || is_null(*added_);
    if (!has_nulls_only_ && !has_enums_of(*added_->field(), *field_)) {
      fail(place_, "its values are of an Enum of polars with other categories");
    }
    if (rows.may_widen && !has_nulls_only_) {
      const auto type = wider(field_->type(), added_->field()->type());
      if (type == nullptr) refuse_type(*added_->field()->type());
      field_ = field_->WithType(type);
    }
    if (rows.nulls_before > 0) field_ = field_->WithNullable(true);
    writer_.emplace(field_, file, place_, rows.vectors);
  }

  OtherColumn run() {
    write_nulls(rows_.nulls_before);
    for (const OtherFile& part : rows_.before) {
      const ArrowOtherFile copied(part);
      const bool is_same = copied.field()->type()->Equals(field_->type());
      if (copied.vectors() != nullptr && is_same && writer_->copy(*copied.vectors())) continue;
      for (std::uint64_t i = 0; i < copied.batches(); ++i) {
        writer_->write(widened(copied.batch(i), field_->type(), place_of(part)));
      }
    }
    for (std::uint64_t i = 0; added_ && i < added_->batches(); ++i) write_added(added_->batch(i));
    if (rows_.nulls_after > 0) require_nullable();
    write_nulls(rows_.nulls_after);
    return writer_->close();
  }

 private:
  [[noreturn]] void refuse_type(const arrow::DataType& type) const {
    fail(place_, "its type is {}, not {}{}", type.ToString(), field_->type()->ToString(),
         rows_.may_widen ? ", and this program makes no type that holds the "
                           "values of both (the Python package may)"
                         : "");
  }
  void require_nullable() const {
    if (field_->nullable()) return;
    fail(place_, "has nulls, which the folder's column excludes");
  }
  void write_nulls(std::uint64_t rows) {
    for (std::uint64_t at = 0; at < rows; at += kOtherBatchRows) {
      const auto count = static_cast<std::int64_t>(std::min(kOtherBatchRows, rows - at));
      writer_->write(nulls_of(field_->type(), count, place_));
    }
  }
  void write_added(const ArrayRef& array) {
    if (array->null_count() > 0 || array->type_id() == ArrowType::NA) require_nullable();
    const ArrayRef joined = has_nulls_only_   ? nulls_of(field_->type(), array->length(), place_)
                            : rows_.may_widen ? widened(array, field_->type(), place_)
                                              : joinable(array, field_->type(), place_);
    if (joined == nullptr) refuse_type(*array->type());
    writer_->write(joined);
  }

  const JoinedRows& rows_;
  std::string place_;
  std::shared_ptr<arrow::Field> field_;
  std::optional<ArrowOtherFile> added_;
  bool has_nulls_only_ = false;
  std::optional<OtherFileWriter> writer_;
};

}  // namespace

OtherColumn join_others(const JoinedRows& rows, ByteSink& file) {
  return Joining(rows, file).run();
}

}  // namespace numpact::cli
