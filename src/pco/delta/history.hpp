// SPDX-License-Identifier: Apache-2.0
// The last decoded latents of a page, contiguous in memory, as far back as predictions refer to.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact::internal {

template <Latent L>
class History {
 public:
  // Starts with the latents of `state`. Keeps at least the last `reach` latents once there are that
  // many. The page has at most `max_n` latents. The buffer, in the arena, grows with the latents
  // appended.
  void start(Arena& arena, std::size_t reach, std::size_t max_n, std::span<const L> state) {
    arena_ = &arena;
    reach_ = std::min(reach, max_n);
    max_n_ = max_n;
    buffer_ = {};
    first_ = 0;
    end_ = 0;
    ensure_capacity(state.size());
    std::copy(state.begin(), state.end(), buffer_.begin());
    end_ = state.size();
  }

  // Continues with `latents` alone, the first of which has the index `first` in the page. There
  // must have been as many before.
  void restart(std::size_t first, std::span<const L> latents) {
    std::copy(latents.begin(), latents.end(), buffer_.begin());
    first_ = first;
    end_ = first + latents.size();
  }

  // Makes n more latents behind end() writable.
  void ensure_capacity(std::size_t n) {
    if (end_ - first_ + n <= buffer_.size()) return;
    // A buffer of four times the reach makes moves rare. It is never longer than the page.
    const std::size_t max_size = std::min(max_n_, 4 * reach_ + kGrowthN);
    const std::size_t kept = std::min(end_ - first_, reach_);
    if (buffer_.size() < max_size || kept + n > buffer_.size()) {
      const std::size_t size =
          std::max(std::min(2 * buffer_.size() + kGrowthN, max_size), end_ - first_ + n);
      const std::span<L> bigger = arena_->make<L>(size);
      std::copy_n(buffer_.data(), end_ - first_, bigger.data());
      buffer_ = bigger;
    } else {
      std::memmove(buffer_.data(), buffer_.data() + (end_ - first_ - kept), kept * sizeof(L));
      first_ = end_ - kept;
    }
  }

  // Index in the page of the latent after the last one.
  std::size_t end() const { return end_; }
  // Index in the page of the oldest latent kept.
  std::size_t first() const { return first_; }
  // The latent of index first(); the latents up to end() follow it.
  L* data() { return buffer_.data(); }
  void advance(std::size_t n) { end_ += n; }

  // Copies latents [from, from + n) of the page, which must still be kept.
  void copy(std::size_t from, std::size_t n, L* out) const {
    std::copy_n(buffer_.data() + (from - first_), n, out);
  }

 private:
  // Latents added to the buffer beyond multiples of its size or of the reach, so that small ones do
  // not grow or move for every batch.
  static constexpr std::size_t kGrowthN = 1024;

  Arena* arena_ = nullptr;
  std::span<L> buffer_;
  std::size_t reach_ = 0;
  std::size_t max_n_ = 0;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace numpact::internal
