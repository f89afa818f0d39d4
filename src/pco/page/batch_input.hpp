// SPDX-License-Identifier: Apache-2.0
// The input that batches are decoded from: the window itself while it holds the worst case of a
// batch and the bytes that kernels read behind it, else a copy of its tail that is padded with
// zeros.
#pragma once

#include <cstring>

#include "base/arena.hpp"
#include "pco/page/bit_window.hpp"

namespace numpact::internal {

// Positions are in bits from `in`, if not stated otherwise.
struct BatchInput {
  const std::byte* in = nullptr;
  std::uint64_t position = 0;
  std::uint64_t last_start = 0;  // last position at which a batch may start
  std::uint64_t end = 0;         // end of the input
  std::uint64_t origin = 0;      // position of `in` in the window
};

inline Status truncated(const BitWindow& window) {
  return Status(ErrorKind::kTruncated, "the input ends inside a page", window.bytes.size());
}

// Moves the window to the end of a batch. Fails if that is past the end of the input.
inline Status move_to(BitWindow& window, const BatchInput& input, std::uint64_t position) {
  window.position = input.origin + position;
  return position > input.end ? truncated(window) : Status();
}

class BatchInputFinder {
 public:
  // max_batch_bytes: the worst case of a batch, including the bytes that kernels read behind it.
  BatchInputFinder(std::size_t max_batch_bytes, Arena& arena)
      : max_batch_bytes_(max_batch_bytes), arena_(arena) {}

  // Returns false if the next batch may need bytes behind the window, which is not the last one.
  bool find(const BitWindow& window, BatchInput& input) {
    const std::size_t bytes = window.bytes.size();
    const std::size_t at = static_cast<std::size_t>(window.position / 8);
    const std::size_t left = bytes - at;
    if (left >= max_batch_bytes_) [[likely]] {
      input = {window.bytes.data(), window.position, 8 * std::uint64_t{bytes - max_batch_bytes_},
               8 * std::uint64_t{bytes}, 0};
      return true;
    }
    if (!window.is_last) return false;
    if (tail_.empty()) tail_ = arena_.make<std::byte>(2 * max_batch_bytes_);
    if (left > 0) std::memcpy(tail_.data(), window.bytes.data() + at, left);
    std::memset(tail_.data() + left, 0, max_batch_bytes_);
    input = {tail_.data(), window.position % 8, 8 * std::uint64_t{left}, 8 * std::uint64_t{left},
             8 * std::uint64_t{at}};
    return true;
  }

 private:
  std::size_t max_batch_bytes_;
  Arena& arena_;
  std::span<std::byte> tail_;
};

}  // namespace numpact::internal
