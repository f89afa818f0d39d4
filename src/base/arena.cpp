// SPDX-License-Identifier: Apache-2.0
#include "base/arena.hpp"

#include <algorithm>

#include "platform/pages.hpp"

namespace numpact::internal {

Arena::Arena(std::pmr::memory_resource* memory)
    : memory_(memory), may_hint_(is_plain(*memory)), blocks_(memory) {}

void Arena::reset(std::uint64_t limit) {
  limit_ = limit;
  if (blocks_.size() > 1 || capacity_ > limit || memory_has_failed()) {
    const std::size_t total = capacity_;
    release_blocks();
#ifdef NUMPACT_NO_EXCEPTIONS
    // Otherwise it is made when it is needed.
    if (total <= limit && !memory_has_failed()) (void)try_add_block(total);
#else
    if (total <= limit) add_block(total);
#endif
  }
  rewind({});
}

void* Arena::take(std::size_t bytes) {
  const std::size_t size = (bytes + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
  if (size < bytes) throw_bad_alloc();
  while (current_ < blocks_.size() && blocks_[current_].size - used_ < size) {
    if (current_ + 1 == blocks_.size()) {
      // Doubling keeps the number of blocks small. Above kMaxSpareBytes or near the limit it would
      // waste memory, so only the requested size is allocated.
      const bool may_double = capacity_ < limit_ - std::min<std::uint64_t>(limit_, capacity_);
      const std::size_t preferred =
          may_double ? std::max(size, std::min(capacity_, kMaxSpareBytes)) : size;
#ifdef NUMPACT_NO_EXCEPTIONS
      if (!try_add_block(preferred)) add_block(size);
#else
      add_block(preferred);
#endif
    }
    ++current_;
    used_ = 0;
  }
  if (blocks_.empty()) {
    const std::size_t preferred =
        std::max(size, static_cast<std::size_t>(std::min<std::uint64_t>(kMinBlockBytes, limit_)));
#ifdef NUMPACT_NO_EXCEPTIONS
    if (!try_add_block(preferred)) add_block(size);
#else
    add_block(preferred);
#endif
  }
  std::byte* const result = blocks_[current_].data + used_;
  used_ += size;
  total_used_ += size;
  return result;
}

#ifdef NUMPACT_NO_EXCEPTIONS

// Takes the block from the thread's reserve if allocation fails.
void Arena::add_block(std::size_t bytes) {
  if (try_add_block(bytes)) return;
  const bool is_limit = bytes > limit_ || capacity_ > limit_ - bytes;
  auto* const data = static_cast<std::byte*>(
      draw(bytes, kAlignBytes, is_limit ? MemoryFailure::kLimit : MemoryFailure::kMemory));
  blocks_.push_back({data, bytes});
  capacity_ += bytes;
}

bool Arena::try_add_block(std::size_t bytes) {
  if (bytes > limit_ || capacity_ > limit_ - bytes) return false;
  void* const data = try_allocate(*memory_, bytes, kAlignBytes);
  if (data == nullptr) return false;
  if (may_hint_ && bytes >= kLargeBlockBytes) {
    platform::prefer_large_pages(platform::whole_pages({static_cast<std::byte*>(data), bytes}));
  }
  blocks_.push_back({static_cast<std::byte*>(data), bytes});
  capacity_ += bytes;
  return true;
}

// make() goes on to the next block where one is too small, so any block from the current one on
// will do that holds all.
Status Arena::ensure_bytes(std::size_t bytes) {
  const std::size_t size =
      (bytes + kAlignBytes - 1) / kAlignBytes * kAlignBytes + kEnsureSlackBytes;
  for (std::size_t i = current_; i < blocks_.size(); ++i) {
    if (blocks_[i].size - (i == current_ ? used_ : 0) >= size) return {};
  }
  if (size > limit_ || capacity_ > limit_ - size) return memory_limit_exceeded();
  return try_add_block(size) ? Status() : out_of_memory();
}

#else

void Arena::add_block(std::size_t bytes) {
  if (bytes > limit_ || capacity_ > limit_ - bytes) throw MemoryLimitExceeded();
  blocks_.reserve(blocks_.size() + 1);
  auto* const data = static_cast<std::byte*>(memory_->allocate(bytes, kAlignBytes));
  if (may_hint_ && bytes >= kLargeBlockBytes) {
    platform::prefer_large_pages(platform::whole_pages({data, bytes}));
  };
  blocks_.push_back({data, bytes});
  capacity_ += bytes;
}

#endif

void Arena::release_blocks() {
  for (const Block& block : blocks_) memory_->deallocate(block.data, block.size, kAlignBytes);
  blocks_.clear();
  capacity_ = 0;
  rewind({});
}

}  // namespace numpact::internal
