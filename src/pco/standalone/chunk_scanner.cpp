// SPDX-License-Identifier: Apache-2.0
// Validates possible chunk heads by the metadata behind them, within a budget of rejections.
#include "pco/standalone/chunk_scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pco/meta/chunk_meta.hpp"
#include "pco/page/page_size.hpp"

namespace numpact::internal::standalone {
namespace {

// Positions scanned between two checks of the rejection budget.
constexpr std::size_t kScanStepBytes = std::size_t{1} << 16;

// Initial bound of the counts that are searched for. It is raised once a larger chunk was found. A
// lower bound makes false heads rarer but misses large chunks.
constexpr std::uint64_t kInitialMaxChunkN = std::uint64_t{1} << 20;

// The scan of a file that is full of false heads is given up, so that guessing stays cheaper than
// decoding. A rejection costs kRejectionCostBytes plus the bytes of metadata that it parsed. The
// budget is kFreeRejectionBytes plus one byte per kScannedBytesPerRejected bytes scanned.
constexpr std::uint64_t kRejectionCostBytes = 64;
constexpr std::uint64_t kFreeRejectionBytes = std::uint64_t{1} << 15;
constexpr std::uint64_t kScannedBytesPerRejected = 4;

// Encoders write bins in ascending order and no more bins than numbers. Random bytes, and bytes
// that are mostly zero, usually violate this.
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

ChunkScanner::ChunkScanner(NumberType type, FormatVersion format) : type_(type), format_(format) {
  raise_max_n(kInitialMaxChunkN);
}

void ChunkScanner::raise_max_n(std::uint64_t n) {
  if (n <= max_n_) return;
  max_n_ = std::bit_ceil(n);
  clean_begin_ = clean_end_ = 0;
  has_found_ = false;
  pattern_.masks = {0xff, static_cast<std::uint8_t>(~((max_n_ - 1) >> 16))};
  pattern_.bytes = {static_cast<std::uint8_t>(type_), 0};
}

bool ChunkScanner::has_budget() const {
  return rejection_cost_ <= kFreeRejectionBytes + reached_ / kScannedBytesPerRejected;
}

// The whole head must lie in the window. Adds the cost of a rejection; a caller that accepts the
// chunk restores rejection_cost_.
ChunkScanner::Outcome ChunkScanner::examine(const FileWindow& window, std::size_t at,
                                            Arena& scratch, LikelyChunk& chunk) {
  const std::span<const std::byte> bytes = window.bytes.subspan(at);
  if (bytes[0] != static_cast<std::byte>(type_)) return Outcome::kNone;
  const std::uint64_t n = head_n(bytes.data());
  const std::uint64_t offset = window.base + at;
  if (!window.is_last && offset == truncated_at_ && window.end() < retry_end_) {
    return Outcome::kMore;
  }
  const ArenaScope scope(scratch);
  BitReader reader(bytes.subspan(kChunkHeadBytes));
  ChunkMeta meta;
  const Status status = parse_guessed_meta(reader, type_, format_, n, scratch, meta);
  if (status.kind() == ErrorKind::kTruncated && !window.is_last) {
    truncated_at_ = offset;
    retry_end_ = window.end() + bytes.size();
    return Outcome::kMore;
  }
  const auto* const dict = std::get_if<Dict>(&meta.mode);
  const std::uint64_t passed_over = dict != nullptr ? dict->count * size_of(type_) : 0;
  rejection_cost_ += kRejectionCostBytes + reader.byte_position() - passed_over;
  if (!status.ok() || !has_likely_bins(meta, n)) return Outcome::kNone;
  const PageSize size = page_size(meta, static_cast<std::size_t>(n));
  const std::uint64_t page = offset + kChunkHeadBytes + reader.byte_position();
  chunk = {offset, n, page + size.min_bytes, page + size.max_bytes};
  // A terminator follows the last page.
  const bool fits = !window.is_last || chunk.min_end < window.end();
  return fits ? Outcome::kFound : Outcome::kNone;
}

// If the end of the page is known exactly, another chunk, the terminator with the end of the file,
// or a trailer must follow it.
bool ChunkScanner::has_successor(const FileWindow& window, const LikelyChunk& chunk,
                                 Arena& scratch) {
  const std::uint64_t end = chunk.min_end;
  if (end != chunk.max_end) return true;
  if (end >= window.end()) return !window.is_last;
  const auto at = static_cast<std::size_t>(end - window.base);
  if (window.bytes[at] == std::byte{wire::kTerminator}) {
    const std::span<const std::byte> rest = window.bytes.subspan(at + 1);
    const std::size_t n = std::min(rest.size(), sizeof wire::kTrailerMagic);
    return std::memcmp(rest.data(), wire::kTrailerMagic, n) == 0;
  }
  if (end + kChunkHeadBytes > window.end()) return !window.is_last;
  LikelyChunk behind;
  return examine(window, at, scratch, behind) != Outcome::kNone;
}

ChunkScanner::Outcome ChunkScanner::examine_at(const FileWindow& window, std::uint64_t at,
                                               Arena& scratch, LikelyChunk& chunk) {
  if (at < window.base) return Outcome::kNone;
  if (at + kChunkHeadBytes > window.end()) {
    return window.is_last ? Outcome::kNone : Outcome::kMore;
  }
  const std::uint64_t cost_before = rejection_cost_;
  const Outcome outcome =
      examine(window, static_cast<std::size_t>(at - window.base), scratch, chunk);
  rejection_cost_ = cost_before;
  if (outcome == Outcome::kFound) raise_max_n(chunk.n);
  return outcome;
}

// Invariant: no likely chunk starts in [clean_begin_, clean_end_), and if has_found_, one starts at
// clean_end_. Each call extends this range from before.min_end up to before.max_end or the end of
// the window. A search that starts outside the range discards it.
//
//   before.offset        min_end      clean_end_        max_end
//   |---- head, page ----|.............|.................|
//                         no chunk here  still to scan
//
// Example: the metadata say that the page ends in [1000, 1003]. skip_non_heads() jumps to offset
// 1002, where the type byte and the count fit; if the metadata there parse, the chunk is found.
ChunkScanner::Outcome ChunkScanner::find_next(const FileWindow& window, const LikelyChunk& before,
                                              Arena& scratch, LikelyChunk& chunk) {
  const std::uint64_t from = before.min_end;
  if (from < clean_begin_ || from > clean_end_) {
    clean_begin_ = clean_end_ = from;
    has_found_ = false;
  }
  const auto found = [&] {
    if (clean_end_ > before.max_end) return Outcome::kNone;
    chunk = found_;
    return Outcome::kFound;
  };
  if (has_found_) return found();
  const Outcome none_here = window.is_last ? Outcome::kNone : Outcome::kMore;
  if (clean_end_ < window.base) return Outcome::kNone;
  while (clean_end_ <= before.max_end && has_budget()) {
    if (clean_end_ + kChunkHeadBytes > window.end()) return none_here;
    const auto at = static_cast<std::size_t>(clean_end_ - window.base);
    const std::uint64_t heads = window.end() - kChunkHeadBytes + 1 - clean_end_;
    const std::uint64_t left = std::min(before.max_end + 1 - clean_end_, heads);
    const auto step_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kScanStepBytes, left));
    const std::byte* const bytes = window.bytes.data() + at;
    const std::size_t skipped = skip_non_heads(pattern_, bytes, step_bytes);
    if (skipped > 0) {
      clean_end_ += skipped;
      reached_ = std::max(reached_, clean_end_);
      continue;
    }
    const std::uint64_t n = head_n(bytes);
    if (n >= kMinChunkN && n <= max_n_) {
      const std::uint64_t cost_before = rejection_cost_;
      const Outcome outcome = examine(window, at, scratch, found_);
      if (outcome == Outcome::kMore) return outcome;
      has_found_ = outcome == Outcome::kFound && has_successor(window, found_, scratch);
      if (has_found_) {
        rejection_cost_ = cost_before;
        return found();
      }
    }
    ++clean_end_;
  }
  return Outcome::kNone;
}

}  // namespace numpact::internal::standalone
