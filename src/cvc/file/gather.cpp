// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/gather.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "cvc/codec/codecs.hpp"
#include "cvc/codec/team.hpp"
#include "cvc/file/read_rows.hpp"
#include "cvc/file/targets.hpp"

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

// A row that is wanted, and where.
struct Wish {
  std::uint64_t row = 0;
  std::uint64_t out_row = 0;
};

Status gather_some(const Records& records, std::span<const Wish> wishes, const Target& target) {
  const Info& info = records.info();
  OpenSlice slice(records, target.column);
  for (const Wish& wish : wishes) {
    const std::size_t chunk = chunk_of_row(info, wish.row);
    NUMPACT_TRY(slice.open(chunk));
    const Status status = decode_rows(slice.prepared(), wish.row - info.chunks[chunk].first_row, 1,
                                      target.rows, wish.out_row);
    if (!status.ok()) return status.at_chunk(chunk);
  }
  return {};
}

// Rows of one chunk, in their order, that are decoded by blocks.
Status gather_blocks(const Records& records, std::size_t chunk, std::span<const Wish> wishes,
                     const Target& target, const DecodeLimits& limits) {
  const std::uint64_t first_row = records.info().chunks[chunk].first_row;
  std::vector<RowRun> runs;
  for (const Wish& wish : wishes) {
    const bool goes_on = !runs.empty() &&
                         runs.back().first + runs.back().count == wish.row - first_row &&
                         runs.back().out_row + runs.back().count == wish.out_row;
    if (goes_on) {
      ++runs.back().count;
    } else {
      runs.push_back({wish.row - first_row, 1, wish.out_row});
    }
  }
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  Prepared prepared;
  NUMPACT_TRY(prepare(records.encoded(chunk, target.column, record), prepared));
  prepared.max_memory = limits.max_memory;
  return codec_of(prepared.encoded.compression).decode_runs(prepared, runs, 0, target.rows);
}

// Each task gets whole chunks: opening one takes long. `wishes` are put in the order of rows.
Status gather_by_chunks(const Records& records, std::span<Wish> wishes, const Target& target,
                        const Team& team, const DecodeLimits& limits) {
  const Info& info = records.info();
  std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
    return a.row != b.row ? a.row < b.row : a.out_row < b.out_row;
  });
  std::vector<std::span<const Wish>> groups;
  for (std::size_t first = 0; first < wishes.size();) {
    const Chunk& chunk = info.chunks[chunk_of_row(info, wishes[first].row)];
    std::size_t end = first;
    while (end < wishes.size() && wishes[end].row - chunk.first_row < chunk.rows) ++end;
    groups.push_back(wishes.subspan(first, end - first));
    first = end;
  }
  std::vector<Status> problems(groups.size());
  team.run(groups.size(), [&](std::size_t i) {
    const std::size_t chunk = chunk_of_row(info, groups[i][0].row);
    const Codec& codec = codec_of(info.slice(chunk, target.column).compression);
    problems[i] = guarded([&]() -> Status {
      if (codec.decode_runs == nullptr) return gather_some(records, groups[i], target);
      const Status status = gather_blocks(records, chunk, groups[i], target, limits);
      return status.ok() ? status : status.at_chunk(chunk);
    });
  });
  for (const Status& problem : problems) NUMPACT_TRY(problem);
  return {};
}

// In the order that was asked for.
Status gather_by_rows(const Records& records, std::span<const Wish> wishes, const Target& target,
                      const Team& team) {
  const std::size_t tasks = (wishes.size() + kRowsEach - 1) / kRowsEach;
  std::vector<Status> problems(tasks);
  team.run(tasks, [&](std::size_t i) {
    const std::size_t at = i * kRowsEach;
    problems[i] =
        gather_some(records, wishes.subspan(at, std::min(kRowsEach, wishes.size() - at)), target);
  });
  for (const Status& problem : problems) NUMPACT_TRY(problem);
  return {};
}

bool is_slow_to_open(const Info& info, std::size_t column) {
  for (std::size_t chunk = 0; chunk < info.chunks.size(); ++chunk) {
    if (codec_of(info.slice(chunk, column).compression).is_slow_to_prepare) return true;
  }
  return false;
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
  std::vector<std::size_t> chunks;
  NUMPACT_TRY(check_rows(info, rows, outs, config.verify ? &chunks : nullptr));
  if (config.verify) NUMPACT_TRY(check_chunks(records, std::move(chunks), config));

  const Team team(config.threads, config.executor);
  Progress progress;
  std::vector<Wish> wishes;
  for (const Target& target : outs) {
    const bool is_slow = is_slow_to_open(info, target.column);
    // All at once where every chunk is to be opened no more than once.
    const std::size_t wave =
        is_slow ? std::max<std::size_t>(1, rows.size()) : kRowsEach * team.size();
    for (std::size_t first = 0; first < rows.size(); first += wave) {
      wishes.clear();
      for (std::size_t i = first; i < std::min(rows.size(), first + wave); ++i) {
        wishes.push_back({rows[i], i});
      }
      NUMPACT_TRY(is_slow ? gather_by_chunks(records, wishes, target, team, config.limits)
                          : gather_by_rows(records, wishes, target, team));
      progress.numbers += wishes.size() * target.rows.dimension;
      if (config.progress && !config.progress(progress)) {
        return Status(ErrorKind::kCancelled, "the progress callback asked to stop");
      }
    }
  }
  return {};
}

Status view_codes(const Records& records, std::size_t chunk, std::size_t column,
                  const ReadConfig& config, Codes& codes) {
  const Info& info = records.info();
  codes = {};
  if (chunk >= info.chunks.size()) return invalid("the file has no such chunk");
  if (column >= info.columns.size()) return invalid("the file has no such column");
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  const Encoded encoded = records.encoded(chunk, column, record);
  const Codec& codec = codec_of(encoded.compression);
  if (codec.code_type == nullptr) {
    return Status(ErrorKind::kTypeMismatch, "the chunk's data has no codes of one size")
        .at_chunk(chunk);
  }
  if (config.verify) NUMPACT_TRY(check_chunks(records, {chunk}, config));
  Prepared prepared;
  const Status status = prepare(encoded, prepared);
  if (!status.ok()) return status.at_chunk(chunk);
  const Column& schema = info.columns[column];
  codes.compression = encoded.compression;
  codes.dtype = codec.code_type(encoded.dtype);
  codes.min = encoded.min;
  codes.scale = encoded.scale;
  codes.rows = info.chunks[chunk].rows;
  codes.dimension = schema.dimension;
  codes.row_bytes = codec.code_bytes(schema.dimension, schema.dtype);
  const auto size = static_cast<std::size_t>(codes.rows * codes.row_bytes);
  codes.bytes = encoded.bytes.first(size);
  codes.ranges = encoded.bytes.subspan(size);
  return {};
}

namespace {

void append_floats(std::span<const std::byte> bytes, std::vector<float>& floats) {
  for (std::size_t i = 0; i < bytes.size(); i += 4) floats.push_back(load_float(&bytes[i]));
}

// What the codes of some rows of a chunk mean.
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

}  // namespace

Status copy_codes(const Records& records, const RowRange& rows, std::size_t column,
                  std::span<std::byte> out, std::size_t stride, const ReadConfig& config,
                  std::vector<CodeRun>& runs) {
  const Info& info = records.info();
  runs.clear();
  if (column >= info.columns.size()) return invalid("the file has no such column");
  std::vector<Part> parts;
  std::uint64_t count = 0;
  NUMPACT_TRY(cut_ranges(info, {&rows, 1}, parts, count));
  std::optional<std::uint64_t> all_bytes;
  for (const Part& part : parts) {
    Codes codes;
    NUMPACT_TRY(view_codes(records, part.chunk, column, config, codes));
    if (all_bytes && codes.row_bytes != *all_bytes) {
      return Status(ErrorKind::kTypeMismatch, "the chunks' codes are of several sizes")
          .at_chunk(part.chunk);
    }
    all_bytes = codes.row_bytes;
    const auto row_size = static_cast<std::size_t>(codes.row_bytes);
    const std::size_t step = stride == 0 ? row_size : stride;
    if (step < row_size) return invalid("the output's rows overlap");
    // The last row needs no room for what is between rows.
    if (row_size > 0 && (out.size() < row_size || (count - 1) > (out.size() - row_size) / step)) {
      return Status(ErrorKind::kOutputTooSmall, "the output is too small for the codes");
    }
    for (std::uint64_t i = 0; i < part.rows.count && row_size > 0; ++i) {
      std::memcpy(out.data() + (part.out_row + i) * step,
                  codes.bytes.data() + (part.rows.first + i) * row_size, row_size);
    }
    runs.push_back(describe_run(codes, part.rows));
  }
  return {};
}

}  // namespace numpact::cvc
