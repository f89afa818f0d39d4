// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/checked_file.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "formats/other_blocks.hpp"
#include "numpact/trailer.hpp"

namespace numpact::cli {
CheckedFile::CheckedFile(std::shared_ptr<arrow::io::RandomAccessFile> file, table::Part part)
    : file_(std::move(file)), part_(std::move(part)) {}

arrow::Status CheckedFile::open() {
  ARROW_ASSIGN_OR_RAISE(const std::int64_t size, file_->GetSize());
  if (static_cast<std::uint64_t>(size) != part_.bytes) {
    return arrow::Status::Invalid(wrong_size(part_, static_cast<std::uint64_t>(size)));
  }
  const std::lock_guard lock(mutex_);
  ARROW_RETURN_NOT_OK(load(part_.ends.size() - 1));
  return load(0);
}

arrow::Status CheckedFile::load(std::size_t index) {
  if (block_ != nullptr && index_ == index) return arrow::Status::OK();
  const std::uint64_t begin = begin_of(index);
  const auto size = static_cast<std::int64_t>(part_.ends[index] - begin);
  block_.reset();
  ARROW_ASSIGN_OR_RAISE(auto block, file_->ReadAt(static_cast<std::int64_t>(begin), size));
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(block->data()),
                                         static_cast<std::size_t>(block->size()));
  if (block->size() != size || checksum_of(bytes) != part_.crc32[index]) {
    return arrow::Status::Invalid(wrong_block(part_, index));
  }
  block_ = std::move(block);
  index_ = index;
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> CheckedFile::in_block(std::uint64_t position,
                                                                    std::uint64_t end) {
  const auto found = std::upper_bound(part_.ends.begin(), part_.ends.end(), position);
  const auto index = static_cast<std::size_t>(found - part_.ends.begin());
  const std::lock_guard lock(mutex_);
  ARROW_RETURN_NOT_OK(load(index));
  return arrow::SliceBuffer(block_, static_cast<std::int64_t>(position - begin_of(index)),
                            static_cast<std::int64_t>(std::min(end, *found) - position));
}

std::uint64_t CheckedFile::end_of(std::int64_t position, std::int64_t bytes) const {
  const auto begin = static_cast<std::uint64_t>(position);
  return begin + std::min(static_cast<std::uint64_t>(bytes), part_.bytes - begin);
}

arrow::Result<std::int64_t> CheckedFile::ReadAt(std::int64_t position, std::int64_t bytes,
                                                void* out) {
  if (position < 0 || bytes < 0 || static_cast<std::uint64_t>(position) > part_.bytes) {
    return arrow::Status::Invalid("corrupt: a message lies outside of the file");
  }
  const std::uint64_t end = end_of(position, bytes);
  auto* to = static_cast<std::byte*>(out);
  for (auto at = static_cast<std::uint64_t>(position); at < end;) {
    ARROW_ASSIGN_OR_RAISE(const auto part, in_block(at, end));
    std::memcpy(to, part->data(), static_cast<std::size_t>(part->size()));
    to += part->size();
    at += static_cast<std::uint64_t>(part->size());
  }
  return static_cast<std::int64_t>(end) - position;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> CheckedFile::ReadAt(std::int64_t position,
                                                                  std::int64_t bytes) {
  if (position < 0 || bytes < 0 || static_cast<std::uint64_t>(position) > part_.bytes) {
    return arrow::Status::Invalid("corrupt: a message lies outside of the file");
  }
  const auto begin = static_cast<std::uint64_t>(position);
  const std::uint64_t end = end_of(position, bytes);
  if (begin == end) return std::make_shared<arrow::Buffer>(nullptr, 0);
  ARROW_ASSIGN_OR_RAISE(auto first, in_block(begin, end));
  if (begin + static_cast<std::uint64_t>(first->size()) == end) return first;
  const auto size = static_cast<std::int64_t>(end - begin);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> whole, arrow::AllocateBuffer(size));
  ARROW_RETURN_NOT_OK(ReadAt(position, size, whole->mutable_data()).status());
  return whole;
}

arrow::Result<std::int64_t> CheckedFile::Read(std::int64_t bytes, void* out) {
  ARROW_ASSIGN_OR_RAISE(const std::int64_t got, ReadAt(at_, bytes, out));
  at_ += got;
  return got;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> CheckedFile::Read(std::int64_t bytes) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(at_, bytes));
  at_ += buffer->size();
  return buffer;
}

arrow::Status CheckedFile::Seek(std::int64_t position) {
  at_ = position;
  return arrow::Status::OK();
}

}  // namespace numpact::cli
