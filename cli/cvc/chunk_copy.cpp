// SPDX-License-Identifier: Apache-2.0
#include "cvc/chunk_copy.hpp"

#include <algorithm>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

using cvc::Dtype;

std::uint64_t end_of(const cvc::RowRange& range) { return range.first + range.count; }

// The sections of a file in the order of their first rows.
class Sections {
 public:
  explicit Sections(const cvc::Info& info) : sections_(info.sections) {
    std::stable_sort(sections_.begin(), sections_.end(),
                     [](const auto& a, const auto& b) { return a.rows.first < b.rows.first; });
    std::uint64_t end = 0;
    for (const cvc::Section& section : sections_) {
      end = std::max(end, end_of(section.rows));
      ends_.push_back(end);
    }
  }

  // Calls f with those that have rows in the range.
  template <class F>
  void each_in(const cvc::RowRange& range, const F& f) const {
    const auto from = std::upper_bound(ends_.begin(), ends_.end(), range.first) - ends_.begin();
    for (auto i = static_cast<std::size_t>(from); i < sections_.size(); ++i) {
      if (sections_[i].rows.first >= end_of(range)) return;
      if (end_of(sections_[i].rows) > range.first) f(sections_[i]);
    }
  }
  const std::vector<cvc::Section>& all() const { return sections_; }

 private:
  std::vector<cvc::Section> sections_;
  std::vector<std::uint64_t> ends_;  // the furthest so far
};

// One row of a chunk, which is checked for that as a whole.
Status read_row(const CvcInput& input, std::size_t chunk) {
  const cvc::Column& column = input.info().columns[0];
  const cvc::RowRange row{input.info().chunks[chunk].first_row, 1};
  cvc::ReadConfig config;
  config.verify = true;
  Status status;
  for (const Dtype dtype : {column.dtype, Dtype::kFloat32}) {
    std::vector<std::byte> room(static_cast<std::size_t>(column.dimension) * size_of(dtype));
    const cvc::Target target{{dtype, room.data(), 1, column.dimension}, 0};
    status = input.reader().try_read({&row, 1}, {&target, 1}, config);
    if (status.kind() != ErrorKind::kTypeMismatch) return status;
  }
  return status;
}

bool is_all(const cvc::Info& info, std::span<const std::size_t> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != i) return false;
  }
  return columns.size() == info.columns.size();
}

}  // namespace

cvc::WriteConfig config_like(const cvc::Info& info, std::span<const std::size_t> columns) {
  cvc::WriteConfig config;
  for (const cvc::Chunk& chunk : info.chunks) {
    config.chunk_rows = std::max(config.chunk_rows, chunk.rows);  // a cut one is never cut again
  }
  if (info.metadata) config.metadata = *info.metadata;
  if (!info.is_columnar) {
    config.version = info.major == 0 ? cvc::Version::kV01 : cvc::Version::kV10;
    config.compression = info.columns[0].compression;
    config.dimension = info.columns[0].dimension;
    config.paged = info.is_paged;
    return config;
  }
  config.version = cvc::Version::kV20;
  for (const std::size_t index : columns) {
    const cvc::Column& column = info.columns[index];
    config.columns.push_back({column.name, column.dimension, column.dtype, column.compression});
  }
  return config;
}

void ChunkCopier::copy(const CvcInput& input, std::span<const std::size_t> columns,
                       std::span<const cvc::RowRange> ranges) {
  const Sections sections(input.info());
  for (const cvc::RowRange& range : ranges) {
    const auto add = [&](const cvc::Section& section) { add_section(section, range); };
    sections.each_in(range, add);
    copy_range(input, columns, range);
  }
}

void ChunkCopier::copy_all(const CvcInput& input, std::span<const std::size_t> columns) {
  const cvc::Info& info = input.info();
  const cvc::RowRange whole{0, info.rows};
  const Sections sections(info);
  for (const cvc::Section& section : sections.all()) add_section(section, whole);
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    copy_chunk(input, i, columns, {info.chunks[i].first_row, info.chunks[i].rows});
  }
}

void ChunkCopier::add_section(const cvc::Section& section, const cvc::RowRange& range) {
  const std::uint64_t first = std::max(section.rows.first, range.first);
  const std::uint64_t end = std::min(end_of(section.rows), end_of(range));
  check(writer_.try_add_section({rows_ + (first - range.first), end - first}, section.metadata),
        output_);
}

void ChunkCopier::copy_range(const CvcInput& input, std::span<const std::size_t> columns,
                             const cvc::RowRange& range) {
  const std::vector<cvc::Chunk>& chunks = input.info().chunks;
  std::uint64_t row = range.first;
  while (row < end_of(range)) {
    const std::size_t chunk = input.reader().chunk_of(row);
    const std::uint64_t end = std::min(chunks[chunk].first_row + chunks[chunk].rows, end_of(range));
    copy_chunk(input, chunk, columns, {row, end - row});
    row = end;
  }
}

// Once, however many parts of it are copied one after the other.
void ChunkCopier::check_chunk(const CvcInput& input, std::size_t chunk) {
  if (checked_input_ == &input && checked_chunk_ == chunk) return;
  if (input.info().chunks[chunk].rows > 0) check(read_row(input, chunk), input.name());
  checked_input_ = &input;
  checked_chunk_ = chunk;
}

void ChunkCopier::copy_chunk(const CvcInput& input, std::size_t chunk,
                             std::span<const std::size_t> columns, const cvc::RowRange& rows) {
  const cvc::Info& info = input.info();
  const cvc::Chunk& entry = info.chunks[chunk];
  check_chunk(input, chunk);
  if (entry.metadata) {
    cvc::ChunkOptions options;
    options.metadata = *entry.metadata;
    check(writer_.try_set_chunk(chunks_, options), output_);
  }
  const bool is_whole = rows.count == entry.rows;
  if (is_whole && is_all(info, columns)) {
    const std::size_t count = info.columns.size();
    append(rows.count, std::span(info.slices).subspan(chunk * count, count), input.payload(chunk));
  } else if (!append_codes(input, chunk, columns, rows)) {
    append_values(input, chunk, columns, rows);
  }
  rows_ += rows.count;
  ++chunks_;
  std::uint64_t numbers = 0;
  for (const std::size_t index : columns) numbers += rows.count * info.columns[index].dimension;
  progress_.add(numbers, entry.payload_bytes);
}

// A payload of parts of another: whole slices, or codes of some rows where all rows have as many
// bytes of them. False if one of the columns has none such.
bool ChunkCopier::append_codes(const CvcInput& input, std::size_t chunk,
                               std::span<const std::size_t> columns, const cvc::RowRange& rows) {
  const cvc::Info& info = input.info();
  const cvc::Chunk& entry = info.chunks[chunk];
  const bool is_whole = rows.count == entry.rows;
  std::vector<std::byte> payload;
  std::vector<cvc::Slice> slices;
  for (const std::size_t index : columns) {
    cvc::Slice slice = info.slice(chunk, index);
    const auto all = input.payload(chunk).subspan(static_cast<std::size_t>(slice.offset),
                                                  static_cast<std::size_t>(slice.size));
    std::span<const std::byte> bytes = all;
    if (!is_whole) {
      cvc::Codes codes;
      const Status status = input.reader().try_codes(chunk, index, codes);
      if (status.kind() == ErrorKind::kTypeMismatch) return false;
      check(status, input.name());
      // Codes that are not all of the slice mean something by what stands beside them.
      const std::uint64_t row_bytes = codes.dimension * size_of(codes.dtype);
      if (codes.bytes.size() != slice.size || row_bytes * entry.rows != slice.size) return false;
      bytes = all.subspan(static_cast<std::size_t>((rows.first - entry.first_row) * row_bytes),
                          static_cast<std::size_t>(rows.count * row_bytes));
    }
    slice.offset = payload.size();
    slice.size = bytes.size();
    slices.push_back(slice);
    payload.insert(payload.end(), bytes.begin(), bytes.end());
  }
  append(rows.count, slices, payload);
  return true;
}

void ChunkCopier::append_values(const CvcInput& input, std::size_t chunk,
                                std::span<const std::size_t> columns, const cvc::RowRange& rows) {
  const cvc::Info& info = input.info();
  std::vector<std::vector<std::byte>> buffers;
  std::vector<cvc::Target> targets;
  std::vector<cvc::Rows> views;
  bool is_exact = true;
  for (const std::size_t index : columns) {
    const cvc::Column& column = info.columns[index];
    const Dtype dtype = info.is_columnar ? column.dtype : Dtype::kFloat32;
    std::vector<std::byte>& buffer = buffers.emplace_back(
        static_cast<std::size_t>(rows.count * column.dimension * size_of(dtype)));
    targets.push_back({{dtype, buffer.data(), rows.count, column.dimension}, index});
    views.emplace_back(dtype, buffer.data(), rows.count, column.dimension);
    const cvc::Compression compression = info.slice(chunk, index).compression;
    is_exact = is_exact && (compression == cvc::Compression::kLossless ||
                            compression == cvc::Compression::kNone);
  }
  check(input.reader().try_read({&rows, 1}, targets), input.name());
  if (!info.is_columnar) {
    cvc::ChunkOptions options;
    options.compression = info.slice(chunk, 0).compression;
    check(writer_.try_set_chunk(chunks_, options), output_);
  }
  check(writer_.try_append(views), output_);
  check(writer_.try_end_chunk(), output_);
  if (!is_exact) rounded_again_ += rows.count;
}

void ChunkCopier::append(std::uint64_t rows, std::span<const cvc::Slice> slices,
                         std::span<const std::byte> payload) {
  check(writer_.try_append_encoded({rows, slices, payload}), output_);
}

}  // namespace numpact::cli
