// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/gather.hpp"

#include <algorithm>
#include <cstring>

#include "base/try.hpp"
#include "cvc/codec/codecs.hpp"
#include "cvc/file/loading.hpp"
#include "cvc/file/prefault.hpp"
#include "cvc/file/read_rows.hpp"
#include "cvc/file/remote.hpp"
#include "cvc/file/targets.hpp"
#include "cvc/file/team.hpp"

namespace numpact::cvc {
namespace {

constexpr std::size_t kRowsEach = 4096;  // of a task, at a time

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

Status pass_on(void*, const Part&, const Status& problem) { return problem; }

// Against their checksums; each chunk once.
Status check_chunks(const Records& records, std::vector<std::size_t> chunks,
                    const ReadConfig& config) {
  if (!records.info().has_checksums()) return {};
  std::sort(chunks.begin(), chunks.end());
  chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
  std::vector<Part> parts;
  parts.reserve(chunks.size());
  for (const std::size_t chunk : chunks) parts.push_back({chunk, {}, 0, true});
  ReadConfig quiet = config;
  quiet.progress = nullptr;
  return read_parts(records, parts, {}, quiet, pass_on, nullptr);
}

// The slice that was used last, ready to decode.
class OpenSlice {
 public:
  OpenSlice(const Records& records, std::size_t column) : records_(records), column_(column) {}

  Status open(std::size_t chunk) {
    if (is_open_ && chunk == chunk_) return {};
    is_open_ = false;
    Record record;
    NUMPACT_TRY(records_.open(chunk, record));
    const Status status = prepare(records_.encoded(chunk, column_, record), prepared_);
    if (!status.ok()) return status.at_chunk(chunk);
    chunk_ = chunk;
    is_open_ = true;
    return {};
  }
  const Prepared& prepared() const { return prepared_; }

 private:
  const Records& records_;
  std::size_t column_;
  std::size_t chunk_ = 0;
  bool is_open_ = false;
  Prepared prepared_;
};

Status gather_some(const Records& records, std::span<const std::uint64_t> rows,
                   const Target& target, std::uint64_t out_row) {
  const Info& info = records.info();
  OpenSlice slice(records, target.column);
  for (const std::uint64_t row : rows) {
    const std::size_t chunk = chunk_of_row(info, row);
    NUMPACT_TRY(slice.open(chunk));
    const Status status = decode_rows(slice.prepared(), row - info.chunks[chunk].first_row, 1,
                                      target.rows, out_row++);
    if (!status.ok()) return status.at_chunk(chunk);
  }
  return {};
}

// Checks what holds for all rows at once; lists the chunks of the rows where they are wanted.
Status check_rows(const Info& info, std::span<const std::uint64_t> rows,
                  std::span<const Target> targets, std::vector<std::size_t>* chunks) {
  std::size_t last = info.chunks.size();
  for (const std::uint64_t row : rows) {
    if (row >= info.rows) return invalid("rows past the end of the file");
    const std::size_t chunk = chunk_of_row(info, row);
    if (chunk == last) continue;
    last = chunk;
    NUMPACT_TRY(check_types(info, chunk, targets));
    if (chunks != nullptr) chunks->push_back(chunk);
  }
  return {};
}

}  // namespace

Status gather_rows(const Records& records, std::span<const std::uint64_t> rows,
                   std::span<const Target> targets, const ReadConfig& config) {
  const Info& info = records.info();
  if (config.on_corruption != OnCorruption::kRaise) {
    return invalid("gather takes no other on_corruption than kRaise");
  }
  std::vector<Target> outs(targets.begin(), targets.end());
  NUMPACT_TRY(check_targets(info, outs, rows.size(), config.limits));
  const bool is_remote = records.loader() != nullptr;
  const bool checks_first = config.verify && !is_remote;
  std::vector<std::size_t> chunks;
  NUMPACT_TRY(check_rows(info, rows, outs, checks_first ? &chunks : nullptr));
  if (checks_first) NUMPACT_TRY(check_chunks(records, std::move(chunks), config));
  prefault_targets(info, outs, rows.size(), config);
  if (is_remote) return gather_remote_rows(records, rows, outs, config);

  Team team(config.threads, config.executor);
  const std::size_t wave = kRowsEach * team.size();
  std::vector<Status> problems(team.size());
  Progress progress;
  for (const Target& target : outs) {
    for (std::size_t first = 0; first < rows.size(); first += wave) {
      const std::span<const std::uint64_t> some =
          rows.subspan(first, std::min(wave, rows.size() - first));
      const std::size_t tasks = (some.size() + kRowsEach - 1) / kRowsEach;
      team.run(tasks, [&](std::size_t i) {
        const std::size_t at = i * kRowsEach;
        problems[i] = gather_some(records, some.subspan(at, std::min(kRowsEach, some.size() - at)),
                                  target, first + at);
      });
      for (std::size_t i = 0; i < tasks; ++i) NUMPACT_TRY(problems[i]);
      progress.numbers += some.size() * target.rows.dimension;
      NUMPACT_TRY(tell(config, progress));
    }
  }
  return {};
}

namespace {

// Of a chunk and a column that there are.
Status find_codes(const Records& records, std::size_t chunk, std::size_t column, Codes& codes) {
  const Info& info = records.info();
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  const Encoded encoded = records.encoded(chunk, column, record);
  const std::optional<Dtype> type = codec_of(encoded.compression).code_type(encoded.dtype);
  if (!type) {
    return Status(ErrorKind::kTypeMismatch, "lossless data has no codes of one size")
        .at_chunk(chunk);
  }
  codes = {
      encoded.bytes,           encoded.compression,           *type, encoded.min, encoded.scale,
      info.chunks[chunk].rows, info.columns[column].dimension};
  return {};
}

// Codes of parts of a column on their way to the output.
class CodeCopier {
 public:
  CodeCopier(std::span<std::byte> out, std::size_t stride, std::uint64_t rows,
             std::vector<CodeRun>& runs)
      : out_(out), stride_(stride), rows_(rows), runs_(runs) {}

  // Rows of the part are counted as those of the records are.
  Status copy(const Records& records, const Part& part, std::size_t column) {
    Codes codes;
    NUMPACT_TRY(find_codes(records, part.chunk, column, codes));
    const std::size_t size = size_of(codes.dtype);
    if (code_size_ != 0 && size != code_size_) {
      return Status(ErrorKind::kTypeMismatch, "the chunks' codes are of several sizes")
          .at_chunk(part.chunk);
    }
    code_size_ = size;
    const std::size_t row_size = size * static_cast<std::size_t>(codes.dimension);
    const std::size_t step = stride_ == 0 ? row_size : stride_;
    if (step < row_size) return invalid("the output's rows overlap");
    // The last row needs no room for what is between rows.
    if (row_size > 0 && (out_.size() < row_size || rows_ - 1 > (out_.size() - row_size) / step)) {
      return Status(ErrorKind::kOutputTooSmall, "the output is too small for the codes");
    }
    for (std::uint64_t i = 0; i < part.rows.count && row_size > 0; ++i) {
      std::memcpy(out_.data() + (part.out_row + i) * step,
                  codes.bytes.data() + (part.rows.first + i) * row_size, row_size);
    }
    runs_.push_back({part.rows.count, codes.compression, codes.min, codes.scale});
    return {};
  }

 private:
  std::span<std::byte> out_;
  std::size_t stride_;
  std::uint64_t rows_;
  std::vector<CodeRun>& runs_;
  std::size_t code_size_ = 0;
};

Status copy_remote_codes(const Records& records, const Part& part, std::size_t column,
                         const ReadConfig& config, Hand& hand, CodeCopier& copier) {
  const Info& info = records.info();
  if (config.verify && info.has_checksums()) {
    std::span<const std::byte> bytes;
    NUMPACT_TRY(records.loader()->read_record(info, part.chunk, hand.buffer, bytes));
    const Records record(info, part.chunk, bytes);
    NUMPACT_TRY(check_loaded(record, part.chunk));
    return copier.copy(record, part, column);
  }
  NUMPACT_TRY(records.loader()->read_rows(info, part.chunk, part.rows, {&column, 1}, hand.buffer,
                                          hand.windows));
  Part inside = part;
  inside.rows.first -= hand.windows[0].rows.first;
  return copier.copy(Records(info, hand.windows[0]), inside, column);
}

}  // namespace

Status view_codes(const Records& records, std::size_t chunk, std::size_t column,
                  const ReadConfig& config, Codes& codes) {
  const Info& info = records.info();
  codes = {};
  if (records.loader() != nullptr) {
    return invalid("codes in place need a file in memory: try_read_codes copies them");
  }
  if (chunk >= info.chunks.size()) return invalid("the file has no such chunk");
  if (column >= info.columns.size()) return invalid("the file has no such column");
  Codes found;
  NUMPACT_TRY(find_codes(records, chunk, column, found));
  if (config.verify) NUMPACT_TRY(check_chunks(records, {chunk}, config));
  codes = found;
  return {};
}

Status copy_codes(const Records& records, const RowRange& rows, std::size_t column,
                  std::span<std::byte> out, std::size_t stride, const ReadConfig& config,
                  std::vector<CodeRun>& runs) {
  const Info& info = records.info();
  runs.clear();
  if (column >= info.columns.size()) return invalid("the file has no such column");
  std::vector<Part> parts;
  std::uint64_t count = 0;
  NUMPACT_TRY(cut_ranges(info, {&rows, 1}, parts, count));
  prefault_bytes(out, config);
  CodeCopier copier(out, stride, count, runs);
  Hand hand;
  for (const Part& part : parts) {
    if (records.loader() != nullptr) {
      NUMPACT_TRY(copy_remote_codes(records, part, column, config, hand, copier));
      continue;
    }
    if (config.verify) NUMPACT_TRY(check_chunks(records, {part.chunk}, config));
    NUMPACT_TRY(copier.copy(records, part, column));
  }
  return {};
}

}  // namespace numpact::cvc
