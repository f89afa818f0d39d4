// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/stored.hpp"

#include <array>
#include <memory>

#include "base/alignment.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/check.hpp"
#include "cvc/file/loading.hpp"
#include "cvc/file/targets.hpp"

namespace numpact::cvc::internal {
namespace {

static_assert(std::tuple_size_v<decltype(StoredSlice::planes)> == kPlanes);

void describe_planes(const Prepared& prepared, StoredSlice& stored) {
  for (std::size_t k = 0; k < kPlanes; ++k) {
    const Plane& plane = prepared.planes[k];
    StoredPlane& out = stored.planes[k];
    out.offset = static_cast<std::uint64_t>(plane.packed - stored.bytes.data());
    out.size = (prepared.encoded.shape.n() * plane.width + 7) / 8;
    out.width = plane.width;
    out.is_plain = plane.is_plain;
    while (out.entries < plane.table.size() && plane.table[out.entries] != kNoEntry) {
      out.dictionary[out.entries] = static_cast<std::uint8_t>(plane.table[out.entries]);
      ++out.entries;
    }
  }
}

Status describe(const Records& records, std::size_t chunk, std::size_t column,
                StoredSlice& stored) {
  Record record;
  NUMPACT_TRY(records.open(chunk, record));
  Prepared prepared;
  const Status status = prepare(records.encoded(chunk, column, record), prepared);
  if (!status.ok()) return status.at_chunk(chunk);
  const Encoded& encoded = prepared.encoded;
  stored.compression = encoded.compression;
  stored.dtype = encoded.dtype;
  stored.bytes = encoded.bytes;
  stored.offset = encoded.offset;
  stored.first_row = records.info().chunks[chunk].first_row;
  stored.rows = encoded.shape.rows;
  stored.dimension = encoded.shape.dimension;
  stored.min = encoded.min;
  stored.scale = encoded.scale;
  if (encoded.compression == Compression::kLossless) describe_planes(prepared, stored);
  return {};
}

Status load_and_describe(const Records& records, std::size_t chunk, std::size_t column,
                         const ReadConfig& config, StoredSlice& stored) {
  const Info& info = records.info();
  auto scratch = std::make_shared<WorkerScratch>();
  stored.owner = scratch;
  if (config.verify && info.has_checksums()) {
    std::span<const std::byte> bytes;
    NUMPACT_TRY(records.loader()->read_record(info, chunk, scratch->buffer, bytes));
    const Records record(info, chunk, bytes);
    NUMPACT_TRY(check_chunks(record, {chunk}, config));
    return describe(record, chunk, column, stored);
  }
  const RowRange all{0, info.chunks[chunk].rows};
  NUMPACT_TRY(records.loader()->read_rows(info, chunk, all, {&column, 1}, scratch->buffer,
                                          scratch->windows));
  return describe(Records(info, scratch->windows[0]), chunk, column, stored);
}

}  // namespace

Status find_stored(const Records& records, std::size_t chunk, std::size_t column,
                   const ReadConfig& config, StoredSlice& stored) {
  const Info& info = records.info();
  stored = {};
  if (chunk >= info.chunks.size()) {
    return Status(ErrorKind::kInvalidArgument, "the file has no such chunk");
  }
  if (column >= info.columns.size()) {
    return Status(ErrorKind::kInvalidArgument, "the file has no such column");
  }
  if (records.loader() != nullptr) return load_and_describe(records, chunk, column, config, stored);
  if (config.verify) NUMPACT_TRY(check_chunks(records, {chunk}, config));
  return describe(records, chunk, column, stored);
}

Status decode_stored(const StoredSlice& stored, const RowRange& rows, const MutableRows& out) {
  const auto invalid = [](const char* what) { return Status(ErrorKind::kInvalidArgument, what); };
  if (size_of(out.dtype) == 0) return invalid("there is no such type of values");
  if (rows.first > stored.rows || rows.count > stored.rows - rows.first) {
    return invalid("rows past the end of the slice");
  }
  if (out.dimension != stored.dimension) {
    return invalid("the output's dimension is not that of the column");
  }
  if (out.count < rows.count) {
    return too_few_rows(out, rows.count);
  }
  if (!can_decode(stored.compression, stored.dtype, out.dtype)) {
    return Status(ErrorKind::kTypeMismatch, "the values cannot be had as that type");
  }
  NUMPACT_TRY(check_fits_memory(out, rows.count));
  MutableRows to = out;
  if (to.stride == 0) to.stride = row_bytes(to);
  if (to.stride < row_bytes(to)) return invalid("the output's rows overlap");
  if (rows.count == 0 || to.dimension == 0) return {};
  if (to.data == nullptr) return invalid("the output is null");
  const std::size_t size = size_of(to.dtype);
  if (!is_aligned_for(to.data, to.stride, size)) {
    return invalid("the output is not aligned for its type");
  }
  Prepared prepared;
  NUMPACT_TRY(prepare({stored.compression,
                       stored.dtype,
                       stored.bytes,
                       {stored.rows, stored.dimension},
                       stored.offset,
                       stored.min,
                       stored.scale},
                      prepared));
  const Codec& codec = codec_of(stored.compression);
  if (codec.decode_runs == nullptr) return decode_rows(prepared, rows.first, rows.count, to, 0);
  const RowRun run{rows.first, rows.count, 0};
  return codec.decode_runs(prepared, {&run, 1}, 0, to);
}

}  // namespace numpact::cvc::internal
