// SPDX-License-Identifier: Apache-2.0
#include "common/cvc_checks.hpp"

#include <cstring>

#include "base/internal.hpp"
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/pco_checks.hpp"
#include "cvc/range_sources.hpp"

namespace numpact::fuzz {
namespace {

using cvc::Dtype;
using cvc::Reader;
using cvc::RowRange;
using cvc::Target;

constexpr std::uint64_t kMaxCvcNumbers = 1 << 15;

bool is_integer(Dtype dtype) {
  return dtype == Dtype::kInt8 || dtype == Dtype::kUInt8 || dtype == Dtype::kInt32 ||
         dtype == Dtype::kInt64;
}

bool stays_integer(const cvc::Column& column) {
  return is_integer(column.dtype) && (column.compression == cvc::Compression::kNone ||
                                      column.compression == cvc::Compression::kPco);
}

// Up to four ranges of rows.
std::vector<RowRange> draw_ranges(Draw& draw, std::uint64_t rows) {
  std::vector<RowRange> ranges(draw.below(5));
  for (RowRange& range : ranges) {
    range.first = draw.below(rows + 1);
    range.count = std::min(rows - range.first, draw.below(kMaxCvcNumbers / 8));
  }
  return ranges;
}

class Column {
 public:
  Column(const Reader& reader, std::size_t index, Dtype dtype)
      : index_(index),
        dtype_(dtype),
        dimension_(reader.info().columns[index].dimension),
        row_bytes_(static_cast<std::size_t>(dimension_) * cvc::size_of(dtype)),
        all_(read_column(reader, index, dtype, checked_config())) {}

  const Status& status() const { return all_.status; }
  ByteSpan rows(std::uint64_t first, std::uint64_t count) const {
    return ByteSpan(all_.bytes).subspan(first * row_bytes_, count * row_bytes_);
  }
  // For `count` rows that are `gap` numbers apart.
  Target target(std::uint64_t count, std::size_t gap) const {
    stride_ = row_bytes_ + gap * cvc::size_of(dtype_);
    const std::size_t bytes = count == 0 ? 0 : (count - 1) * stride_ + row_bytes_;
    const std::span<std::byte> out = guarded_output(bytes);
    return {{dtype_, out.data(), count, dimension_, gap == 0 ? 0 : stride_}, index_};
  }
  // Whether rows of the last target from `at` on are those from `first` on.
  bool holds(const Target& target, std::uint64_t at, std::uint64_t first,
             std::uint64_t count) const {
    const auto* const out = static_cast<const std::byte*>(target.rows.data);
    for (std::uint64_t i = 0; i < count; ++i) {
      const ByteSpan row(out + (at + i) * stride_, row_bytes_);
      if (!testing::same_bytes(row, rows(first + i, 1))) return false;
    }
    return true;
  }

 private:
  // Parts are read with and without checksums: all of them fit.
  static cvc::ReadConfig checked_config() {
    cvc::ReadConfig config = tight_read_config();
    config.verify = true;
    return config;
  }

  std::size_t index_;
  Dtype dtype_;
  std::uint64_t dimension_;
  std::size_t row_bytes_;
  ColumnValues all_;
  mutable std::size_t stride_ = 0;
};

void check_ranges(const Reader& reader, const Column& column, Draw& draw) {
  const std::vector<RowRange> ranges = draw_ranges(draw, reader.rows());
  std::uint64_t count = 0;
  for (const RowRange& range : ranges) count += range.count;
  const Target target = column.target(count, draw.below(3));
  cvc::ReadConfig config = tight_read_config();
  config.verify = draw.flag();
  InTurn executor(3, draw.flag());
  if (draw.flag()) config.executor = &executor;
  cvc::ReadReport report;
  NUMPACT_REQUIRE(reader.read(ranges, {&target, 1}, config).into(report).ok());
  NUMPACT_REQUIRE(report.rows == count && report.corrupt.empty());
  std::uint64_t at = 0;
  for (const RowRange& range : ranges) {
    NUMPACT_REQUIRE(column.holds(target, at, range.first, range.count));
    at += range.count;
  }
}

void check_gather(const Reader& reader, const Column& column, Draw& draw) {
  if (reader.rows() == 0) return;
  std::vector<std::uint64_t> rows(draw.below(20));
  for (std::uint64_t& row : rows) row = draw.below(reader.rows());
  const Target target = column.target(rows.size(), draw.below(3));
  NUMPACT_REQUIRE(reader.gather(rows, {&target, 1}, tight_read_config()).ok());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    NUMPACT_REQUIRE(column.holds(target, i, rows[i], 1));
  }
}

// A chunk from the bytes of its record alone.
void check_chunk(ByteSpan file, const Reader& reader, const Column& column, Draw& draw) {
  const cvc::Info& info = reader.info();
  if (info.chunks.empty()) return;
  const std::size_t index = draw.below(info.chunks.size());
  const cvc::Chunk& chunk = info.chunks[index];
  if (chunk.offset == cvc::Chunk::kUnknown || chunk.payload_bytes == cvc::Chunk::kUnknown) return;
  const ByteSpan record =
      file.subspan(chunk.offset, info.record_head_bytes() + chunk.payload_bytes);
  const Target target = column.target(chunk.rows, 0);
  NUMPACT_REQUIRE(cvc::decode_chunk(info, index, guarded(record, Slot::kSecondFile), {&target, 1},
                                    tight_read_config())
                      .ok());
  NUMPACT_REQUIRE(column.holds(target, 0, chunk.first_row, chunk.rows));
}

void check_sections(const Reader& reader, const Column& column, Draw& draw) {
  std::vector<RowRange> ranges;
  const std::string_view values[] = {"\"wiki\"", "1", "true", "null", "[]"};
  NUMPACT_REQUIRE(reader.find_sections("source", draw.pick(values)).into(ranges).ok());
  for (const RowRange& range : ranges) {
    if (range.count > reader.rows()) continue;
    const Target target = column.target(range.count, 0);
    NUMPACT_REQUIRE(reader.read({&range, 1}, {&target, 1}, tight_read_config()).ok());
    NUMPACT_REQUIRE(column.holds(target, 0, range.first, range.count));
  }
}

void check_codes(const Reader& reader, std::size_t column, Draw& draw) {
  const cvc::Info& info = reader.info();
  for (std::size_t chunk = 0; chunk < std::min<std::size_t>(info.chunks.size(), 4); ++chunk) {
    cvc::Codes codes;
    if (!reader.codes(chunk, column, tight_read_config()).into(codes).ok()) continue;
    NUMPACT_REQUIRE(codes.bytes.size() == codes.rows * codes.row_bytes);
    const Bytes read = testing::to_bytes(codes.bytes);  // all of it is there
    const RowRange rows{info.chunks[chunk].first_row, draw.below(codes.rows + 1)};
    const std::span<std::byte> out = guarded_output(rows.count * codes.row_bytes);
    std::vector<cvc::CodeRun> runs;
    if (reader.read_codes(rows, column, out, 0, tight_read_config()).into(runs).ok()) {
      NUMPACT_REQUIRE(testing::same_bytes(out, ByteSpan(read).first(out.size())));
    }
  }
}

// The two ways to treat damaged chunks.
void check_corrupt(const Reader& reader, std::size_t column, Dtype dtype) {
  cvc::ReadConfig config = tight_read_config();
  for (const auto policy : {cvc::OnCorruption::kDrop, cvc::OnCorruption::kFill}) {
    config.on_corruption = policy;
    const ColumnValues values = read_column(reader, column, dtype, config);
    if (values.status.ok()) continue;
    NUMPACT_REQUIRE(values.status.kind() != ErrorKind::kChecksum);
  }
}

void check_prefix(ByteSpan file, const Result<Reader>& reader) {
  std::uint64_t needed = 0;
  const Status status = cvc::header_bytes(file, file.size()).into(needed);
  if (!reader.ok()) return;
  NUMPACT_REQUIRE(status.ok() && needed <= file.size());
  const ByteSpan prefix = guarded(file.first(needed), Slot::kSecondFile);
  cvc::Info info;
  NUMPACT_REQUIRE(
      cvc::parse_header(prefix, tight_read_config().limits, file.size()).into(info).ok());
  NUMPACT_REQUIRE(info.header_bytes == needed);
}

}  // namespace

cvc::ReadConfig tight_read_config() {
  cvc::ReadConfig config;
  config.limits.max_numbers = 32 * kMaxCvcNumbers;  // some rows are asked for several times
  config.limits.max_memory = std::uint64_t{1} << 22;
  return config;
}

Dtype draw_dtype(Draw& draw, const cvc::Column& column) {
  constexpr Dtype kFloats[] = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBFloat16};
  return stays_integer(column) ? column.dtype : draw.pick(kFloats);
}

bool is_small(const cvc::Info& info, std::size_t column) {
  const std::uint64_t dimension = info.columns[column].dimension;
  return info.rows <= kMaxCvcNumbers && dimension <= kMaxCvcNumbers &&
         info.rows * dimension <= kMaxCvcNumbers;
}

ColumnValues read_column(const Reader& reader, std::size_t column, Dtype dtype,
                         const cvc::ReadConfig& config) {
  const std::uint64_t dimension = reader.info().columns[column].dimension;
  const std::span<std::byte> out = guarded_output(reader.rows() * dimension * cvc::size_of(dtype));
  const RowRange all{0, reader.rows()};
  const Target target{{dtype, out.data(), reader.rows(), dimension}, column};
  ColumnValues values;
  cvc::ReadReport report;
  values.status = reader.read({&all, 1}, {&target, 1}, config).into(report);
  if (!values.status.ok()) return values;
  NUMPACT_REQUIRE(report.rows <= reader.rows());
  values.bytes = testing::to_bytes(out.first(report.rows * dimension * cvc::size_of(dtype)));
  return values;
}

void check_parts(ByteSpan file, const Reader& reader, std::size_t column, Draw& draw) {
  const Dtype dtype = draw_dtype(draw, reader.info().columns[column]);
  const Column whole(reader, column, dtype);
  if (!whole.status().ok()) return;
  check_ranges(reader, whole, draw);
  check_gather(reader, whole, draw);
  check_chunk(file, reader, whole, draw);
  check_sections(reader, whole, draw);
  const auto source = std::make_shared<testing::RecordingSource>(file);
  Result<Reader> remote = Reader::create(source, tight_read_config().limits);
  NUMPACT_REQUIRE(remote.ok());
  const ColumnValues fetched = read_column(*remote, column, dtype);
  NUMPACT_REQUIRE(fetched.status.ok());
  NUMPACT_REQUIRE(testing::same_bytes(fetched.bytes, whole.rows(0, reader.rows())));
  check_ranges(*remote, whole, draw);
  check_gather(*remote, whole, draw);
}

void check_vectors(ByteSpan bytes, Draw& draw) {
  const ByteSpan file = guarded(bytes);
  Result<Reader> reader = Reader::create(file, tight_read_config().limits);
  check_prefix(file, reader);
  if (!reader.ok()) {
    NUMPACT_REQUIRE(!reader.status().message().empty());
    return;
  }
  const cvc::Info& info = reader->info();
  cvc::VerifyReport report;
  const Status verified = reader->verify(tight_read_config()).into(report);
  bool all_small = true;
  bool all_sound = true;
  for (std::size_t i = 0; i < info.columns.size() && i < 6; ++i) {
    if (!is_small(info, i)) {
      all_small = false;
      continue;
    }
    const Dtype dtype = draw_dtype(draw, info.columns[i]);
    const ColumnValues values = read_column(*reader, i, dtype);
    InTurn executor(3, draw.flag());
    cvc::ReadConfig config = tight_read_config();
    config.executor = &executor;
    const ColumnValues shared = read_column(*reader, i, dtype, config);
    NUMPACT_REQUIRE(same_status(values.status, shared.status));
    NUMPACT_REQUIRE(values.bytes == shared.bytes);
    if (values.status.ok())
      check_parts(file, *reader, i, draw);
    else
      check_corrupt(*reader, i, dtype);
    if (!values.status.ok() && values.status.kind() != ErrorKind::kTypeMismatch) all_sound = false;
    check_codes(*reader, i, draw);
  }
  if (verified.ok() && report.bad.empty()) NUMPACT_REQUIRE(all_sound);
  if (verified.ok() && all_small && all_sound && !report.bad.empty()) {
    // A checksum is of all columns: reading one of several does not see it.
    NUMPACT_REQUIRE(info.columns.size() > 1);
  }
}

}  // namespace numpact::fuzz
