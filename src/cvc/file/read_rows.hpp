// SPDX-License-Identifier: Apache-2.0
// Stretches of rows, decoded piece by piece, by one or by many.
#ifndef NUMPACT_CVC_FILE_READ_ROWS_HPP
#define NUMPACT_CVC_FILE_READ_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/guard.hpp"
#include "cvc/file/records.hpp"
#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// Rows of one chunk that are read together.
struct Part {
  std::size_t chunk = 0;
  RowRange rows;              // of the chunk
  std::uint64_t out_row = 0;  // where they go
  bool is_checked = false;    // against the chunk's checksum
};

// The chunk of a row below info.rows.
std::size_t chunk_of_row(const Info& info, std::uint64_t row);

// Parts of the ranges, in order; kInvalidArgument for rows past the end. `rows` becomes their sum.
Status cut_ranges(const Info& info, std::span<const RowRange> ranges, std::vector<Part>& parts,
                  std::uint64_t& rows);

// What becomes of a part whose checksum does not match, or that cannot be decoded; an error ends
// the reading.
using PartHandler = Status (*)(void* owner, const Part& part, const Status& problem);
// Ends it with the problem.
inline Status pass_on(void*, const Part&, const Status& problem) { return problem; }

inline Status tell(const ReadConfig& config, const Progress& progress) {
  if (!config.progress) return {};
  return guarded([&]() -> Status {
    if (config.progress(progress)) return {};
    return Status(ErrorKind::kCancelled, "the progress callback asked to stop");
  });
}

// Reads the parts. Targets and their types are checked. Without targets, checksums alone are.
Status read_parts(const Records& records, std::span<const Part> parts,
                  std::span<const Target> targets, const ReadConfig& config, PartHandler handler,
                  void* owner);

// All that Reader::try_read does.
Status read_ranges(const Records& records, std::span<const RowRange> ranges,
                   std::span<const Target> targets, const ReadConfig& config, ReadReport& report);

}  // namespace numpact::cvc

#endif
