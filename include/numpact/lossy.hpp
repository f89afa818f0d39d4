// SPDX-License-Identifier: Apache-2.0
// Rounds numbers within a bound, so that they compress better. What is stored is then lossless.
//
//   Rounder rounder = Rounder::create(RoundingSpec::max_error(0.005), NumberType::kF64).value();
//   rounder.round(numbers, out);  // `out` may be the numbers
//   compress(out);
//
// NaN, infinities, zeros and the fill value keep their bits, and no number becomes the fill value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact {

// How numbers are rounded.
class RoundingSpec {
 public:
  enum class Kind : std::uint8_t { kMaxError, kKeepBits, kDecimals };
  // Larger powers of ten are not exact in double.
  static constexpr int kMaxDecimals = 22;

  // No number changes by more than `bound`, an absolute error. They become multiples of the step
  // that compresses best, or stay if none saves anything. A number of which no multiple is within
  // the bound stays.
  static constexpr RoundingSpec max_error(double bound) { return {Kind::kMaxError, bound, 0}; }
  // Floats alone: keeps this count of bits of the mantissa, rounded to nearest, ties to even.
  static constexpr RoundingSpec keep_bits(unsigned bits) {
    return {Kind::kKeepBits, 0, static_cast<int>(bits)};
  }
  // The number nearest to the decimal with so many digits behind the point, -22 to 22. Changes by
  // at most half a unit of the last digit and the rounding of the decimal to the type.
  static constexpr RoundingSpec decimals(int digits) { return {Kind::kDecimals, 0, digits}; }
  // The value that stands for a missing number.
  template <Number T>
  RoundingSpec with_fill(T fill) const {
    RoundingSpec spec = *this;
    std::memcpy(&spec.fill_bits_, &fill, sizeof fill);
    spec.fill_type_ = kNumberTypeOf<T>;
    spec.has_fill_ = true;
    return spec;
  }
  // The same of one number. A null view: no fill value.
  RoundingSpec with_fill(const NumberView& fill) const {
    RoundingSpec spec = *this;
    spec.has_fill_ = fill.count > 0;
    spec.fill_type_ = fill.type;
    if (spec.has_fill_) std::memcpy(&spec.fill_bits_, fill.data, size_of(fill.type));
    return spec;
  }

  Kind kind() const { return kind_; }
  double bound() const { return bound_; }  // kMaxError
  int digits() const { return digits_; }   // bits or decimals
  bool has_fill() const { return has_fill_; }
  NumberType fill_type() const { return fill_type_; }
  std::uint64_t fill_bits() const { return fill_bits_; }  // in the first bytes

 private:
  constexpr RoundingSpec(Kind kind, double bound, int digits)
      : kind_(kind), bound_(bound), digits_(digits) {}

  Kind kind_;
  double bound_;
  int digits_;
  bool has_fill_ = false;
  NumberType fill_type_ = NumberType::kU8;
  std::uint64_t fill_bits_ = 0;
};

// What rounding has done.
struct RoundingReport {
  std::uint64_t count = 0;    // numbers
  std::uint64_t changed = 0;  // of these, the ones that are other numbers now
  // The ones that stay as they are, since the rounded number would be beyond the bound, the fill
  // value, or too large for the type.
  std::uint64_t kept = 0;
  double max_error = 0;  // the largest absolute error, exactly
  // Numbers that changed are multiples of it, as the type holds them; 0: of nothing.
  double step = 0;
};

// Rounds the numbers of a column, in one call or in several. One thread at a time.
class NUMPACT_API Rounder {
 public:
  // `encode`: how the numbers will be compressed. kInvalidArgument: a bound that is negative,
  // infinite or NaN, bits or decimals out of range. kTypeMismatch: keep_bits of integers, or a fill
  // value of another type.
  static Result<Rounder> create(const RoundingSpec& spec, NumberType type,
                                const EncodeConfig& encode = {}) noexcept;

  // `out` has the type and at least the count of the numbers, and is the same memory or apart.
  // With max_error() the step is chosen by the numbers of the first call, of which at most 2^16 are
  // looked at. If none saves anything, it is chosen again once twice as many numbers have come.
  // kTypeMismatch, kOutputTooSmall, kOutOfMemory: nothing was rounded.
  Status round(const NumberView& numbers, const MutableNumberView& out) noexcept;

  const RoundingSpec& spec() const noexcept { return spec_; }
  NumberType type() const noexcept { return type_; }
  // Of all calls so far.
  const RoundingReport& report() const noexcept { return report_; }

 private:
  Rounder(const RoundingSpec& spec, NumberType type, const EncodeConfig& encode);
  Status choose_step(const NumberView& numbers);

  RoundingSpec spec_;
  NumberType type_;
  EncodeConfig encode_;
  RoundingReport report_;
  std::uint64_t choose_at_ = 0;  // the count of numbers from which on a step is chosen
};

}  // namespace numpact
