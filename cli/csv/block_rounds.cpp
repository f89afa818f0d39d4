// SPDX-License-Identifier: Apache-2.0
#include "csv/block_rounds.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace numpact::cli {
namespace {

// Blocks of a round for each thread, so that threads of different speed end at about the same time.
constexpr std::size_t kBlocksPerThread = 4;
// Bounds the memory on machines with many processors: two rounds of blocks with their fields and
// numbers, about 2 MiB each.
constexpr std::size_t kMaxBlocks = 64;
// Bytes of a round, which long records may reach earlier.
constexpr std::size_t kMaxRoundBytes = 2 * kMaxBlocks * CsvBlockReader::kBlockBytes;

class Rounds {
 public:
  Rounds(CsvBlockReader& reader, BlockWork& work, std::size_t block_n)
      : reader_(reader), work_(work), parsed_(block_n), other_(block_n) {}

  void run(Executor& executor) {
    // The first block alone tells which columns are text.
    read(parsed_, 1);
    while (parsed_.used > 0 || other_.used > 0) {
      work_.prepare();
      executor.run(1 + parsed_.used, &Rounds::do_task, this);
      if (failure_) std::rethrow_exception(failure_);
      std::swap(parsed_, other_);
    }
    if (read_failure_) std::rethrow_exception(read_failure_);
  }

 private:
  struct Round {
    explicit Round(std::size_t block_n) : blocks(block_n), failures(block_n) {}
    std::vector<ParsedBlock> blocks;
    std::vector<std::exception_ptr> failures;  // of parsing
    std::size_t used = 0;
  };

  static void do_task(void* rounds, std::size_t index) noexcept {
    auto& self = *static_cast<Rounds*>(rounds);
    index == 0 ? self.add_and_read() : self.parse(index - 1);
  }

  void add_and_read() noexcept {
    try {
      for (std::size_t i = 0; i < other_.used; ++i) {
        if (other_.failures[i]) std::rethrow_exception(other_.failures[i]);
        work_.add(other_.blocks[i]);
      }
    } catch (...) {
      failure_ = std::current_exception();
      return;
    }
    read(other_, other_.blocks.size());
  }

  void parse(std::size_t index) noexcept {
    try {
      work_.parse(parsed_.blocks[index]);
    } catch (...) {
      parsed_.failures[index] = std::current_exception();
    }
  }

  // A failure is kept until all blocks before it were added.
  void read(Round& round, std::size_t block_n) noexcept {
    round.used = 0;
    if (read_failure_) return;
    try {
      // All blocks give back the memory of long records, also those that are not used now.
      for (ParsedBlock& block : round.blocks) {
        if (block.records.is_long()) block = ParsedBlock();
      }
      for (std::size_t bytes = 0; round.used < block_n && bytes < kMaxRoundBytes;) {
        ParsedBlock& block = round.blocks[round.used];
        if (!reader_.next(block.records)) return;
        bytes += block.records.size();
        ++round.used;
      }
    } catch (...) {
      read_failure_ = std::current_exception();
    }
  }

  CsvBlockReader& reader_;
  BlockWork& work_;
  Round parsed_;
  Round other_;  // added, then read
  std::exception_ptr failure_;
  std::exception_ptr read_failure_;
};

}  // namespace

void read_blocks(CsvBlockReader& reader, Executor* executor, BlockWork& work) {
  const std::size_t threads = executor == nullptr ? 1 : executor->concurrency();
  if (threads <= 1) {
    ParsedBlock block;
    while (reader.next(block.records)) {
      work.prepare();
      work.parse(block);
      work.add(block);
    }
    return;
  }
  Rounds(reader, work, std::min(kBlocksPerThread * threads, kMaxBlocks)).run(*executor);
}

}  // namespace numpact::cli
