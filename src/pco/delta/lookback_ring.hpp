// SPDX-License-Identifier: Apache-2.0
// The latents of a page that lookbacks may reach, in a ring.
#ifndef NUMPACT_PCO_DELTA_LOOKBACK_RING_HPP
#define NUMPACT_PCO_DELTA_LOOKBACK_RING_HPP

#include <algorithm>
#include <bit>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/limits.hpp"

namespace numpact {

template <Latent L>
class LookbackRing {
 public:
  // Keeps the last `reach` latents and two batches; never makes room for more than a page of
  // `page_n` needs. The state is what the page begins with. Until the ring is full memory grows
  // with what is appended, from the arena.
  void start(Arena& arena, std::size_t reach, std::size_t page_n, std::span<const L> state) {
    arena_ = &arena;
    full_size_ = std::bit_ceil(std::min(reach + 2 * kBatchN, page_n));
    room_ = {};
    end_ = 0;
    make_room(state.size());
    std::copy(state.begin(), state.end(), room_.begin());
    end_ = state.size();
  }

  // Makes place for n (at most a batch) more latents.
  void make_room(std::size_t n) {
    if (end_ + n <= room_.size() || room_.size() == full_size_) return;
    const std::size_t size =
        std::min(full_size_, std::bit_ceil(std::max({4 * room_.size(), end_ + n, kFirstSize})));
    const std::span<L> bigger = arena_->make<L>(size + kReadSlackN).first(size);
    // Not wrapped around as long as it grows.
    std::copy_n(room_.data(), end_, bigger.data());
    room_ = bigger;
  }

  // Index in the page of the latent after the last one.
  std::size_t end() const { return end_; }
  // The latent of index i is at data()[i & mask()].
  L* data() { return room_.data(); }
  std::size_t mask() const { return room_.size() - 1; }
  void advance(std::size_t n) { end_ += n; }

  // Copies latents [from, from + n) of the page, which must be kept.
  void copy(std::size_t from, std::size_t n, L* out) const {
    const std::size_t at = from & mask();
    const std::size_t first_n = std::min(n, room_.size() - at);
    std::copy_n(room_.data() + at, first_n, out);
    std::copy_n(room_.data(), n - first_n, out + first_n);
  }

 private:
  static constexpr std::size_t kFirstSize = 4096;
  // Kernels read narrow latents as words of four bytes.
  static constexpr std::size_t kReadSlackN = sizeof(L) < 4 ? 3 : 0;

  Arena* arena_ = nullptr;
  std::span<L> room_;
  std::size_t full_size_ = 0;
  std::size_t end_ = 0;
};

}  // namespace numpact

#endif
