// SPDX-License-Identifier: Apache-2.0
// Cuts a CSV file into blocks of whole records.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "csv/dialect.hpp"
#include "csv/record_block.hpp"
#include "csv/record_reader.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {

// The end of the last record that is known to be complete in bytes that begin with a record; 0 if
// there is none. Looks at quotes and line ends only.
std::size_t last_record_end(std::string_view bytes, const CsvDialect& dialect);

class CsvBlockReader {
 public:
  // Bytes of a block. Blocks fit in the caches of a core together with their numbers; a smaller
  // block does not make up for the work to hand it to a thread.
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 17;

  // Goes on where `reader` is, which must outlive this object and which only
  // this object uses from then on.
  CsvBlockReader(CsvRecordReader& reader, const CsvDialect& dialect,
                 std::size_t block_bytes = kBlockBytes);

  // Reads the next block. A longer record gets a block of its own size. Returns false at the end.
  // Throws Failure.
  bool next(RecordBlock& block);

 private:
  std::size_t take_pending(std::span<char> memory);

  CsvRecordReader& reader_;
  CsvDialect dialect_;
  std::size_t block_bytes_;
  std::vector<char> pending_;  // bytes that were read and are in no block yet
  std::size_t pending_begin_ = 0;
  bool at_end_ = false;
};

}  // namespace numpact::cli
