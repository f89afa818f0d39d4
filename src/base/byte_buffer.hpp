// SPDX-License-Identifier: Apache-2.0
// Bytes that are appended in bulk. A vector with a memory resource would construct, copy and move
// them one by one, and write zeros first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <span>

namespace numpact::internal {

class ByteBuffer {
 public:
  explicit ByteBuffer(std::pmr::memory_resource* memory) : memory_(memory) {}
  ~ByteBuffer() { release(); }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;

  std::byte* data() { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Keeps the memory.
  void clear() { size_ = 0; }

  // Memory that is too small is replaced by at least twice as much.
  void append(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    if (bytes.size() > capacity_ - size_) grow(size_ + bytes.size());
    std::memcpy(data_ + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }

 private:
  void grow(std::size_t min_capacity) {
    const std::size_t capacity = std::max(2 * capacity_, min_capacity);
    auto* const data = static_cast<std::byte*>(memory_->allocate(capacity, kAlignBytes));
    if (size_ > 0) std::memcpy(data, data_, size_);
    release();
    data_ = data;
    capacity_ = capacity;
  }
  void release() {
    if (data_ != nullptr) memory_->deallocate(data_, capacity_, kAlignBytes);
  }

  static constexpr std::size_t kAlignBytes = alignof(std::max_align_t);

  std::pmr::memory_resource* memory_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace numpact::internal
