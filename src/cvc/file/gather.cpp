// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/gather.hpp"

#include <algorithm>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/check.hpp"
#include "cvc/file/prefault.hpp"
#include "cvc/file/read_rows.hpp"
#include "cvc/file/remote.hpp"
#include "cvc/file/requests.hpp"
#include "cvc/file/targets.hpp"
#include "platform/compiler.hpp"

namespace numpact::cvc::internal {
namespace {

// Rows that a task decodes at a time: enough to outweigh the scheduling of a task.
constexpr std::size_t kRowsPerTask = 4096;

// Bytes of all lists for each row of a call of gather_rows(), which grow by doubling: chunks twice
// and with what is read of them, requests, their groups with a status each, and runs.
constexpr std::uint64_t kBytesPerRow =
    3 * (2 * sizeof(std::size_t) + sizeof(ChunkRead) + sizeof(RowRequest) +
         sizeof(std::span<const RowRequest>) + sizeof(Status) + sizeof(RowRun));

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

// Keeps the slice that was used last prepared, since consecutive rows are often of one chunk.
class SliceCache {
 public:
  SliceCache(const Records& records, std::size_t column) : records_(records), column_(column) {}

  Status open(std::size_t chunk) {
    if (is_open_ && chunk == chunk_) return {};
    is_open_ = false;
    Record record;
    NUMPACT_TRY(records_.open(chunk, record));
    const Status status = prepare(records_.encoded(chunk, column_, record), prepared_);
    if (!status.ok()) return status.at_chunk(chunk);
    chunk_ = chunk;
    is_open_ = true;
    return {};
  }
  const Prepared& prepared() const { return prepared_; }

 private:
  const Records& records_;
  std::size_t column_;
  std::size_t chunk_ = 0;
  bool is_open_ = false;
  Prepared prepared_;
};

// How many rows ahead the codes of a row are requested from memory: rows at random places are not
// in the caches. With 4 or 8, 1,024 cold rows of 768 bytes take 0.56 of the time without.
constexpr std::size_t kRowsAhead = 4;
// Bytes of a row that are requested so; the processor's own prefetcher follows from there on.
constexpr std::uint64_t kBytesAhead = 1024;

void prefetch_row(const Records& records, std::size_t column, std::uint64_t row) {
  const Info& info = records.info();
  const std::size_t chunk = chunk_of_row(info, row);
  Record record;
  if (!records.open(chunk, record).ok()) return;
  const Encoded encoded = records.encoded(chunk, column, record);
  const Codec& codec = codec_of(encoded.compression);
  if (codec.code_bytes == nullptr) return;
  const std::uint64_t bytes = codec.code_bytes(encoded.shape.dimension, encoded.dtype);
  const std::uint64_t at = (row - info.chunks[chunk].first_row) * bytes;
  const std::uint64_t end =
      std::min({at + bytes, at + kBytesAhead, std::uint64_t{encoded.bytes.size()}});
  for (std::uint64_t i = at; i < end; i += 64) platform::prefetch(encoded.bytes.data() + i);
}

Status gather_in_order(const Records& records, std::span<const RowRequest> requests,
                       const Target& target) {
  const Info& info = records.info();
  SliceCache slice(records, target.column);
  std::size_t ahead = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (; ahead < std::min(i + 1 + kRowsAhead, requests.size()); ++ahead) {
      prefetch_row(records, target.column, requests[ahead].row);
    }
    const RowRequest& request = requests[i];
    const std::size_t chunk = chunk_of_row(info, request.row);
    NUMPACT_TRY(slice.open(chunk));
    const Status status = decode_rows(slice.prepared(), request.row - info.chunks[chunk].first_row,
                                      1, target.rows, request.out_row);
    if (!status.ok()) return status.at_chunk(chunk);
  }
  return {};
}

// For slices that are slow to prepare: each task takes all requests of a chunk, so that a chunk is
// prepared once. Sorts the requests by row.
Status gather_by_chunks(const Records& records, std::span<RowRequest> requests,
                        const Target& target, const TaskPool& pool, const DecodeLimits& limits) {
  const Info& info = records.info();
  const std::vector<std::span<const RowRequest>> groups = group_by_chunk(info, requests);
  std::vector<Status> problems(groups.size());
  pool.run(groups.size(), [&](std::size_t i) {
    const std::size_t chunk = chunk_of_row(info, groups[i][0].row);
    problems[i] = guarded([&] {
      return gather_chunk(records, chunk, info.chunks[chunk].first_row, groups[i], target, limits);
    });
  });
  for (const Status& problem : problems) NUMPACT_TRY(problem);
  return {};
}

// For slices that are fast to prepare: rows in the order of the request.
Status gather_by_rows(const Records& records, std::span<const RowRequest> requests,
                      const Target& target, const TaskPool& pool) {
  const std::size_t tasks = (requests.size() + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<Status> problems(tasks);
  pool.run(tasks, [&](std::size_t i) {
    const std::size_t at = i * kRowsPerTask;
    problems[i] = gather_in_order(
        records, requests.subspan(at, std::min(kRowsPerTask, requests.size() - at)), target);
  });
  for (const Status& problem : problems) NUMPACT_TRY(problem);
  return {};
}

bool is_slow_to_prepare(const Info& info, std::size_t column) {
  for (std::size_t chunk = 0; chunk < info.chunks.size(); ++chunk) {
    if (codec_of(info.slice(chunk, column).compression).is_slow_to_prepare) return true;
  }
  return false;
}

// Checks the rows and the types of their chunks before anything is decoded. Lists the chunks if
// `chunks` is not null; neighbouring rows of one chunk list it once.
Status check_rows(const Info& info, std::span<const std::uint64_t> rows,
                  std::span<const Target> targets, std::vector<std::size_t>* chunks) {
  std::size_t last = info.chunks.size();
  for (const std::uint64_t row : rows) {
    if (row >= info.rows) return invalid("rows past the end of the file");
    const std::size_t chunk = chunk_of_row(info, row);
    if (chunk == last) continue;
    last = chunk;
    NUMPACT_TRY(check_types(info, chunk, targets));
    if (chunks != nullptr) chunks->push_back(chunk);
  }
  return {};
}

}  // namespace

Status gather_rows(const Records& records, std::span<const std::uint64_t> rows,
                   std::span<const Target> targets, const ReadConfig& config) {
  const Info& info = records.info();
  if (config.on_corruption != OnCorruption::kRaise) {
    return invalid("gather takes no other on_corruption than raise");
  }
  NUMPACT_TRY(ensure_memory(rows.size() * kBytesPerRow));
  std::vector<Target> outs(targets.begin(), targets.end());
  NUMPACT_TRY(check_targets(info, outs, rows.size(), config.limits));
  const bool is_remote = records.loader() != nullptr;
  const bool checks_first = config.verify && !is_remote;
  std::vector<std::size_t> chunks;
  NUMPACT_TRY(check_rows(info, rows, outs, checks_first ? &chunks : nullptr));
  if (checks_first) NUMPACT_TRY(check_chunks(records, std::move(chunks), config));
  prefault_targets(info, outs, rows.size(), config);
  if (is_remote) return gather_remote_rows(records, rows, outs, config);

  const TaskPool pool(config.threads, config.executor);
  Progress progress;
  std::vector<RowRequest> requests;
  for (const Target& target : outs) {
    const bool is_slow = is_slow_to_prepare(info, target.column);
    // A single batch if every chunk must be prepared only once.
    const std::size_t batch_rows =
        is_slow ? std::max<std::size_t>(1, rows.size()) : kRowsPerTask * pool.size();
    for (std::size_t first = 0; first < rows.size(); first += batch_rows) {
      requests.clear();
      for (std::size_t i = first; i < std::min(rows.size(), first + batch_rows); ++i) {
        requests.push_back({rows[i], i});
      }
      NUMPACT_TRY(is_slow ? gather_by_chunks(records, requests, target, pool, config.limits)
                          : gather_by_rows(records, requests, target, pool));
      progress.numbers += requests.size() * target.rows.dimension;
      NUMPACT_TRY(report_progress(config, progress));
    }
  }
  return {};
}

}  // namespace numpact::cvc::internal
