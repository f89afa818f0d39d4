// SPDX-License-Identifier: Apache-2.0
// Ring buffer of the latents of a page that lookbacks may refer to.
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/limits.hpp"

namespace numpact::internal {

template <Latent L>
class LookbackRing {
 public:
  // Starts with the latents of `state`. Keeps the last `reach` latents and two batches, but is
  // never larger than a page of page_n latents needs. The buffer, in the arena, grows with the
  // latents appended until it has its full size.
  void start(Arena& arena, std::size_t reach, std::size_t page_n, std::span<const L> state) {
    arena_ = &arena;
    full_size_ = std::bit_ceil(std::min(reach + 2 * kBatchN, page_n));
    buffer_ = {};
    end_ = 0;
    (void)ensure_capacity(state.size());
    std::copy(state.begin(), state.end(), buffer_.begin());
    end_ = state.size();
  }

  // Makes n more latents, at most a batch, writable. False, without exceptions: there is no memory.
  bool ensure_capacity(std::size_t n) {
    if (end_ + n <= buffer_.size() || buffer_.size() == full_size_) return true;
    const std::size_t size =
        std::min(full_size_, std::bit_ceil(std::max({4 * buffer_.size(), end_ + n, kMinSizeN})));
    if (!buffer_.empty() && !note_failure(arena_->ensure<L>(size + kReadSlackN))) return false;
    const std::span<L> bigger = arena_->make<L>(size + kReadSlackN).first(size);
    // The ring does not wrap before it has its full size, so a plain copy keeps all indices.
    std::copy_n(buffer_.data(), end_, bigger.data());
    buffer_ = bigger;
    return true;
  }

  // Index in the page of the latent after the last one.
  std::size_t end() const { return end_; }
  // The latent of index i is at data()[i & mask()].
  L* data() { return buffer_.data(); }
  std::size_t mask() const { return buffer_.size() - 1; }
  void advance(std::size_t n) { end_ += n; }

  // Copies latents [from, from + n) of the page, which must still be kept.
  void copy(std::size_t from, std::size_t n, L* out) const {
    const std::size_t at = from & mask();
    const std::size_t first_n = std::min(n, buffer_.size() - at);
    std::copy_n(buffer_.data() + at, first_n, out);
    std::copy_n(buffer_.data(), n - first_n, out + first_n);
  }

 private:
  // Initial size in latents of a ring that needs at least as much. Smaller ones grow often.
  static constexpr std::size_t kMinSizeN = 4096;
  // Elements behind the ring that kernels may read: they load narrow latents as 4-byte words.
  static constexpr std::size_t kReadSlackN = sizeof(L) < 4 ? 3 : 0;

  Arena* arena_ = nullptr;
  std::span<L> buffer_;
  std::size_t full_size_ = 0;
  std::size_t end_ = 0;
};

}  // namespace numpact::internal
