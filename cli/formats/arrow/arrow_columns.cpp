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

std::shared_ptr<arrow::io::RandomAccessFile> arrow_file(Input& input) {
  if (const auto bytes = input.file()->bytes()) {
    const auto keep = [file = input.file()](arrow::Buffer* buffer) { delete buffer; };
    return std::make_shared<arrow::io::BufferReader>(std::shared_ptr<arrow::Buffer>(
        new arrow::Buffer(reinterpret_cast<const std::uint8_t*>(bytes->data()),
                          static_cast<std::int64_t>(bytes->size())),
        keep));
  }
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
