// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/requests.hpp"

#include <algorithm>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/read_rows.hpp"
#include "cvc/file/targets.hpp"

namespace numpact::cvc::internal {
namespace {

// Merges requests for consecutive rows that go to consecutive output rows.
std::vector<RowRun> runs_of(std::span<const RowRequest> requests, std::uint64_t start) {
  std::vector<RowRun> runs;
  for (const RowRequest& request : requests) {
    const bool extends_run = !runs.empty() &&
                             runs.back().first + runs.back().count == request.row - start &&
                             runs.back().out_row + runs.back().count == request.out_row;
    if (extends_run) {
      ++runs.back().count;
    } else {
      runs.push_back({request.row - start, 1, request.out_row});
    }
  }
  return runs;
}

}  // namespace

std::vector<std::span<const RowRequest>> group_by_chunk(const Info& info,
                                                        std::span<RowRequest> requests) {
  std::sort(requests.begin(), requests.end(), [](const RowRequest& a, const RowRequest& b) {
    return a.row != b.row ? a.row < b.row : a.out_row < b.out_row;
  });
  std::vector<std::span<const RowRequest>> groups;
  for (std::size_t first = 0; first < requests.size();) {
    const Chunk& chunk = info.chunks[chunk_of_row(info, requests[first].row)];
    std::size_t end = first;
    while (end < requests.size() && requests[end].row - chunk.first_row < chunk.rows) ++end;
    groups.emplace_back(requests.subspan(first, end - first));
    first = end;
  }
  return groups;
}

Status gather_chunk(const Records& records, std::size_t chunk, std::uint64_t start,
                    std::span<const RowRequest> requests, const Target& target,
                    const DecodeLimits& limits) {
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  Prepared prepared;
  Status status = prepare(records.encoded(chunk, target.column, record), prepared);
  if (!status.ok()) return status.at_chunk(chunk);
  prepared.max_memory = limits.max_memory;
  const Codec& codec = codec_of(prepared.encoded.compression);
  if (codec.decode_runs != nullptr) {
    status = codec.decode_runs(prepared, runs_of(requests, start), 0, target.rows);
  } else {
    for (std::size_t i = 0; i < requests.size() && status.ok(); ++i) {
      status = decode_rows(prepared, requests[i].row - start, 1, target.rows, requests[i].out_row);
    }
  }
  return status.ok() ? status : status.at_chunk(chunk);
}

}  // namespace numpact::cvc::internal
