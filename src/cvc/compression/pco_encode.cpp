// SPDX-License-Identifier: Apache-2.0
// pco, writing: chooses a grid by its size on a sample of the values, and encodes its chunks.
#include <cstring>

#include "base/arena.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/pco.hpp"
#include "cvc/compression/tiles.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact::cvc::internal {
namespace {

// There are two kinds of grid: "by dimension", in which a chunk holds one dimension, and "by row",
// in which it holds whole rows. Small pages cost more for their headers; large ones make it slower
// to read single rows. Small chunks cost more for metadata; large ones adapt less.

// By dimension: rows of a page and of a chunk.
constexpr std::uint64_t kPageRows = 4096;
constexpr std::uint64_t kSpanRows = std::uint64_t{1} << 18;
// By row: values of a page and of a chunk.
constexpr std::uint64_t kPageValues = std::uint64_t{1} << 14;
constexpr std::uint64_t kSpanValues = std::uint64_t{1} << 18;
// By row: longer rows are divided into groups of this many dimensions.
constexpr std::uint64_t kMaxGroupDimensions = std::uint64_t{1} << 16;

// Dimensions that one task extracts from rows: a cache line of floats.
constexpr std::uint64_t kColumnsPerTask = 16;
// The sample on which the two grids are compared: this many dimensions for one, this many blocks of
// rows for the other, and about this many values for each. More values choose better and take
// longer.
constexpr std::uint64_t kSampleColumns = 8;
constexpr std::uint64_t kSampleValues = std::uint64_t{1} << 18;
constexpr std::uint64_t kSampleBlocks = 8;
// Assumed size of an index entry when grids are compared, in bytes.
constexpr std::size_t kIndexEntryBytes = 2;
// Relative saving from which the grid by dimension is chosen. A single row of it takes a page and
// the metadata of every dimension, 20 to 50 times as long as one of the grid by row. At 2 % the
// embeddings of docs/benchmarks/cvc.md are stored by row, where they are at most 0.4 % larger.
constexpr double kMinSavingByDimension = 0.02;

// Embeddings are nearly random, so bins that fit their distribution are what saves bits: level 10.
EncodeConfig usual_config() {
  EncodeConfig config;
  config.level = 10;
  return config;
}

// A rectangle of rows and dimensions.
struct Rect {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t dimensions = 0;
};

NumberType stored_type(Dtype dtype, bool keeps_integers) {
  if (dtype == Dtype::kFloat16) return NumberType::kF16;
  if (keeps_integers && dtype == Dtype::kInt32) return NumberType::kI32;
  if (keeps_integers && dtype == Dtype::kInt64) return NumberType::kI64;
  if (keeps_integers && dtype == Dtype::kInt8) return NumberType::kI8;
  if (keeps_integers && dtype == Dtype::kUInt8) return NumberType::kU8;
  return NumberType::kF32;
}

PcoGrid by_dimension(NumberType type, const Source& source) {
  const std::uint64_t page_rows = std::clamp<std::uint64_t>(source.rows(), 1, kPageRows);
  return {type, source.rows(), source.dimension(), 1, kSpanRows / page_rows * page_rows, page_rows};
}

PcoGrid by_row(NumberType type, const Source& source) {
  const std::uint64_t group = std::clamp<std::uint64_t>(source.dimension(), 1, kMaxGroupDimensions);
  const std::uint64_t page_rows = std::max<std::uint64_t>(1, kPageValues / group);
  const std::uint64_t pages = std::max<std::uint64_t>(1, kSpanValues / (group * page_rows));
  return {type, source.rows(), source.dimension(), group, pages * page_rows, page_rows};
}

// An encoded chunk of the grid.
struct Cell {
  std::vector<std::uint32_t> sizes;  // size of the metadata, then of each page
  std::vector<std::byte> bytes;
  bool is_plain = false;  // Classic mode without delta encoding
};

// Extracts the values of chunks from a source and encodes them.
class CellEncoder {
 public:
  CellEncoder(const Source& source, const PcoGrid& grid, const EncodeConfig& config)
      : source_(source), grid_(grid), config_(config), size_(size_of(grid.type)) {}

  // Encodes the chunks of a rectangle, which starts at a group and lies in one span: a chunk for
  // each dimension if groups are one dimension, otherwise one chunk.
  void encode(const Rect& rect, std::span<Cell> cells) {
    const std::size_t each = to_size(rect.rows) * size_;
    const std::size_t dimensions = to_size(rect.dimensions);
    columns_.resize(each * dimensions);
    if (grid_.group == 1) {
      copy_columns(rect, each);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        encode_cell(columns_.data() + i * each, rect.rows, 1, cells[i]);
      }
      return;
    }
    for (std::uint64_t i = 0; i < rect.rows; ++i) {
      copy_values(rect.row + i, rect.dimension, rect.dimensions,
                  columns_.data() + i * dimensions * size_);
    }
    encode_cell(columns_.data(), rect.rows, rect.dimensions, cells[0]);
  }

 private:
  // Copies neighbouring values of a row, in the stored type.
  void copy_values(std::uint64_t row, std::uint64_t dimension, std::uint64_t n, std::byte* out) {
    const std::uint64_t first = row * source_.dimension() + dimension;
    if (grid_.type != NumberType::kF32) {
      source_.copy(first, static_cast<std::size_t>(n), out);
      return;
    }
    auto* const to = reinterpret_cast<float*>(out);
    const float* const values = source_.floats(first, static_cast<std::size_t>(n), to);
    if (values != to && n > 0) std::memcpy(to, values, 4 * static_cast<std::size_t>(n));
  }

  void copy_columns(const Rect& rect, std::size_t each) {
    constexpr std::size_t kRows = 64;
    const std::size_t dimensions = to_size(rect.dimensions);
    const std::size_t row_bytes = dimensions * size_;
    some_rows_.resize(kRows * row_bytes);
    for (std::uint64_t row = 0; row < rect.rows; row += kRows) {
      const std::size_t rows = to_size(std::min<std::uint64_t>(kRows, rect.rows - row));
      for (std::size_t i = 0; i < rows; ++i) {
        copy_values(rect.row + row + i, rect.dimension, rect.dimensions,
                    some_rows_.data() + i * row_bytes);
      }
      deinterleave(some_rows_.data(), row_bytes, dimensions, rows, size_,
                   columns_.data() + row * size_, each);
    }
  }

  void encode_cell(const std::byte* numbers, std::uint64_t rows, std::uint64_t dimensions,
                   Cell& cell) {
    std::vector<std::size_t> pages;
    for (std::uint64_t row = 0; row < rows; row += grid_.page_rows) {
      pages.push_back(to_size(std::min(grid_.page_rows, rows - row) * dimensions));
    }
    arena_.reset();
    const NumberView view(grid_.type, numbers, to_size(rows * dimensions));
    const numpact::EncodedChunk chunk = numpact::encode_chunk(view, pages, config_, arena_);
    cell.is_plain = std::holds_alternative<Classic>(chunk.meta.mode) &&
                    std::holds_alternative<NoDelta>(chunk.meta.delta);
    cell.bytes.resize(to_size(chunk.bytes()));
    cell.sizes = {static_cast<std::uint32_t>(chunk.meta_bytes)};
    BitWriter meta(cell.bytes);
    write_chunk_meta(meta, chunk.meta);
    std::size_t at = to_size(chunk.meta_bytes);
    for (const EncodedPage& page : chunk.pages) {
      const std::size_t bytes = to_size(page.bytes);
      BitWriter writer(std::span(cell.bytes).subspan(at, bytes));
      write_page(chunk, page, writer);
      cell.sizes.push_back(static_cast<std::uint32_t>(page.bytes));
      at += bytes;
    }
  }

  const Source& source_;
  const PcoGrid& grid_;
  EncodeConfig config_;
  std::size_t size_;
  std::vector<std::byte> columns_;    // the numbers of chunks
  std::vector<std::byte> some_rows_;  // rows before they are deinterleaved
  Arena arena_{std::pmr::get_default_resource()};
};

// ---- choice of the grid ----

// The estimated size of a grid.
struct GridEstimate {
  PcoGrid grid;
  double bytes_per_value = 0;
  bool is_plain = true;  // all chunks of the sample are
};

// Encodes chunks of some dimensions. Metadata count as if the chunk were of full length.
GridEstimate estimate_by_dimension(const Source& source, const PcoGrid& grid) {
  const std::uint64_t columns = std::min(kSampleColumns, source.dimension());
  const std::uint64_t rows =
      std::min({source.rows(), grid.span_rows, std::max(grid.page_rows, kSampleValues / columns)});
  CellEncoder encoder(source, grid, usual_config());
  GridEstimate estimate{grid};
  double bytes = 0;
  for (std::uint64_t i = 0; i < columns; ++i) {
    Cell cell;
    const std::uint64_t dimension = i * source.dimension() / columns;
    const std::uint64_t row = (source.rows() - rows) / columns * i;
    encoder.encode({row, rows, dimension, 1}, {&cell, 1});
    const auto index = static_cast<double>(kIndexEntryBytes * cell.sizes.size());
    const auto meta = static_cast<double>(cell.sizes[0]);
    const auto pages = static_cast<double>(cell.bytes.size()) - meta + index;
    const auto whole = static_cast<double>(std::min(source.rows(), grid.span_rows));
    bytes += meta / whole + pages / static_cast<double>(rows);
    estimate.is_plain = estimate.is_plain && cell.is_plain;
  }
  estimate.bytes_per_value = bytes / static_cast<double>(columns);
  return estimate;
}

// Encodes blocks of rows at regular distances. Metadata do not count.
GridEstimate estimate_by_row(const Source& source, const PcoGrid& grid) {
  const std::uint64_t group = std::min(grid.group, source.dimension());
  const std::uint64_t sample_rows =
      std::clamp<std::uint64_t>(kSampleValues / group, 1, source.rows());
  const std::uint64_t blocks = std::min(kSampleBlocks, sample_rows);
  const std::uint64_t each = sample_rows / blocks;
  CellEncoder encoder(source, grid, usual_config());
  GridEstimate estimate{grid};
  double bytes = 0;
  std::uint64_t values = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    Cell cell;
    encoder.encode({(source.rows() - each) / blocks * i, each, 0, group}, {&cell, 1});
    bytes += static_cast<double>(cell.bytes.size() - cell.sizes[0] +
                                 kIndexEntryBytes * cell.sizes.size());
    values += each * group;
    estimate.is_plain = estimate.is_plain && cell.is_plain;
  }
  estimate.bytes_per_value = bytes / static_cast<double>(values);
  return estimate;
}

struct Layout {
  PcoGrid grid;
  EncodeConfig config;
};

Layout choose_layout(NumberType type, const Source& source) {
  // With fewer rows the metadata of a chunk per dimension would outweigh its saving.
  constexpr std::uint64_t kMinRowsByDimension = 64;
  // With so few dimensions each may be of another kind, so that the sample says nothing about the
  // others, and every chunk chooses its own mode and delta encoding.
  constexpr std::uint64_t kMaxDissimilarDimensions = 32;
  const PcoGrid rows = by_row(type, source);
  const PcoGrid dimensions = by_dimension(type, source);
  if (source.dimension() <= 1) return {dimensions, usual_config()};
  if (source.rows() < kMinRowsByDimension) return {rows, usual_config()};
  const GridEstimate estimated_rows = estimate_by_row(source, rows);
  const GridEstimate estimated_dimensions = estimate_by_dimension(source, dimensions);
  const double enough = estimated_rows.bytes_per_value * (1 - kMinSavingByDimension);
  const GridEstimate& best =
      estimated_dimensions.bytes_per_value < enough ? estimated_dimensions : estimated_rows;
  Layout layout{best.grid, usual_config()};
  if (best.is_plain && source.dimension() > kMaxDissimilarDimensions) {
    layout.config.mode = ModeSpec::classic();
    layout.config.delta = DeltaSpec::none();
  }
  return layout;
}

// ---- encoding ----

std::vector<Rect> divide_grid(const PcoGrid& grid) {
  std::vector<Rect> rects;
  const std::uint64_t dimensions_per_rect = grid.group == 1 ? kColumnsPerTask : grid.group;
  for (std::uint64_t d = 0; d < grid.dimension; d += dimensions_per_rect) {
    for (std::uint64_t row = 0; row < grid.rows; row += grid.span_rows) {
      rects.push_back({row, std::min(grid.span_rows, grid.rows - row), d,
                       std::min(dimensions_per_rect, grid.dimension - d)});
    }
  }
  return rects;
}

// Encodes all chunks. Cells are ordered by group, then by span.
Status encode_cells(const Source& source, const Layout& layout, const TaskPool& pool,
                    std::vector<Cell>& cells) {
  const PcoGrid& grid = layout.grid;
  const std::vector<Rect> rects = divide_grid(grid);
  const std::uint64_t spans = grid.spans();
  std::vector<Status> problems(rects.size());
  pool.run(rects.size(), [&](std::size_t i) {
    problems[i] = guarded([&]() -> Status {
      const Rect& rect = rects[i];
      std::vector<Cell> chunk_cells(grid.group == 1 ? to_size(rect.dimensions) : 1);
      CellEncoder(source, grid, layout.config).encode(rect, chunk_cells);
      for (std::size_t k = 0; k < chunk_cells.size(); ++k) {
        const std::uint64_t group = rect.dimension / grid.group + k;
        cells[to_size(group * spans + rect.row / grid.span_rows)] = std::move(chunk_cells[k]);
      }
      return {};
    });
  });
  for (const Status& problem : problems) NUMPACT_TRY(problem);
  return {};
}

std::vector<std::byte> head_and_index(const PcoGrid& grid, std::span<const Cell> cells) {
  std::uint32_t largest = 0;
  std::size_t entries = 0;
  for (const Cell& cell : cells) {
    for (const std::uint32_t size : cell.sizes) largest = std::max(largest, size);
    entries += cell.sizes.size();
  }
  const unsigned each = pco_entry_bytes(largest);
  std::vector<std::byte> bytes(kPcoHeadBytes + each * entries);
  write_pco_head(grid, each, bytes.data());
  std::byte* out = bytes.data() + kPcoHeadBytes;
  for (const Cell& cell : cells) {
    for (const std::uint32_t size : cell.sizes) {
      write_pco_entry(size, each, out);
      out += each;
    }
  }
  return bytes;
}

}  // namespace

Status plan_pco(const Source& source, const EncodeRules& rules, Plan& plan) {
  const NumberType type = stored_type(source.dtype(), rules.keeps_integers);
  if (type == NumberType::kF32) {
    NUMPACT_TRY(check_floats(source, Compression::kPco, plan.refused));
  }
  PcoGrid grid = by_row(type, source);
  std::vector<Cell> cells;
  if (source.n() > 0) {
    const Layout layout = choose_layout(type, source);
    grid = layout.grid;
    cells.resize(to_size(grid.groups() * grid.spans()));
    const TaskPool alone(1, nullptr);
    const TaskPool& pool = rules.helpers != nullptr ? *rules.helpers : alone;
    NUMPACT_TRY(encode_cells(source, layout, pool, cells));
  }
  std::vector<std::byte> head = head_and_index(grid, cells);
  plan.bytes = head.size();
  plan.parts.push_back(std::move(head));
  for (Cell& cell : cells) {
    plan.bytes += cell.bytes.size();
    plan.parts.push_back(std::move(cell.bytes));
  }
  return {};
}

Status encode_pco(const Source&, const Plan& plan, BlockSink& sink) {
  for (const std::vector<std::byte>& part : plan.parts) NUMPACT_TRY(sink.put(part));
  return {};
}

}  // namespace numpact::cvc::internal
