// SPDX-License-Identifier: Apache-2.0
// Blocks of records on several threads: each thread reads, parses or adds a block, whichever comes
// next. Blocks are read and added in order, one at a time.
#pragma once

#include <vector>

#include "csv/block_reader.hpp"
#include "csv/column_part.hpp"
#include "csv/record_block.hpp"
#include "csv/text_column.hpp"
#include "numpact/executor.hpp"

namespace numpact::cli {

struct ParsedBlock {
  RecordBlock records;
  std::vector<ColumnPart> numbers;  // by column
  std::vector<TextPart> texts;
};

class BlockWork {
 public:
  virtual ~BlockWork() = default;
  // Called for different blocks at the same time, and while add() runs.
  virtual void parse(ParsedBlock& block) const = 0;
  // Called for one block after the other.
  virtual void add(ParsedBlock& block) = 0;
};

// Reads all blocks. Without an executor, or with one thread, it works on one block at a time. An
// error of a block comes after those of the blocks before it, on any number of threads.
void read_blocks(CsvBlockReader& reader, Executor* executor, BlockWork& work);

}  // namespace numpact::cli
