// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/read_rows.hpp"

#include <algorithm>

#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/prefault.hpp"
#include "cvc/file/remote.hpp"
#include "cvc/file/targets.hpp"

namespace numpact::cvc {
namespace {

// What one task does at a time.
constexpr std::uint64_t kPieceValues = std::uint64_t{1} << 18;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
// Stays in the second cache from the checksum to the decoding.
constexpr std::uint64_t kBlockRows = std::uint64_t{1} << 15;
constexpr std::size_t kPiecesEach = 8;  // to be done before the next look at progress
// Of rows without gaps, past which nothing of them would stay in a cache anyway.
constexpr std::uint64_t kStreamBytes = std::uint64_t{1} << 25;

// A stretch of a chunk's payload whose checksum is wanted, or rows to be decoded, or both at once,
// where they are the same bytes.
struct Piece {
  std::size_t part = 0;
  std::size_t target = 0;
  bool has_bytes = false;
  bool has_rows = false;
  bool is_last = false;  // of its part
  std::uint64_t first_byte = 0;
  std::uint64_t bytes = 0;
  RowRange rows;
  std::uint64_t first_dimension = 0;
  std::uint64_t dimensions = 0;
  // What comes of it.
  std::uint32_t crc = 0;
  Status status;
};

// Makes the pieces of all parts, one after the other.
class Cutter {
 public:
  Cutter(const Records& records, std::span<const Part> parts, std::span<const Target> targets)
      : records_(records), parts_(parts), targets_(targets) {}

  bool is_done() const { return part_ == parts_.size(); }
  Status next(Piece& piece);

 private:
  Status begin_part();
  void begin_target();
  void take_rows(Piece& piece);
  bool ends_here() const {
    return byte_ >= payload_ && (targets_.empty() || target_ == targets_.size());
  }

  const Records& records_;
  std::span<const Part> parts_;
  std::span<const Target> targets_;
  std::size_t part_ = 0;
  bool is_begun_ = false;
  std::uint64_t payload_ = 0;  // bytes whose checksum is wanted
  std::uint64_t byte_ = 0;     // those before have their pieces
  std::size_t target_ = 0;     // those before, and the rows before `row_`, have theirs
  std::uint64_t row_ = 0;
  std::uint64_t dimension_ = 0;  // of the rows from `row_` on, those before have theirs
  bool is_target_begun_ = false;
  bool has_blocks_ = false;
  Block block_;
  bool is_joined_ = false;      // one column, bytes and rows side by side
  std::uint64_t row_size_ = 0;  // bytes that go with a row, then
};

Status Cutter::begin_part() {
  const Part& part = parts_[part_];
  const Info& info = records_.info();
  is_begun_ = true;
  byte_ = 0;
  target_ = 0;
  row_ = 0;
  dimension_ = 0;
  is_target_begun_ = false;
  is_joined_ = false;
  payload_ = 0;
  if (!part.is_checked) return {};
  Record record;
  NUMPACT_TRY(records_.open(part.chunk, record));
  payload_ = record.payload.size();
  const std::uint64_t rows = info.chunks[part.chunk].rows;
  const bool is_whole = part.rows.count == rows && rows > 0;
  if (targets_.size() != 1 || info.columns.size() != 1 || !is_whole) return {};
  const Codec& codec = codec_of(info.slice(part.chunk, 0).compression);
  is_joined_ = codec.code_type != nullptr && payload_ >= rows;
  row_size_ = payload_ / rows;
  return {};
}

// What is cut alike: all dimensions and any rows, or as blocks are.
void Cutter::begin_target() {
  const Part& part = parts_[part_];
  const Target& target = targets_[target_];
  const std::uint64_t dimension = target.rows.dimension;
  is_target_begun_ = true;
  block_ = {part.rows.count, dimension};
  if (dimension == 0) return;
  block_.rows = std::max<std::uint64_t>(1, kPieceValues / dimension);
  const Codec& codec = codec_of(records_.info().slice(part.chunk, target.column).compression);
  if (codec.block == nullptr) return;
  Record record;
  Prepared prepared;
  // What is wrong with it comes out where it is decoded.
  if (!records_.open(part.chunk, record).ok()) return;
  if (!codec.prepare(records_.encoded(part.chunk, target.column, record), prepared).ok()) return;
  block_ = codec.block(prepared);
  has_blocks_ = true;
}

void Cutter::take_rows(Piece& piece) {
  const Part& part = parts_[part_];
  if (!is_target_begun_) begin_target();
  const std::uint64_t dimension = targets_[target_].rows.dimension;
  const std::uint64_t first = part.rows.first + row_;
  const std::uint64_t most = has_blocks_ ? block_.rows - first % block_.rows : block_.rows;
  piece.has_rows = true;
  piece.target = target_;
  piece.rows = {first, std::min(most, part.rows.count - row_)};
  piece.first_dimension = dimension_;
  piece.dimensions = std::min(block_.dimensions, dimension - dimension_);
  dimension_ += piece.dimensions;
  if (dimension_ < dimension) return;
  dimension_ = 0;
  row_ += piece.rows.count;
  if (row_ < part.rows.count) return;
  row_ = 0;
  is_target_begun_ = false;
  has_blocks_ = false;
  ++target_;
}

Status Cutter::next(Piece& piece) {
  if (!is_begun_) NUMPACT_TRY(begin_part());
  piece = {};
  piece.part = part_;
  if (is_joined_) {
    take_rows(piece);
    const bool has_all = target_ == targets_.size();
    piece.has_bytes = true;
    piece.first_byte = byte_;
    piece.bytes = has_all ? payload_ - byte_ : piece.rows.count * row_size_;
    byte_ += piece.bytes;
  } else if (byte_ < payload_) {
    piece.has_bytes = true;
    piece.first_byte = byte_;
    piece.bytes = std::min(kPieceBytes, payload_ - byte_);
    byte_ += piece.bytes;
  } else if (target_ < targets_.size()) {
    take_rows(piece);
  }
  if (ends_here()) {
    piece.is_last = true;
    is_begun_ = false;
    ++part_;
  }
  return {};
}

bool is_streamed(const MutableRows& rows) {
  return rows.dtype == Dtype::kFloat32 && rows.stride == row_bytes(rows) && rows.stride > 0 &&
         rows.count > kStreamBytes / rows.stride;
}

Status decode_block(const Prepared& prepared, const Part& part, const Piece& piece,
                    const MutableRows& all) {
  MutableRows out = all;
  out.data = static_cast<std::byte*>(all.data) + piece.first_dimension * size_of(all.dtype);
  out.dimension = piece.dimensions;
  const RowRun run{piece.rows.first, piece.rows.count,
                   part.out_row + (piece.rows.first - part.rows.first)};
  return guarded([&] {
    return codec_of(prepared.encoded.compression)
        .decode_runs(prepared, {&run, 1}, piece.first_dimension, out);
  });
}

// Runs in tasks.
void do_piece(const Records& records, std::span<const Part> parts, std::span<const Target> targets,
              const DecodeLimits& limits, Piece& piece) {
  const Part& part = parts[piece.part];
  Record record;
  piece.status = records.open(part.chunk, record);
  if (!piece.status.ok()) return;
  if (!piece.has_rows) {
    piece.crc = crc32(record.payload.subspan(static_cast<std::size_t>(piece.first_byte),
                                             static_cast<std::size_t>(piece.bytes)));
    return;
  }
  const Target& target = targets[piece.target];
  Prepared prepared;
  piece.status = prepare(records.encoded(part.chunk, target.column, record), prepared);
  if (piece.status.ok() && codec_of(prepared.encoded.compression).decode_runs != nullptr) {
    prepared.max_memory = limits.max_memory;
    prepared.streams = is_streamed(target.rows);
    piece.status = decode_block(prepared, part, piece, target.rows);
    return;
  }
  prepared.streams = is_streamed(target.rows);
  std::uint64_t row = piece.rows.first;
  const std::uint64_t end = row + piece.rows.count;
  const std::uint64_t dimension = std::max<std::uint64_t>(1, target.rows.dimension);
  const std::uint64_t row_size = piece.has_bytes ? piece.bytes / piece.rows.count : 0;
  std::uint64_t byte = piece.first_byte;
  const std::uint64_t byte_end = byte + piece.bytes;
  const std::uint64_t step =
      piece.has_bytes ? std::max<std::uint64_t>(1, kBlockRows / dimension) : piece.rows.count;
  while (row < end) {
    const std::uint64_t count = std::min(step, end - row);
    if (piece.has_bytes) {
      const bool is_last = row + count == end;
      const std::uint64_t bytes = is_last ? byte_end - byte : count * row_size;
      piece.crc = crc32(
          record.payload.subspan(static_cast<std::size_t>(byte), static_cast<std::size_t>(bytes)),
          piece.crc);
      byte += bytes;
    }
    if (piece.status.ok()) {
      piece.status =
          decode_rows(prepared, row, count, target.rows, part.out_row + (row - part.rows.first));
    }
    row += count;
  }
}

// Puts the outcomes of pieces together, in their order.
class Collector {
 public:
  Collector(const Records& records, std::span<const Part> parts, std::span<const Target> targets,
            PartHandler handler, void* owner)
      : records_(records), parts_(parts), targets_(targets), handler_(handler), owner_(owner) {}

  Status take(const Piece& piece) {
    if (piece.has_bytes) crc_ = join_crc32(crc_, piece.crc, piece.bytes);
    if (!piece.status.ok() && status_.ok()) status_ = piece.status;
    if (piece.has_rows) {
      progress_.numbers += piece.rows.count * piece.dimensions;
    }
    if (!piece.is_last) return {};
    const Part& part = parts_[piece.part];
    const std::uint64_t bytes = records_.info().chunks[part.chunk].payload_bytes;
    if (bytes != Chunk::kUnknown) progress_.bytes += bytes;
    const Status problem = end_part(part);
    crc_ = 0;
    status_ = {};
    return problem.ok() ? Status() : handler_(owner_, part, problem);
  }

  const Progress& progress() const { return progress_; }

 private:
  Status end_part(const Part& part) const {
    if (part.is_checked) {
      Record record;
      NUMPACT_TRY(records_.open(part.chunk, record));
      if (crc_ != record.crc) {
        return Status(ErrorKind::kChecksum, "the chunk's checksum does not match its payload",
                      record.offset)
            .at_chunk(part.chunk);
      }
    }
    return status_.ok() ? status_ : status_.at_chunk(part.chunk);
  }

  const Records& records_;
  std::span<const Part> parts_;
  std::span<const Target> targets_;
  PartHandler handler_;
  void* owner_;
  std::uint32_t crc_ = 0;
  Status status_;
  Progress progress_;
};

struct RangesReader {
  std::span<const Target> targets;
  const ReadConfig& config;
  const Info& info;
  ReadReport& report;
  std::vector<RowRange> dropped;  // of the output, in order
};

Status handle_corrupt(void* owner, const Part& part, const Status& problem) {
  auto& reader = *static_cast<RangesReader*>(owner);
  const OnCorruption wish = reader.config.on_corruption;
  if (problem.kind() != ErrorKind::kChecksum || wish == OnCorruption::kRaise) return problem;
  const std::uint64_t first_row = reader.info.chunks[part.chunk].first_row;
  reader.report.corrupt.push_back({part.chunk, {first_row + part.rows.first, part.rows.count}});
  if (wish == OnCorruption::kDrop) {
    reader.dropped.push_back({part.out_row, part.rows.count});
    return {};
  }
  for (const Target& target : reader.targets) {
    fill_rows(target.rows, part.out_row, part.rows.count, reader.config.fill);
  }
  return {};
}

// Closes the gaps; returns the rows that are left.
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
  // Right away where all chunks are as long as the first.
  const std::uint64_t usual = chunks[0].rows;
  if (usual != 0 && row / usual < chunks.size()) {
    const auto place = static_cast<std::size_t>(row / usual);
    const Chunk& guess = chunks[place];
    if (row >= guess.first_row && row - guess.first_row < guess.rows) return place;
  }
  const auto after = std::upper_bound(
      chunks.begin(), chunks.end(), row,
      [](std::uint64_t wanted, const Chunk& chunk) { return wanted < chunk.first_row; });
  return static_cast<std::size_t>(after - chunks.begin()) - 1;
}

Status cut_ranges(const Info& info, std::span<const RowRange> ranges, std::vector<Part>& parts,
                  std::uint64_t& rows) {
  rows = 0;
  for (RowRange range : ranges) {
    if (range.first > info.rows || range.count > info.rows - range.first) {
      return Status(ErrorKind::kInvalidArgument, "rows past the end of the file");
    }
    while (range.count > 0) {
      Part part;
      part.chunk = chunk_of_row(info, range.first);
      const Chunk& chunk = info.chunks[part.chunk];
      part.rows.first = range.first - chunk.first_row;
      part.rows.count = std::min(range.count, chunk.rows - part.rows.first);
      part.out_row = rows;
      parts.push_back(part);
      range.first += part.rows.count;
      range.count -= part.rows.count;
      rows += part.rows.count;
    }
  }
  return {};
}

Status read_parts(const Records& records, std::span<const Part> parts,
                  std::span<const Target> targets, const ReadConfig& config, PartHandler handler,
                  void* owner) {
  if (parts.empty()) return {};
  if (records.loader() != nullptr) {
    return read_remote_parts(records, parts, targets, config, handler, owner);
  }
  TaskPool pool(config.threads, config.executor);
  Cutter cutter(records, parts, targets);
  Collector collector(records, parts, targets, handler, owner);
  std::vector<Piece> pieces(pool.size() == 1 ? 1 : kPiecesEach * pool.size());
  while (!cutter.is_done()) {
    std::size_t n = 0;
    while (n < pieces.size() && !cutter.is_done()) NUMPACT_TRY(cutter.next(pieces[n++]));
    pool.run(n,
             [&](std::size_t i) { do_piece(records, parts, targets, config.limits, pieces[i]); });
    for (std::size_t i = 0; i < n; ++i) NUMPACT_TRY(collector.take(pieces[i]));
    NUMPACT_TRY(tell(config, collector.progress()));
  }
  return {};
}

Status read_ranges(const Records& records, std::span<const RowRange> ranges,
                   std::span<const Target> targets, const ReadConfig& config, ReadReport& report) {
  const Info& info = records.info();
  report = {};
  std::vector<Part> parts;
  std::uint64_t rows = 0;
  NUMPACT_TRY(cut_ranges(info, ranges, parts, rows));
  std::vector<Target> outs(targets.begin(), targets.end());
  NUMPACT_TRY(check_targets(info, outs, rows, config.limits));
  if (outs.empty()) return {};
  std::vector<bool> has_column(info.columns.size());
  for (const Target& target : outs) has_column[target.column] = true;
  const bool has_all = std::find(has_column.begin(), has_column.end(), false) == has_column.end();
  for (Part& part : parts) {
    NUMPACT_TRY(check_types(info, part.chunk, outs));
    const bool is_whole = has_all && part.rows.count == info.chunks[part.chunk].rows;
    part.is_checked = info.has_checksums() && (is_whole || config.verify);
  }
  prefault_targets(info, outs, rows, config);
  RangesReader reader{outs, config, info, report, {}};
  NUMPACT_TRY(read_parts(records, parts, outs, config, handle_corrupt, &reader));
  report.rows = drop_rows(outs, reader.dropped, rows);
  return {};
}

}  // namespace numpact::cvc
