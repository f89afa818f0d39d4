// SPDX-License-Identifier: Apache-2.0
// pco, reading: pages of a few groups side by side, then row by row to where they are wanted.
#include <cstring>

#include "base/arena.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/compression/pco.hpp"
#include "cvc/compression/tiles.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact::cvc {
namespace {

// Groups of one dimension that are decoded side by side: a cache line of most outputs.
constexpr std::uint64_t kGroupsTogether = 64;
// Values of pages that are kept while they are.
constexpr std::uint64_t kPagesValues = std::uint64_t{1} << 20;
// Values of a block, unless there are fewer; and how many blocks a payload may have.
constexpr std::uint64_t kLeastBlock = std::uint64_t{1} << 18;
constexpr std::uint64_t kMostBlocks = 1024;

NumberType number_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt32:
      return NumberType::kI32;
    case Dtype::kInt64:
      return NumberType::kI64;
    case Dtype::kInt8:
      return NumberType::kI8;
    case Dtype::kUInt8:
      return NumberType::kU8;
    default:
      return NumberType::kF32;
  }
}

Dtype dtype_of(NumberType type) {
  switch (type) {
    case NumberType::kF16:
      return Dtype::kFloat16;
    case NumberType::kI32:
      return Dtype::kInt32;
    case NumberType::kI64:
      return Dtype::kInt64;
    case NumberType::kI8:
      return Dtype::kInt8;
    case NumberType::kU8:
      return Dtype::kUInt8;
    default:
      return Dtype::kFloat32;
  }
}

// Pages side by side must not fall on the same lines of the cache.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 127) / 64 * 64; }

// One wrapped chunk of the grid.
struct Cell {
  ChunkMeta meta;
  const ChunkTables* tables = nullptr;
  std::uint64_t offset = 0;  // of the next page, in the data
  std::uint64_t entry = 0;   // its size, in the index
};

class RunsDecoder {
 public:
  RunsDecoder(const Prepared& prepared, std::span<const RowRun> runs, const MutableRows& out)
      : payload_(prepared.pco),
        grid_(payload_.grid),
        offset_(prepared.encoded.offset),
        runs_(runs),
        out_(out),
        stored_(dtype_of(grid_.type)),
        streams_(prepared.streams),
        arena_(std::pmr::get_default_resource()) {
    arena_.reset(prepared.max_memory);
  }

  Status decode(std::uint64_t first_dimension) {
    const std::uint64_t page_values = std::min(grid_.page_rows, grid_.rows) * grid_.group;
    const std::uint64_t together =
        grid_.group == 1 ? std::clamp<std::uint64_t>(kPagesValues / page_values, 1, kGroupsTogether)
                         : 1;
    const std::uint64_t end = first_dimension + out_.dimension;
    std::uint64_t group = first_dimension / grid_.group;
    std::uint64_t offset = payload_.sum(0, group * grid_.entries_of_group());
    while (group * grid_.group < end) {
      const std::uint64_t groups = std::min(together, (end - 1) / grid_.group + 1 - group);
      first_ = std::max(first_dimension, group * grid_.group);
      out_at_ = first_ - first_dimension;
      ArenaScope scope(arena_);
      NUMPACT_TRY(decode_groups(group, groups, end, offset));
      group += groups;
    }
    return {};
  }

 private:
  Status corrupt(const char* what, std::uint64_t offset) const {
    return Status(ErrorKind::kCorrupt, what,
                  offset_ + static_cast<std::uint64_t>(payload_.data.data() - payload_.index) +
                      kPcoHeadBytes + offset);
  }

  // Inside: the sizes in the index were checked to add up to the payload.
  std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const {
    return payload_.data.subspan(to_size(offset), to_size(size));
  }

  // Moves `offset`, of the first group's first chunk, behind the last group.
  Status decode_groups(std::uint64_t first_group, std::uint64_t groups, std::uint64_t end,
                       std::uint64_t& offset) {
    cells_ = arena_.make<Cell>(to_size(groups));
    const std::uint64_t each = grid_.entries_of_group();
    std::uint64_t at = offset;
    for (std::size_t g = 0; g < cells_.size(); ++g) {
      cells_[g] = {};
      cells_[g].entry = (first_group + g) * each;
      cells_[g].offset = at;
      at += payload_.sum(cells_[g].entry, each);
    }
    offset = at;
    width_ = grid_.group_dimensions(first_group);  // together only where all are of one
    skip_ = first_ - first_group * grid_.group;
    taken_ = groups > 1 ? 1 : std::min(width_ - skip_, end - first_);
    const std::uint64_t page_n = std::min(grid_.page_rows, grid_.rows) * width_;
    page_bytes_ = padded(to_size(page_n * size_of(grid_.type)));
    pages_ = arena_.make<std::byte>(to_size(page_bytes_ * groups));
    converted_ = {};
    if (out_.dtype != stored_ && out_.data != nullptr) {
      const std::size_t page_bytes = padded(to_size(page_n * size_of(out_.dtype)));
      converted_ = arena_.make<std::byte>(to_size(page_bytes * groups));
    }
    std::size_t run = 0;
    for (std::uint64_t span = 0; span < grid_.spans() && run < runs_.size(); ++span) {
      NUMPACT_TRY(decode_span(span, run));
    }
    return {};
  }

  Status open(Cell& cell) {
    const std::uint64_t size = payload_.entry(cell.entry);
    BitReader reader(part(cell.offset, size));
    const Status status =
        parse_chunk_meta(reader, grid_.type, {payload_.major, payload_.minor}, arena_, cell.meta);
    if (!status.ok()) return status.shifted(corrupt("", cell.offset).offset());
    if (reader.byte_position() != size) {
      return corrupt("pco: metadata is not as long as the index says", cell.offset);
    }
    cell.tables = ChunkTables::make(cell.meta, arena_);
    return {};
  }

  // `run`: the first that may reach into the span; moved on past those that end in it.
  Status decode_span(std::uint64_t span, std::size_t& run) {
    const std::uint64_t first_row = span * grid_.span_rows;
    const std::uint64_t rows = std::min(grid_.span_rows, grid_.rows - first_row);
    const std::uint64_t pages = (rows + grid_.page_rows - 1) / grid_.page_rows;
    if (runs_[run].first >= first_row + rows) {
      for (Cell& cell : cells_) {
        cell.offset += payload_.sum(cell.entry, 1 + pages);
        cell.entry += 1 + pages;
      }
      return {};
    }
    ArenaScope scope(arena_);
    for (Cell& cell : cells_) {
      NUMPACT_TRY(open(cell));
      cell.offset += payload_.entry(cell.entry++);
    }
    for (std::uint64_t page = 0; page < pages; ++page) {
      const std::uint64_t first = first_row + page * grid_.page_rows;
      const std::uint64_t end = std::min(first + grid_.page_rows, first_row + rows);
      NUMPACT_TRY(decode_pages(first, end, run));
    }
    return {};
  }

  // The page of each group that holds rows [first, end).
  Status decode_pages(std::uint64_t first, std::uint64_t end, std::size_t& run) {
    // Runs that end here, and one that goes on.
    std::size_t past = run;
    std::uint64_t wanted = first;  // rows up to here
    while (past < runs_.size() && runs_[past].first < end) {
      const std::uint64_t run_end = runs_[past].first + runs_[past].count;
      wanted = std::max(wanted, std::min(run_end, end));
      if (run_end > end) break;
      ++past;
    }
    const bool is_wanted = wanted > first;
    for (std::size_t g = 0; g < cells_.size(); ++g) {
      Cell& cell = cells_[g];
      const std::uint64_t size = payload_.entry(cell.entry++);
      if (is_wanted) {
        NUMPACT_TRY(decode_page(cell, size, (end - first) * width_, (wanted - first) * width_,
                                pages_.data() + g * page_bytes_));
      }
      cell.offset += size;
    }
    if (!is_wanted) return {};
    convert((wanted - first) * width_);
    for (std::size_t i = run; i < runs_.size() && runs_[i].first < end; ++i) {
      put(first, end, runs_[i]);
    }
    run = past;
    return {};
  }

  Status decode_page(const Cell& cell, std::uint64_t size, std::uint64_t page_n,
                     std::uint64_t wanted, std::byte* out) {
    ArenaScope scope(arena_);
    PageDecoder* const page = cell.tables->make_page_decoder(arena_);
    BitWindow window{part(cell.offset, size), 0, true};
    bool more = false;
    std::size_t done = 0;
    Status status = page->start(window, to_size(page_n), more);
    if (status.ok()) status = page->decode(window, to_size(wanted), out, done, more);
    if (status.ok() && wanted == page_n) {
      status = PageDecoder::finish(window);
      if (status.ok() && window.position != 8 * size) {
        return corrupt("pco: a page is not as long as the index says", cell.offset);
      }
    }
    return status.ok() ? status : status.shifted(corrupt("", cell.offset).offset());
  }

  // All pages to the output's type.
  void convert(std::uint64_t values) {
    if (converted_.empty()) return;
    const std::size_t step = converted_.size() / cells_.size();
    for (std::size_t g = 0; g < cells_.size(); ++g) {
      convert_values(stored_, pages_.data() + g * page_bytes_, to_size(values), out_.dtype,
                     converted_.data() + g * step);
    }
  }

  // The part of a run that lies in rows [first, end).
  void put(std::uint64_t first, std::uint64_t end, const RowRun& run) {
    const std::uint64_t from = std::max(first, run.first);
    const std::uint64_t to = std::min(end, run.first + run.count);
    if (from >= to || out_.data == nullptr) return;
    const std::size_t size = size_of(out_.dtype);
    const std::span<const std::byte> pages = converted_.empty() ? pages_ : converted_;
    const std::size_t step = pages.size() / cells_.size();
    auto* const out = static_cast<std::byte*>(out_.data) +
                      (run.out_row + (from - run.first)) * out_.stride + out_at_ * size;
    const std::byte* const at = pages.data() + (from - first) * width_ * size;
    if (cells_.size() > 1) {
      interleave(at, step, cells_.size(), to_size(to - from), size, out, out_.stride, streams_);
      return;
    }
    const std::size_t bytes = to_size(taken_ * size);
    for (std::uint64_t row = 0; row < to - from; ++row) {
      std::memcpy(out + row * out_.stride, at + (row * width_ + skip_) * size, bytes);
    }
  }

  const PcoPayload& payload_;
  const PcoGrid& grid_;
  std::uint64_t offset_;  // of the payload in the file
  std::span<const RowRun> runs_;
  MutableRows out_;
  Dtype stored_;
  bool streams_;
  Arena arena_;

  // Of the groups at hand.
  std::span<Cell> cells_;
  std::uint64_t width_ = 1;   // dimensions of a group
  std::uint64_t skip_ = 0;    // of them before the first that is wanted
  std::uint64_t taken_ = 1;   // that are wanted
  std::uint64_t first_ = 0;   // dimension that is wanted
  std::uint64_t out_at_ = 0;  // where it is in the output's rows
  std::size_t page_bytes_ = 0;
  std::span<std::byte> pages_;      // one of each group
  std::span<std::byte> converted_;  // likewise, in the output's type; none if that is theirs
};

}  // namespace

Status prepare_pco(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  const Status status = parse_pco_payload(encoded.bytes, encoded.shape, prepared.pco);
  if (!status.ok()) return status.shifted(encoded.offset);
  const NumberType type = prepared.pco.grid.type;
  const NumberType wanted = number_type(encoded.dtype);
  const bool fits = wanted == NumberType::kF32
                        ? type == NumberType::kF32 || type == NumberType::kF16
                        : type == wanted;
  if (fits) return {};
  return Status(ErrorKind::kCorrupt, "pco: the number type does not fit the column",
                encoded.offset);
}

Status decode_pco(const Prepared& prepared, std::span<const RowRun> runs,
                  std::uint64_t first_dimension, const MutableRows& out) {
  if (runs.empty() || out.dimension == 0) return {};
  return RunsDecoder(prepared, runs, out).decode(first_dimension);
}

// For each block all of the index is looked at, so that there must not be many however fine the
// grid is.
Block pco_block(const Prepared& prepared) {
  const PcoGrid& grid = prepared.pco.grid;
  const std::uint64_t least = std::max(kLeastBlock, grid.rows * grid.dimension / kMostBlocks);
  Block block{grid.span_rows, grid.group == 1 ? kGroupsTogether : grid.group};
  const auto values = [&] {
    return std::min(block.rows, grid.rows) * std::min(block.dimensions, grid.dimension);
  };
  if (block.dimensions < grid.dimension && values() < least) {
    block.dimensions *= (least - 1) / values() + 1;
  }
  if (block.rows < grid.rows && values() < least) block.rows *= (least - 1) / values() + 1;
  return block;
}

}  // namespace numpact::cvc
