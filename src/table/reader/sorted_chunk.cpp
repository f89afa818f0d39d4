// SPDX-License-Identifier: Apache-2.0
#include "table/reader/sorted_chunk.hpp"

#include <algorithm>

#include "api/range_read.hpp"
#include "base/try.hpp"
#include "numpact/wrapped.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::internal {
namespace {

std::uint64_t largest_latent_of(NumberType type) {
  return ~std::uint64_t{0} >> (64 - 8 * size_of(type));
}

// What consecutive numbers differ by at most, as ordered latents; none if they may decrease.
std::optional<std::uint64_t> largest_step(const ChunkInfo& info) {
  const auto* const delta = std::get_if<ConsecutiveInfo>(&info.delta_info);
  if (delta == nullptr || delta->order != 1) return std::nullopt;
  std::uint64_t base = 1;
  if (const auto* const mode = std::get_if<IntMultInfo>(&info.mode_info)) {
    base = mode->base;
  } else if (info.mode() != Mode::kClassic) {
    return std::nullopt;
  }
  const std::uint64_t largest = largest_latent_of(info.type);
  const std::uint64_t zero = largest / 2 + 1;  // deltas are stored from here on
  std::uint64_t step = 0;
  for (const LatentVariableInfo& variable : info.variables) {
    if (variable.variable == LatentVariable::kSecondary) {
      const bool is_constant =
          !variable.delta_encoded && variable.bins.size() == 1 && variable.bins[0].offset_bits == 0;
      if (!is_constant) return std::nullopt;
    }
    if (variable.variable != LatentVariable::kPrimary) continue;
    for (const BinInfo& bin : variable.bins) {
      const std::uint64_t span =
          bin.offset_bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - std::min(bin.offset_bits, 64U));
      if (bin.lower < zero || span > largest - bin.lower) return std::nullopt;
      step = std::max(step, bin.lower - zero + span);
    }
  }
  if (base == 0 || step > largest / base) return std::nullopt;
  return step * base;
}

// Whether the numbers of a chunk never decrease if its first one is the least: from there on, sums
// of its deltas do not pass the largest latent.
bool is_sorted(const ColumnFile& file, std::size_t chunk) {
  const ChunkSummary& summary = file.summaries()[chunk];
  const std::optional<std::span<const std::byte>> bytes = file.bytes();
  if (!bytes || summary.nan_count > 0) return false;
  const std::uint64_t begin = summary.place.offset + standalone::kChunkHeadBytes;
  if (begin > summary.place.page_offset || summary.place.page_offset > bytes->size()) return false;
  const FileHeader& header = file.reader()->header();
  const auto made = wrapped::ChunkDecoder::create(bytes->subspan(static_cast<std::size_t>(begin)),
                                                  *file.index().type(),
                                                  {header.format_major, header.format_minor});
  if (!made.ok()) return false;
  const Result<ChunkInfo> info = made->info();
  if (!info.ok()) return false;
  const std::optional<std::uint64_t> step = largest_step(*info);
  const std::uint64_t left = largest_latent_of(info->type) - summary.min_latent;
  return step && (*step == 0 || summary.place.count - 1 <= left / *step);
}

}  // namespace

table::RowRange numbers_that_may_match(const ColumnFile& file, std::size_t chunk,
                                       const table::NumberFilter& filter,
                                       const DecodeConfig& config) {
  const ChunkSummary& summary = file.summaries()[chunk];
  const std::uint64_t first = summary.place.first;
  const std::uint64_t end = first + summary.place.count;
  const auto ranges = filter.ranges();
  const bool can_start_within =
      config.trailer == TrailerPolicy::kUse && file.has_restarts(chunk) && file.reader() != nullptr;
  if (ranges.empty() || !can_start_within) return {first, end};
  const std::uint64_t low = ranges.front().first;
  const std::uint64_t high = ranges.back().last;
  if (low <= summary.min_latent && summary.max_latent <= high) return {first, end};
  if (!is_sorted(file, chunk)) return {first, end};

  const std::uint64_t distance = std::uint64_t{1} << *file.restart_log();
  KeptChunk kept;
  DecodeConfig one = config;
  one.threads = 1;
  one.executor = nullptr;
  bool is_read = true;
  // The latent of the first number of an interval.
  const auto latent_at = [&](std::uint64_t interval) -> std::uint64_t {
    const NumberType type = filter.type();
    std::uint64_t number = 0;
    const MutableNumberView out(type, &number, 1);
    const std::uint64_t at = first + interval * distance;
    is_read = is_read && read_kept(file.memory(), *file.reader(), at, out, at + 1, one, kept).ok();
    return to_ordered_latent(type, number);
  };
  // A counter that passes its largest number has small steps, too: its least number is not the
  // first.
  if (latent_at(0) != summary.min_latent) return {first, end};
  // The first interval from `from` on that begins at `latent` or behind it.
  const std::uint64_t intervals = (summary.place.count - 1) / distance + 1;
  const auto first_from = [&](std::uint64_t from, std::uint64_t latent) {
    std::uint64_t count = intervals - from;
    while (count > 0) {
      const std::uint64_t half = count / 2;
      if (latent_at(from + half) < latent) {
        from += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return from;
  };
  // Numbers before an interval are at most its first one; equal ones may lie in several intervals.
  const std::uint64_t from = first_from(0, low);
  const std::uint64_t to =
      high == largest_latent_of(filter.type()) ? intervals : first_from(from, high + 1);
  // Errors of damaged chunks are those of reading them.
  if (!is_read) return {first, end};
  return {from == 0 ? first : first + (from - 1) * distance, std::min(end, first + to * distance)};
}

}  // namespace numpact::internal
