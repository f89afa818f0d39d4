// SPDX-License-Identifier: Apache-2.0
// Byte buffers for tests that detect reads past their end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "support/system.hpp"

namespace numpact::testing {

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

inline Bytes to_bytes(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }
inline Bytes prefix(ByteSpan bytes, std::size_t n) { return to_bytes(bytes.first(n)); }

inline bool same_bytes(ByteSpan a, ByteSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Converts values of `size` bytes from the byte order of files, which is little-endian, to that of
// memory, or back.
inline void swap_file_order(std::span<std::byte> values, std::size_t size) {
  if constexpr (std::endian::native == std::endian::little) return;
  for (; values.size() >= size; values = values.subspan(size)) {
    std::ranges::reverse(values.first(size));
  }
}

// A heap copy of exact size: AddressSanitizer detects the first byte read beyond it.
class ExactCopy {
 public:
  explicit ExactCopy(ByteSpan bytes) : size_(bytes.size()), data_(new std::byte[bytes.size()]) {
    std::copy(bytes.begin(), bytes.end(), data_.get());
  }
  ByteSpan span() const { return {data_.get(), size_}; }
  std::span<std::byte> writable() { return {data_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> data_;
};

// Memory that ends at an inaccessible page: any build detects reads beyond it.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t max_bytes) {
    const std::size_t page = system::page_bytes();
    capacity_ = (max_bytes + page - 1) / page * page + page;
    base_ = system::take_guarded_pages(capacity_);
    if (base_ == nullptr) throw std::bad_alloc();
  }
  ~GuardedBuffer() { system::give_back_guarded_pages(base_, capacity_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  // The last `n` bytes before the guard page.
  std::span<std::byte> last(std::size_t n) { return {base_ + (capacity_ - n), n}; }
  ByteSpan copy(ByteSpan bytes) {
    const std::span<std::byte> at = last(bytes.size());
    std::copy(bytes.begin(), bytes.end(), at.begin());
    return at;
  }

 private:
  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace numpact::testing
