// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/checked_file.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "formats/other_blocks.hpp"
#include "numpact/trailer.hpp"
#include "platform/mapped_files.hpp"

namespace numpact::cli {
namespace {

// Gives back the memory of mapped bytes, but of those in a page with others.
void release(std::span<const std::byte> bytes) {
  constexpr std::uintptr_t kMaxPageBytes = std::uintptr_t{1} << 16;
  const auto before = reinterpret_cast<std::uintptr_t>(bytes.data()) % kMaxPageBytes;
  const std::size_t skipped = before == 0 ? 0 : kMaxPageBytes - before;
  if (skipped < bytes.size()) internal::platform::release_pages(bytes.subspan(skipped));
}

}  // namespace

arrow::Status CheckedFile::open() {
  ARROW_ASSIGN_OR_RAISE(const std::int64_t size, file_->GetSize());
  if (static_cast<std::uint64_t>(size) != part_.bytes) {
    return arrow::Status::Invalid(wrong_size(part_, static_cast<std::uint64_t>(size)));
  }
  const std::lock_guard lock(mutex_);
  ARROW_RETURN_NOT_OK(check_block(part_.ends.size() - 1));
  return check_block(0);
}

arrow::Status CheckedFile::check_block(std::size_t index) {
  if (is_checked_[index]) return arrow::Status::OK();
  const std::uint64_t begin = index == 0 ? 0 : part_.ends[index - 1];
  const auto size = static_cast<std::int64_t>(part_.ends[index] - begin);
  ARROW_ASSIGN_OR_RAISE(auto block, file_->ReadAt(static_cast<std::int64_t>(begin), size));
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(block->data()),
                                         static_cast<std::size_t>(block->size()));
  if (block->size() != size || checksum_of(bytes) != part_.crc32[index]) {
    return arrow::Status::Invalid(wrong_block(part_, index));
  }
  is_checked_[index] = true;
  // A mapped file stays in memory in part only: most are read from first to last.
  if (file_->supports_zero_copy()) release(std::exchange(last_, bytes));
  return arrow::Status::OK();
}

arrow::Status CheckedFile::check(std::int64_t position, std::int64_t bytes) {
  const auto begin = static_cast<std::uint64_t>(position);
  if (position < 0 || bytes < 0 || begin > part_.bytes) {
    return arrow::Status::Invalid("corrupt: a message lies outside of the file");
  }
  const std::uint64_t end =
      begin + std::min(static_cast<std::uint64_t>(bytes), part_.bytes - begin);
  const auto first = std::upper_bound(part_.ends.begin(), part_.ends.end(), begin);
  const std::lock_guard lock(mutex_);
  for (auto index = static_cast<std::size_t>(first - part_.ends.begin());
       index < part_.ends.size() && (index == 0 ? 0 : part_.ends[index - 1]) < end; ++index) {
    ARROW_RETURN_NOT_OK(check_block(index));
  }
  return arrow::Status::OK();
}

arrow::Result<std::int64_t> CheckedFile::ReadAt(std::int64_t position, std::int64_t bytes,
                                                void* out) {
  ARROW_RETURN_NOT_OK(check(position, bytes));
  return file_->ReadAt(position, bytes, out);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> CheckedFile::ReadAt(std::int64_t position,
                                                                  std::int64_t bytes) {
  ARROW_RETURN_NOT_OK(check(position, bytes));
  return file_->ReadAt(position, bytes);
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

}  // namespace numpact::cli
