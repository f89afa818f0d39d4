// SPDX-License-Identifier: Apache-2.0
#include "csv/block_queue.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>

namespace numpact::cli {
namespace {

// Blocks for each thread, so that none waits for a block that takes longer than others.
constexpr std::size_t kBlocksPerThread = 8;
// Bounds the memory on machines with many processors: blocks with their fields and numbers take
// about 2 MiB each.
constexpr std::size_t kMaxBlocks = 128;
// Bounds the bytes of all blocks, which long records may reach with fewer of them.
constexpr std::size_t kMaxBytes = 2 * kMaxBlocks * CsvBlockReader::kBlockBytes;

// Blocks are numbered in the order of the file: those before `added_` are done, those before
// `begun_` are being parsed or are parsed, those before `read_` have bytes.
class BlockQueue {
 public:
  BlockQueue(CsvBlockReader& reader, BlockWork& work, std::size_t threads)
      : reader_(reader),
        work_(work),
        threads_(threads),
        slots_(std::min(kBlocksPerThread * threads, kMaxBlocks)),
        order_(slots_.size()) {
    for (Slot& slot : slots_) free_.push_back(&slot);
  }

  void run(Executor& executor) {
    // The first block alone tells which columns are text.
    {
      ParsedBlock block;
      if (!reader_.next(block.records)) return;
      work_.parse(block);
      work_.add(block);
    }
    executor.run(
        threads_,
        [](void* queue, std::size_t) noexcept { static_cast<BlockQueue*>(queue)->work(); }, this);
    if (failure_) std::rethrow_exception(failure_);
    if (read_failure_) std::rethrow_exception(read_failure_);
  }

 private:
  struct Slot {
    ParsedBlock block;
    bool is_parsed = false;
    std::exception_ptr failure;  // of parsing
  };
  using Lock = std::unique_lock<std::mutex>;

  Slot*& slot(std::size_t number) { return order_[number % order_.size()]; }

  // Runs on each thread. It waits only for steps that other threads are taking.
  void work() noexcept {
    Lock lock(mutex_);
    while (!failure_ && !(at_end_ && added_ == read_)) {
      if (!is_adding_ && added_ < begun_ && slot(added_)->is_parsed) {
        add(lock);
      } else if (can_read() && read_ - begun_ < threads_) {
        read(lock);
      } else if (begun_ < read_) {
        parse(lock);
      } else {
        changed_.wait(lock);
        continue;
      }
      changed_.notify_all();
    }
  }

  bool can_read() const {
    return !is_reading_ && !at_end_ && !free_.empty() && (bytes_ < kMaxBytes || read_ == added_);
  }

  // The functions below release the lock while they work. A failure is kept until all blocks before
  // it were added.

  void read(Lock& lock) {
    is_reading_ = true;
    Slot& filled = *free_.back();
    free_.pop_back();
    lock.unlock();
    bool is_there = false;
    std::exception_ptr failure;
    try {
      is_there = reader_.next(filled.block.records);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    is_reading_ = false;
    read_failure_ = failure;
    at_end_ = !is_there;
    if (!is_there) return;
    bytes_ += filled.block.records.size();
    slot(read_++) = &filled;
  }

  void parse(Lock& lock) {
    Slot& parsed = *slot(begun_++);
    lock.unlock();
    std::exception_ptr failure;
    try {
      work_.parse(parsed.block);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    parsed.failure = failure;
    parsed.is_parsed = true;
  }

  void add(Lock& lock) {
    is_adding_ = true;
    Slot& added = *slot(added_);
    lock.unlock();
    const std::size_t bytes = added.block.records.size();
    std::exception_ptr failure = added.failure;
    try {
      if (!failure) work_.add(added.block);
    } catch (...) {
      failure = std::current_exception();
    }
    // The memory of a long record is given back.
    if (added.block.records.is_long()) added.block = ParsedBlock();
    lock.lock();
    is_adding_ = false;
    added.is_parsed = false;
    failure_ = failure;
    bytes_ -= bytes;
    ++added_;
    free_.push_back(&added);
  }

  CsvBlockReader& reader_;
  BlockWork& work_;
  const std::size_t threads_;
  std::vector<Slot> slots_;

  std::mutex mutex_;  // of the members below
  std::condition_variable changed_;
  std::vector<Slot*> order_;  // a ring of the blocks from added_ to read_
  std::vector<Slot*> free_;   // the last one was used last, and is in the caches
  std::size_t added_ = 0;
  std::size_t begun_ = 0;
  std::size_t read_ = 0;
  std::size_t bytes_ = 0;  // of the blocks from added_ to read_
  bool is_adding_ = false;
  bool is_reading_ = false;
  bool at_end_ = false;
  std::exception_ptr failure_;  // of a block, after which no other is added
  std::exception_ptr read_failure_;
};

}  // namespace

void read_blocks(CsvBlockReader& reader, Executor* executor, BlockWork& work) {
  const std::size_t threads = executor == nullptr ? 1 : executor->concurrency();
  if (threads > 1) return BlockQueue(reader, work, threads).run(*executor);
  ParsedBlock block;
  while (reader.next(block.records)) {
    work.parse(block);
    work.add(block);
  }
}

}  // namespace numpact::cli
