// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/vector_file.hpp"

#include <arrow/array/array_nested.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/base64.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/other_writer.hpp"
#include "numpact/cvc/collection.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/stream.hpp"
#include "platform/environment.hpp"
#include "platform/folders.hpp"

namespace numpact::cli {
namespace {

// The only column of a file, and the metadata that has the field: a schema of Arrow IPC in base64.
constexpr const char* kColumn = "vectors";
constexpr std::string_view kSchemaBegin = R"({"arrow":")";
constexpr std::string_view kSchemaEnd = R"("})";
// Values of a chunk, so that writers and readers of single rows need little memory; and its fewest
// rows, since ranges of quantized values take space in each chunk.
constexpr std::uint64_t kChunkValues = std::uint64_t{1} << 22;
constexpr std::uint64_t kMinChunkRows = 1024;

const arrow::FixedSizeListType& list_type(const arrow::DataType& type) {
  return static_cast<const arrow::FixedSizeListType&>(storage_type(type));
}

std::uint64_t width_of(const arrow::DataType& type) {
  return static_cast<std::uint64_t>(list_type(type).list_size());
}

std::optional<cvc::Dtype> dtype_of(const arrow::DataType& type) {
  if (storage_type(type).id() != arrow::Type::FIXED_SIZE_LIST || list_type(type).list_size() == 0) {
    return std::nullopt;
  }
  switch (list_type(type).value_type()->id()) {
    case arrow::Type::HALF_FLOAT:
      return cvc::Dtype::kFloat16;
    case arrow::Type::FLOAT:
      return cvc::Dtype::kFloat32;
    case arrow::Type::INT8:
      return cvc::Dtype::kInt8;
    case arrow::Type::UINT8:
      return cvc::Dtype::kUInt8;
    case arrow::Type::INT32:
      return cvc::Dtype::kInt32;
    case arrow::Type::INT64:
      return cvc::Dtype::kInt64;
    default:
      return std::nullopt;
  }
}

const arrow::FixedSizeListArray& lists_in(const arrow::Array& array) {
  if (array.type_id() != arrow::Type::EXTENSION) {
    return static_cast<const arrow::FixedSizeListArray&>(array);
  }
  return lists_in(*static_cast<const arrow::ExtensionArray&>(array).storage());
}

std::shared_ptr<arrow::Array> extended(const std::shared_ptr<arrow::DataType>& type,
                                       std::shared_ptr<arrow::Array> storage) {
  if (type->id() != arrow::Type::EXTENSION) return storage;
  const auto& inside = static_cast<const arrow::ExtensionType&>(*type).storage_type();
  return arrow::ExtensionType::WrapArray(type, extended(inside, std::move(storage)));
}

std::string file_metadata(const std::shared_ptr<arrow::Field>& field, const std::string& place) {
  const auto bytes = take_arrow(arrow::ipc::SerializeSchema(*arrow::schema({field})), place);
  return fmt::format("{}{}{}", kSchemaBegin, arrow::util::base64_encode(bytes->ToString()),
                     kSchemaEnd);
}

// The field in the metadata of a file; null: it has none.
std::shared_ptr<arrow::Field> field_in(const cvc::Info& info) {
  std::string_view text = info.metadata.value_or("");
  if (!text.starts_with(kSchemaBegin) || !text.ends_with(kSchemaEnd)) return nullptr;
  text.remove_prefix(kSchemaBegin.size());
  text.remove_suffix(std::min(kSchemaEnd.size(), text.size()));
  // Of old versions of Arrow a text, which is no schema if it cannot be decoded.
  const arrow::Result<std::string> decoded = arrow::util::base64_decode(text);
  if (!decoded.ok()) return nullptr;
  const auto bytes = arrow::Buffer::FromString(*decoded);
  arrow::io::BufferReader source(bytes);
  arrow::ipc::DictionaryMemo dictionaries;
  const auto schema = arrow::ipc::ReadSchema(&source, &dictionaries);
  return schema.ok() && (*schema)->num_fields() == 1 ? (*schema)->field(0) : nullptr;
}

}  // namespace

// A file of Arrow for the library. Keeps its errors, which name the block that is damaged.
class VectorFileReader::Source final : public RangeSource {
 public:
  Source(std::shared_ptr<arrow::io::RandomAccessFile> file, std::uint64_t size)
      : file_(std::move(file)), size_(size) {}

  std::uint64_t size() const noexcept override { return size_; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    const auto read = file_->ReadAt(static_cast<std::int64_t>(offset),
                                    static_cast<std::int64_t>(out.size()), out.data());
    if (read.ok()) return static_cast<std::size_t>(*read);
    problem = read.status();
    return Status(ErrorKind::kCorrupt, "a block is damaged");
  }

  arrow::Status problem;  // of the last read; columns are read by one thread at a time

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::uint64_t size_;
};

bool can_be_vectors(const arrow::DataType& type) { return dtype_of(type).has_value(); }

bool has_nulls(const arrow::Array& lists) {
  const arrow::FixedSizeListArray& array = lists_in(lists);
  if (array.null_count() > 0) return true;
  const std::int64_t width = array.list_type()->list_size();
  return array.values()->Slice(array.offset() * width, array.length() * width)->null_count() > 0;
}

VectorFileWriter::VectorFileWriter(const std::shared_ptr<arrow::Field>& field,
                                   table::Vectors vectors, std::string place)
    : place_(std::move(place)),
      folder_(std::make_unique<TemporaryPath>(platform::temporary_folder() + "/vectors",
                                              TemporaryPath::Kind::kPrivateFolder)) {
  const std::uint64_t width = width_of(*field->type());
  cvc::WriteConfig config;
  config.columns.push_back({kColumn, width, *dtype_of(*field->type()),
                            cvc::compression_of_name(table::to_string(vectors)), width == 1});
  config.chunk_rows = std::clamp(kChunkValues / width, kMinChunkRows, table::kOtherBatchRows);
  config.metadata = file_metadata(field, place_);
  config.sync = false;
  auto made = cvc::CollectionWriter::open(folder_->path(), config);
  check(made.status(), place_);
  writer_ = std::make_unique<cvc::CollectionWriter>(*std::move(made));
}

VectorFileWriter::~VectorFileWriter() = default;

void VectorFileWriter::write(const arrow::Array& lists) {
  const arrow::FixedSizeListArray& array = lists_in(lists);
  const auto width = static_cast<std::uint64_t>(array.list_type()->list_size());
  const arrow::ArrayData& values = *array.values()->data();
  const cvc::Dtype dtype = *dtype_of(*array.type());
  const auto first = static_cast<std::size_t>(values.offset) +
                     static_cast<std::size_t>(array.offset()) * static_cast<std::size_t>(width);
  const cvc::Rows rows(dtype, values.buffers[1]->data() + first * size_of(dtype),
                       static_cast<std::uint64_t>(array.length()), width);
  cvc::Writer& file = writer_->file();
  const Status status = file.append({&rows, 1});
  const std::string& value = file.error_place();
  check(status, value.empty() ? place_ : place_ + ": " + value);
}

std::uint64_t VectorFileWriter::copy(const cvc::Reader& rows) {
  check(writer_->append(rows), place_);
  return rows.rows();
}

const std::string& VectorFileWriter::finish() {
  check(writer_->commit().status(), place_);
  writer_.reset();
  std::vector<platform::FolderEntry> entries;
  if (!platform::list_folder(folder_->path(), entries)) fail_errno(folder_->path(), "");
  for (const platform::FolderEntry& entry : entries) {
    if (entry.name.ends_with(table::kVectorEnding)) path_ = folder_->path() + "/" + entry.name;
  }
  return path_;
}

VectorFileReader::VectorFileReader(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                   std::uint64_t rows, std::string place)
    : place_(std::move(place)) {
  const std::int64_t size = take_arrow(file->GetSize(), place_);
  source_ = std::make_shared<Source>(std::move(file), static_cast<std::uint64_t>(size));
  auto made = cvc::Reader::create(source_);
  check_read(made.status());
  reader_ = std::make_unique<cvc::Reader>(*std::move(made));
  const cvc::Info& info = reader_->info();
  field_ = field_in(info);
  if (field_ == nullptr || !can_be_vectors(*field_->type())) {
    fail_corrupt(place_, "corrupt: its metadata has no field of vectors");
  }
  const bool is_it = info.columns.size() == 1 && info.columns[0].name == kColumn &&
                     info.columns[0].dtype == *dtype_of(*field_->type()) &&
                     info.columns[0].dimension == width_of(*field_->type());
  if (!is_it || info.rows != rows) {
    fail_corrupt(place_, "corrupt: has {} rows and other columns than {} rows of {}", info.rows,
                 rows, field_->type()->ToString());
  }
}

VectorFileReader::~VectorFileReader() = default;
VectorFileReader::VectorFileReader(VectorFileReader&&) noexcept = default;
VectorFileReader& VectorFileReader::operator=(VectorFileReader&&) noexcept = default;

void VectorFileReader::check_read(const Status& status) const {
  check_arrow(source_->problem, place_);
  check(status, place_);
}

std::uint64_t VectorFileReader::bytes_of(std::uint64_t rows) const {
  const cvc::Column& column = reader_->info().columns[0];
  return rows * column.dimension * size_of(column.dtype);
}

std::shared_ptr<arrow::Array> VectorFileReader::read(std::uint64_t first,
                                                     std::uint64_t rows) const {
  const cvc::Column& column = reader_->info().columns[0];
  auto values =
      take_arrow(arrow::AllocateBuffer(static_cast<std::int64_t>(bytes_of(rows))), place_);
  const cvc::RowRange range{first, rows};
  const cvc::Target target{
      cvc::MutableRows(column.dtype, values->mutable_data(), rows, column.dimension)};
  check_read(reader_->read({&range, 1}, {&target, 1}).status());
  const auto count = static_cast<std::int64_t>(rows);
  const auto& type = list_type(*field_->type());
  auto inside =
      arrow::ArrayData::Make(type.value_type(), count * type.list_size(),
                             {nullptr, std::shared_ptr<arrow::Buffer>(std::move(values))});
  std::shared_ptr<arrow::DataType> storage = field_->type();
  while (storage->id() == arrow::Type::EXTENSION) {
    storage = static_cast<const arrow::ExtensionType&>(*storage).storage_type();
  }
  return extended(field_->type(), arrow::MakeArray(arrow::ArrayData::Make(storage, count, {nullptr},
                                                                          {std::move(inside)}, 0)));
}

}  // namespace numpact::cli
