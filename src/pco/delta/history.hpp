// SPDX-License-Identifier: Apache-2.0
// The latents of a page that were decoded so far, in a row, as far back as Conv1 reaches.
#ifndef NUMPACT_PCO_DELTA_HISTORY_HPP
#define NUMPACT_PCO_DELTA_HISTORY_HPP

#include <algorithm>
#include <cstring>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact {

template <Latent L>
class History {
 public:
  // Keeps at least the last `reach` latents once there are that many; never makes room for more
  // than `most` in all. Memory grows with what is appended, from the arena.
  void start(Arena& arena, std::size_t reach, std::size_t most, std::span<const L> state) {
    arena_ = &arena;
    reach_ = std::min(reach, most);
    most_ = most;
    room_ = {};
    first_ = 0;
    end_ = 0;
    make_room(state.size());
    std::copy(state.begin(), state.end(), room_.begin());
    end_ = state.size();
  }

  // Makes place for n more latents behind end().
  void make_room(std::size_t n) {
    if (end_ - first_ + n <= room_.size()) return;
    // A buffer of four times the reach makes moving rare; it is never longer than the page.
    const std::size_t wanted = std::min(most_, 4 * reach_ + kSlack);
    const std::size_t kept = std::min(end_ - first_, reach_);
    if (room_.size() < wanted || kept + n > room_.size()) {
      const std::size_t size =
          std::max(std::min(2 * room_.size() + kSlack, wanted), end_ - first_ + n);
      const std::span<L> bigger = arena_->make<L>(size);
      std::copy_n(room_.data(), end_ - first_, bigger.data());
      room_ = bigger;
    } else {
      std::memmove(room_.data(), room_.data() + (end_ - first_ - kept), kept * sizeof(L));
      first_ = end_ - kept;
    }
  }

  // Index in the page of the latent after the last one.
  std::size_t end() const { return end_; }
  // Index in the page of the oldest latent kept.
  std::size_t first() const { return first_; }
  // The latent of index `first()`; those up to end() follow.
  L* data() { return room_.data(); }
  void advance(std::size_t n) { end_ += n; }

  // Copies latents [from, from + n) of the page, which must be kept.
  void copy(std::size_t from, std::size_t n, L* out) const {
    std::copy_n(room_.data() + (from - first_), n, out);
  }

 private:
  static constexpr std::size_t kSlack = 1024;

  Arena* arena_ = nullptr;
  std::span<L> room_;
  std::size_t reach_ = 0;
  std::size_t most_ = 0;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace numpact

#endif
