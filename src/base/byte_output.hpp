// SPDX-License-Identifier: Apache-2.0
// Where encoded bytes are appended: memory of a fixed size, or a vector that grows by what is
// written, so that nothing is filled or kept for a bound that is not reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/try.hpp"
#include "numpact/error.hpp"

namespace numpact::internal {

class ByteOutput {
 public:
  explicit ByteOutput(std::span<std::byte> memory) : memory_(memory) {}
  // Replaces the contents of the vector. No more than max_bytes are expected.
  explicit ByteOutput(std::vector<std::byte>& bytes, std::size_t max_bytes = SIZE_MAX)
      : vector_(&bytes), memory_(bytes), max_bytes_(max_bytes) {}

  bool grows() const { return vector_ != nullptr; }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes() const { return memory_.first(size_); }

  // The memory behind the appended bytes: at least `bytes` if it grows, else all that is left.
  // Valid until the next call.
  Status room(std::size_t bytes, std::span<std::byte>& room) {
    if (grows() && memory_.size() - size_ < bytes) NUMPACT_TRY(grow(size_ + bytes));
    room = memory_.subspan(size_);
    return {};
  }
  // The first `bytes` of the room were written; they are not all of what was to be written if they
  // are not `complete`.
  void append(std::size_t bytes, bool complete = true) {
    size_ += bytes;
    is_complete_ = is_complete_ && complete;
  }
  // Appends a copy of bytes. If the memory has a fixed size they may be in its room, or at the
  // start of that, and nothing is moved.
  Status append_copy(std::span<const std::byte> bytes);
  // Drops what was appended after this size, at which the output was complete.
  void truncate(std::size_t size) {
    size_ = size;
    is_complete_ = true;
  }
  bool is_complete() const { return is_complete_; }

  // A hint: at the end the size will be about `ratio` times that after what is appended next.
  void expect(double ratio) { ratio_ = ratio; }
  // Gives the vector its size, and back to the system what is more than a small part of it.
  Status finish();

 private:
  Status reserve(std::size_t bytes);
  Status grow(std::size_t needed);

  std::vector<std::byte>* vector_ = nullptr;
  std::span<std::byte> memory_;
  std::size_t max_bytes_ = SIZE_MAX;
  std::size_t size_ = 0;
  bool is_complete_ = true;
  double ratio_ = 1;
};

}  // namespace numpact::internal
