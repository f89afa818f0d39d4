// SPDX-License-Identifier: Apache-2.0
#include "number/rounding.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/round_to_even.hpp"
#include "number/float_traits.hpp"

namespace numpact::internal {
namespace {

template <FloatLatent L>
double value_of(L bits) {
  return static_cast<double>(FloatTraits<L>::to_arithmetic(bits));
}

template <FloatLatent L>
L bits_of(double value) {
  using Arithmetic = typename FloatTraits<L>::Arithmetic;
  return FloatTraits<L>::to_bits(static_cast<Arithmetic>(value));
}

template <FloatLatent L>
bool is_finite(L bits) {
  return static_cast<L>(bits & static_cast<L>(kMid<L> - 1)) < kInfinityBits<L>;
}

// The results of rounding one number. `error` is exact: a number and its rounded one are within a
// factor of two of each other, or one of them is zero, so that their difference is a double.
template <class L>
struct Rounded {
  L bits;
  double error;
  bool fits;  // it is within the bound
};

template <FloatLatent L>
class ToMultiple {
 public:
  explicit ToMultiple(const RoundingRule& rule)
      : base_(FloatTraits<L>::to_arithmetic(bits_of<L>(rule.step))),
        step_(static_cast<double>(base_)),
        bound_(rule.bound) {}

  Rounded<L> operator()(L bits) const {
    const double value = value_of(bits);
    const double nearest = round_to_even(value / step_);
    Rounded<L> made = multiple(nearest, value);
    if (made.fits) return made;
    // Of two that are equally near one may be within the bound, after the rounding of products.
    const Rounded<L> other = multiple(nearest + (value_of(made.bits) < value ? 1.0 : -1.0), value);
    return other.fits ? other : made;
  }

 private:
  using Arithmetic = typename FloatTraits<L>::Arithmetic;

  // Without -0.0, which the encoder would store apart from 0.0.
  Rounded<L> multiple(double times, double value) const {
    const L bits = FloatTraits<L>::to_bits(static_cast<Arithmetic>(times + 0.0) * base_);
    const double error = std::abs(value_of(bits) - value);
    return {bits, error, error <= bound_ && is_finite(bits)};
  }

  Arithmetic base_;
  double step_;
  double bound_;
};

template <FloatLatent L>
class ToDecimal {
 public:
  explicit ToDecimal(const RoundingRule& rule)
      : is_fraction_(rule.decimals >= 0),
        scale_(kPowersOfTen[std::abs(rule.decimals)]),
        half_unit_(is_fraction_ ? 0.5 / scale_ : 0.5 * scale_) {}

  Rounded<L> operator()(L bits) const {
    const double value = value_of(bits);
    const double units = is_fraction_ ? value * scale_ : value / scale_;
    // Neighbouring doubles are as far from each other as decimals, or farther.
    if (!(std::abs(units) < 0x1p52)) return {bits, 0, true};
    const double whole = round_to_even(units) + 0.0;
    const L made = bits_of<L>(is_fraction_ ? whole / scale_ : whole * scale_);
    const double error = std::abs(value_of(made) - value);
    const double bound = half_unit_ + std::abs(value) * kEpsilon;
    return {made, error, error <= bound && is_finite(made)};
  }

 private:
  // The distance of neighbouring floats, in relation to them.
  static constexpr double kEpsilon = 1.0 / (std::uint64_t{1} << FloatTraits<L>::kMantissaBits);

  bool is_fraction_;
  double scale_;
  double half_unit_;
};

template <FloatLatent L>
class ToBits {
 public:
  explicit ToBits(const RoundingRule& rule)
      : dropped_(FloatTraits<L>::kMantissaBits - rule.bits),
        mask_(static_cast<L>(~((L{1} << dropped_) - 1))) {}

  Rounded<L> operator()(L bits) const {
    if (dropped_ == 0) return {bits, 0, true};
    const auto odd = static_cast<L>((bits >> dropped_) & 1);
    const auto half = static_cast<L>((L{1} << (dropped_ - 1)) - 1 + odd);
    const auto made = static_cast<L>(static_cast<L>(bits + half) & mask_);
    return {made, std::abs(value_of(made) - value_of(bits)), is_finite(made)};
  }

 private:
  unsigned dropped_;
  L mask_;
};

// Calls round(bits) for each number that it may change.
template <class L, class IsLeft, class Round>
void round_all(const NumberView& numbers, void* out, const std::optional<std::uint64_t>& fill,
               const IsLeft& is_left, const Round& round, RoundingTally& tally) {
  const auto* const from = static_cast<const std::byte*>(numbers.data);
  auto* const to = static_cast<std::byte*>(out);
  const bool has_fill = fill.has_value();
  const auto fill_bits = static_cast<L>(fill.value_or(0));
  std::uint64_t changed = 0;
  std::uint64_t kept = 0;
  double max_error = 0;
  for (std::size_t i = 0; i < numbers.count; ++i) {
    L bits;
    std::memcpy(&bits, from + i * sizeof(L), sizeof(L));
    L result = bits;
    if (!is_left(bits) && !(has_fill && bits == fill_bits)) {
      const Rounded<L> made = round(bits);
      if (made.fits && !(has_fill && made.bits == fill_bits)) {
        result = made.bits;
        changed += result != bits;
        max_error = made.error > max_error ? made.error : max_error;
      } else {
        ++kept;
      }
    }
    std::memcpy(to + i * sizeof(L), &result, sizeof(L));
  }
  tally.changed += changed;
  tally.kept += kept;
  tally.max_error = max_error > tally.max_error ? max_error : tally.max_error;
}

template <FloatLatent L>
void round_floats(const NumberView& numbers, void* out, const RoundingRule& rule,
                  RoundingTally& tally) {
  // Zeros of both signs, infinities and NaN stay.
  const auto is_left = [](L bits) {
    const auto magnitude = static_cast<L>(bits & static_cast<L>(kMid<L> - 1));
    return magnitude == 0 || magnitude >= kInfinityBits<L>;
  };
  const auto work = [&](const auto& round) {
    round_all<L>(numbers, out, rule.fill, is_left, round, tally);
  };
  switch (rule.kind) {
    case RoundingRule::Kind::kMultiple:
      return work(ToMultiple<L>(rule));
    case RoundingRule::Kind::kDecimal:
      return work(ToDecimal<L>(rule));
    case RoundingRule::Kind::kBits:
      return work(ToBits<L>(rule));
  }
}

template <class T>
void round_integers(const NumberView& numbers, void* out, const RoundingRule& rule,
                    RoundingTally& tally) {
  using L = std::make_unsigned_t<T>;
  const std::uint64_t step = rule.whole_step;
  const auto round = [&](L bits) -> Rounded<L> {
    const auto value = static_cast<T>(bits);
    // The distance to the multiple below, of negative numbers too.
    std::uint64_t above = 0;
    if (value >= 0) {
      above = static_cast<std::uint64_t>(value) % step;
    } else {
      const std::uint64_t magnitude = std::uint64_t{0} - static_cast<std::uint64_t>(value);
      above = magnitude % step == 0 ? 0 : step - magnitude % step;
    }
    const std::uint64_t below = step - above;
    const bool is_down = above <= below;
    const std::uint64_t distance = is_down ? above : below;
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const std::uint64_t space =  // to the end of the type
        is_down ? static_cast<std::uint64_t>(value) -
                      static_cast<std::uint64_t>(std::numeric_limits<T>::min())
                : largest - static_cast<std::uint64_t>(value);
    const auto made = static_cast<L>(is_down ? std::uint64_t{bits} - distance : bits + distance);
    return {made, static_cast<double>(distance), distance <= rule.whole_bound && distance <= space};
  };
  round_all<L>(
      numbers, out, rule.fill, [](L) { return false; }, round, tally);
}

}  // namespace

void round_numbers(const NumberView& numbers, void* out, const RoundingRule& rule,
                   RoundingTally& tally) {
  switch (numbers.type) {
    case NumberType::kF16:
      return round_floats<std::uint16_t>(numbers, out, rule, tally);
    case NumberType::kF32:
      return round_floats<std::uint32_t>(numbers, out, rule, tally);
    case NumberType::kF64:
      return round_floats<std::uint64_t>(numbers, out, rule, tally);
    case NumberType::kU8:
      return round_integers<std::uint8_t>(numbers, out, rule, tally);
    case NumberType::kI8:
      return round_integers<std::int8_t>(numbers, out, rule, tally);
    case NumberType::kU16:
      return round_integers<std::uint16_t>(numbers, out, rule, tally);
    case NumberType::kI16:
      return round_integers<std::int16_t>(numbers, out, rule, tally);
    case NumberType::kU32:
      return round_integers<std::uint32_t>(numbers, out, rule, tally);
    case NumberType::kI32:
      return round_integers<std::int32_t>(numbers, out, rule, tally);
    case NumberType::kU64:
      return round_integers<std::uint64_t>(numbers, out, rule, tally);
    case NumberType::kI64:
      return round_integers<std::int64_t>(numbers, out, rule, tally);
  }
}

}  // namespace numpact::internal
