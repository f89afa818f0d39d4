// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/read_rows.hpp"

#include <algorithm>

#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/prefault.hpp"
#include "cvc/file/remote.hpp"
#include "cvc/file/targets.hpp"

namespace numpact::cvc::internal {
namespace {

// Size of a work item, about a megabyte of floats or of payload. Smaller items balance the threads
// better; larger ones cost less scheduling.
constexpr std::uint64_t kItemValues = std::uint64_t{1} << 18;
constexpr std::uint64_t kItemBytes = std::uint64_t{1} << 20;
// Values between a checksum and the decoding of the same bytes: they stay in the L2 cache.
constexpr std::uint64_t kBlockValuesInCache = std::uint64_t{1} << 15;
// Work items per thread and batch. Progress is reported after a batch.
constexpr std::size_t kItemsPerThread = 8;
// Larger outputs of rows without gaps are written with non-temporal stores: none of their bytes
// would still be in a cache when the caller reads them.
constexpr std::uint64_t kMinStreamedBytes = std::uint64_t{1} << 25;

// The unit of work of a task: the checksum of a range of a chunk's payload, or the decoding of
// some rows, or both if they are the same bytes, which are then read from memory once.
struct WorkItem {
  std::size_t read = 0;
  std::size_t target = 0;
  bool has_bytes = false;
  bool has_rows = false;
  bool is_last = false;  // the last item of its read
  std::uint64_t first_byte = 0;
  std::uint64_t bytes = 0;
  RowRange rows;
  std::uint64_t first_dimension = 0;
  std::uint64_t dimensions = 0;
  // Results.
  std::uint32_t crc = 0;
  Status status;
};

// Divides all reads into work items, in order. For each read there are first the items of its
// checksum, then those of each target; or items of both kinds of work at once (is_joined_).
class WorkSplitter {
 public:
  WorkSplitter(const Records& records, std::span<const ChunkRead> reads,
               std::span<const Target> targets)
      : records_(records), reads_(reads), targets_(targets) {}

  bool is_done() const { return read_index_ == reads_.size(); }
  Status next(WorkItem& item);

 private:
  Status begin_read();
  void begin_target();
  void take_rows(WorkItem& item);
  bool is_read_done() const {
    return byte_ >= payload_bytes_ && (targets_.empty() || target_ == targets_.size());
  }

  const Records& records_;
  std::span<const ChunkRead> reads_;
  std::span<const Target> targets_;
  std::size_t read_index_ = 0;
  bool is_begun_ = false;
  std::uint64_t payload_bytes_ = 0;  // bytes of the payload to check; 0 without a checksum
  // Position within the read. Items exist for payload bytes before byte_, for targets before
  // target_, for rows of it before row_, and for dimensions of the next rows before dimension_.
  std::uint64_t byte_ = 0;
  std::size_t target_ = 0;
  std::uint64_t row_ = 0;
  std::uint64_t dimension_ = 0;
  bool is_target_begun_ = false;
  bool has_blocks_ = false;  // the codec has blocks; their size is block_
  Block block_;
  bool is_joined_ = false;      // one column: items have bytes and the rows that they encode
  std::uint64_t row_size_ = 0;  // payload bytes per row if is_joined_
};

Status WorkSplitter::begin_read() {
  const ChunkRead& read = reads_[read_index_];
  const Info& info = records_.info();
  is_begun_ = true;
  byte_ = 0;
  target_ = 0;
  row_ = 0;
  dimension_ = 0;
  is_target_begun_ = false;
  is_joined_ = false;
  payload_bytes_ = 0;
  if (!read.is_checked) return {};
  Record record;
  NUMPACT_TRY(records_.open(read.chunk, record));
  payload_bytes_ = record.payload.size();
  const std::uint64_t rows = info.chunks[read.chunk].rows;
  const bool is_whole = read.rows.count == rows && rows > 0;
  if (targets_.size() != 1 || info.columns.size() != 1 || !is_whole) return {};
  const Codec& codec = codec_of(info.slice(read.chunk, 0).compression);
  is_joined_ = codec.code_type != nullptr && payload_bytes_ >= rows;
  row_size_ = payload_bytes_ / rows;
  return {};
}

// Sets the size of the target's items: all dimensions of some rows, or the codec's blocks.
void WorkSplitter::begin_target() {
  const ChunkRead& read = reads_[read_index_];
  const Target& target = targets_[target_];
  const std::uint64_t dimension = target.rows.dimension;
  is_target_begun_ = true;
  block_ = {read.rows.count, dimension};
  if (dimension == 0) return;
  block_.rows = std::max<std::uint64_t>(1, kItemValues / dimension);
  const Codec& codec = codec_of(records_.info().slice(read.chunk, target.column).compression);
  if (codec.block == nullptr) return;
  Record record;
  Prepared prepared;
  // Errors are reported when the item is decoded.
  if (!records_.open(read.chunk, record).ok()) return;
  if (!codec.prepare(records_.encoded(read.chunk, target.column, record), prepared).ok()) return;
  block_ = codec.block(prepared);
  has_blocks_ = true;
}

void WorkSplitter::take_rows(WorkItem& item) {
  const ChunkRead& read = reads_[read_index_];
  if (!is_target_begun_) begin_target();
  const std::uint64_t dimension = targets_[target_].rows.dimension;
  const std::uint64_t first = read.rows.first + row_;
  const std::uint64_t max_rows = has_blocks_ ? block_.rows - first % block_.rows : block_.rows;
  item.has_rows = true;
  item.target = target_;
  item.rows = {first, std::min(max_rows, read.rows.count - row_)};
  item.first_dimension = dimension_;
  item.dimensions = std::min(block_.dimensions, dimension - dimension_);
  dimension_ += item.dimensions;
  if (dimension_ < dimension) return;
  dimension_ = 0;
  row_ += item.rows.count;
  if (row_ < read.rows.count) return;
  row_ = 0;
  is_target_begun_ = false;
  has_blocks_ = false;
  ++target_;
}

Status WorkSplitter::next(WorkItem& item) {
  if (!is_begun_) NUMPACT_TRY(begin_read());
  item = {};
  item.read = read_index_;
  if (is_joined_) {
    take_rows(item);
    const bool has_all = target_ == targets_.size();
    item.has_bytes = true;
    item.first_byte = byte_;
    item.bytes = has_all ? payload_bytes_ - byte_ : item.rows.count * row_size_;
    byte_ += item.bytes;
  } else if (byte_ < payload_bytes_) {
    item.has_bytes = true;
    item.first_byte = byte_;
    item.bytes = std::min(kItemBytes, payload_bytes_ - byte_);
    byte_ += item.bytes;
  } else if (target_ < targets_.size()) {
    take_rows(item);
  }
  if (is_read_done()) {
    item.is_last = true;
    is_begun_ = false;
    ++read_index_;
  }
  return {};
}

bool is_streamed(const MutableRows& rows) {
  return rows.dtype == Dtype::kFloat32 && rows.stride == row_bytes(rows) && rows.stride > 0 &&
         rows.count > kMinStreamedBytes / rows.stride;
}

Status decode_block(const Prepared& prepared, const ChunkRead& read, const WorkItem& item,
                    const MutableRows& all) {
  MutableRows out = all;
  out.data = static_cast<std::byte*>(all.data) + item.first_dimension * size_of(all.dtype);
  out.dimension = item.dimensions;
  const RowRun run{item.rows.first, item.rows.count,
                   read.out_row + (item.rows.first - read.rows.first)};
  return guarded([&] {
    return codec_of(prepared.encoded.compression)
        .decode_runs(prepared, {&run, 1}, item.first_dimension, out);
  });
}

// Executes an item; called by tasks.
void run_item(const Records& records, std::span<const ChunkRead> reads,
              std::span<const Target> targets, const DecodeLimits& limits, WorkItem& item) {
  const ChunkRead& read = reads[item.read];
  Record record;
  item.status = records.open(read.chunk, record);
  if (!item.status.ok()) return;
  if (!item.has_rows) {
    item.crc = crc32(record.payload.subspan(static_cast<std::size_t>(item.first_byte),
                                            static_cast<std::size_t>(item.bytes)));
    return;
  }
  const Target& target = targets[item.target];
  Prepared prepared;
  item.status = prepare(records.encoded(read.chunk, target.column, record), prepared);
  if (item.status.ok() && codec_of(prepared.encoded.compression).decode_runs != nullptr) {
    prepared.max_memory = limits.max_memory;
    prepared.streams = is_streamed(target.rows);
    item.status = decode_block(prepared, read, item, target.rows);
    return;
  }
  prepared.streams = is_streamed(target.rows);
  std::uint64_t row = item.rows.first;
  const std::uint64_t end = row + item.rows.count;
  const std::uint64_t dimension = std::max<std::uint64_t>(1, target.rows.dimension);
  const std::uint64_t row_size = item.has_bytes ? item.bytes / item.rows.count : 0;
  std::uint64_t byte = item.first_byte;
  const std::uint64_t byte_end = byte + item.bytes;
  const std::uint64_t step = item.has_bytes
                                 ? std::max<std::uint64_t>(1, kBlockValuesInCache / dimension)
                                 : item.rows.count;
  while (row < end) {
    const std::uint64_t count = std::min(step, end - row);
    if (item.has_bytes) {
      const bool is_last = row + count == end;
      const std::uint64_t bytes = is_last ? byte_end - byte : count * row_size;
      item.crc = crc32(
          record.payload.subspan(static_cast<std::size_t>(byte), static_cast<std::size_t>(bytes)),
          item.crc);
      byte += bytes;
    }
    if (item.status.ok()) {
      item.status =
          decode_rows(prepared, row, count, target.rows, read.out_row + (row - read.rows.first));
    }
    row += count;
  }
}

// Combines the results of work items, in their order: the checksums of a payload's ranges, the
// first error of a read, and progress.
class ResultCollector {
 public:
  ResultCollector(const Records& records, std::span<const ChunkRead> reads,
                  std::span<const Target> targets, ReadHandler handler, void* owner)
      : records_(records), reads_(reads), targets_(targets), handler_(handler), owner_(owner) {}

  Status take(const WorkItem& item) {
    if (item.has_bytes) crc_ = join_crc32(crc_, item.crc, item.bytes);
    if (!item.status.ok() && status_.ok()) status_ = item.status;
    if (item.has_rows) {
      progress_.numbers += item.rows.count * item.dimensions;
    }
    if (!item.is_last) return {};
    const ChunkRead& read = reads_[item.read];
    const std::uint64_t bytes = records_.info().chunks[read.chunk].payload_bytes;
    if (bytes != Chunk::kUnknown) progress_.bytes += bytes;
    const Status problem = end_read(read);
    crc_ = 0;
    status_ = {};
    return problem.ok() ? Status() : handler_(owner_, read, problem);
  }

  const Progress& progress() const { return progress_; }

 private:
  Status end_read(const ChunkRead& read) const {
    if (read.is_checked) {
      Record record;
      NUMPACT_TRY(records_.open(read.chunk, record));
      if (crc_ != record.crc) {
        return Status(ErrorKind::kChecksum, "the chunk's checksum does not match its payload",
                      record.offset)
            .at_chunk(read.chunk);
      }
    }
    return status_.ok() ? status_ : status_.at_chunk(read.chunk);
  }

  const Records& records_;
  std::span<const ChunkRead> reads_;
  std::span<const Target> targets_;
  ReadHandler handler_;
  void* owner_;
  std::uint32_t crc_ = 0;
  Status status_;
  Progress progress_;
};

// The state of read_ranges() for its handler.
struct RangesReader {
  std::span<const Target> targets;
  const ReadConfig& config;
  const Info& info;
  ReadReport& report;
  std::vector<RowRange> dropped;  // rows of the output, in order
};

Status handle_corrupt(void* owner, const ChunkRead& read, const Status& problem) {
  auto& reader = *static_cast<RangesReader*>(owner);
  const OnCorruption policy = reader.config.on_corruption;
  if (problem.kind() != ErrorKind::kChecksum || policy == OnCorruption::kRaise) return problem;
  const std::uint64_t first_row = reader.info.chunks[read.chunk].first_row;
  reader.report.corrupt.push_back(
      {read.chunk, {first_row + read.rows.first, read.rows.count}, problem});
  if (policy == OnCorruption::kDrop) {
    reader.dropped.push_back({read.out_row, read.rows.count});
    return {};
  }
  for (const Target& target : reader.targets) {
    fill_rows(target.rows, read.out_row, read.rows.count, reader.config.fill);
  }
  return {};
}

// Moves rows up over the dropped ones; returns the number of rows that are left.
std::uint64_t drop_rows(std::span<const Target> targets, std::span<const RowRange> dropped,
                        std::uint64_t rows) {
  std::uint64_t to = dropped.empty() ? rows : dropped[0].first;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    const std::uint64_t from = dropped[i].first + dropped[i].count;
    const std::uint64_t end = i + 1 < dropped.size() ? dropped[i + 1].first : rows;
    for (const Target& target : targets) move_rows(target.rows, from, to, end - from);
    to += end - from;
  }
  return to;
}

}  // namespace

std::size_t chunk_of_row(const Info& info, std::uint64_t row) {
  const std::vector<Chunk>& chunks = info.chunks;
  // If all chunks are as long as the first, a division finds the chunk.
  const std::uint64_t typical_rows = chunks[0].rows;
  if (typical_rows != 0 && row / typical_rows < chunks.size()) {
    const auto index = static_cast<std::size_t>(row / typical_rows);
    const Chunk& guess = chunks[index];
    if (row >= guess.first_row && row - guess.first_row < guess.rows) return index;
  }
  const auto after = std::upper_bound(
      chunks.begin(), chunks.end(), row,
      [](std::uint64_t value, const Chunk& chunk) { return value < chunk.first_row; });
  return static_cast<std::size_t>(after - chunks.begin()) - 1;
}

Status split_by_chunk(const Info& info, std::span<const RowRange> ranges,
                      std::vector<ChunkRead>& reads, std::uint64_t& rows) {
  // Lists grow by doubling; read_ranges() has one of columns, too.
  NUMPACT_TRY(ensure_memory(4 * (info.chunks.size() + ranges.size()) * sizeof(ChunkRead) +
                            info.columns.size()));
  rows = 0;
  for (RowRange range : ranges) {
    if (range.first > info.rows || range.count > info.rows - range.first) {
      return Status(ErrorKind::kInvalidArgument, "rows past the end of the file");
    }
    while (range.count > 0) {
      ChunkRead read;
      read.chunk = chunk_of_row(info, range.first);
      const Chunk& chunk = info.chunks[read.chunk];
      read.rows.first = range.first - chunk.first_row;
      read.rows.count = std::min(range.count, chunk.rows - read.rows.first);
      read.out_row = rows;
      reads.push_back(read);
      range.first += read.rows.count;
      range.count -= read.rows.count;
      rows += read.rows.count;
    }
  }
  return {};
}

Status read_chunks(const Records& records, std::span<const ChunkRead> reads,
                   std::span<const Target> targets, const ReadConfig& config, ReadHandler handler,
                   void* owner) {
  if (reads.empty()) return {};
  if (records.loader() != nullptr) {
    return read_remote_chunks(records, reads, targets, config, handler, owner);
  }
  TaskPool pool(config.threads, config.executor);
  WorkSplitter splitter(records, reads, targets);
  ResultCollector collector(records, reads, targets, handler, owner);
  std::vector<WorkItem> items(pool.size() == 1 ? 1 : kItemsPerThread * pool.size());
  while (!splitter.is_done()) {
    std::size_t n = 0;
    while (n < items.size() && !splitter.is_done()) NUMPACT_TRY(splitter.next(items[n++]));
    pool.run(n, [&](std::size_t i) { run_item(records, reads, targets, config.limits, items[i]); });
    for (std::size_t i = 0; i < n; ++i) NUMPACT_TRY(collector.take(items[i]));
    NUMPACT_TRY(report_progress(config, collector.progress()));
  }
  return {};
}

Status read_ranges(const Records& records, std::span<const RowRange> ranges,
                   std::span<const Target> targets, const ReadConfig& config, ReadReport& report) {
  const Info& info = records.info();
  report = {};
  std::vector<ChunkRead> reads;
  std::uint64_t rows = 0;
  NUMPACT_TRY(split_by_chunk(info, ranges, reads, rows));
  std::vector<Target> outs(targets.begin(), targets.end());
  NUMPACT_TRY(check_targets(info, outs, rows, config.limits));
  if (outs.empty()) return {};
  std::vector<bool> has_column(info.columns.size());
  for (const Target& target : outs) has_column[target.column] = true;
  const bool has_all = std::find(has_column.begin(), has_column.end(), false) == has_column.end();
  for (ChunkRead& read : reads) {
    NUMPACT_TRY(check_types(info, read.chunk, outs));
    const bool is_whole = has_all && read.rows.count == info.chunks[read.chunk].rows;
    read.is_checked = info.has_checksums() && (is_whole || config.verify);
  }
  prefault_targets(info, outs, rows, config);
  RangesReader reader{outs, config, info, report, {}};
  NUMPACT_TRY(read_chunks(records, reads, outs, config, handle_corrupt, &reader));
  report.rows = drop_rows(outs, reader.dropped, rows);
  return {};
}

}  // namespace numpact::cvc::internal
