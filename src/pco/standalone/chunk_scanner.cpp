// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/chunk_scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pco/meta/chunk_meta.hpp"
#include "pco/page/page_size.hpp"

namespace numpact::standalone {
namespace {

constexpr std::size_t kTurn = std::size_t{1} << 16;

// Larger heads are looked for once there was a chunk as large: the fewer counts, the fewer bytes
// look like one.
constexpr std::uint64_t kUsualMostN = std::uint64_t{1} << 20;

// Files made to look full of chunks are given up, so that trying stays cheaper than decoding. What
// a refusal costs, beside the bytes of metadata that it read, and which part of the bytes up to
// here refusals may cost.
constexpr std::uint64_t kRefusalCost = 64;
constexpr std::uint64_t kFreeRefusals = std::uint64_t{1} << 15;
constexpr std::uint64_t kBytesPerRefused = 4;

// Writers have bins in order, for numbers that are there; bytes that are mostly zero need not.
bool has_likely_bins(const ChunkMeta& meta, std::uint64_t n) {
  for (const Binning& binning : meta.variables) {
    if (binning.latent_bits == 0) continue;
    const std::span<const Bin> bins = binning.bins;
    if (bins.size() > n) return false;
    if (bins.empty() && n > state_n(meta.delta)) return false;
    for (std::size_t i = 1; i < bins.size(); ++i) {
      if (bins[i].lower <= bins[i - 1].lower) return false;
    }
  }
  return true;
}

}  // namespace

std::uint64_t head_n(const std::byte* at) {
  return 1 + (std::to_integer<std::uint64_t>(at[1]) | std::to_integer<std::uint64_t>(at[2]) << 8 |
              std::to_integer<std::uint64_t>(at[3]) << 16);
}

ChunkScanner::ChunkScanner(NumberType type, FormatVersion format) : type_(type), format_(format) {
  expect_up_to(kUsualMostN);
}

void ChunkScanner::expect_up_to(std::uint64_t n) {
  if (n <= most_n_) return;
  most_n_ = std::bit_ceil(n);
  clean_begin_ = clean_end_ = 0;
  has_found_ = false;
  pattern_.masks = {0xff, static_cast<std::uint8_t>(~((most_n_ - 1) >> 16))};
  pattern_.bytes = {static_cast<std::uint8_t>(type_), 0};
}

bool ChunkScanner::may_go_on() const {
  return refused_ <= kFreeRefusals + reached_ / kBytesPerRefused;
}

// A whole head must be there. Counts as refused; what is taken is given back by the caller.
ChunkScanner::Outcome ChunkScanner::examine(const Stretch& stretch, std::size_t at, Arena& scratch,
                                            LikelyChunk& chunk) {
  const std::span<const std::byte> bytes = stretch.bytes.subspan(at);
  if (bytes[0] != static_cast<std::byte>(type_)) return Outcome::kNone;
  const std::uint64_t n = head_n(bytes.data());
  const std::uint64_t offset = stretch.base + at;
  if (!stretch.is_last && offset == cut_off_at_ && stretch.end() < wanted_end_) {
    return Outcome::kMore;
  }
  const ArenaScope scope(scratch);
  BitReader reader(bytes.subspan(kChunkHeadBytes));
  ChunkMeta meta;
  const Status status = parse_guessed_meta(reader, type_, format_, n, scratch, meta);
  if (status.kind() == ErrorKind::kTruncated && !stretch.is_last) {
    cut_off_at_ = offset;
    wanted_end_ = stretch.end() + bytes.size();
    return Outcome::kMore;
  }
  const auto* const dict = std::get_if<Dict>(&meta.mode);
  const std::uint64_t passed_over = dict != nullptr ? dict->count * size_of(type_) : 0;
  refused_ += kRefusalCost + reader.byte_position() - passed_over;
  if (!status.ok() || !has_likely_bins(meta, n)) return Outcome::kNone;
  const PageSize size = page_size(meta, static_cast<std::size_t>(n));
  const std::uint64_t page = offset + kChunkHeadBytes + reader.byte_position();
  chunk = {offset, n, page + size.least_bytes, page + size.most_bytes};
  // Behind the last page comes a terminator.
  const bool fits = !stretch.is_last || chunk.least_end < stretch.end();
  return fits ? Outcome::kFound : Outcome::kNone;
}

// Where it is known where a page ends, another chunk must begin there, or the file end.
bool ChunkScanner::is_followed(const Stretch& stretch, const LikelyChunk& chunk, Arena& scratch) {
  const std::uint64_t end = chunk.least_end;
  if (end != chunk.most_end) return true;
  if (end >= stretch.end()) return !stretch.is_last;
  const auto at = static_cast<std::size_t>(end - stretch.base);
  if (stretch.bytes[at] == std::byte{wire::kTerminator}) {
    const std::span<const std::byte> rest = stretch.bytes.subspan(at + 1);
    const std::size_t n = std::min(rest.size(), sizeof wire::kTrailerMagic);
    return std::memcmp(rest.data(), wire::kTrailerMagic, n) == 0;
  }
  if (end + kChunkHeadBytes > stretch.end()) return !stretch.is_last;
  LikelyChunk behind;
  return examine(stretch, at, scratch, behind) != Outcome::kNone;
}

ChunkScanner::Outcome ChunkScanner::look_at(const Stretch& stretch, std::uint64_t at,
                                            Arena& scratch, LikelyChunk& chunk) {
  if (at < stretch.base) return Outcome::kNone;
  if (at + kChunkHeadBytes > stretch.end()) {
    return stretch.is_last ? Outcome::kNone : Outcome::kMore;
  }
  const std::uint64_t refused = refused_;
  const Outcome outcome =
      examine(stretch, static_cast<std::size_t>(at - stretch.base), scratch, chunk);
  refused_ = refused;
  if (outcome == Outcome::kFound) expect_up_to(chunk.n);
  return outcome;
}

ChunkScanner::Outcome ChunkScanner::find_next(const Stretch& stretch, const LikelyChunk& before,
                                              Arena& scratch, LikelyChunk& chunk) {
  const std::uint64_t from = before.least_end;
  if (from < clean_begin_ || from > clean_end_) {
    clean_begin_ = clean_end_ = from;
    has_found_ = false;
  }
  const auto found = [&] {
    if (clean_end_ > before.most_end) return Outcome::kNone;
    chunk = found_;
    return Outcome::kFound;
  };
  if (has_found_) return found();
  const Outcome none_here = stretch.is_last ? Outcome::kNone : Outcome::kMore;
  if (clean_end_ < stretch.base) return Outcome::kNone;
  while (clean_end_ <= before.most_end && may_go_on()) {
    if (clean_end_ + kChunkHeadBytes > stretch.end()) return none_here;
    const auto at = static_cast<std::size_t>(clean_end_ - stretch.base);
    // By turns, so that refusals are looked at.
    const std::uint64_t heads = stretch.end() - kChunkHeadBytes + 1 - clean_end_;
    const std::uint64_t left = std::min(before.most_end + 1 - clean_end_, heads);
    const auto turn = static_cast<std::size_t>(std::min<std::uint64_t>(kTurn, left));
    const std::byte* const bytes = stretch.bytes.data() + at;
    const std::size_t passed = pass_no_heads(pattern_, bytes, turn);
    if (passed > 0) {
      clean_end_ += passed;
      reached_ = std::max(reached_, clean_end_);
      continue;
    }
    const std::uint64_t n = head_n(bytes);
    if (n >= kMinN && n <= most_n_) {
      const std::uint64_t refused = refused_;
      const Outcome outcome = examine(stretch, at, scratch, found_);
      if (outcome == Outcome::kMore) return outcome;
      has_found_ = outcome == Outcome::kFound && is_followed(stretch, found_, scratch);
      if (has_found_) {
        refused_ = refused;
        return found();
      }
    }
    ++clean_end_;
  }
  return Outcome::kNone;
}

}  // namespace numpact::standalone
