// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/verify.hpp"

#include <algorithm>
#include <vector>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "cvc/codec/codecs.hpp"
#include "cvc/codec/team.hpp"
#include "cvc/file/read_rows.hpp"

namespace numpact::cvc {
namespace {

constexpr std::uint64_t kMostValues = std::uint64_t{1} << 22;  // decoded at a time

// Into a block's memory, again and again.
Status check_blocks(Prepared& prepared, const DecodeLimits& limits) {
  const Encoded& encoded = prepared.encoded;
  const Codec& codec = codec_of(encoded.compression);
  const Block block = codec.block(prepared);
  const Dtype dtype = can_decode(encoded.compression, encoded.dtype, encoded.dtype)
                          ? encoded.dtype
                          : Dtype::kFloat32;
  if (encoded.shape.n() == 0) return {};
  const std::uint64_t dimensions = std::min(block.dimensions, encoded.shape.dimension);
  const std::uint64_t rows = std::min(
      {block.rows, encoded.shape.rows, std::max<std::uint64_t>(1, kMostValues / dimensions)});
  prepared.max_memory = limits.max_memory;
  std::vector<std::uint64_t> memory(rows * dimensions * size_of(dtype) / 8 + 1);
  for (std::uint64_t row = 0; row < encoded.shape.rows; row += rows) {
    for (std::uint64_t d = 0; d < encoded.shape.dimension; d += block.dimensions) {
      const std::uint64_t width = std::min(dimensions, encoded.shape.dimension - d);
      const RowRun run{row, std::min(rows, encoded.shape.rows - row), 0};
      const MutableRows out(dtype, memory.data(), run.count, width, width * size_of(dtype));
      NUMPACT_TRY(codec.decode_runs(prepared, {&run, 1}, d, out));
    }
  }
  return {};
}

// Some data can be wrong beyond its size.
Status check_values(const Records& records, const DecodeLimits& limits, std::size_t chunk,
                    std::size_t column) {
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  const Encoded encoded = records.encoded(chunk, column, record);
  Prepared prepared;
  NUMPACT_TRY(prepare(encoded, prepared));
  const Codec& codec = codec_of(encoded.compression);
  if (!codec.checks_values) return {};
  if (codec.decode_runs != nullptr) return check_blocks(prepared, limits);
  float values[kBlockValues];
  const std::uint64_t all = encoded.shape.n();
  for (std::uint64_t first = 0; first < all; first += kBlockValues) {
    const std::uint64_t n = std::min<std::uint64_t>(kBlockValues, all - first);
    NUMPACT_TRY(codec.decode(prepared, first, n, values));
  }
  return {};
}

struct Verifier {
  const Info& info;
  VerifyReport& report;

  void add(std::size_t chunk, const Status& status) {
    const Chunk& entry = info.chunks[chunk];
    report.bad.push_back({chunk, {entry.first_row, entry.rows}, status.at_chunk(chunk)});
  }
};

}  // namespace

Status verify_chunks(const Records& records, const ReadConfig& config, VerifyReport& report) {
  const Info& info = records.info();
  report = {};
  report.chunks = info.chunks.size();
  Verifier verifier{info, report};
  if (info.has_checksums()) {
    std::vector<Part> parts;
    parts.reserve(info.chunks.size());
    for (std::size_t i = 0; i < info.chunks.size(); ++i) parts.push_back({i, {}, 0, true});
    const PartHandler note = [](void* owner, const Part& part, const Status& problem) {
      static_cast<Verifier*>(owner)->add(part.chunk, problem);
      return Status();
    };
    NUMPACT_TRY(read_parts(records, parts, {}, config, note, &verifier));
  }
  std::vector<bool> is_bad(info.chunks.size());
  for (const VerifyReport::Bad& bad : report.bad) is_bad[bad.chunk] = true;
  Team team(config.threads, config.executor);
  std::vector<Status> problems(team.size());
  for (std::size_t first = 0; first < info.chunks.size(); first += problems.size()) {
    const std::size_t n = std::min(problems.size(), info.chunks.size() - first);
    team.run(n, [&](std::size_t i) {
      problems[i] = {};
      for (std::size_t c = 0; c < info.columns.size() && problems[i].ok(); ++c) {
        if (is_bad[first + i]) continue;
        problems[i] = guarded([&] { return check_values(records, config.limits, first + i, c); });
      }
    });
    for (std::size_t i = 0; i < n; ++i) {
      if (!problems[i].ok()) verifier.add(first + i, problems[i]);
    }
  }
  std::sort(report.bad.begin(), report.bad.end(),
            [](const auto& a, const auto& b) { return a.chunk < b.chunk; });
  return {};
}

}  // namespace numpact::cvc
