// SPDX-License-Identifier: Apache-2.0
#include "pco/meta/latent_range.hpp"

#include <algorithm>

#include "number/float_traits.hpp"
#include "number/latent.hpp"
#include "number/ordered.hpp"

namespace numpact::internal {
namespace {

// Joins what is known of several sets of numbers.
class OverlapOfAll {
 public:
  void add(Overlap part) {
    some_are_in_ |= part != Overlap::kNone;
    some_are_out_ |= part != Overlap::kAll;
  }
  Overlap result() const {
    if (some_are_in_ && some_are_out_) return Overlap::kSome;
    return some_are_in_ ? Overlap::kAll : Overlap::kNone;
  }
  bool is_decided() const { return some_are_in_ && some_are_out_; }

 private:
  bool some_are_in_ = false;
  bool some_are_out_ = false;
};

// The latents of a bin. `wraps`: its end passes the largest latent and so is below its start.
LatentRange latents_of(const Bin& bin, unsigned bits, bool& wraps) {
  const std::uint64_t span = largest_latent(bin.offset_bits);
  wraps = span > largest_latent(bits) - bin.lower;
  return {bin.lower, (bin.lower + span) & largest_latent(bits)};
}

// The part of numbers whose latents are those of the primary variable.
Overlap overlap_of_bins(const Binning& binning, const LatentRange& range) {
  if (binning.bins.empty()) return Overlap::kSome;
  const std::uint64_t largest = largest_latent(binning.latent_bits);
  OverlapOfAll overlap;
  for (const Bin& bin : binning.bins) {
    bool wraps = false;
    const LatentRange latents = latents_of(bin, binning.latent_bits, wraps);
    if (wraps) {
      overlap.add(overlap_of(LatentRange{latents.min, largest}, range));
      overlap.add(overlap_of(LatentRange{0, latents.max}, range));
    } else {
      overlap.add(overlap_of(latents, range));
    }
    if (overlap.is_decided()) break;
  }
  return overlap.result();
}

// Sets `result` to a * b + c, if that is at most `max`.
bool multiply_add(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t max,
                  std::uint64_t& result) {
  if (c > max || (b != 0 && a > (max - c) / b)) return false;
  result = a * b + c;
  return true;
}

// The part of numbers whose latents are primary * base + secondary.
Overlap overlap_of_multiples(const ChunkMeta& meta, std::uint64_t base, const LatentRange& range) {
  LatentRange added{~std::uint64_t{0}, 0};
  bool wraps = false;
  for (const Bin& bin : meta.variables[kSecondaryVariable].bins) {
    const LatentRange latents = latents_of(bin, latent_bits(meta.type), wraps);
    if (wraps) return Overlap::kSome;
    added = {std::min(added.min, latents.min), std::max(added.max, latents.max)};
  }
  const std::span<const Bin> bins = meta.variables[kPrimaryVariable].bins;
  if (added.is_empty() || bins.empty()) return Overlap::kSome;
  const std::uint64_t max = largest_latent(latent_bits(meta.type));
  OverlapOfAll overlap;
  for (const Bin& bin : bins) {
    const LatentRange latents = latents_of(bin, latent_bits(meta.type), wraps);
    LatentRange numbers;
    if (wraps || !multiply_add(latents.min, base, added.min, max, numbers.min) ||
        !multiply_add(latents.max, base, added.max, max, numbers.max)) {
      return Overlap::kSome;
    }
    overlap.add(overlap_of(numbers, range));
    if (overlap.is_decided()) break;
  }
  return overlap.result();
}

Overlap overlap_of_entries(const Dict& dict, NumberType type, const LatentRange& range) {
  if (dict.count == 0) return Overlap::kSome;
  OverlapOfAll overlap;
  visit_latent(latent_bits(type), [&](auto width) {
    for (const auto entry : dict.as<decltype(width)>()) {
      overlap.add(range.holds(entry) ? Overlap::kAll : Overlap::kNone);
    }
  });
  return overlap.result();
}

}  // namespace

LatentRange numeric_range(NumberType type) {
  return visit_latent(latent_bits(type), [&](auto width) -> LatentRange {
    using L = decltype(width);
    if constexpr (FloatLatent<L>) {
      if (kind_of(type) == NumberKind::kFloat) {
        const L minus_infinity = static_cast<L>(kInfinityBits<L> | kMid<L>);
        return {to_ordered(minus_infinity, NumberKind::kFloat),
                to_ordered(kInfinityBits<L>, NumberKind::kFloat)};
      }
    }
    return {0, largest_latent(kBits<L>)};
  });
}

LatentRange comparable_range(NumberType type, std::uint64_t min, std::uint64_t max) {
  const LatentRange numeric = numeric_range(type);
  if (kind_of(type) != NumberKind::kFloat) return {min, std::min(max, numeric.max)};
  if (!numeric.holds(min) || !numeric.holds(max)) return {};
  // The latent of -0.0 is just below that of 0.0.
  const std::uint64_t zero = std::uint64_t{1} << (latent_bits(type) - 1);
  if (min == zero) min = zero - 1;
  if (max == zero - 1) max = zero;
  return {min, max};
}

Overlap overlap_of(const LatentRange& values, const LatentRange& range) {
  if (range.is_empty() || values.max < range.min || values.min > range.max) return Overlap::kNone;
  return range.holds(values.min) && range.holds(values.max) ? Overlap::kAll : Overlap::kSome;
}

Overlap overlap_of(const ChunkMeta& meta, const LatentRange& range) {
  if (range.is_empty()) return Overlap::kNone;
  if (const auto* const dict = std::get_if<Dict>(&meta.mode)) {
    return overlap_of_entries(*dict, meta.type, range);
  }
  if (!std::holds_alternative<NoDelta>(meta.delta)) return Overlap::kSome;
  if (std::holds_alternative<Classic>(meta.mode)) {
    return overlap_of_bins(meta.variables[kPrimaryVariable], range);
  }
  if (const auto* const mode = std::get_if<IntMult>(&meta.mode)) {
    return overlap_of_multiples(meta, mode->base, range);
  }
  return Overlap::kSome;
}

}  // namespace numpact::internal
