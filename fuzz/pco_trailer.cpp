// SPDX-License-Identifier: Apache-2.0
// Trailers: damage to a file is found and what is sound comes out whole; damage to a trailer, or
// one made to lie, leads to an error or to the numbers, never to others.
#include "numpact/trailer.hpp"

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/patch.hpp"
#include "common/pco_checks.hpp"

namespace numpact::fuzz {
namespace {

constexpr std::size_t kFooterBytes = 24;

Encoded draw_with_trailer(Draw& draw) {
  return draw_encoded(draw, 3000, {.trailer = draw_trailer(draw)});
}

std::size_t trailer_at(ByteSpan file) {
  const std::optional<Trailer> trailer = Trailer::read(file).value();
  NUMPACT_REQUIRE(trailer.has_value());
  return static_cast<std::size_t>(trailer->file_bytes());
}

void repair(Bytes& file, std::size_t trailer) {
  const auto put = [&](std::size_t at, std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<std::byte>(word >> (8 * i));
  };
  if (file.size() < trailer + kFooterBytes) return;
  const std::size_t footer = file.size() - kFooterBytes;
  put(footer + 8, crc32(ByteSpan(file).subspan(trailer, footer - trailer)));
  put(footer + 12, crc32(ByteSpan(file).subspan(footer, 12)));
}

Verification verify_twice(ByteSpan file, Draw& draw) {
  Verification found;
  const Status status = verify(file, tight_config()).into(found);
  InTurn executor(3, draw.flag());
  DecodeConfig config = tight_config();
  config.executor = &executor;
  Verification shared;
  NUMPACT_REQUIRE(same_status(verify(file, config).into(shared), status));
  NUMPACT_REQUIRE(status.ok() || status.kind() == ErrorKind::kLimitExceeded);
  if (!status.ok()) {
    found.header_status = status;  // nothing is verified
    return found;
  }
  NUMPACT_REQUIRE(shared.is_sound() == found.is_sound());
  NUMPACT_REQUIRE(shared.damage.size() == found.damage.size());
  NUMPACT_REQUIRE(shared.sound_count == found.sound_count);
  NUMPACT_REQUIRE(found.good_bytes <= file.size());
  return found;
}

// All policies; what they agree to is the same.
void check_policies(ByteSpan file, Draw& draw) {
  const Decoded ignored = decode(file, tight_config(TrailerPolicy::kIgnore));
  const Decoded used = decode(file, tight_config(TrailerPolicy::kUse));
  const Decoded required = decode(file, tight_config(TrailerPolicy::kRequire));
  std::optional<Trailer> trailer;
  const Status read = Trailer::read(file).into(trailer);
  const bool is_sound = read.ok() && trailer;
  if (!is_sound) {
    NUMPACT_REQUIRE(!required.status.ok());
    NUMPACT_REQUIRE(same_status(ignored.status, used.status));
  }
  if (required.status.ok()) NUMPACT_REQUIRE(used.status.ok());
  if (used.status.ok() && used.numbers.count() > 0) {
    NUMPACT_REQUIRE(ignored.status.ok());
    NUMPACT_REQUIRE(same_numbers(used.numbers.view(), ignored.numbers.view()));
  }
  // Parts of what was proven are those of the file.
  const Result<FileReader> proven = FileReader::create(file, tight_config(TrailerPolicy::kVerify));
  if (proven && ignored.status.ok() && proven->count() > 0) {
    const auto first = static_cast<std::size_t>(draw.below(proven->count()));
    const auto n = static_cast<std::size_t>(
        std::min<std::uint64_t>(1 + draw.below(proven->count() - first), 4096));
    const NumberType type = *proven->type();
    const MutableNumberView out(type, guarded_output(n * size_of(type)).data(), n);
    NUMPACT_REQUIRE(proven->read(first, out, tight_config()).ok());
    NUMPACT_REQUIRE(same_numbers({type, out.data, n}, part(ignored.numbers, first, n)));
  }
  const Verification found = verify_twice(file, draw);
  if (found.is_sound() && ignored.numbers.count() > 0) NUMPACT_REQUIRE(used.status.ok());
  const Result<MadeTrailer> made = Trailer::make(file, draw_trailer(draw), tight_config());
  if (!made.ok()) return;
  Bytes renewed = testing::prefix(file, static_cast<std::size_t>(made->file_bytes));
  renewed.insert(renewed.end(), made->bytes.begin(), made->bytes.end());
  NUMPACT_REQUIRE(verify(renewed, tight_config()).value().is_sound());
}

// Numbers that an index leads to, whatever the index says.
void read_somewhere(ByteSpan file, const ChunkIndex& index, Draw& draw) {
  Result<FileReader> reader = FileReader::create(file, index);
  if (!reader.ok() || !reader->type()) return;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t first = draw.below(reader->count() + 1);
    const std::uint64_t count =
        std::min(draw.below(reader->count() - first + 1), std::uint64_t{4096});
    const auto n = static_cast<std::size_t>(count);
    const NumberType type = *reader->type();
    const MutableNumberView out(type, guarded_output(n * size_of(type)).data(), n);
    (void)reader->read(first, out, tight_config());
  }
}

bool is_lost(const Verification& found, const IndexedChunk& chunk) {
  for (const DamagedPart& part : found.damage) {
    if (!part.count && part.first <= chunk.first) return true;
    if (part.count && part.first < chunk.first + chunk.count &&
        chunk.first < part.first + *part.count) {
      return true;
    }
  }
  return false;
}

// The trailer is as it was written, the file is not.
void check_salvage(ByteSpan file, const Encoded& encoded, Draw& draw) {
  const Verification found = verify_twice(file, draw);
  NUMPACT_REQUIRE(!found.is_sound());
  Result<FileReader> reader = FileReader::create(file, found.index, found.header);
  if (!reader.ok()) return;
  std::uint64_t sound = 0;
  for (const IndexedChunk& chunk : found.index.chunks()) {
    if (is_lost(found, chunk)) continue;
    const NumberType type = encoded.numbers.type();
    const auto n = static_cast<std::size_t>(chunk.count);
    const MutableNumberView out(type, guarded_output(n * size_of(type)).data(), n);
    NUMPACT_REQUIRE(reader->read(chunk.first, out, tight_config()).ok());
    NUMPACT_REQUIRE(same_numbers({type, out.data, n},
                                 part(encoded.numbers, static_cast<std::size_t>(chunk.first), n)));
    sound += chunk.count;
  }
  NUMPACT_REQUIRE(sound == found.sound_count);
}

void change_file(Draw& draw) {
  Encoded encoded = draw_with_trailer(draw);
  const std::size_t end = trailer_at(encoded.file);
  Bytes front = testing::prefix(encoded.file, end);
  const Bytes trailer(encoded.file.begin() + static_cast<std::ptrdiff_t>(end), encoded.file.end());
  for (std::uint64_t n = draw.between(1, 4); n > 0; --n) {
    front[draw.below(end)] ^= static_cast<std::byte>(draw.bits(1));
  }
  const bool is_changed = !testing::same_bytes(front, ByteSpan(encoded.file).first(end));
  std::copy(front.begin(), front.end(), encoded.file.begin());
  const ByteSpan file = guarded(encoded.file);
  if (is_changed) return check_salvage(file, encoded, draw);
  NUMPACT_REQUIRE(verify_twice(file, draw).is_sound());
  check_file(encoded.file, draw);
}

void change_trailer(Draw& draw) {
  Encoded encoded = draw_with_trailer(draw);
  const std::size_t end = trailer_at(encoded.file);
  Bytes trailer(encoded.file.begin() + static_cast<std::ptrdiff_t>(end), encoded.file.end());
  patch(draw, trailer, 4);
  encoded.file.resize(end);
  encoded.file.insert(encoded.file.end(), trailer.begin(), trailer.end());
  if (!draw.one_in(4)) repair(encoded.file, end);
  const ByteSpan file = guarded(encoded.file);
  check_policies(file, draw);
  std::optional<Trailer> read;
  if (Trailer::read(file).into(read).ok() && read) {
    (void)read->chunks_within(draw.bits(8), draw.bits(8));
    read_somewhere(file, read->index(), draw);
  }
}

void run_pco_trailer(ByteSpan input) {
  Draw draw(input);
  switch (draw.below(4)) {
    default:
      return change_file(draw);
    case 1:
      return check_policies(guarded(input), draw);
    case 2:
      return change_trailer(draw);
    case 3: {
      Encoded encoded = draw_encoded(draw, 3000);
      patch(draw, encoded.file, 4);
      return check_policies(guarded(encoded.file), draw);
    }
  }
}

NUMPACT_FUZZ_TARGET(pco_trailer, run_pco_trailer)

}  // namespace
}  // namespace numpact::fuzz
