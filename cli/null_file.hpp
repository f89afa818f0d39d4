// SPDX-License-Identifier: Apache-2.0
// The file beside a column that says which of its rows are null: a Pco file of the lengths of runs.
#ifndef NUMPACT_CLI_NULL_FILE_HPP
#define NUMPACT_CLI_NULL_FILE_HPP

#include <cstdint>
#include <string>

#include "null_runs.hpp"
#include "pco_file.hpp"
#include "spool.hpp"

namespace numpact::cli {

// Collects the runs of a column while its numbers are written, in bounded memory.
class NullFileWriter {
 public:
  NullFileWriter() : spool_(kMemoryBytes), stream_(spool_.add_stream()) {}

  // The runs that are complete.
  void take(NullRuns& runs);
  // Writes them; after the last take(). The file is committed, and synced with its
  // folder.
  WrittenFile write(const std::string& path, WriteOptions options, const std::string& place);

 private:
  // Of runs that wait: 2 million of them.
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 20;

  Spool spool_;
  Spool::Stream stream_;
};

}  // namespace numpact::cli

#endif
