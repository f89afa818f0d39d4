// SPDX-License-Identifier: Apache-2.0
// Memory that one column after another uses.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <vector>

namespace numpact::cli {

// Keeps freed blocks for the next allocations of about their size: the system clears new pages, and
// giving pages back interrupts all threads. Thread-safe.
class KeptMemory final : public std::pmr::memory_resource {
 public:
  KeptMemory() = default;
  ~KeptMemory() override;
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };

  static void free(const Block& block);
  void* do_allocate(std::size_t bytes, std::size_t align) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::mutex mutex_;
  std::vector<Block> kept_;    // free
  std::vector<Block> in_use_;  // those that will be kept
};

}  // namespace numpact::cli
