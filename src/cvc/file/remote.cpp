// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/remote.hpp"

#include <algorithm>
#include <vector>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/file/check.hpp"
#include "cvc/file/loading.hpp"
#include "cvc/file/requests.hpp"

namespace numpact::cvc::internal {
namespace {

// Loads the bytes of one read and decodes them.
class RemoteReader {
 public:
  RemoteReader(const Records& records, std::span<const Target> targets, const ReadConfig& config)
      : records_(records), targets_(targets), config_(config) {
    for (const Target& target : targets) columns_.push_back(target.column);
  }

  Status read(const ChunkRead& read, WorkerScratch& scratch) const {
    const Info& info = records_.info();
    if (read.is_checked) {
      std::span<const std::byte> record;
      NUMPACT_TRY(records_.loader()->read_record(info, read.chunk, scratch.buffer, record));
      return read_chunks(Records(info, read.chunk, record), {&read, 1}, targets_, config_, pass_on,
                         nullptr);
    }
    NUMPACT_TRY(records_.loader()->read_rows(info, read.chunk, read.rows, columns_, scratch.buffer,
                                             scratch.windows));
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Window& window = scratch.windows[i];
      ChunkRead inside = read;
      inside.rows.first -= window.rows.first;
      NUMPACT_TRY(read_chunks(Records(info, window), {&inside, 1}, targets_.subspan(i, 1), config_,
                              pass_on, nullptr));
    }
    return {};
  }

 private:
  const Records& records_;
  std::span<const Target> targets_;
  ReadConfig config_;
  std::vector<std::size_t> columns_;
};

// A gap larger than any file has rows: all rows of a chunk are read together.
constexpr std::uint64_t kUnlimitedGapRows = std::uint64_t{1} << 62;

// Loads and decodes the requested rows of one chunk; they are sorted by row.
class RemoteGatherer {
 public:
  RemoteGatherer(const Records& records, std::span<const Target> targets, const ReadConfig& config)
      : records_(records), targets_(targets), config_(config) {}

  Status gather(std::span<const RowRequest> requests, WorkerScratch& scratch) const {
    const Info& info = records_.info();
    const std::size_t chunk = chunk_of_row(info, requests[0].row);
    if (config_.verify && info.has_checksums()) {
      std::span<const std::byte> bytes;
      NUMPACT_TRY(records_.loader()->read_record(info, chunk, scratch.buffer, bytes));
      const Records record(info, chunk, bytes);
      NUMPACT_TRY(check_chunk(record, chunk));
      for (const Target& target : targets_) {
        NUMPACT_TRY(gather_chunk(record, chunk, info.chunks[chunk].first_row, requests, target,
                                 config_.limits));
      }
      return {};
    }
    for (const Target& target : targets_) {
      NUMPACT_TRY(gather_column(chunk, requests, target, scratch));
    }
    return {};
  }

 private:
  // Splits the requests where the gap between two rows is too large to be read along.
  Status gather_column(std::size_t chunk, std::span<const RowRequest> requests,
                       const Target& target, WorkerScratch& scratch) const {
    const auto row_bytes = separable_row_bytes(records_.info(), chunk, target.column);
    const std::uint64_t max_gap_rows =
        row_bytes ? kMaxGapBytes / std::max<std::uint64_t>(1, *row_bytes) : kUnlimitedGapRows;
    for (std::size_t first = 0; first < requests.size();) {
      std::size_t end = first + 1;
      while (end < requests.size() && requests[end].row - requests[end - 1].row <= max_gap_rows + 1)
        ++end;
      NUMPACT_TRY(gather_run(chunk, requests.subspan(first, end - first), target, scratch));
      first = end;
    }
    return {};
  }

  Status gather_run(std::size_t chunk, std::span<const RowRequest> requests, const Target& target,
                    WorkerScratch& scratch) const {
    const Info& info = records_.info();
    const std::uint64_t start = info.chunks[chunk].first_row;
    const RowRange rows{requests.front().row - start,
                        requests.back().row - requests.front().row + 1};
    NUMPACT_TRY(records_.loader()->read_rows(info, chunk, rows, {&target.column, 1}, scratch.buffer,
                                             scratch.windows));
    const Window& window = scratch.windows[0];
    return gather_chunk(Records(info, window), chunk, start + window.rows.first, requests, target,
                        config_.limits);
  }

  const Records& records_;
  std::span<const Target> targets_;
  const ReadConfig& config_;
};

}  // namespace

Status read_remote_chunks(const Records& records, std::span<const ChunkRead> reads,
                          std::span<const Target> targets, const ReadConfig& config,
                          ReadHandler handler, void* owner) {
  ReadConfig inner;
  inner.limits = config.limits;
  if (reads.size() == 1) {
    // A single read is loaded by one thread and decoded by all.
    inner.threads = config.threads;
    inner.executor = config.executor;
  }
  const RemoteReader reader(records, targets, inner);
  const TaskPool pool(reads.size() == 1 ? 1 : config.threads,
                      reads.size() == 1 ? nullptr : config.executor);
  Progress progress;
  const auto take = [&](std::size_t i, const Status& problem) {
    progress.bytes += records.info().chunks[reads[i].chunk].payload_bytes;
    for (const Target& target : targets) {
      progress.numbers += reads[i].rows.count * target.rows.dimension;
    }
    return problem.ok() ? Status() : handler(owner, reads[i], problem);
  };
  return for_each_loaded(
      pool, reads.size(),
      [&](std::size_t i, WorkerScratch& scratch) { return reader.read(reads[i], scratch); }, take,
      [&] { return report_progress(config, progress); });
}

Status gather_remote_rows(const Records& records, std::span<const std::uint64_t> rows,
                          std::span<const Target> targets, const ReadConfig& config) {
  const RemoteGatherer gatherer(records, targets, config);
  std::vector<RowRequest> requests;
  requests.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) requests.push_back({rows[i], i});
  const std::vector<std::span<const RowRequest>> groups = group_by_chunk(records.info(), requests);
  const TaskPool pool(config.threads, config.executor);
  Progress progress;
  const auto take = [&](std::size_t i, const Status& problem) {
    for (const Target& target : targets) {
      progress.numbers += groups[i].size() * target.rows.dimension;
    }
    return problem;
  };
  return for_each_loaded(
      pool, groups.size(),
      [&](std::size_t i, WorkerScratch& scratch) { return gatherer.gather(groups[i], scratch); },
      take, [&] { return report_progress(config, progress); });
}

}  // namespace numpact::cvc::internal
