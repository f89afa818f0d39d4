// SPDX-License-Identifier: Apache-2.0
// Writes the file that marks the null rows of a column: a Pco file of run lengths.
#pragma once

#include <cstdint>
#include <string>

#include "io/spool.hpp"
#include "numbers/null_runs.hpp"
#include "pco/pco_file.hpp"

namespace numpact::cli {

// Collects the runs of a column in bounded memory while its numbers are written.
class NullFileWriter {
 public:
  NullFileWriter() : spool_(kMemoryBytes), stream_(spool_.add_stream()) {}

  // Takes the runs that are complete.
  void take(NullRuns& runs);
  // Writes the runs to a file of the folder, after the last take(). The file is committed; it is
  // synced with its folder.
  WrittenFile write(const OutputFolder& folder, const std::string& name, WriteOptions options,
                    const std::string& place);

 private:
  // Memory for buffered runs: 2 million runs.
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 20;

  Spool spool_;
  Spool::Stream stream_;
};

}  // namespace numpact::cli
