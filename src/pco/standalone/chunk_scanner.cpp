// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/chunk_scanner.hpp"

#include <algorithm>

#include "base/load.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact::standalone {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kTurn = std::size_t{1} << 16;

// Metadata is tried on this many bytes; what is longer counts as likely.
constexpr std::size_t kTriedMetaBytes = 512;

// Files made to look full of chunks are given up, so that trying stays cheaper than decoding.
constexpr std::uint64_t kFreeRefusals = 64;
constexpr std::uint64_t kBytesPerRefusal = 4096;

}  // namespace

std::uint64_t head_n(const std::byte* at) {
  return 1 + (std::to_integer<std::uint64_t>(at[1]) | std::to_integer<std::uint64_t>(at[2]) << 8 |
              std::to_integer<std::uint64_t>(at[3]) << 16);
}

void ChunkScanner::look_for(std::uint64_t n) {
  n_ = n;
  clean_begin_ = clean_end_ = 0;
  found_ = kNone;
  // The stored count is one less than n, so it lies between n - 2 and n.
  pattern_.masks = {0xff, 0xff, 0xff};
  pattern_.bytes[0] = static_cast<std::uint8_t>(type_);
  for (std::size_t i = 1; i < HeadPattern::kBytes; ++i) {
    const unsigned shift = 8 * (static_cast<unsigned>(HeadPattern::kAt[i]) - 1);
    const auto least = static_cast<std::uint8_t>((n - 2) >> shift);
    if (least != static_cast<std::uint8_t>(n >> shift)) pattern_.masks[i] = 0;
    pattern_.bytes[i] = least & pattern_.masks[i];
  }
}

bool ChunkScanner::is_wanted_head(const std::byte* at) const {
  if (std::to_integer<std::uint8_t>(at[0]) != static_cast<std::uint8_t>(type_)) return false;
  const std::uint64_t n = head_n(at);
  return n + 1 >= n_ && n <= n_ + 1;
}

bool ChunkScanner::is_likely(const Stretch& stretch, std::size_t at, Arena& scratch) {
  const ArenaScope scope(scratch);
  const std::size_t begin = at + kChunkHeadBytes;
  const std::size_t size = std::min(stretch.bytes.size() - begin, kTriedMetaBytes);
  BitReader reader(stretch.bytes.subspan(begin, size));
  ChunkMeta meta;
  const Status status = parse_chunk_meta(reader, type_, format_, scratch, meta);
  if (status.ok()) return true;
  if (status.kind() == ErrorKind::kTruncated && (size == kTriedMetaBytes || !stretch.is_last)) {
    return true;
  }
  ++refusals_;
  return false;
}

std::uint64_t ChunkScanner::find(const Stretch& stretch, std::uint64_t from, Arena& scratch) {
  if (from < clean_begin_ || from > clean_end_) {
    clean_begin_ = clean_end_ = from;
    found_ = kNone;
  }
  if (found_ != kNone) return found_;
  const std::byte* const bytes = stretch.bytes.data();
  const std::size_t size = stretch.bytes.size();
  if (clean_end_ < stretch.base || clean_end_ + kChunkHeadBytes > stretch.end()) return kNone;
  const std::size_t last = size - kChunkHeadBytes;
  std::size_t at = static_cast<std::size_t>(clean_end_ - stretch.base);
  const std::size_t first = at;
  while (at <= last && refusals_ <= kFreeRefusals + (scanned_ + at - first) / kBytesPerRefusal) {
    // By turns, so that refusals are looked at.
    const std::size_t passed = pass_no_heads(pattern_, bytes + at, std::min(kTurn, last - at));
    at += passed;
    if (passed > 0) continue;
    const std::size_t block_end = std::min(at + kBlock, last + 1);
    while (at < block_end && !is_wanted_head(bytes + at)) ++at;
    if (at == block_end) continue;
    if (is_likely(stretch, at, scratch)) {
      found_ = stretch.base + at;
      break;
    }
    ++at;
  }
  scanned_ += at - first;
  clean_end_ = stretch.base + at;
  return found_;
}

}  // namespace numpact::standalone
