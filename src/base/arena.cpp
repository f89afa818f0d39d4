// SPDX-License-Identifier: Apache-2.0
#include "base/arena.hpp"

#include <algorithm>

#include "platform/pages.hpp"

namespace numpact::internal {

Arena::Arena(std::pmr::memory_resource* memory)
    : memory_(memory),
      may_hint_(memory->is_equal(*std::pmr::new_delete_resource())),
      blocks_(memory) {}

void Arena::reset(std::uint64_t limit) {
  limit_ = limit;
  if (blocks_.size() > 1 || capacity_ > limit) {
    const std::size_t total = capacity_;
    release_blocks();
    if (total <= limit) add_block(total);
  }
  rewind({});
}

void* Arena::take(std::size_t bytes) {
  const std::size_t size = (bytes + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
  if (size < bytes) throw std::bad_alloc();
  while (current_ < blocks_.size() && blocks_[current_].size - used_ < size) {
    if (current_ + 1 == blocks_.size()) {
      // Doubling keeps the number of blocks small. Above kMaxSpareBytes or near the limit it would
      // waste memory, so only the requested size is allocated.
      const bool may_double = capacity_ < limit_ - std::min<std::uint64_t>(limit_, capacity_);
      add_block(may_double ? std::max(size, std::min(capacity_, kMaxSpareBytes)) : size);
    }
    ++current_;
    used_ = 0;
  }
  if (blocks_.empty()) {
    add_block(
        std::max(size, static_cast<std::size_t>(std::min<std::uint64_t>(kMinBlockBytes, limit_))));
  }
  std::byte* const result = blocks_[current_].data + used_;
  used_ += size;
  total_used_ += size;
  return result;
}

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

void Arena::release_blocks() {
  for (const Block& block : blocks_) memory_->deallocate(block.data, block.size, kAlignBytes);
  blocks_.clear();
  capacity_ = 0;
  rewind({});
}

}  // namespace numpact::internal
