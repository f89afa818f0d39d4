// SPDX-License-Identifier: Apache-2.0
#include "io/kept_memory.hpp"

#include <algorithm>
#include <new>
#include <span>

#include "platform/pages.hpp"

namespace numpact::cli {
namespace {

// Smaller blocks come from the heap, which reuses them itself.
constexpr std::size_t kMinKeptBytes = std::size_t{1} << 16;
// Blocks of at least this size ask the system for large pages, as those of Arena do.
constexpr std::size_t kLargeBlockBytes = std::size_t{1} << 22;
// They begin at a multiple of the size of such pages on most systems.
constexpr std::align_val_t kLargeAlign{std::size_t{1} << 21};
// Bounds the free blocks, in bytes, so that a wide table holds no more than its largest columns.
constexpr std::size_t kMaxKeptBytes = std::size_t{128} << 20;
// What kept blocks are aligned to; that of Arena.
constexpr std::size_t kAlignBytes = 64;

bool is_kept(std::size_t bytes, std::size_t align) {
  return bytes >= kMinKeptBytes && align <= kAlignBytes;
}

std::align_val_t align_of(std::size_t block_bytes) {
  return block_bytes < kLargeBlockBytes ? std::align_val_t{kAlignBytes} : kLargeAlign;
}

}  // namespace

KeptMemory::~KeptMemory() {
  for (const Block& block : kept_) free(block);
}

void KeptMemory::free(const Block& block) {
  ::operator delete(block.memory, align_of(block.bytes));
}

void* KeptMemory::do_allocate(std::size_t bytes, std::size_t align) {
  if (!is_kept(bytes, align)) return ::operator new (bytes, std::align_val_t{align});
  const std::lock_guard lock(mutex_);
  in_use_.reserve(in_use_.size() + 1);
  kept_.reserve(kept_.size() + in_use_.size() + 1);  // so that nothing fails when it is freed
  auto best = kept_.end();
  for (auto block = kept_.begin(); block != kept_.end(); ++block) {
    if (block->bytes < bytes || block->bytes / 2 > bytes) continue;
    if (best == kept_.end() || block->bytes < best->bytes) best = block;
  }
  Block found{nullptr, bytes};
  if (best != kept_.end()) {
    found = *best;
    kept_.erase(best);
  } else {
    found.memory = ::operator new(bytes, align_of(bytes));
    if (bytes >= kLargeBlockBytes) {
      internal::platform::prefer_large_pages(
          internal::platform::whole_pages({static_cast<std::byte*>(found.memory), bytes}));
    }
  }
  in_use_.push_back(found);
  return found.memory;
}

void KeptMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t align) {
  if (!is_kept(bytes, align)) return ::operator delete (memory, std::align_val_t{align});
  const std::lock_guard lock(mutex_);
  const auto used = std::find_if(in_use_.begin(), in_use_.end(),
                                 [&](const Block& block) { return block.memory == memory; });
  kept_.push_back(*used);
  in_use_.erase(used);
  std::size_t kept_bytes = 0;
  for (const Block& block : kept_) kept_bytes += block.bytes;
  while (kept_bytes > kMaxKeptBytes) {  // the oldest first
    kept_bytes -= kept_.front().bytes;
    free(kept_.front());
    kept_.erase(kept_.begin());
  }
}

}  // namespace numpact::cli
