// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/wishes.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/read_rows.hpp"
#include "cvc/file/targets.hpp"

namespace numpact::cvc {
namespace {

std::vector<RowRun> runs_of(std::span<const Wish> wishes, std::uint64_t start) {
  std::vector<RowRun> runs;
  for (const Wish& wish : wishes) {
    const bool goes_on = !runs.empty() &&
                         runs.back().first + runs.back().count == wish.row - start &&
                         runs.back().out_row + runs.back().count == wish.out_row;
    if (goes_on) {
      ++runs.back().count;
    } else {
      runs.push_back({wish.row - start, 1, wish.out_row});
    }
  }
  return runs;
}

}  // namespace

std::vector<std::span<const Wish>> group_by_chunk(const Info& info, std::span<Wish> wishes) {
  std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
    return a.row != b.row ? a.row < b.row : a.out_row < b.out_row;
  });
  std::vector<std::span<const Wish>> groups;
  for (std::size_t first = 0; first < wishes.size();) {
    const Chunk& chunk = info.chunks[chunk_of_row(info, wishes[first].row)];
    std::size_t end = first;
    while (end < wishes.size() && wishes[end].row - chunk.first_row < chunk.rows) ++end;
    groups.emplace_back(wishes.subspan(first, end - first));
    first = end;
  }
  return groups;
}

Status gather_chunk(const Records& records, std::size_t chunk, std::uint64_t start,
                    std::span<const Wish> wishes, const Target& target,
                    const DecodeLimits& limits) {
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  Prepared prepared;
  Status status = prepare(records.encoded(chunk, target.column, record), prepared);
  if (!status.ok()) return status.at_chunk(chunk);
  prepared.max_memory = limits.max_memory;
  const Codec& codec = codec_of(prepared.encoded.compression);
  if (codec.decode_runs != nullptr) {
    status = codec.decode_runs(prepared, runs_of(wishes, start), 0, target.rows);
  } else {
    for (std::size_t i = 0; i < wishes.size() && status.ok(); ++i) {
      status = decode_rows(prepared, wishes[i].row - start, 1, target.rows, wishes[i].out_row);
    }
  }
  return status.ok() ? status : status.at_chunk(chunk);
}

}  // namespace numpact::cvc
