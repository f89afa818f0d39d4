// SPDX-License-Identifier: Apache-2.0
#include "base/byte_output.hpp"

#include <algorithm>
#include <cstring>

#include "base/arena.hpp"
#include "base/memory.hpp"
#include "platform/pages.hpp"

namespace numpact::internal {
namespace {

// For the end of a file, so that a terminator or short trailer after the last chunk moves no bytes,
// and for files so short that a second allocation would take longer than it saves.
constexpr std::size_t kSpareBytes = 256;
// A vector with a larger unused share than this is copied to one of its size.
constexpr std::size_t kMaxUnusedDenominator = 8;
// Chunks differ in size. Without a spare share every second file would be moved near its end.
constexpr double kSpareRatio = 1.06;

}  // namespace

Status ByteOutput::append_copy(std::span<const std::byte> bytes) {
  if (grows()) {
    NUMPACT_TRY(reserve(size_ + bytes.size()));
    vector_->resize(size_);
    vector_->insert(vector_->end(), bytes.begin(), bytes.end());
    memory_ = *vector_;
    append(bytes.size());
    return {};
  }
  const bool fits = bytes.size() <= memory_.size() - size_;
  std::byte* const to = memory_.data() + size_;
  if (fits && to != bytes.data()) std::memmove(to, bytes.data(), bytes.size());
  append(fits ? bytes.size() : 0, fits);
  return {};
}

Status ByteOutput::finish() {
  vector_->resize(size_);
  if (vector_->capacity() - size_ <= size_ / kMaxUnusedDenominator + kSpareBytes) return {};
  NUMPACT_TRY(ensure_memory(size_));
  vector_->shrink_to_fit();
  return {};
}

Status ByteOutput::reserve(std::size_t bytes) {
  std::size_t capacity = vector_->capacity();
  if (capacity >= bytes) return {};
  capacity = std::max(bytes + kSpareBytes, capacity + capacity / 2);
  if (ratio_ > 1) {
    const double expected = kSpareRatio * ratio_ * static_cast<double>(bytes);
    capacity = std::max(capacity, static_cast<std::size_t>(expected));
  }
  capacity = std::max(bytes, std::min(capacity, max_bytes_));
  NUMPACT_TRY(ensure_memory(capacity));
  vector_->reserve(capacity);
  if (capacity >= Arena::kLargeBlockBytes) {
    const std::span<std::byte> memory(vector_->data(), capacity);
    platform::prefer_large_pages(platform::whole_pages(memory));
  }
  return {};
}

Status ByteOutput::grow(std::size_t needed) {
  NUMPACT_TRY(reserve(needed));
  // All at once: filling memory between two chunks drives what the encoder needs from caches.
  vector_->resize(vector_->capacity());
  memory_ = *vector_;
  return {};
}

}  // namespace numpact::internal
