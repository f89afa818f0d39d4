// SPDX-License-Identifier: Apache-2.0
// pco, reading: the pages of a few groups are decoded to a buffer, then copied row by row to the
// output.
#include <cstring>

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/compression/pco.hpp"
#include "cvc/compression/tiles.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact::cvc::internal {
namespace {

// Groups of one dimension that are decoded before their rows are interleaved: rows are then written
// in whole cache lines of most outputs.
constexpr std::uint64_t kMaxGroupsPerPass = 64;
// Values of the pages of a pass. Fewer groups are decoded together if their pages are larger, which
// bounds the memory.
constexpr std::uint64_t kMaxPassValues = std::uint64_t{1} << 20;
// Minimum size of a block, in values. Each block reads the whole index, so that small blocks would
// cost more than they decode ...
constexpr std::uint64_t kMinBlockValues = std::uint64_t{1} << 18;
// ... and a payload is divided into about this many blocks at most, however fine its grid is.
constexpr std::uint64_t kMaxBlocks = 1024;

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

// Bytes from page to page in a buffer: at least one cache line of padding, so that pages whose size
// is a power of two do not map to the same cache sets.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 127) / 64 * 64; }
constexpr std::size_t kMaxPaddingBytes = 256;  // of the two buffers of a page

// One wrapped chunk of the grid.
struct Cell {
  ChunkMeta meta;
  const ChunkTables* tables = nullptr;
  std::uint64_t offset = 0;  // offset of the next page in the data
  std::uint64_t entry = 0;   // index entry with the size of that page
};

// Decodes runs of rows: for a few groups at a time, the pages that hold requested rows, in order.
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
        arena_(default_memory()) {
    arena_.reset(prepared.max_memory);
  }

  Status decode(std::uint64_t first_dimension) {
    const std::uint64_t page_values = std::min(grid_.page_rows, grid_.rows) * grid_.group;
    const std::uint64_t groups_per_pass =
        grid_.group == 1
            ? std::clamp<std::uint64_t>(kMaxPassValues / page_values, 1, kMaxGroupsPerPass)
            : 1;
    const std::uint64_t end = first_dimension + out_.dimension;
    std::uint64_t group = first_dimension / grid_.group;
    std::uint64_t offset = payload_.sum(0, group * grid_.entries_of_group());
    while (group * grid_.group < end) {
      const std::uint64_t groups = std::min(groups_per_pass, (end - 1) / grid_.group + 1 - group);
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

  // The range is inside: parse_pco_payload checked that all sizes add up to the payload.
  std::span<const std::byte> bytes_at(std::uint64_t offset, std::uint64_t size) const {
    return payload_.data.subspan(to_size(offset), to_size(size));
  }

  // Memory for the results of decode_groups().
  Status ensure_pages(std::uint64_t first_group, std::uint64_t groups) {
    const std::uint64_t values =
        std::min(grid_.page_rows, grid_.rows) * grid_.group_dimensions(first_group);
    const std::uint64_t page =
        values * (size_of(grid_.type) + size_of(out_.dtype)) + kMaxPaddingBytes;
    return arena_.ensure<std::byte>(groups * (sizeof(Cell) + page));
  }

  // Decodes groups [first_group, first_group + groups). `offset` is that of the first group's first
  // chunk, and is moved behind the last group.
  Status decode_groups(std::uint64_t first_group, std::uint64_t groups, std::uint64_t end,
                       std::uint64_t& offset) {
    NUMPACT_TRY(ensure_pages(first_group, groups));
    cells_ = arena_.make<Cell>(to_size(groups));
    const std::uint64_t entries_per_group = grid_.entries_of_group();
    std::uint64_t at = offset;
    for (std::size_t g = 0; g < cells_.size(); ++g) {
      cells_[g] = {};
      cells_[g].entry = (first_group + g) * entries_per_group;
      cells_[g].offset = at;
      at += payload_.sum(cells_[g].entry, entries_per_group);
    }
    offset = at;
    width_ = grid_.group_dimensions(first_group);  // several groups only if each is one dimension
    skip_ = first_ - first_group * grid_.group;
    copied_ = groups > 1 ? 1 : std::min(width_ - skip_, end - first_);
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

  // Parses the metadata of a chunk and makes its tables.
  Status open(Cell& cell) {
    const std::uint64_t size = payload_.entry(cell.entry);
    BitReader reader(bytes_at(cell.offset, size));
    const Status status =
        parse_chunk_meta(reader, grid_.type, {payload_.major, payload_.minor}, arena_, cell.meta);
    if (!status.ok()) return status.shifted(corrupt("", cell.offset).offset());
    if (reader.byte_position() != size) {
      return corrupt("pco: metadata is not as long as the index says", cell.offset);
    }
    cell.tables = ChunkTables::make(cell.meta, arena_);
    return {};
  }

  // Decodes the chunks of a span. `run` is the index of the first run that may reach into the span,
  // and is moved past the runs that end in it.
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

  // Decodes the page of each group that holds rows [first, end), as far as rows are requested.
  Status decode_pages(std::uint64_t first, std::uint64_t end, std::size_t& run) {
    // Runs [run, next_run) end in this page. `requested`: the row behind the last requested one.
    std::size_t next_run = run;
    std::uint64_t requested = first;
    while (next_run < runs_.size() && runs_[next_run].first < end) {
      const std::uint64_t run_end = runs_[next_run].first + runs_[next_run].count;
      requested = std::max(requested, std::min(run_end, end));
      if (run_end > end) break;
      ++next_run;
    }
    const bool is_requested = requested > first;
    for (std::size_t g = 0; g < cells_.size(); ++g) {
      Cell& cell = cells_[g];
      const std::uint64_t size = payload_.entry(cell.entry++);
      if (is_requested) {
        NUMPACT_TRY(decode_page(cell, size, (end - first) * width_, (requested - first) * width_,
                                pages_.data() + g * page_bytes_));
      }
      cell.offset += size;
    }
    if (!is_requested) return {};
    convert((requested - first) * width_);
    for (std::size_t i = run; i < runs_.size() && runs_[i].first < end; ++i) {
      copy_rows(first, end, runs_[i]);
    }
    run = next_run;
    return {};
  }

  Status decode_page(const Cell& cell, std::uint64_t size, std::uint64_t page_n,
                     std::uint64_t requested, std::byte* out) {
    ArenaScope scope(arena_);
    PageDecoder* const page = cell.tables->make_page_decoder(arena_);
    BitWindow window{bytes_at(cell.offset, size), 0, true};
    bool more = false;
    std::size_t done = 0;
    Status status = page->start(window, to_size(page_n), more);
    if (status.ok()) status = page->decode(window, to_size(requested), out, done, more);
    if (status.ok() && requested == page_n) {
      status = PageDecoder::finish(window);
      if (status.ok() && window.position != 8 * size) {
        return corrupt("pco: a page is not as long as the index says", cell.offset);
      }
    }
    return status.ok() ? status : status.shifted(corrupt("", cell.offset).offset());
  }

  // Converts the values of all pages to the output's type.
  void convert(std::uint64_t values) {
    if (converted_.empty()) return;
    const std::size_t step = converted_.size() / cells_.size();
    for (std::size_t g = 0; g < cells_.size(); ++g) {
      convert_values(stored_, pages_.data() + g * page_bytes_, to_size(values), out_.dtype,
                     converted_.data() + g * step);
    }
  }

  // Writes the rows of a run that are in the page of rows [first, end).
  void copy_rows(std::uint64_t first, std::uint64_t end, const RowRun& run) {
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
    const std::size_t bytes = to_size(copied_ * size);
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

  // State of the current groups.
  std::span<Cell> cells_;
  std::uint64_t width_ = 1;         // dimensions of a group
  std::uint64_t skip_ = 0;          // dimensions of a group before the first requested one
  std::uint64_t copied_ = 1;        // requested dimensions of a group
  std::uint64_t first_ = 0;         // first requested dimension
  std::uint64_t out_at_ = 0;        // its index in the output's rows
  std::size_t page_bytes_ = 0;      // bytes from page to page in pages_
  std::span<std::byte> pages_;      // a page of each group
  std::span<std::byte> converted_;  // the same in the output's type; empty without conversion
};

}  // namespace

Status prepare_pco(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  const Status status = parse_pco_payload(encoded.bytes, encoded.shape, prepared.pco);
  if (!status.ok()) return status.shifted(encoded.offset);
  const NumberType type = prepared.pco.grid.type;
  const NumberType requested = number_type(encoded.dtype);
  const bool fits = requested == NumberType::kF32
                        ? type == NumberType::kF32 || type == NumberType::kF16
                        : type == requested;
  if (fits) return {};
  return Status(ErrorKind::kCorrupt, "pco: the number type does not fit the column",
                encoded.offset);
}

Status decode_pco(const Prepared& prepared, std::span<const RowRun> runs,
                  std::uint64_t first_dimension, const MutableRows& out) {
  if (runs.empty() || out.dimension == 0) return {};
  return RunsDecoder(prepared, runs, out).decode(first_dimension);
}

// A multiple of a chunk in one or both directions, with at least min_values values.
Block pco_block(const Prepared& prepared) {
  const PcoGrid& grid = prepared.pco.grid;
  const std::uint64_t min_values =
      std::max(kMinBlockValues, grid.rows * grid.dimension / kMaxBlocks);
  Block block{grid.span_rows, grid.group == 1 ? kMaxGroupsPerPass : grid.group};
  const auto values = [&] {
    return std::min(block.rows, grid.rows) * std::min(block.dimensions, grid.dimension);
  };
  if (block.dimensions < grid.dimension && values() < min_values) {
    block.dimensions *= (min_values - 1) / values() + 1;
  }
  if (block.rows < grid.rows && values() < min_values)
    block.rows *= (min_values - 1) / values() + 1;
  return block;
}

}  // namespace numpact::cvc::internal
