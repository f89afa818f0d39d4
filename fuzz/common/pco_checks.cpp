// SPDX-License-Identifier: Apache-2.0
#include "common/pco_checks.hpp"

#include <algorithm>
#include <cstring>

#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"

namespace numpact::fuzz {
namespace {

constexpr std::uint64_t kMaxPcoNumbers = 1 << 15;

MutableNumberView output(NumberType type, std::uint64_t count, Slot slot = Slot::kOutput) {
  const auto n = static_cast<std::size_t>(count);
  return {type, guarded_output(n * size_of(type), slot).data(), n};
}

NumberView as_view(const MutableNumberView& out, std::size_t count) {
  return {out.type, out.data, count};
}

void check_typed(ByteSpan file, const Decoded& all, Draw& draw) {
  const NumberType type = all.numbers.type();
  const MutableNumberView out = output(type, all.numbers.count());
  std::size_t count = 0;
  const Status status = count_into(decompress_into(file, out, tight_config()), count);
  if (all.status.ok()) {
    NUMPACT_REQUIRE(status.ok());
    NUMPACT_REQUIRE(same_numbers(as_view(out, count), all.numbers.view()));
  } else {
    NUMPACT_REQUIRE(!status.ok());
    NUMPACT_REQUIRE(is_prefix(as_view(out, count), all.numbers.view()));
  }
  const NumberType other = draw.pick(kNumberTypes);
  if (other == type || !all.status.ok()) return;
  const MutableNumberView wrong = output(other, all.numbers.count());
  const Status refused = count_into(decompress_into(file, wrong, tight_config()), count);
  NUMPACT_REQUIRE(refused.kind() == ErrorKind::kTypeMismatch);
}

void check_walks(ByteSpan file, const Decoded& all) {
  FileInfo info;
  const Status inspected = inspect_into(file, info, tight_config());
  std::uint64_t count = 0;
  const Status counted = count_numbers(file, tight_config()).into(count);
  NUMPACT_REQUIRE(same_status(inspected, counted));
  // An empty file of no type can be inspected.
  if (all.status.ok()) NUMPACT_REQUIRE(inspected.ok());
  if (!inspected.ok()) {
    NUMPACT_REQUIRE(!all.status.ok());
    return;
  }
  NUMPACT_REQUIRE(info.count == count);
  NUMPACT_REQUIRE(info.file_bytes + info.trailing_bytes == file.size());
  if (all.status.ok()) NUMPACT_REQUIRE(count == all.numbers.count());
  for (const ChunkInfo& chunk : info.chunks) {
    NUMPACT_REQUIRE(!chunk.mode_text().empty() && !chunk.delta_text().empty());
  }
  NUMPACT_REQUIRE(parts_of(info).total() == 8 * info.file_bytes);
}

void check_random_access(ByteSpan file, const Decoded& all, Draw& draw) {
  Result<FileReader> reader = FileReader::create(file, tight_config());
  if (!reader.ok()) {
    NUMPACT_REQUIRE(!all.status.ok());
    return;
  }
  if (!reader->type()) return;
  if (all.status.ok()) NUMPACT_REQUIRE(reader->count() == all.numbers.count());
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t first = draw.below(reader->count() + 1);
    const std::uint64_t count = draw.below(reader->count() - first + 1);
    const MutableNumberView out = output(*reader->type(), count);
    const Status status = reader->read(first, out, tight_config());
    if (!all.status.ok()) continue;
    NUMPACT_REQUIRE(status.ok());
    NUMPACT_REQUIRE(same_numbers(as_view(out, out.count),
                                 part(all.numbers, static_cast<std::size_t>(first), out.count)));
  }
  const std::vector<IndexedChunk> chunks(reader->index().chunks().begin(),
                                         reader->index().chunks().end());
  Result<ChunkIndex> index = ChunkIndex::from_chunks(reader->type(), chunks);
  NUMPACT_REQUIRE(index.ok() && index->count() == reader->count());
}

void check_parallel(ByteSpan file, const Decoded& all, Draw& draw) {
  InTurn executor(2 + static_cast<unsigned>(draw.below(3)), draw.flag());
  DecodeConfig config = tight_config();
  config.executor = &executor;
  const Decoded shared = decode(file, config);
  NUMPACT_REQUIRE(same_status(shared.status, all.status));
  NUMPACT_REQUIRE(same_numbers(shared.numbers.view(), all.numbers.view()));
}

}  // namespace

DecodeConfig tight_config(TrailerPolicy trailer) {
  DecodeConfig config;
  config.trailer = trailer;
  config.limits.max_numbers = kMaxPcoNumbers;
  config.limits.max_memory = std::uint64_t{1} << 22;
  return config;
}

namespace {

// The numbers of the sound chunks of a damaged file.
NumberArray decode_sound_chunks(ByteSpan file, NumberType type, const DecodeConfig& config) {
  FileInfo info;
  NUMPACT_REQUIRE(inspect_into(file, info, config).ok() || info.count <= kMaxPcoNumbers);
  NumberArray numbers(type);
  numbers.storage().resize(static_cast<std::size_t>(info.count) * size_of(type));
  const MutableNumberView out(type, numbers.storage().data(), numbers.count());
  const Result<std::size_t> count = decompress_into(file, out, config);
  NUMPACT_REQUIRE(!count.ok());
  NUMPACT_REQUIRE(count.status().good_numbers() <= numbers.count());
  numbers.storage().resize(static_cast<std::size_t>(count.status().good_numbers()) * size_of(type));
  return numbers;
}

}  // namespace

Decoded decode(ByteSpan file, const DecodeConfig& config) {
  Decoded decoded;
  decoded.status = decompress_any(file, config).into(decoded.numbers);
  FileHeader header;
  if (!decoded.status.ok() && read_header(file).into(header).ok() && header.number_type) {
    decoded.numbers = decode_sound_chunks(file, *header.number_type, config);
  }
  NUMPACT_REQUIRE(decoded.status.kind() != ErrorKind::kOutOfMemory);
  NUMPACT_REQUIRE(decoded.status.kind() != ErrorKind::kInvalidArgument);
  NUMPACT_REQUIRE(decoded.numbers.count() <= kMaxPcoNumbers);
  if (!decoded.status.ok()) NUMPACT_REQUIRE(!decoded.status.message().empty());
  return decoded;
}

bool same_status(const Status& a, const Status& b) {
  return a.kind() == b.kind() && std::strcmp(a.what(), b.what()) == 0 && a.offset() == b.offset() &&
         a.chunk() == b.chunk();
}

bool is_prefix(const NumberView& a, const NumberView& b) {
  if (a.type != b.type || a.count > b.count) return false;
  return a.count == 0 || std::memcmp(a.data, b.data, a.count * size_of(a.type)) == 0;
}

bool same_numbers(const NumberView& a, const NumberView& b) {
  return a.count == b.count && is_prefix(a, b);
}

void check_file(ByteSpan bytes, Draw& draw) {
  const ByteSpan file = guarded(bytes);
  FileHeader header;
  const Status read = read_header(file).into(header);
  const Decoded all = decode(file);
  if (!read.ok()) NUMPACT_REQUIRE(!all.status.ok());
  if (read.ok()) NUMPACT_REQUIRE(header.size_bytes <= file.size());
  if (read.ok() && header.number_type) check_typed(file, all, draw);
  check_walks(file, all);
  check_random_access(file, all, draw);
  check_parallel(file, all, draw);
  if (draw.one_in(8)) {
    Explanation explanation;
    const Status explained = explain_file(file, tight_config()).into(explanation);
    if (explained.ok()) NUMPACT_REQUIRE(all.status.ok() || !header.number_type);
  }
}

}  // namespace numpact::fuzz
