// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/frame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/try.hpp"
#include "signature/file_format.hpp"

namespace numpact::internal::standalone {
namespace {

// From standalone version 2 on the file has its own version byte. Before, the byte is the version
// of the wrapped format.
constexpr unsigned kFirstVersionWithOwnByte = 2;
// From this standalone version on the header names the number type of all chunks.
constexpr unsigned kFirstVersionWithUniformType = 3;

Status parse_uniform_type(BitReader& reader, std::optional<NumberType>& type) {
  const auto byte = static_cast<std::uint8_t>(reader.read(wire::kNumberTypeBits));
  NUMPACT_TRY(reader.status());
  if (byte == wire::kNoUniformType) return {};
  if (!is_number_type(byte)) {
    return Status(ErrorKind::kCorrupt, "unknown uniform number type", reader.byte_position() - 1);
  }
  type = static_cast<NumberType>(byte);
  return {};
}

Status parse_format_version(BitReader& reader, FormatVersion& version) {
  version.major = reader.read_small(8);
  version.minor = 0;
  NUMPACT_TRY(reader.status());
  if (!version.is_readable()) {
    return Status(ErrorKind::kUnsupportedVersion, "format version newer than 4",
                  reader.byte_position() - 1);
  }
  if (version.has_minor()) version.minor = reader.read_small(8);
  return reader.status();
}

// The error of a file that does not begin with the magic bytes.
const char* text_without_magic(BitReader reader) {
  std::array<std::byte, signature::kFrontBytes> front;
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(front.size(), reader.bits_left() / 8));
  for (std::size_t i = 0; i < size; ++i) front[i] = static_cast<std::byte>(reader.read(8));
  return signature::refusal(std::span(front).first(size), signature::Expected::kPco,
                            "not a standalone Pco file (magic bytes \"pco!\" missing)");
}

}  // namespace

Status parse_header(BitReader& reader, Header& header) {
  header = Header{};
  const BitReader start = reader;
  for (const unsigned char expected : wire::kMagic) {
    const bool matches = reader.read(8) == expected;
    NUMPACT_TRY(reader.status());
    if (!matches) {
      return Status(ErrorKind::kCorrupt, text_without_magic(start), reader.byte_position() - 1);
    }
  }
  header.standalone_version = reader.read_small(8);
  NUMPACT_TRY(reader.status());
  if (header.standalone_version > wire::kStandaloneVersion) {
    return Status(ErrorKind::kUnsupportedVersion, "standalone version newer than 3",
                  reader.byte_position() - 1);
  }
  if (header.standalone_version < kFirstVersionWithOwnByte) {
    header.format = {header.standalone_version, 0};
    return {};
  }
  if (header.standalone_version >= kFirstVersionWithUniformType) {
    NUMPACT_TRY(parse_uniform_type(reader, header.uniform_type));
  }
  const unsigned hint_bits = 1 + reader.read_small(wire::kVarintWidthBits);
  header.n_hint = reader.read(hint_bits);
  NUMPACT_TRY(reader.finish_byte("padding after the count hint is not zero"));
  return parse_format_version(reader, header.format);
}

void write_header(BitWriter& writer, const Header& header) {
  const bool has_uniform_type = header.format.has_minor();
  for (const unsigned char byte : wire::kMagic) writer.write(byte, 8);
  writer.write(has_uniform_type ? wire::kStandaloneVersion : kFirstVersionWithOwnByte, 8);
  if (has_uniform_type) {
    writer.write(header.uniform_type ? static_cast<std::uint64_t>(*header.uniform_type)
                                     : std::uint64_t{wire::kNoUniformType},
                 wire::kNumberTypeBits);
  }
  const unsigned hint_bits = std::max(1U, static_cast<unsigned>(std::bit_width(header.n_hint)));
  writer.write(hint_bits - 1, wire::kVarintWidthBits);
  writer.write(header.n_hint, hint_bits);
  writer.finish_byte();
  writer.write(header.format.major, 8);
  if (header.format.has_minor()) writer.write(header.format.minor, 8);
  writer.finish_byte();
}

Status parse_chunk_head(BitReader& reader, const std::optional<NumberType>& type, ChunkHead& head) {
  head = ChunkHead{};
  const auto byte = static_cast<std::uint8_t>(reader.read(wire::kNumberTypeBits));
  if (reader.overrun()) {
    return Status(ErrorKind::kTruncated, "the input ends before the terminator",
                  reader.byte_position() - 1);
  }
  if (byte == wire::kTerminator) {
    head.is_end = true;
    return {};
  }
  const std::uint64_t at = reader.byte_position() - 1;
  if (!is_number_type(byte)) return Status(ErrorKind::kCorrupt, "unknown number type", at);
  head.type = static_cast<NumberType>(byte);
  if (type && *type != head.type) {
    return Status(ErrorKind::kCorrupt, "chunks of different number types", at);
  }
  head.n = 1 + static_cast<std::size_t>(reader.read(wire::kChunkNBits));
  return reader.status();
}

void write_chunk_head(BitWriter& writer, NumberType type, std::size_t n) {
  writer.write(static_cast<std::uint64_t>(type), wire::kNumberTypeBits);
  writer.write(n - 1, wire::kChunkNBits);
  writer.finish_byte();
}

}  // namespace numpact::internal::standalone
