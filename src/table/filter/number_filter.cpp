// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/guard.hpp"
#include "number/ordered.hpp"
#include "numpact/table_filter.hpp"
#include "table/filter/in_range.hpp"
#include "table/filter/matches.hpp"
#include "table/filter/value.hpp"

namespace numpact {
namespace internal {
namespace {

using LatentSet = CutSet<std::uint64_t>;
using Range = NumberFilter::Range;

// Up to this many ranges, each is compared with each number, without branches.
constexpr std::size_t kMaxComparedRanges = 4;

// What satisfies one comparison with values.
bool find_numbers(const FilterComparison& comparison, const ColumnType& column,
                  ValueMatches<std::uint64_t>& matches, FilterProblem& problem) {
  LatentSet& set = matches.values;
  if (comparison.op == FilterOp::kLike) return not_text(comparison, describe(column), problem);
  matches.nan = comparison.op == FilterOp::kNotEqual;
  for (const FilterValue& value : comparison.values) {
    if (is_nan_of(value, column.kind)) {
      const bool is_unequal = comparison.op == FilterOp::kNotEqual;
      if (is_unequal) set = all_values<std::uint64_t>();
      matches.nan = matches.nan != is_unequal || comparison.op == FilterOp::kEqual ||
                    comparison.op == FilterOp::kIn;
      continue;
    }
    LatentCuts cuts;
    if (!find_latents(value, column, comparison.column, cuts, problem)) return false;
    for (auto& span : values_of(comparison.op, cuts.lower, cuts.upper)) {
      set.push_back(std::move(span));
    }
  }
  set = united(std::move(set));
  return true;
}

// Cuts of latents are before one, at the start, or at the end.
std::vector<Range> closed_ranges(const LatentSet& set, const Range& all) {
  using Place = Cut<std::uint64_t>::Place;
  std::vector<Range> ranges;
  for (const auto& [begin, end] : set) {
    const std::uint64_t first =
        begin.place == Place::kStart ? all.first : std::max(begin.value, all.first);
    if (begin.place == Place::kEnd || end.place == Place::kStart) continue;
    if (end.place == Place::kBefore && end.value <= first) continue;
    ranges.push_back({first, end.place == Place::kEnd ? all.last : end.value - 1});
  }
  return ranges;
}

// Ranges that touch become one.
std::vector<Range> joined(std::span<const Range> ranges) {
  std::vector<Range> made;
  for (const Range& range : ranges) {
    if (!made.empty() && made.back().last + 1 == range.first) {
      made.back().last = range.last;
    } else {
      made.push_back(range);
    }
  }
  return made;
}

template <class L>
bool is_in(std::span<const Range> ranges, L latent) {
  const auto behind = std::partition_point(
      ranges.begin(), ranges.end(), [latent](const Range& range) { return range.last < latent; });
  return behind != ranges.end() && behind->first <= latent;
}

template <class L, NumberKind kKind>
void narrow_to(std::span<const Range> ranges, const std::byte* numbers,
               std::span<std::uint8_t> kept) {
  const auto latent_at = [numbers](std::size_t i) {
    L bits;
    std::memcpy(&bits, numbers + i * sizeof(L), sizeof(L));
    return to_ordered(bits, kKind);
  };
  if (ranges.size() == 1) {
    keep_in_range<L>(numbers, kKind, static_cast<L>(ranges[0].first),
                     static_cast<L>(ranges[0].last - ranges[0].first), kept);
  } else if (ranges.size() <= kMaxComparedRanges) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const L latent = latent_at(i);
      bool is_found = false;
      for (const Range& range : ranges) {
        is_found |= static_cast<L>(latent - static_cast<L>(range.first)) <=
                    static_cast<L>(range.last - range.first);
      }
      if (!is_found) kept[i] = 0;
    }
  } else {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] != 0 && !is_in(ranges, latent_at(i))) kept[i] = 0;
    }
  }
}

template <class L>
void narrow_kind(NumberKind kind, std::span<const Range> ranges, const std::byte* numbers,
                 std::span<std::uint8_t> kept) {
  switch (kind) {
    case NumberKind::kUnsigned:
      return narrow_to<L, NumberKind::kUnsigned>(ranges, numbers, kept);
    case NumberKind::kSigned:
      return narrow_to<L, NumberKind::kSigned>(ranges, numbers, kept);
    case NumberKind::kFloat:
      return narrow_to<L, NumberKind::kFloat>(ranges, numbers, kept);
  }
}

// `found` says of each number of the type whether it satisfies the filter.
template <class T>
void narrow_by(const std::uint8_t* found, const std::byte* numbers, std::span<std::uint8_t> kept) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    T number;
    std::memcpy(&number, numbers + i * sizeof(T), sizeof(T));
    kept[i] &= static_cast<std::uint8_t>(0 - found[number]);
  }
}

}  // namespace
}  // namespace internal

namespace table {

std::string describe(const ColumnType& column) {
  if (column.kind == Kind::kNumber) return std::string(name_of(column.type));
  if (column.kind == Kind::kDecimal) return to_string(column.decimal);
  std::string text(to_string(column.kind));
  if (!has_unit(column.kind)) return text;
  text.append("[").append(to_string(column.unit));
  if (!column.timezone.empty()) text.append(", ").append(column.timezone);
  return text + "]";
}

Result<NumberFilter> NumberFilter::bind(std::span<const FilterComparison> comparisons,
                                        const ColumnType& column, std::string* message) noexcept {
  return internal::guarded_value<NumberFilter>([&](NumberFilter& made) {
    internal::FilterProblem problem;
    const Range all = internal::latents_without_nan(column.type);
    internal::ValueMatches<std::uint64_t> matches;
    const auto find = [&column](const FilterComparison& comparison, auto& found, auto& wrong) {
      return internal::find_numbers(comparison, column, found, wrong);
    };
    if (!internal::match_all(comparisons, find, matches, problem)) return problem.report(message);
    made.type_ = column.type;
    made.matches_null_ = matches.null;
    made.matches_nan_ = matches.nan && kind_of(column.type) == NumberKind::kFloat;
    made.ranges_ = internal::closed_ranges(matches.values, all);
    made.all_ = made.ranges_;
    const std::uint64_t max_latent = ~std::uint64_t{0} >> (64 - 8 * size_of(column.type));
    if (made.matches_nan_) {
      made.all_.insert(made.all_.begin(), {0, all.first - 1});
      made.all_.push_back({all.last + 1, max_latent});
      made.all_ = internal::joined(made.all_);
    }
    return Status();
  });
}

Result<NumberFilter> NumberFilter::bind_texts(std::span<const FilterComparison> comparisons,
                                              NumberType type, bool is_bytes,
                                              const TextValues& texts,
                                              std::string* message) noexcept {
  TextFilter filter;
  const Status status = TextFilter::bind(comparisons, is_bytes, message).into(filter);
  if (!status.ok()) return status;
  return internal::guarded_value<NumberFilter>([&](NumberFilter& made) {
    made.type_ = type;
    made.matches_null_ = filter.matches_null();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!filter.matches(texts[i])) continue;
      if (!made.ranges_.empty() && made.ranges_.back().last + 1 == i) {
        made.ranges_.back().last = i;
      } else {
        made.ranges_.push_back({i, i});
      }
    }
    made.all_ = made.ranges_;
    if (made.ranges_.size() <= internal::kMaxComparedRanges || size_of(type) > 2) return Status();
    std::vector<std::uint8_t> found(std::size_t{1} << (8 * size_of(type)));
    for (const Range& range : made.ranges_) {
      std::fill(found.begin() + static_cast<std::ptrdiff_t>(range.first),
                found.begin() + static_cast<std::ptrdiff_t>(range.last) + 1, std::uint8_t{1});
    }
    made.by_number_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(found));
    return Status();
  });
}

bool NumberFilter::may_match(const ChunkSummary& chunk) const noexcept {
  if (matches_nan_ && chunk.nan_count > 0) return true;
  if (!chunk.has_range()) return false;
  const auto behind =
      std::partition_point(ranges_.begin(), ranges_.end(),
                           [&chunk](const Range& range) { return range.last < chunk.min_latent; });
  return behind != ranges_.end() && behind->first <= chunk.max_latent;
}

void NumberFilter::narrow(const NumberView& numbers, std::span<std::uint8_t> kept) const noexcept {
  if (all_.empty()) {
    std::fill(kept.begin(), kept.end(), std::uint8_t{0});
    return;
  }
  const auto* const bytes = static_cast<const std::byte*>(numbers.data);
  const NumberKind kind = kind_of(type_);
  if (by_number_ != nullptr) {
    return size_of(type_) == 1
               ? internal::narrow_by<std::uint8_t>(by_number_->data(), bytes, kept)
               : internal::narrow_by<std::uint16_t>(by_number_->data(), bytes, kept);
  }
  switch (size_of(type_)) {
    case 1:
      return internal::narrow_kind<std::uint8_t>(kind, all_, bytes, kept);
    case 2:
      return internal::narrow_kind<std::uint16_t>(kind, all_, bytes, kept);
    case 4:
      return internal::narrow_kind<std::uint32_t>(kind, all_, bytes, kept);
    default:
      return internal::narrow_kind<std::uint64_t>(kind, all_, bytes, kept);
  }
}

}  // namespace table
}  // namespace numpact
