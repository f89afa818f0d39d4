// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/other_writer.hpp"

#include <arrow/array/array_dict.h>
#include <arrow/array/concatenate.h>
#include <arrow/chunked_array.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/io/file.h>
#include <arrow/ipc/options.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/arrow_output.hpp"

namespace numpact::cli {

bool has_dictionary(const arrow::DataType& type) {
  const arrow::DataType& storage = storage_type(type);
  if (storage.id() == arrow::Type::DICTIONARY) return true;
  const arrow::FieldVector& fields = storage.fields();
  return std::any_of(fields.begin(), fields.end(),
                     [](const auto& field) { return has_dictionary(*field->type()); });
}

namespace {

constexpr auto kBatchRows = static_cast<std::int64_t>(kOtherBatchRows);
// Of a file of vectors that are passed on at a time.
constexpr std::int64_t kCopiedBytes = std::int64_t{1} << 22;

bool can_be_rounded_vectors(const arrow::DataType& type) {
  if (!can_be_vectors(type)) return false;
  const auto& list = static_cast<const arrow::FixedSizeListType&>(storage_type(type));
  return arrow::is_floating(list.value_type()->id());
}

// The values of a view without the bytes of other rows: all bytes that the views of a slice could
// point to would be written.
std::shared_ptr<arrow::Array> compact(const std::shared_ptr<arrow::Array>& array,
                                      const std::string& place) {
  const arrow::Type::type id = array->type_id();
  if (id != arrow::Type::STRING_VIEW && id != arrow::Type::BINARY_VIEW) return array;
  const auto large = id == arrow::Type::STRING_VIEW ? arrow::large_utf8() : arrow::large_binary();
  const auto plain = take_arrow(arrow::compute::Cast(*array, large), place);
  return take_arrow(arrow::compute::Cast(*plain, array->type()), place);
}

// The type of indices and the wider ones of the same sign.
std::vector<std::shared_ptr<arrow::DataType>> wider(
    const std::shared_ptr<arrow::DataType>& indices) {
  std::vector<std::shared_ptr<arrow::DataType>> types = {arrow::int8(), arrow::int16(),
                                                         arrow::int32(), arrow::int64()};
  if (arrow::is_unsigned_integer(indices->id())) {
    types = {arrow::uint8(), arrow::uint16(), arrow::uint32(), arrow::uint64()};
  }
  types.erase(types.begin(), std::find_if(types.begin(), types.end(),
                                          [&](const auto& type) { return type->Equals(indices); }));
  return types;
}

}  // namespace

const arrow::DataType& storage_type(const arrow::DataType& type) {
  if (type.id() != arrow::Type::EXTENSION) return type;
  return storage_type(*static_cast<const arrow::ExtensionType&>(type).storage_type());
}

OtherFileWriter::OtherFileWriter(std::shared_ptr<arrow::Field> field, ByteSink& file,
                                 std::string place, std::optional<table::Vectors> vectors)
    : field_(std::move(field)),
      place_(std::move(place)),
      is_whole_(has_dictionary(*field_->type())),
      file_(file),
      form_(vectors.value_or(table::Vectors::kExact)),
      sink_(sink_to(file)) {
  const bool can_be_rounded =
      can_be_rounded_vectors(*field_->type()) && can_be_vectors(*field_->type());
  if (form_ != table::Vectors::kExact && !can_be_rounded) {
    fail(place_,
         "--vectors: values of type {} are no fixed-size lists of float32 or "
         "float16",
         field_->type()->ToString());
  }
  if (vectors && can_be_vectors(*field_->type())) {
    vectors_ = std::make_unique<VectorFileWriter>(field_, form_, place_);
  } else if (!is_whole_) {
    begin();
  }
}

void OtherFileWriter::write(const std::shared_ptr<arrow::Array>& array) {
  if (array->length() == 0) return;
  if (array->null_count() > 0 && !field_->nullable()) {
    fail_corrupt(place_, "corrupt: has nulls, which its field excludes");
  }
  add(array);
  rows_ += static_cast<std::uint64_t>(array->length());
}

void OtherFileWriter::add(const std::shared_ptr<arrow::Array>& array) {
  if (vectors_ != nullptr && has_nulls(*array)) give_up_vectors();
  if (vectors_ != nullptr) return vectors_->write(*array);
  pending_.push_back(array);
  pending_rows_ += array->length();
  if (!is_whole_) flush(false);
}

bool OtherFileWriter::copy(const cvc::Reader& rows) {
  if (vectors_ == nullptr) return false;
  rows_ += vectors_->copy(rows);
  return true;
}

// Writes the rows so far as they are: there are nulls, which CVC does not have.
void OtherFileWriter::give_up_vectors() {
  if (form_ != table::Vectors::kExact) {
    fail(place_,
         "a null from row {} on, which vectors of the compression '{}' cannot "
         "be",
         rows_, table::to_string(form_));
  }
  const std::unique_ptr<VectorFileWriter> vectors = std::move(vectors_);
  begin();
  if (rows_ == 0) return;
  const VectorFileReader written(
      take_arrow(arrow::io::ReadableFile::Open(vectors->finish()), place_), rows_, place_);
  for (std::uint64_t row = 0; row < rows_; row += table::kOtherBatchRows) {
    add(written.read(row, std::min(table::kOtherBatchRows, rows_ - row)));
  }
}

// Passes the file of vectors on; without rows it is one of Arrow.
void OtherFileWriter::end_vectors() {
  if (rows_ == 0) {
    begin();
    return check_arrow(writer_->Close(), place_);
  }
  const auto file = take_arrow(arrow::io::ReadableFile::Open(vectors_->finish()), place_);
  for (;;) {
    const auto block = take_arrow(file->Read(kCopiedBytes), place_);
    if (block->size() == 0) return;
    check(file_.write({reinterpret_cast<const std::byte*>(block->data()),
                       static_cast<std::size_t>(block->size())}),
          place_);
  }
}

OtherColumn OtherFileWriter::close() {
  if (vectors_ != nullptr) {
    end_vectors();
    return {field_->type()->ToString(), rows_};
  }
  if (is_whole_) {
    if (!pending_.empty()) unify();
    begin();
  }
  flush(true);
  check_arrow(writer_->Close(), place_);
  return {field_->type()->ToString(), rows_};
}

// Begins a file of the field.
void OtherFileWriter::begin() {
  schema_ = arrow::schema({field_});
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.codec = take_arrow(arrow::util::Codec::Create(arrow::Compression::ZSTD), place_);
  options.use_threads = false;
  writer_ = take_arrow(arrow::ipc::MakeFileWriter(sink_, schema_, options), place_);
}

void OtherFileWriter::flush(bool is_end) {
  while (pending_rows_ >= kBatchRows || (is_end && pending_rows_ > 0)) {
    write_batch(take(std::min(kBatchRows, pending_rows_)));
  }
}

arrow::ArrayVector OtherFileWriter::take(std::int64_t rows) {
  arrow::ArrayVector taken;
  pending_rows_ -= rows;
  std::size_t whole = 0;  // arrays that are taken whole
  while (rows > 0) {
    std::shared_ptr<arrow::Array>& array = pending_[whole];
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

void OtherFileWriter::write_batch(const arrow::ArrayVector& arrays) {
  std::shared_ptr<arrow::Array> array = arrays[0];
  if (arrays.size() > 1) {
    const auto joined = arrow::Concatenate(arrays);
    if (joined.status().IsInvalid()) {
      fail(place_, "{} rows of type {} are too large for a batch: {}", kBatchRows,
           field_->type()->ToString(), joined.status().message());
    }
    array = take_arrow(joined, place_);
  }
  array = compact(array, place_);
  check_arrow(
      writer_->WriteRecordBatch(*arrow::RecordBatch::Make(schema_, array->length(), {array})),
      place_);
}

// Joins the dictionaries of all arrays. If the joined one has more values than the indices can
// number, the indices become wider, and with them the type of the field.
void OtherFileWriter::unify() {
  const std::shared_ptr<arrow::DataType> whole = field_->type();
  arrow::Status problem;
  if (whole->id() != arrow::Type::DICTIONARY) {
    const auto chunked = std::make_shared<arrow::ChunkedArray>(pending_, whole);
    const auto unified = arrow::DictionaryUnifier::UnifyChunkedArray(chunked);
    problem = unified.status();
    if (problem.ok()) pending_ = (*unified)->chunks();
  } else {
    const auto& type = static_cast<const arrow::DictionaryType&>(*whole);
    for (const auto& indices : wider(type.index_type())) {
      const auto wide = arrow::dictionary(indices, type.value_type(), type.ordered());
      const arrow::Result<arrow::ArrayVector> unified = unified_as(wide);
      problem = unified.status();
      if (problem.IsInvalid()) continue;  // the indices are too narrow
      if (!problem.ok()) break;
      pending_ = *unified;
      field_ = field_->WithType(wide);
      break;
    }
  }
  if (problem.ok()) return;
  fail(place_, "its dictionaries cannot be joined to one: " + problem.message());
}

arrow::Result<arrow::ArrayVector> OtherFileWriter::unified_as(
    const std::shared_ptr<arrow::DataType>& type) const {
  const auto& target = static_cast<const arrow::DictionaryType&>(*type);
  arrow::ArrayVector arrays;
  for (const std::shared_ptr<arrow::Array>& array : pending_) {
    const auto& coded = static_cast<const arrow::DictionaryArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(const auto indices,
                          arrow::compute::Cast(*coded.indices(), target.index_type()));
    ARROW_ASSIGN_OR_RAISE(const auto made,
                          arrow::DictionaryArray::FromArrays(type, indices, coded.dictionary()));
    arrays.push_back(made);
  }
  if (arrays.size() < 2) return arrays;
  const auto chunked = std::make_shared<arrow::ChunkedArray>(arrays, type);
  ARROW_ASSIGN_OR_RAISE(const auto unified, arrow::DictionaryUnifier::UnifyChunkedArray(chunked));
  return unified->chunks();
}

}  // namespace numpact::cli
