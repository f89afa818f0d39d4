// SPDX-License-Identifier: Apache-2.0
#include "cvc/collection/copier.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"

namespace numpact::cvc::internal {
namespace {

// Chunks of fewer rows are decoded and encoded again with the rows that follow, if that gives the
// same values, so that many small appends make no small chunks. It bounds the rows that an append
// encodes with its own.
constexpr std::uint64_t kMinChunkRows = 4096;

// Whether the decoded values of a slice are encoded to the same bytes, or to others that decode to
// the same bits.
bool is_repeatable(const ColumnSpec& column, const Slice& slice) {
  if (slice.compression != column.compression) return false;
  switch (slice.compression) {
    case Compression::kNone:
    case Compression::kPco:
      return true;
    case Compression::kFp16:
      return column.dtype == Dtype::kFloat32 || column.dtype == Dtype::kFloat16;
    case Compression::kBFloat16:
      return column.dtype == Dtype::kFloat32;
    default:
      return false;
  }
}

ReadConfig with_checksums() {
  ReadConfig config;
  config.verify = true;
  return config;
}

}  // namespace

bool Copier::is_copied(const Info& info, std::size_t chunk) const {
  const Chunk& entry = info.chunks[chunk];
  bool is_joined = !entry.metadata && entry.rows < std::min(kMinChunkRows, chunk_rows_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Slice& slice = info.slice(chunk, order_[i]);
    if (!codec_of(slice.compression).in_columns) return false;
    is_joined = is_joined && is_repeatable(columns_[i], slice);
  }
  return !is_joined;
}

Status Copier::copy(const Reader& from, std::span<const std::size_t> order) {
  order_ = order;
  const Info& info = from.info();
  const std::uint64_t before = to_.rows();
  std::vector<Section> sections = info.sections;
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Section& a, const Section& b) { return a.rows.first < b.rows.first; });
  for (const Section& section : sections) {
    const RowRange rows{before + section.rows.first, section.rows.count};
    NUMPACT_TRY(to_.add_section(rows, section.metadata));
  }
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    NUMPACT_TRY(is_copied(info, i) ? copy_chunk(from, i) : append_chunk(from, i));
  }
  return {};
}

Status Copier::set_metadata(const Chunk& chunk) {
  if (!chunk.metadata) return {};
  ChunkOptions options;
  options.metadata = *chunk.metadata;
  return to_.set_chunk(to_.chunks(), options);
}

Status Copier::copy_chunk(const Reader& from, std::size_t chunk) {
  const Info& info = from.info();
  NUMPACT_TRY(to_.end_chunk());
  NUMPACT_TRY(set_metadata(info.chunks[chunk]));
  std::vector<std::byte> payload;
  std::vector<Slice> slices;
  for (const std::size_t column : order_) {
    StoredSlice stored;
    // The first one compares the checksum of the whole chunk.
    const ReadConfig config = slices.empty() ? with_checksums() : ReadConfig();
    NUMPACT_TRY(from.stored_slice(chunk, column, config).into(stored));
    Slice& slice = slices.emplace_back(info.slice(chunk, column));
    slice.offset = payload.size();
    slice.size = stored.bytes.size();
    payload.insert(payload.end(), stored.bytes.begin(), stored.bytes.end());
  }
  EncodedChunk encoded;
  encoded.rows = info.chunks[chunk].rows;
  encoded.slices = slices;
  encoded.payload = payload;
  return to_.append_encoded(encoded);
}

Status Copier::append_chunk(const Reader& from, std::size_t chunk) {
  const Chunk& entry = from.info().chunks[chunk];
  if (entry.metadata) NUMPACT_TRY(to_.end_chunk());
  const RowRange range{entry.first_row, entry.rows};
  std::vector<std::vector<std::byte>> values;
  std::vector<Target> targets;
  std::vector<Rows> rows;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnSpec& column = columns_[i];
    const std::uint64_t size = range.count * column.dimension * size_of(column.dtype);
    std::vector<std::byte>& memory = values.emplace_back(static_cast<std::size_t>(size));
    targets.push_back({{column.dtype, memory.data(), range.count, column.dimension}, order_[i]});
    rows.emplace_back(column.dtype, memory.data(), range.count, column.dimension);
  }
  NUMPACT_TRY(from.read({&range, 1}, targets, with_checksums()).status());
  NUMPACT_TRY(set_metadata(entry));
  NUMPACT_TRY(to_.append(rows));
  return entry.metadata ? to_.end_chunk() : Status();
}

}  // namespace numpact::cvc::internal
