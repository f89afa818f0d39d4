// SPDX-License-Identifier: Apache-2.0
#include "common/vectors.hpp"

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "common/numbers.hpp"

namespace numpact::fuzz {
namespace {

using cvc::Compression;
using cvc::Dtype;

constexpr const char* kMetadata[] = {"", R"({"source":"wiki"})", R"({"source":1.0,"n":[1,2,{}]})",
                                     "[null,true,\"\\u00e9\"]", "-0.5e-7"};

std::optional<Dtype> dtype_of(NumberType type) {
  switch (type) {
    case NumberType::kF16:
      return Dtype::kFloat16;
    case NumberType::kF32:
      return Dtype::kFloat32;
    case NumberType::kF64:
      return Dtype::kFloat64;
    case NumberType::kI8:
      return Dtype::kInt8;
    case NumberType::kU8:
      return Dtype::kUInt8;
    case NumberType::kI32:
      return Dtype::kInt32;
    case NumberType::kI64:
      return Dtype::kInt64;
    default:
      return std::nullopt;
  }
}

void add_column(Draw& draw, VectorFile& file) {
  const NumberType type = draw.flag() ? NumberType::kF32 : draw_type(draw);
  const Dtype dtype = dtype_of(type).value_or(Dtype::kFloat32);
  const bool is_as_drawn = dtype_of(type).has_value();
  const std::uint64_t dimension = draw.one_in(8) ? draw.below(300) : draw.between(1, 12);
  file.numbers.push_back(draw_numbers(draw, is_as_drawn ? type : NumberType::kF32, 2500));
  const std::uint64_t rows =
      dimension == 0 ? draw.below(4) : file.numbers.back().count() / dimension;
  file.rows = file.columns.empty() ? rows : std::min(file.rows, rows);
  file.columns.emplace_back(dtype, nullptr, rows, dimension);
}

void choose_config(Draw& draw, VectorFile& file) {
  cvc::WriteConfig& config = file.config;
  constexpr cvc::Version kVersions[] = {cvc::Version::kV10, cvc::Version::kV20, cvc::Version::kV01};
  config.version = draw.pick(kVersions);
  config.compression = draw.pick(cvc::kCompressions);
  config.chunk_rows = 1 + draw.below(200);
  config.paged = config.version == cvc::Version::kV10 && draw.one_in(4);
  config.allow_nonfinite = !draw.one_in(16);
  config.rounding = draw.flag() ? cvc::Rounding::kForSearch : cvc::Rounding::kAutomatic;
  config.metadata = draw.pick(kMetadata);
  config.sync = false;
}

void choose_columns(Draw& draw, VectorFile& file) {
  const std::uint64_t count = file.config.version == cvc::Version::kV20 ? draw.between(1, 4) : 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    add_column(draw, file);
    const cvc::Rows& rows = file.columns.back();
    if (file.config.version != cvc::Version::kV20) continue;
    cvc::ColumnSpec spec{std::string(1, static_cast<char>('a' + i)), rows.dimension, rows.dtype,
                         std::nullopt};
    if (draw.flag()) spec.compression = draw.pick(cvc::kCompressions);
    file.config.columns.push_back(std::move(spec));
  }
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    file.columns[i].data = file.numbers[i].data();
    file.columns[i].count = file.rows;
  }
}

Status write(Draw& draw, VectorFile& file) {
  if (draw.flag()) file.config.expected_rows = file.rows;
  Result<cvc::Writer> writer = cvc::Writer::create(file.bytes, file.config);
  if (!writer.ok()) return writer.status();
  const std::uint64_t sections = draw.one_in(4) ? draw.below(4) : 0;
  std::uint64_t done = 0;
  for (std::uint64_t i = 0; i < sections; ++i) {
    const std::uint64_t n = draw.below(file.rows - done + 1);
    const char* const metadata = draw.pick(kMetadata);
    Status status = writer->begin_section(metadata[0] == '\0' ? "{}" : metadata);
    if (status.ok()) status = append(*writer, file, done, n);
    if (!status.ok()) return status;
    file.section_starts.push_back(done);
    done += n;
  }
  const Status status = append(*writer, file, done, file.rows - done);
  return status.ok() ? writer->finish().status() : status;
}

std::uint32_t number_at(ByteSpan bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= std::to_integer<std::uint32_t>(bytes[at + i]) << 8 * i;
  return value;
}

}  // namespace

Status append(cvc::Writer& writer, const VectorFile& file, std::uint64_t first,
              std::uint64_t count) {
  std::vector<cvc::Rows> columns = file.columns;
  for (cvc::Rows& rows : columns) {
    const std::size_t row_bytes =
        static_cast<std::size_t>(rows.dimension) * cvc::size_of(rows.dtype);
    rows.data = static_cast<const std::byte*>(rows.data) + first * row_bytes;
    rows.count = count;
  }
  return file.config.version == cvc::Version::kV20 ? writer.append(columns)
                                                   : writer.append(columns[0]);
}

std::optional<VectorFile> draw_vectors(Draw& draw) {
  VectorFile file;
  choose_config(draw, file);
  choose_columns(draw, file);
  const Status status = write(draw, file);
  if (status.ok()) return file;
  NUMPACT_REQUIRE(status.kind() == ErrorKind::kInvalidArgument ||
                  status.kind() == ErrorKind::kTypeMismatch);
  return std::nullopt;
}

void repair_checksums(Bytes& file) {
  cvc::Info info;
  if (!cvc::parse_header(file, {}, file.size()).into(info).ok() || !info.has_checksums()) return;
  std::uint64_t end = info.header_bytes;
  for (const cvc::Chunk& chunk : info.chunks) {
    const std::uint64_t at = chunk.offset == cvc::Chunk::kUnknown ? end : chunk.offset;
    if (at > file.size() || file.size() - at < 8) return;
    const std::uint64_t length =
        chunk.payload_bytes == cvc::Chunk::kUnknown ? number_at(file, at) : chunk.payload_bytes;
    if (length > file.size() - at - 8) return;
    const std::uint32_t sum = crc32(ByteSpan(file).subspan(at + 8, length));
    for (std::size_t i = 0; i < 4; ++i) {
      file[at + 4 + i] = static_cast<std::byte>(sum >> 8 * i & 0xff);
    }
    end = at + 8 + length;
  }
}

}  // namespace numpact::fuzz
