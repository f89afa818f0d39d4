// SPDX-License-Identifier: Apache-2.0
#include "cvc/chunk_copy.hpp"

#include <algorithm>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

using cvc::Dtype;

std::uint64_t end_of(const cvc::RowRange& range) { return range.first + range.count; }

// The sections of a file, sorted by their first row.
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

  // Calls f for each section that overlaps the range.
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
  std::vector<std::uint64_t> ends_;  // running maximum of the sections' ends
};

// Decodes one row of a chunk, which checks the whole chunk.
Status read_row(const CvcInput& input, std::size_t chunk) {
  const cvc::Column& column = input.info().columns[0];
  const cvc::RowRange row{input.info().chunks[chunk].first_row, 1};
  cvc::ReadConfig config;
  config.verify = true;
  Status status;
  for (const Dtype dtype : {column.dtype, Dtype::kFloat32}) {
    std::vector<std::byte> scratch(static_cast<std::size_t>(column.dimension) * size_of(dtype));
    const cvc::Target target{{dtype, scratch.data(), 1, column.dimension}, 0};
    status = input.reader().read({&row, 1}, {&target, 1}, config).status();
    if (status.kind() != ErrorKind::kTypeMismatch) return status;
  }
  return status;
}

// Extracts the codes of some rows of a slice as a new slice, with the ranges that they refer to.
// Returns false if codes vary in size or depend on unknown state.
bool extract_codes(const cvc::Codes& codes, std::uint64_t slice_bytes, std::uint64_t first,
                   std::uint64_t count, std::vector<std::byte>& payload) {
  const auto add = [&](std::span<const std::byte> bytes, std::uint64_t from, std::uint64_t size) {
    const auto part = bytes.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(size));
    payload.insert(payload.end(), part.begin(), part.end());
  };
  if (codes.bytes.size() != codes.row_bytes * codes.rows ||
      codes.bytes.size() + codes.ranges.size() != slice_bytes) {
    return false;
  }
  constexpr std::uint64_t kFloat = sizeof(float);
  const bool by_row = codes.compression == cvc::Compression::kInt8Row;
  const bool by_dimension = codes.compression == cvc::Compression::kInt8Dim ||
                            codes.compression == cvc::Compression::kInt4;
  const std::uint64_t ranges = by_row ? codes.rows : by_dimension ? codes.dimension : 0;
  const bool is_rotated = codes.compression >= cvc::Compression::kRot1;
  if (!is_rotated && codes.ranges.size() != 2 * kFloat * ranges) return false;
  add(codes.bytes, first * codes.row_bytes, count * codes.row_bytes);
  if (by_row) {  // all minima, then all scales
    add(codes.ranges, first * kFloat, count * kFloat);
    add(codes.ranges, (codes.rows + first) * kFloat, count * kFloat);
  } else {
    add(codes.ranges, 0, codes.ranges.size());
  }
  return true;
}

// Encodes the values of some rows again with the slice's compression, as a file of one chunk in
// memory. Sets the parameters of the new slice.
void encode_again(const CvcInput& input, std::size_t index, const cvc::RowRange& rows,
                  cvc::Slice& slice, std::vector<std::byte>& payload) {
  const cvc::Info& info = input.info();
  const cvc::Column& column = info.columns[index];
  const Dtype dtype = info.is_columnar ? column.dtype : Dtype::kFloat32;
  std::vector<std::byte> values(
      static_cast<std::size_t>(rows.count * column.dimension * size_of(dtype)));
  const cvc::Target target{{dtype, values.data(), rows.count, column.dimension}, index};
  check(input.reader().read({&rows, 1}, {&target, 1}).status(), input.name());
  const std::vector<std::size_t> only{index};
  cvc::WriteConfig config = config_like(info, only);
  config.paged = false;
  config.metadata.clear();
  config.compression = slice.compression;
  if (info.is_columnar) config.columns[0].compression = slice.compression;
  config.allow_nonfinite = true;
  std::vector<std::byte> file;
  Result<cvc::Writer> writer = cvc::Writer::create(file, config);
  check(writer.status(), input.name());
  check(writer->append(cvc::Rows(dtype, values.data(), rows.count, column.dimension)),
        input.name());
  check(writer->finish().status(), input.name());
  Result<cvc::Reader> made = cvc::Reader::create(file);
  check(made.status(), input.name());
  const cvc::Chunk& chunk = made->info().chunks.at(0);
  slice = made->info().slices.at(0);
  const std::span<const std::byte> bytes = std::span<const std::byte>(file).subspan(
      static_cast<std::size_t>(chunk.offset + made->info().record_head_bytes()),
      static_cast<std::size_t>(chunk.payload_bytes));
  payload.insert(payload.end(), bytes.begin(), bytes.end());
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
    config.chunk_rows =
        std::max(config.chunk_rows, chunk.rows);  // so that a partial chunk is never split again
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
    config.columns.push_back(
        {column.name, column.dimension, column.dtype, column.compression, column.is_vector});
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
  check(writer_.add_section({rows_ + (first - range.first), end - first}, section.metadata),
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

// Checks a chunk once, however many parts of it are copied in sequence.
void ChunkCopier::check_chunk(const CvcInput& input, std::size_t chunk) {
  if (checked_input_ == &input && checked_chunk_ == chunk) return;
  cvc::ReadConfig config;
  config.verify = true;
  cvc::StoredSlice ignored;
  check(input.reader().stored_slice(chunk, 0, config).into(ignored), input.name());
  // Without checksums, decodes at least one row.
  const bool is_read = !input.info().has_checksums() && input.info().chunks[chunk].rows > 0;
  if (is_read) check(read_row(input, chunk), input.name());
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
    check(writer_.set_chunk(chunks_, options), output_);
  }
  const bool is_whole = rows.count == entry.rows;
  if (is_whole && is_all(info, columns)) {
    const std::size_t count = info.columns.size();
    std::optional<std::uint32_t> checksum;
    check(input.reader().checksum(chunk).into(checksum), input.name());
    append(rows.count, std::span(info.slices).subspan(chunk * count, count), input.payload(chunk),
           checksum);
  } else {
    append_parts(input, chunk, columns, rows);
  }
  rows_ += rows.count;
  ++chunks_;
  std::uint64_t numbers = 0;
  for (const std::size_t index : columns) numbers += rows.count * info.columns[index].dimension;
  progress_.add(numbers, entry.payload_bytes);
}

// Appends a payload made of parts of another: whole slices, codes of some rows, or values that are
// encoded again if their codes cannot be split.
void ChunkCopier::append_parts(const CvcInput& input, std::size_t chunk,
                               std::span<const std::size_t> columns, const cvc::RowRange& rows) {
  const cvc::Info& info = input.info();
  const cvc::Chunk& entry = info.chunks[chunk];
  std::vector<std::byte> payload;
  std::vector<cvc::Slice> slices;
  bool is_exact = true;
  for (const std::size_t index : columns) {
    cvc::Slice slice = info.slice(chunk, index);
    const std::size_t before = payload.size();
    if (rows.count == entry.rows) {
      const auto all = input.payload(chunk).subspan(static_cast<std::size_t>(slice.offset),
                                                    static_cast<std::size_t>(slice.size));
      payload.insert(payload.end(), all.begin(), all.end());
    } else {
      cvc::Codes codes;
      const Status status = input.reader().codes(chunk, index).into(codes);
      if (status.kind() != ErrorKind::kTypeMismatch) check(status, input.name());
      const bool is_truncated =
          status.ok() &&
          extract_codes(codes, slice.size, rows.first - entry.first_row, rows.count, payload);
      if (!is_truncated) {
        encode_again(input, index, rows, slice, payload);
        is_exact = is_exact && (slice.compression == cvc::Compression::kLossless ||
                                slice.compression == cvc::Compression::kPco);
      }
    }
    slice.offset = before;
    slice.size = payload.size() - before;
    slices.push_back(slice);
  }
  append(rows.count, slices, payload);
  if (!is_exact) reencoded_ += rows.count;
}

void ChunkCopier::append(std::uint64_t rows, std::span<const cvc::Slice> slices,
                         std::span<const std::byte> payload,
                         std::optional<std::uint32_t> checksum) {
  check(writer_.append_encoded({rows, slices, payload, checksum}), output_);
}

}  // namespace numpact::cli
