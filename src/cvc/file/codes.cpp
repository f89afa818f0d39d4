// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/codes.hpp"

#include <cstring>
#include <optional>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/check.hpp"
#include "cvc/file/loading.hpp"
#include "cvc/file/prefault.hpp"
#include "cvc/file/read_rows.hpp"
#include "platform/compiler.hpp"

namespace numpact::cvc::internal {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

Status check_has_codes(const Info& info, std::size_t chunk, std::size_t column) {
  if (codec_of(info.slice(chunk, column).compression).code_type != nullptr) return {};
  return Status(ErrorKind::kTypeMismatch, "the chunk's data has no codes of one size")
      .at_chunk(chunk);
}

// Locates the codes of a slice that check_has_codes() accepted.
Status find_codes(const Records& records, std::size_t chunk, std::size_t column, Codes& codes) {
  const Column& schema = records.info().columns[column];
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  const Encoded encoded = records.encoded(chunk, column, record);
  const Codec& codec = codec_of(encoded.compression);
  Prepared prepared;
  const Status status = prepare(encoded, prepared);
  if (!status.ok()) return status.at_chunk(chunk);
  codes.compression = encoded.compression;
  codes.dtype = codec.code_type(encoded.dtype);
  codes.min = encoded.min;
  codes.scale = encoded.scale;
  codes.rows = encoded.shape.rows;
  codes.dimension = schema.dimension;
  codes.row_bytes = codec.code_bytes(schema.dimension, schema.dtype);
  const auto size = static_cast<std::size_t>(codes.rows * codes.row_bytes);
  codes.bytes = encoded.bytes.first(size);
  codes.ranges = encoded.bytes.subspan(size);
  return {};
}

void append_floats(std::span<const std::byte> bytes, std::vector<float>& floats) {
  for (std::size_t i = 0; i < bytes.size(); i += 4) floats.push_back(load_float(&bytes[i]));
}

// Describes how to decode the codes of some rows of a chunk.
CodeRun describe_run(const Codes& codes, const RowRange& rows) {
  CodeRun run;
  run.rows = rows.count;
  run.compression = codes.compression;
  const RangeScope scope = codec_of(codes.compression).ranges;
  if (scope == RangeScope::kHeader) {
    run.mins = {codes.min};
    run.scales = {codes.scale};
  }
  if (scope != RangeScope::kRow && scope != RangeScope::kDimension) return run;
  const bool is_row = scope == RangeScope::kRow;
  const auto first = static_cast<std::size_t>(is_row ? rows.first : 0);
  const auto count = static_cast<std::size_t>(is_row ? rows.count : codes.dimension);
  const std::size_t half = codes.ranges.size() / 2;
  append_floats(codes.ranges.subspan(4 * first, 4 * count), run.mins);
  append_floats(codes.ranges.subspan(half + 4 * first, 4 * count), run.scales);
  return run;
}

// Copies codes of a column to the output, chunk by chunk, and lists their runs.
class CodeCopier {
 public:
  CodeCopier(std::span<std::byte> out, std::size_t stride, std::uint64_t rows,
             std::vector<CodeRun>& runs)
      : out_(out), stride_(stride), rows_(rows), runs_(runs) {}

  // `read.rows` counts from the first row that `records` holds of the chunk.
  Status copy(const Records& records, const ChunkRead& read, std::size_t column) {
    Codes codes;
    NUMPACT_TRY(find_codes(records, read.chunk, column, codes));
    if (row_bytes_ && codes.row_bytes != *row_bytes_) {
      return Status(ErrorKind::kTypeMismatch, "the chunks' codes are of several sizes")
          .at_chunk(read.chunk);
    }
    row_bytes_ = codes.row_bytes;
    const auto row_size = static_cast<std::size_t>(codes.row_bytes);
    const std::size_t step = stride_ == 0 ? row_size : stride_;
    if (step < row_size) return invalid("the output's rows overlap");
    // The gap after the last row need not be inside the output.
    if (row_size > 0 && (out_.size() < row_size || rows_ - 1 > (out_.size() - row_size) / step)) {
      const Status status(ErrorKind::kOutputTooSmall, "the output is too small for the codes");
      std::uint64_t needed = 0;
      const bool is_known = !platform::multiply_overflows(rows_ - 1, step, &needed) &&
                            !platform::add_overflows(needed, row_size, &needed);
      return is_known ? status.needing(needed) : status;
    }
    for (std::uint64_t i = 0; i < read.rows.count && row_size > 0; ++i) {
      std::memcpy(out_.data() + (read.out_row + i) * step,
                  codes.bytes.data() + (read.rows.first + i) * row_size, row_size);
    }
    runs_.push_back(describe_run(codes, read.rows));
    return {};
  }

 private:
  std::span<std::byte> out_;
  std::size_t stride_;
  std::uint64_t rows_;
  std::vector<CodeRun>& runs_;
  std::optional<std::uint64_t> row_bytes_;
};

Status copy_remote_codes(const Records& records, const ChunkRead& read, std::size_t column,
                         bool verify, WorkerScratch& scratch, CodeCopier& copier) {
  const Info& info = records.info();
  if (verify && info.has_checksums()) {
    std::span<const std::byte> bytes;
    NUMPACT_TRY(records.loader()->read_record(info, read.chunk, scratch.buffer, bytes));
    const Records record(info, read.chunk, bytes);
    NUMPACT_TRY(check_chunk(record, read.chunk));
    return copier.copy(record, read, column);
  }
  NUMPACT_TRY(records.loader()->read_rows(info, read.chunk, read.rows, {&column, 1}, scratch.buffer,
                                          scratch.windows));
  ChunkRead in_window = read;
  in_window.rows.first -= scratch.windows[0].rows.first;
  return copier.copy(Records(info, scratch.windows[0]), in_window, column);
}

}  // namespace

Status view_codes(const Records& records, std::size_t chunk, std::size_t column,
                  const ReadConfig& config, Codes& codes) {
  const Info& info = records.info();
  codes = {};
  if (records.loader() != nullptr) {
    return invalid("codes in place need a file in memory; codes of other files can only be copied");
  }
  if (chunk >= info.chunks.size()) return invalid("the file has no such chunk");
  if (column >= info.columns.size()) return invalid("the file has no such column");
  NUMPACT_TRY(check_has_codes(info, chunk, column));
  if (config.verify) NUMPACT_TRY(check_chunks(records, {chunk}, config));
  return find_codes(records, chunk, column, codes);
}

Status copy_codes(const Records& records, const RowRange& rows, std::size_t column,
                  std::span<std::byte> out, std::size_t stride, const ReadConfig& config,
                  std::vector<CodeRun>& runs) {
  const Info& info = records.info();
  runs.clear();
  if (column >= info.columns.size()) return invalid("the file has no such column");
  std::vector<ChunkRead> reads;
  std::uint64_t count = 0;
  NUMPACT_TRY(split_by_chunk(info, {&rows, 1}, reads, count));
  for (const ChunkRead& read : reads) NUMPACT_TRY(check_has_codes(info, read.chunk, column));
  prefault_bytes(out, config);
  CodeCopier copier(out, stride, count, runs);
  WorkerScratch scratch;
  for (const ChunkRead& read : reads) {
    if (records.loader() != nullptr) {
      NUMPACT_TRY(copy_remote_codes(records, read, column, config.verify, scratch, copier));
      continue;
    }
    if (config.verify) NUMPACT_TRY(check_chunks(records, {read.chunk}, config));
    NUMPACT_TRY(copier.copy(records, read, column));
  }
  return {};
}

}  // namespace numpact::cvc::internal
