// SPDX-License-Identifier: Apache-2.0
// Rows x types x compressions: what is kept exactly comes back, what is rounded is near, and files
// written in pieces or by many are the same.
#include <cmath>

#include "common/cvc_checks.hpp"
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/pco_checks.hpp"
#include "common/vectors.hpp"
#include "support/half.hpp"

namespace numpact::fuzz {
namespace {

using cvc::Compression;
using cvc::Dtype;

float float_at(ByteSpan bytes, std::size_t i) {
  float value;
  std::memcpy(&value, bytes.data() + 4 * i, sizeof value);
  return value;
}

void check_half(ByteSpan written, ByteSpan halves) {
  for (std::size_t i = 0; i < written.size() / 4; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, halves.data() + 2 * i, sizeof bits);
    const float value = float_at(written, i);
    if (std::isnan(value)) {
      NUMPACT_REQUIRE((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0);
    } else {
      NUMPACT_REQUIRE(bits == testing::half_bits(value));
    }
  }
}

// Compression by even steps, each value to the nearest.
void check_steps(ByteSpan written, ByteSpan read, const cvc::Slice& slice, std::size_t first,
                 std::size_t count) {
  const double slack = 1e-40 + 1e-6 * (std::abs(slice.min) + 255 * std::abs(slice.scale));
  // Past float32 all values read as NaN.
  if (!std::isfinite(static_cast<float>(slice.min))) return;
  if (!std::isfinite(static_cast<float>(slice.scale))) return;
  for (std::size_t i = first; i < first + count; ++i) {
    const double value = float_at(written, i);
    if (!std::isfinite(value)) return;
    NUMPACT_REQUIRE(std::abs(float_at(read, i) - value) <= 0.5 * slice.scale + slack);
  }
}

void check_values(const VectorFile& file, const cvc::Reader& reader, std::size_t column) {
  const cvc::Info& info = reader.info();
  const cvc::Rows& rows = file.columns[column];
  const std::size_t bytes =
      static_cast<std::size_t>(rows.count * rows.dimension) * cvc::size_of(rows.dtype);
  const ByteSpan written(static_cast<const std::byte*>(rows.data), bytes);
  const Compression compression = info.columns[column].compression;
  const bool is_float32 = rows.dtype == Dtype::kFloat32;
  switch (compression) {
    case Compression::kNone:
    case Compression::kPco:
    case Compression::kLossless: {
      if (info.columns[column].dtype != rows.dtype || rows.dtype == Dtype::kFloat64) break;
      if (compression == Compression::kLossless && !is_float32) break;
      const ColumnValues read = read_column(reader, column, rows.dtype);
      NUMPACT_REQUIRE(read.status.ok() && testing::same_bytes(read.bytes, written));
      break;
    }
    case Compression::kFp16: {
      if (!is_float32) break;
      const ColumnValues read = read_column(reader, column, Dtype::kFloat16);
      NUMPACT_REQUIRE(read.status.ok());
      check_half(written, read.bytes);
      break;
    }
    case Compression::kInt8: {
      if (!is_float32) break;
      const ColumnValues read = read_column(reader, column, Dtype::kFloat32);
      NUMPACT_REQUIRE(read.status.ok());
      for (std::size_t i = 0; i < info.chunks.size(); ++i) {
        const cvc::Chunk& chunk = info.chunks[i];
        check_steps(written, read.bytes, info.slice(i, column), chunk.first_row * rows.dimension,
                    chunk.rows * rows.dimension);
      }
      break;
    }
    default: {
      const ColumnValues read = read_column(reader, column, Dtype::kFloat32);
      NUMPACT_REQUIRE(read.status.ok());
    }
  }
}

// By an executor, in pieces, and with the number of rows unknown or known.
void check_writers(const VectorFile& file, Draw& draw) {
  if (!file.section_starts.empty()) return;
  cvc::WriteConfig config = file.config;
  InTurn executor(3, draw.flag());
  config.executor = &executor;
  config.expected_rows.reset();
  if (file.config.version != cvc::Version::kV20) config.dimension = file.columns[0].dimension;
  Bytes bytes;
  Result<cvc::Writer> writer = cvc::Writer::create(bytes, config);
  NUMPACT_REQUIRE(writer.ok());
  Sequence random(draw.bits(1));
  for (std::uint64_t done = 0; done < file.rows;) {
    const std::uint64_t n =
        std::min(file.rows - done, 1 + random.below(file.config.chunk_rows * 3));
    NUMPACT_REQUIRE(append(*writer, file, done, n).ok());
    done += n;
  }
  NUMPACT_REQUIRE(writer->finish().ok());
  NUMPACT_REQUIRE(bytes == file.bytes);
}

void run_cvc_round_trip(ByteSpan input) {
  Draw draw(input);
  const std::optional<VectorFile> file = draw_vectors(draw);
  if (!file) return;
  Result<cvc::Reader> reader =
      cvc::Reader::create(guarded(file->bytes), tight_read_config().limits);
  NUMPACT_REQUIRE(reader.ok() && reader->rows() == file->rows);
  NUMPACT_REQUIRE(reader->info().columns.size() == file->columns.size());
  NUMPACT_REQUIRE(reader->info().sections.size() <= file->section_starts.size());
  cvc::VerifyReport report;
  NUMPACT_REQUIRE(reader->verify().into(report).ok() && report.bad.empty());
  for (std::size_t i = 0; i < file->columns.size(); ++i) check_values(*file, *reader, i);
  check_writers(*file, draw);
}

NUMPACT_FUZZ_TARGET(cvc_round_trip, run_cvc_round_trip)

}  // namespace
}  // namespace numpact::fuzz
