// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/file_writer.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/alignment.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/header/frame.hpp"
#include "cvc/header/metadata.hpp"
#include "json/json.hpp"
#include "platform/compiler.hpp"

namespace numpact::cvc::internal {
namespace {

// Files of more chunks are not planned ahead, which bounds the memory for plans.
constexpr std::uint64_t kMaxPlannedChunks = 1 << 16;

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

std::size_t row_bytes(const Rows& rows) {
  return static_cast<std::size_t>(rows.dimension) * size_of(rows.dtype);
}

// Describes the place of a value in a chunk whose first row is `first_row` of the file.
std::string place_text(const Column& column, const Refused& refused, std::uint64_t first_row) {
  std::string text;
  const auto add = [&](const char* separator, const std::string& more) {
    if (!text.empty()) text += separator;
    text += more;
  };
  if (!column.name.empty()) add("", "column '" + column.name + "'");
  if (refused.row) add(": ", "row " + std::to_string(first_row + *refused.row));
  const bool is_scalar = !column.name.empty() && column.dimension == 1;
  if (refused.dimension && !is_scalar) {
    add(refused.row ? ", " : ": ", "dimension " + std::to_string(*refused.dimension));
  }
  if (!refused.value.empty()) text += " (" + refused.value + ")";
  return text;
}

bool is_blank(std::string_view name) {
  return name.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

// Reserves memory for `more` bytes: twice the capacity, or a whole chunk (`rows` rows) once a
// quarter of it is needed, because further growing would copy and take more memory than the chunk.
void reserve_rows(std::vector<std::byte>& bytes, std::size_t more, std::uint64_t rows,
                  std::size_t row_size) {
  const std::size_t needed = bytes.size() + more;
  if (needed <= bytes.capacity()) return;
  std::size_t chunk = 0;
  const bool reserves_chunk =
      !platform::multiply_overflows(rows, row_size, &chunk) && needed >= chunk / 4;
  bytes.reserve(reserves_chunk ? std::max(needed, chunk) : std::max(needed, 2 * bytes.capacity()));
}

}  // namespace

// ---- configuration and checks ----

Status FileWriter::check_compression(Compression compression) const {
  const Codec& codec = codec_of(compression);
  if (is_columnar() ? !codec.in_columns : !codec.in_single) {
    return invalid(is_columnar() ? "columns cannot be compressed by lossless"
                                 : "files of one array cannot be compressed by none");
  }
  if (config_.version == Version::kV01 && !codec.in_v01) {
    return invalid("version 0.1 has fp16 and int8 only");
  }
  return {};
}

Status FileWriter::set_schema() {
  if (config_.columns.empty()) return invalid("version 2.0 needs columns");
  std::unordered_set<std::string_view> names;
  for (const ColumnSpec& spec : config_.columns) {
    if (is_blank(spec.name)) return invalid("a column's name is blank");
    if (!json::is_utf8(spec.name)) return invalid("a column's name is not UTF-8");
    if (!names.insert(spec.name).second) return invalid("two columns have one name");
    if (spec.dimension == 0) return invalid("a column's dimension is 0");
    if (size_of(spec.dtype) == 0) return invalid("a column has an unknown type");
    if (spec.dtype == Dtype::kFloat64) {
      return invalid("a column cannot be of float64: convert to float32 if that may be");
    }
    if (spec.dtype == Dtype::kBFloat16) {
      return invalid("a column cannot be of bfloat16: float32 holds it");
    }
    const Compression compression = spec.compression.value_or(default_compression(spec.dtype));
    NUMPACT_TRY(check_compression(compression));
    content_.columns.push_back(
        {spec.name, spec.dimension, spec.dtype, compression, spec.is_vector});
  }
  has_types_ = true;
  return {};
}

Status FileWriter::begin() {
  if (config_.chunk_rows == 0) return invalid("chunk_rows is 0");
  if (config_.paged && config_.version != Version::kV10) {
    return invalid("only version 1.0 has the paged layout");
  }
  content_.version = config_.version;
  content_.is_paged = config_.paged;
  rules_.range_in_double = config_.version == Version::kV01;
  rules_.allow_nonfinite = config_.allow_nonfinite;
  rules_.keeps_integers = is_columnar();
  rules_.rounding = config_.rounding;
  if (!config_.metadata.empty()) {
    NUMPACT_TRY(restyle(config_.metadata, content_.style(), kLevelsAboveFileMetadata,
                        content_.metadata.emplace()));
  }
  if (is_columnar()) {
    NUMPACT_TRY(set_schema());
  } else {
    if (!config_.columns.empty()) return invalid("only version 2.0 has columns");
    NUMPACT_TRY(check_compression(config_.compression));
    content_.columns.push_back(
        {"", config_.dimension.value_or(0), Dtype::kFloat32, config_.compression});
  }
  pending_.columns.resize(content_.columns.size());
  return {};
}

Status FileWriter::set_types(std::span<const Rows> columns) {
  if (has_types_) return {};
  Column& column = content_.columns[0];
  if (!config_.dimension) column.dimension = columns[0].dimension;
  column.dtype = columns[0].dtype;
  has_types_ = true;
  return {};
}

Status FileWriter::check_rows(std::span<const Rows> columns) {
  if (columns.size() != content_.columns.size()) {
    return invalid("not as many arrays as the file has columns");
  }
  for (const Rows& rows : columns) {
    if (size_of(rows.dtype) == 0) return invalid("there is no such type of values");
  }
  NUMPACT_TRY(set_types(columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Rows& rows = columns[i];
    const Column& column = content_.columns[i];
    if (rows.count != columns[0].count) return invalid("the columns' numbers of rows differ");
    if (rows.dimension != column.dimension) return invalid("the rows' dimension is another one");
    if (rows.dtype != column.dtype) {
      return Status(ErrorKind::kTypeMismatch, "the rows are of another type than those before");
    }
    if (rows.dimension > kMaxValues / std::max<std::uint64_t>(1, rows.count)) {
      return invalid("more values than memory can hold");
    }
    const std::size_t size = size_of(rows.dtype);
    if (rows.stride != 0 && rows.stride < row_bytes(rows)) return invalid("the rows overlap");
    if (!is_aligned_for(rows.data, rows.stride, size)) {
      return invalid("the rows are not aligned for their type");
    }
    if (rows.data == nullptr && rows.count > 0 && rows.dimension > 0) {
      return invalid("the rows are null");
    }
  }
  if (columns[0].count > (std::uint64_t{1} << 62) - rows_) return invalid("too many rows");
  return {};
}

Status FileWriter::begin_section(std::string_view metadata) {
  std::string text;
  NUMPACT_TRY(restyle(metadata, content_.style(), kLevelsAboveSectionMetadata, text));
  content_.sections.push_back({{rows_, 0}, std::move(text)});
  content_.has_sections = true;
  in_section_ = true;
  return {};
}

Status FileWriter::add_section(const RowRange& rows, std::string_view metadata) {
  std::string text;
  NUMPACT_TRY(restyle(metadata, content_.style(), kLevelsAboveSectionMetadata, text));
  if (!content_.sections.empty() && rows.first < content_.sections.back().rows.first) {
    return invalid("sections must come in the order of their first rows");
  }
  content_.sections.push_back({rows, std::move(text)});
  content_.has_sections = true;
  in_section_ = false;
  return {};
}

Status FileWriter::check_sections() const {
  for (const SectionText& section : content_.sections) {
    if (section.rows.first > rows_ || section.rows.count > rows_ - section.rows.first) {
      return invalid("a section goes past the last row");
    }
  }
  return {};
}

Status FileWriter::end_section() {
  in_section_ = false;
  return {};
}

Status FileWriter::set_chunk(std::uint64_t chunk, const ChunkOptions& options) {
  if (chunk < complete_chunks()) return invalid("the chunk is complete already");
  Options& entry = options_[chunk];
  if (options.compression) {
    if (is_columnar()) return invalid("the columns of a chunk have the compressions of the schema");
    NUMPACT_TRY(check_compression(*options.compression));
    entry.compression = options.compression;
  }
  if (options.metadata) {
    NUMPACT_TRY(restyle(*options.metadata, content_.style(), kLevelsAboveChunkMetadata,
                        entry.metadata.emplace()));
  }
  return {};
}

// ---- chunks ----

ChunkJob FileWriter::make_job(std::uint64_t index, std::span<const Rows> columns,
                              std::uint64_t first, std::uint64_t rows) const {
  ChunkJob job;
  job.rows = rows;
  const auto options = options_.find(index);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Rows some = columns[i];
    if (some.stride == 0) some.stride = row_bytes(some);
    if (some.data != nullptr) {
      some.data = static_cast<const std::byte*>(some.data) + first * some.stride;
    }
    some.count = rows;
    job.sources.emplace_back(some);
    Slice slice;
    slice.compression = content_.columns[i].compression;
    if (options != options_.end() && options->second.compression) {
      slice.compression = *options->second.compression;
    }
    job.slices.push_back(slice);
  }
  return job;
}

ChunkText FileWriter::chunk_text(std::uint64_t index, const ChunkJob& job) const {
  ChunkText text;
  text.rows = job.rows;
  text.slices = job.slices;
  const auto options = options_.find(index);
  if (options != options_.end()) text.metadata = options->second.metadata;
  return text;
}

std::vector<Rows> FileWriter::views(const Pending& pending) const {
  std::vector<Rows> rows;
  for (std::size_t i = 0; i < content_.columns.size(); ++i) {
    const Column& column = content_.columns[i];
    rows.emplace_back(column.dtype, pending.columns[i].data(), pending.rows, column.dimension);
  }
  return rows;
}

Status FileWriter::first_error(std::span<const ChunkJob> jobs, std::size_t chunk,
                               std::uint64_t row) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ChunkJob& job = jobs[i];
    if (!job.status.ok()) {
      if (job.refused) error_place_ = place_text(content_.columns[job.column], *job.refused, row);
      return job.status.at_chunk(chunk + i);
    }
    row += job.rows;
  }
  return {};
}

// Plans and encodes chunks in parallel, and writes them behind those that were written before.
Status FileWriter::write_jobs(std::span<ChunkJob> jobs) {
  const std::size_t head = record_head_bytes();
  std::uint64_t rows = 0;
  const std::size_t first_index = content_.chunks.size();
  while (buffers_.size() < jobs.size()) {
    buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(kEncodeBufferBytes));
  }
  EncodeRules rules = rules_;
  if (jobs.size() == 1) rules.helpers = &pool_;
  pool_.run(jobs.size(), [&](std::size_t i) {
    jobs[i].status = guarded([&] { return plan_chunk(rules, jobs[i]); });
  });
  NUMPACT_TRY(first_error(jobs, first_index, written_rows_ - first_counted_row_));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ChunkText text = chunk_text(first_index + i, jobs[i]);
    if (config_.paged) next_ = (next_ + kPageBytes - 1) / kPageBytes * kPageBytes;
    text.offset = next_;
    next_ += head + jobs[i].payload_bytes;
    content_.chunks.push_back(std::move(text));
  }
  NUMPACT_TRY(output_.reserve(base_ + next_));
  pool_.run(jobs.size(), [&](std::size_t i) {
    const std::uint64_t offset = base_ + content_.chunks[first_index + i].offset;
    jobs[i].status = guarded([&] {
      return encode_chunk(head, offset, {buffers_[i].get(), kEncodeBufferBytes}, output_, jobs[i]);
    });
  });
  NUMPACT_TRY(first_error(jobs, first_index, written_rows_ - first_counted_row_));
  for (const ChunkJob& job : jobs) {
    report_.overflows += job.overflows;
    report_.underflows += job.underflows;
    report_.lost += job.lost;
    rows += job.rows;
  }
  written_rows_ += rows;
  return report_progress(rows);
}

Status FileWriter::report_progress(std::uint64_t rows) {
  for (const Column& column : content_.columns) numbers_ += rows * column.dimension;
  if (config_.progress && !config_.progress({numbers_, next_})) {
    return Status(ErrorKind::kCancelled, "the progress callback asked to stop");
  }
  return {};  // exceptions of the callback are caught by the public entry point
}

// ---- chunks that are encoded already ----

Status FileWriter::check_encoded(const EncodedChunk& chunk) const {
  if (chunk.slices.size() != content_.columns.size()) {
    return invalid("not as many slices as the file has columns");
  }
  if (!has_types_ && !config_.dimension) {
    return invalid("copied chunks need a dimension");
  }
  if (chunk.payload.data() == nullptr && !chunk.payload.empty()) {
    return invalid("the payload is null");
  }
  if (chunk.checksum && *chunk.checksum != crc32(chunk.payload, 0)) {
    return Status(ErrorKind::kChecksum, "the chunk's checksum does not match its payload");
  }
  if (chunk.payload.size() > UINT32_MAX) return invalid("a chunk would pass 2^32 - 1 bytes");
  if (chunk.rows > (std::uint64_t{1} << 62) - rows_) return invalid("too many rows");
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < chunk.slices.size(); ++i) {
    const Slice& slice = chunk.slices[i];
    const Column& column = content_.columns[i];
    NUMPACT_TRY(check_compression(slice.compression));
    if (column.dimension > kMaxValues / std::max<std::uint64_t>(1, chunk.rows)) {
      return invalid("more values than memory can hold");
    }
    if (slice.offset > chunk.payload.size() || slice.size > chunk.payload.size() - slice.offset ||
        (!is_columnar() && slice.offset != 0)) {
      return Status(ErrorKind::kCorrupt, "a slice is not inside the payload");
    }
    end = std::max(end, slice.offset + slice.size);
    Encoded encoded;
    encoded.compression = slice.compression;
    encoded.dtype = is_columnar() ? column.dtype : Dtype::kFloat32;
    encoded.bytes = chunk.payload.subspan(static_cast<std::size_t>(slice.offset),
                                          static_cast<std::size_t>(slice.size));
    encoded.shape = {chunk.rows, column.dimension};
    encoded.min = static_cast<float>(slice.min);
    encoded.scale = static_cast<float>(slice.scale);
    Prepared prepared;
    NUMPACT_TRY(prepare(encoded, prepared));
  }
  if (end == chunk.payload.size()) return {};
  return Status(ErrorKind::kCorrupt, "the payload is longer than its slices");
}

Status FileWriter::append_encoded(const EncodedChunk& chunk) {
  NUMPACT_TRY(check_encoded(chunk));
  NUMPACT_TRY(end_chunk());
  NUMPACT_TRY(write_buffered());
  const std::uint64_t index = content_.chunks.size();
  ChunkText text;
  text.rows = chunk.rows;
  text.slices.assign(chunk.slices.begin(), chunk.slices.end());
  const auto options = options_.find(index);
  if (options != options_.end()) {
    if (options->second.compression) return invalid("the chunk is compressed already");
    text.metadata = options->second.metadata;
  }
  if (config_.paged) next_ = (next_ + kPageBytes - 1) / kPageBytes * kPageBytes;
  text.offset = next_;
  content_.chunks.push_back(std::move(text));
  const std::uint64_t offset = base_ + next_;
  next_ += record_head_bytes() + chunk.payload.size();
  NUMPACT_TRY(output_.reserve(base_ + next_));
  NUMPACT_TRY(write_record(record_head_bytes(), offset, chunk.payload, output_));
  rows_ += chunk.rows;
  written_rows_ += chunk.rows;
  if (in_section_) content_.sections.back().rows.count += chunk.rows;
  return report_progress(chunk.rows);
}

Status FileWriter::write_buffered() {
  while (!full_.empty()) {
    const std::size_t n = std::min<std::size_t>(full_.size(), pool_.size());
    std::vector<ChunkJob> jobs;
    for (std::size_t i = 0; i < n; ++i) {
      jobs.push_back(make_job(content_.chunks.size() + i, views(full_[i]), 0, full_[i].rows));
    }
    NUMPACT_TRY(write_jobs(jobs));
    full_.erase(full_.begin(), full_.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return {};
}

// Plans all chunks of a file whose rows arrive in one call, so that the size of the header is known
// and records are written to their final offsets. Chunks whose size depends on their values are
// planned later; in paged files their offsets are unknown, so nothing is planned then.
Status FileWriter::plan_all(std::span<const Rows> columns, std::vector<ChunkJob>& jobs) {
  const std::uint64_t rows = columns[0].count;
  HeaderContent content = content_;
  for (std::uint64_t first = 0; first < rows; first += config_.chunk_rows) {
    const std::uint64_t index = jobs.size();
    ChunkJob job = make_job(index, columns, first, std::min(config_.chunk_rows, rows - first));
    const bool is_known = std::all_of(job.slices.begin(), job.slices.end(), [](const Slice& slice) {
      return codec_of(slice.compression).size({}, Dtype::kFloat32).has_value();
    });
    if (!is_known && config_.paged) return {};  // later offsets depend on the values of this chunk
    job.is_planned = !is_known;                 // makes plan_chunk skip it for now
    jobs.push_back(std::move(job));
  }
  pool_.run(jobs.size(), [&](std::size_t i) {
    jobs[i].status = guarded([&] { return plan_chunk(rules_, jobs[i]); });
  });
  std::uint64_t next = 0;
  NUMPACT_TRY(first_error(jobs, 0, 0));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ChunkText text = chunk_text(i, jobs[i]);
    if (config_.paged) next = (next + kPageBytes - 1) / kPageBytes * kPageBytes;
    text.offset = next;
    next += 8 + jobs[i].payload_bytes;
    content.chunks.push_back(std::move(text));
    if (jobs[i].plans.empty()) jobs[i].is_planned = false;
  }
  if (in_section_) content.sections.back().rows.count = rows;
  std::string text;
  NUMPACT_TRY(header_bytes(content, text));
  base_ = text.size();
  return {};
}

// Writes whole chunks directly from the caller's memory.
Status FileWriter::write_from_caller(std::span<const Rows> columns, std::uint64_t& first) {
  const std::uint64_t rows = columns[0].count;
  std::vector<ChunkJob> planned;
  const bool is_all = rows_ == 0 && content_.chunks.empty() && config_.expected_rows == rows &&
                      rows / config_.chunk_rows < kMaxPlannedChunks && rows > 0 &&
                      pending_.rows == 0;
  if (is_all) NUMPACT_TRY(plan_all(columns, planned));
  while (first < rows && (rows - first >= config_.chunk_rows || is_all)) {
    std::vector<ChunkJob> jobs;
    while (jobs.size() < pool_.size() && first < rows &&
           (rows - first >= config_.chunk_rows || is_all)) {
      const std::size_t index = content_.chunks.size() + jobs.size();
      const std::uint64_t count = std::min(config_.chunk_rows, rows - first);
      if (index < planned.size()) {
        jobs.push_back(std::move(planned[index]));
      } else {
        jobs.push_back(make_job(index, columns, first, count));
      }
      first += count;
    }
    NUMPACT_TRY(write_jobs(jobs));
  }
  return {};
}

// Copies rows into the pending chunk, up to its end.
void FileWriter::buffer_rows(std::span<const Rows> columns, std::uint64_t& first) {
  const std::uint64_t count =
      std::min(columns[0].count - first, config_.chunk_rows - pending_.rows);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Rows some = columns[i];
    const std::size_t bytes = row_bytes(some);
    const std::size_t stride = some.stride == 0 ? bytes : some.stride;
    std::vector<std::byte>& to = pending_.columns[i];
    if (bytes == 0) continue;
    reserve_rows(to, to_size(count * bytes), config_.chunk_rows, bytes);
    const auto* const from = static_cast<const std::byte*>(some.data) + first * stride;
    if (stride == bytes) {
      to.insert(to.end(), from, from + count * bytes);
    } else {
      for (std::uint64_t row = 0; row < count; ++row) {
        to.insert(to.end(), from + row * stride, from + row * stride + bytes);
      }
    }
  }
  pending_.rows += count;
  first += count;
}

Status FileWriter::append(std::span<const Rows> columns) {
  NUMPACT_TRY(check_rows(columns));
  const std::uint64_t rows = columns[0].count;
  std::uint64_t first = 0;
  while (first < rows) {
    if (pending_.rows == 0 && (rows - first >= config_.chunk_rows || rows_ == 0)) {
      NUMPACT_TRY(write_buffered());
      NUMPACT_TRY(write_from_caller(columns, first));
      if (first == rows) break;
    }
    buffer_rows(columns, first);
    if (pending_.rows == config_.chunk_rows) NUMPACT_TRY(end_chunk());
  }
  rows_ += rows;
  if (in_section_) content_.sections.back().rows.count += rows;
  return {};
}

Status FileWriter::end_chunk() {
  if (pending_.rows == 0) return {};
  full_.push_back(std::move(pending_));
  pending_ = {};
  pending_.columns.resize(content_.columns.size());
  return full_.size() >= pool_.size() ? write_buffered() : Status();
}

Status FileWriter::finish(WriteReport& report) {
  NUMPACT_TRY(end_chunk());
  NUMPACT_TRY(write_buffered());
  if (!has_types_ && !config_.dimension) {
    return invalid("a file without rows needs a dimension");
  }
  NUMPACT_TRY(check_sections());
  if (!options_.empty() && options_.rbegin()->first >= content_.chunks.size()) {
    return invalid("options were set for a chunk that the file does not have");
  }
  std::string header;
  NUMPACT_TRY(header_bytes(content_, header));
  if (header.size() != base_ && next_ > 0) {
    NUMPACT_TRY(output_.move(base_, header.size(), next_));
  }
  base_ = header.size();
  NUMPACT_TRY(output_.reserve(base_ + next_));
  NUMPACT_TRY(output_.write_at(0, std::as_bytes(std::span(header))));
  NUMPACT_TRY(output_.finish(base_ + next_));
  report_.rows = rows_;
  report_.chunks = content_.chunks.size();
  report_.bytes = base_ + next_;
  report = report_;
  return {};
}

}  // namespace numpact::cvc::internal
