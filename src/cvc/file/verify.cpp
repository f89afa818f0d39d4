// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/verify.hpp"

#include <algorithm>
#include <vector>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/check.hpp"
#include "cvc/file/loading.hpp"
#include "cvc/file/read_rows.hpp"
#include "cvc/file/targets.hpp"
#include "platform/compiler.hpp"

namespace numpact::cvc::internal {
namespace {

// Decodes the whole slice in one call, so that each page is decoded once, whatever the grid.
Status check_runs(Prepared& prepared, const DecodeLimits& limits) {
  const Encoded& encoded = prepared.encoded;
  if (encoded.shape.n() == 0) return {};
  prepared.max_memory = limits.max_memory;
  const RowRun all{0, encoded.shape.rows, 0};
  const MutableRows discarded(encoded.dtype, nullptr, encoded.shape.rows, encoded.shape.dimension);
  return codec_of(encoded.compression).decode_runs(prepared, {&all, 1}, 0, discarded);
}

// Decodes the values of a slice if its compression can be corrupt beyond its size.
Status check_values(const Records& records, const DecodeLimits& limits, std::size_t chunk,
                    std::size_t column) {
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  const Encoded encoded = records.encoded(chunk, column, record);
  Prepared prepared;
  NUMPACT_TRY(prepare(encoded, prepared));
  const Codec& codec = codec_of(encoded.compression);
  if (!codec.checks_values) return {};
  if (codec.decode_runs != nullptr) return check_runs(prepared, limits);
  float values[kBlockValues];
  const std::uint64_t all = encoded.shape.n();
  for (std::uint64_t first = 0; first < all; first += kBlockValues) {
    const std::uint64_t n = std::min<std::uint64_t>(kBlockValues, all - first);
    NUMPACT_TRY(codec.decode(prepared, first, n, values));
  }
  return {};
}

// Adds corrupt chunks to the report.
struct Verifier {
  const Info& info;
  VerifyReport& report;

  void add(std::size_t chunk, const Status& status) {
    const Chunk& entry = info.chunks[chunk];
    report.bad.push_back({chunk, {entry.first_row, entry.rows}, status.at_chunk(chunk)});
  }
};

// Checks the counts of the header against the limits: a few bytes of pco can claim very many
// values. Sums saturate.
Status check_total_amount(const Info& info, const DecodeLimits& limits) {
  constexpr std::uint64_t kSaturated = ~std::uint64_t{0};
  std::uint64_t numbers = 0;
  std::uint64_t bytes = 0;
  for (const Column& column : info.columns) {
    std::uint64_t values = 0;
    std::uint64_t size = 0;
    if (platform::multiply_overflows(info.rows, column.dimension, &values)) values = kSaturated;
    if (platform::multiply_overflows(values, size_of(column.dtype), &size)) size = kSaturated;
    if (platform::add_overflows(numbers, values, &numbers)) numbers = kSaturated;
    if (platform::add_overflows(bytes, size, &bytes)) bytes = kSaturated;
  }
  return check_amount(numbers, bytes, limits);
}

Status verify_loaded(const Records& record, const DecodeLimits& limits, std::size_t chunk) {
  NUMPACT_TRY(check_chunk(record, chunk));
  for (std::size_t column = 0; column < record.info().columns.size(); ++column) {
    NUMPACT_TRY(check_values(record, limits, chunk, column));
  }
  return {};
}

Status verify_remote_chunks(const Records& records, const ReadConfig& config,
                            VerifyReport& report) {
  const Info& info = records.info();
  Verifier verifier{info, report};
  Progress progress;
  const TaskPool pool(config.threads, config.executor);
  return for_each_loaded(
      pool, info.chunks.size(),
      [&](std::size_t i, WorkerScratch& scratch) -> Status {
        std::span<const std::byte> record;
        NUMPACT_TRY(records.loader()->read_record(info, i, scratch.buffer, record));
        return verify_loaded(Records(info, i, record), config.limits, i);
      },
      [&](std::size_t i, const Status& status) {
        if (!status.ok()) verifier.add(i, status);
        progress.bytes += info.chunks[i].payload_bytes;
        return Status();
      },
      [&] { return report_progress(config, progress); });
}

}  // namespace

Status verify_chunks(const Records& records, const ReadConfig& config, VerifyReport& report) {
  const Info& info = records.info();
  report = {};
  report.chunks = info.chunks.size();
  NUMPACT_TRY(check_total_amount(info, config.limits));
  if (records.loader() != nullptr) return verify_remote_chunks(records, config, report);
  Verifier verifier{info, report};
  Progress progress;
  if (info.has_checksums()) {
    for (const Chunk& chunk : info.chunks) progress.bytes += chunk.payload_bytes;
    std::vector<ChunkRead> reads;
    reads.reserve(info.chunks.size());
    for (std::size_t i = 0; i < info.chunks.size(); ++i) reads.push_back({i, {}, 0, true});
    const ReadHandler note = [](void* owner, const ChunkRead& read, const Status& problem) {
      static_cast<Verifier*>(owner)->add(read.chunk, problem);
      return Status();
    };
    NUMPACT_TRY(read_chunks(records, reads, {}, config, note, &verifier));
  }
  std::vector<bool> is_bad(info.chunks.size());
  for (const CorruptRows& bad : report.bad) is_bad[to_size(bad.chunk)] = true;
  TaskPool pool(config.threads, config.executor);
  std::vector<Status> problems(pool.size());
  for (std::size_t first = 0; first < info.chunks.size(); first += problems.size()) {
    const std::size_t n = std::min(problems.size(), info.chunks.size() - first);
    pool.run(n, [&](std::size_t i) {
      problems[i] = {};
      for (std::size_t c = 0; c < info.columns.size() && problems[i].ok(); ++c) {
        if (is_bad[first + i]) continue;
        problems[i] = guarded([&] { return check_values(records, config.limits, first + i, c); });
      }
    });
    for (std::size_t i = 0; i < n; ++i) {
      if (is_external_error(problems[i])) return problems[i];
      if (!problems[i].ok()) verifier.add(first + i, problems[i]);
      if (!info.has_checksums()) progress.bytes += info.chunks[first + i].payload_bytes;
    }
    NUMPACT_TRY(report_progress(config, progress));
  }
  std::sort(report.bad.begin(), report.bad.end(),
            [](const auto& a, const auto& b) { return a.chunk < b.chunk; });
  return {};
}

}  // namespace numpact::cvc::internal
