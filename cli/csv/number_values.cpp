// SPDX-License-Identifier: Apache-2.0
#include "csv/number_values.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "numbers/dispatch.hpp"
#include "text/literals.hpp"

namespace numpact::cli {
namespace {

// Exact.
template <class T>
double exact_double(T number) {
  if constexpr (std::is_same_v<T, Float16>) {
    return static_cast<double>(to_float(number));
  } else {
    return static_cast<double>(number);
  }
}

std::string times(const Occurrence& seen, std::string_view what) {
  return fmt::format("{} {}{}, the first on {}", seen.count, what, seen.count == 1 ? "" : "s",
                     seen.place());
}

void add_seen(Occurrence& to, const std::optional<NumberRun::Seen>& seen) {
  if (seen) to.add(seen->line, seen->text);
}

}  // namespace

bool is_exact_in_f64(std::uint64_t magnitude) {
  const auto width = static_cast<int>(std::bit_width(magnitude));
  return width <= 53 || std::countr_zero(magnitude) >= width - 53;
}

std::uint64_t NumberValues::add(const Literal& literal, std::uint64_t line) {
  if (literal.leading_zeros) leading_zeros_.add(line, literal.text);
  if (literal.plus_sign) plus_signs_.add(line, literal.text);
  const std::uint64_t slot = requested_                              ? add_requested(literal, line)
                             : literal.kind == LiteralKind::kInteger ? add_integer(literal, line)
                                                                     : add_float(literal, line);
  ++count_;
  return slot;
}

void NumberValues::begin_floats() {
  if (first_float_slot_) return;
  first_float_slot_ = count_;
  integers_are_unsigned_ = static_cast<bool>(beyond_i64_);
}

std::uint64_t NumberValues::add_integer(const Literal& literal, std::uint64_t line) {
  // The magnitude of the smallest i64 is one more than that of the largest.
  const bool fits_signed =
      literal.fits && literal.magnitude <= kMaxI64 + (literal.negative ? 1 : 0);
  const bool is_beyond_u64 = !literal.fits || (literal.negative && !fits_signed);
  const bool is_beyond_i64 = !is_beyond_u64 && !fits_signed;
  // Integer slots are either all signed or all unsigned.
  if (is_beyond_u64 || (literal.negative && beyond_i64_) || (is_beyond_i64 && negatives_)) {
    begin_floats();
  }
  if (literal.negative) negatives_.add(line, literal.text);
  if (is_beyond_u64) beyond_u64_.add(line, literal.text);
  if (is_beyond_i64) beyond_i64_.add(line, literal.text);
  const bool is_exact = literal.fits && is_exact_in_f64(literal.magnitude);
  if (!first_float_slot_) {
    if (!is_exact) inexact_in_f64_.add(line, literal.text);
    return literal.negative ? 0 - literal.magnitude : literal.magnitude;
  }
  double number = 0;
  const Fit fit = nearest(literal, decimal_, number);
  if (fit == Fit::kRange) out_of_range_.add(line, literal.text);
  if (literal.fits ? !is_exact : !is_exactly(literal, number)) {
    inexact_in_f64_.add(line, literal.text);
  }
  return slot_of(number);
}

std::uint64_t NumberValues::add_float(const Literal& literal, std::uint64_t line) {
  floats_.add(line, literal.text);
  begin_floats();
  double number = 0;
  const Fit fit = nearest(literal, decimal_, number);
  if (fit == Fit::kRange) out_of_range_.add(line, literal.text);
  if (fit == Fit::kRounded) rounded_.add(line, literal.text);
  return slot_of(number);
}

std::uint64_t NumberValues::add_requested(const Literal& literal, std::uint64_t line) {
  return with_type(*requested_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      return add_requested_integer<T>(literal, line);
    } else {
      return add_requested_float<T>(literal, line);
    }
  });
}

template <class T>
std::uint64_t NumberValues::add_requested_integer(const Literal& literal, std::uint64_t line) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const std::optional<std::uint64_t> magnitude = whole_magnitude(literal, decimal_);
  const bool is_negative = literal.negative && magnitude != 0;
  // No integer keeps the sign of "-0".
  const bool loses_sign = literal.negative && magnitude == 0;
  const std::uint64_t max_magnitude = kMax + (is_negative ? 1 : 0);
  if (magnitude && *magnitude <= max_magnitude && !loses_sign &&
      (std::is_signed_v<T> || !is_negative)) {
    return slot_of(static_cast<T>(is_negative ? 0 - *magnitude : *magnitude));
  }
  wrong_type_.add(line, literal.text);
  return 0;
}

template <class T>
std::uint64_t NumberValues::add_requested_float(const Literal& literal, std::uint64_t line) {
  T number{};
  const Fit fit = nearest(literal, decimal_, number);
  if (fit == Fit::kRange) out_of_range_.add(line, literal.text);
  if (fit == Fit::kRounded) rounded_.add(line, literal.text);
  if (is_exact_ && fit == Fit::kExact && literal.kind == LiteralKind::kInteger &&
      !is_exactly(literal, exact_double(number))) {
    inexact_.add(line, literal.text);
  }
  return slot_of(number);
}

bool NumberValues::add_run(const NumberRun& run, std::span<std::uint64_t> slots) {
  if (!requested_) {
    // Integers below 0 and beyond i64 have no common slots: floats begin within the run.
    if (run.negative_integer && beyond_i64_) return false;
    if (run.beyond_i64 && (negatives_ || first_float_slot_)) return false;
    if (first_float_slot_) {
      for (std::uint64_t& slot : slots.first(run.first_float_slot)) {
        slot = slot_of(static_cast<double>(static_cast<std::int64_t>(slot)));
      }
    } else if (run.first_float) {
      first_float_slot_ = count_ + run.first_float_slot;
      integers_are_unsigned_ = static_cast<bool>(beyond_i64_);
    }
    add_seen(floats_, run.first_float);
    add_seen(negatives_, run.negative_integer);
    add_seen(beyond_i64_, run.beyond_i64);
    add_seen(inexact_in_f64_, run.inexact_in_f64);
  }
  count_ += slots.size();
  return true;
}

NumberType NumberValues::type() const {
  if (requested_) return *requested_;
  if (first_float_slot_) return NumberType::kF64;
  return beyond_i64_ ? NumberType::kU64 : NumberType::kI64;
}

std::optional<std::string> NumberValues::problem() const {
  const std::string_view name = name_of(type());
  if (wrong_type_) return fmt::format("{} does not fit {}", wrong_type_.place(), name);
  if (out_of_range_) {
    return fmt::format("{} is out of the range of {}", out_of_range_.place(), name);
  }
  if (is_exact_ && inexact_) {
    return fmt::format("{} is an integer that {} does not hold exactly", inexact_.place(), name);
  }
  if (is_exact_ && rounded_) {
    return fmt::format("{} has more digits than {} keeps", rounded_.place(), name);
  }
  if (requested_) return std::nullopt;  // the user accepted rounding
  if (!floats_) {
    if (beyond_u64_) {
      return fmt::format("{} is too large: out of the range of 64-bit integers",
                         beyond_u64_.place());
    }
    if (negatives_ && beyond_i64_) {
      return fmt::format("{} and {} on line {} are in the range of no common integer type",
                         beyond_i64_.place(), negatives_.first->text, negatives_.first->line);
    }
    return std::nullopt;
  }
  if (inexact_in_f64_) {
    return fmt::format(
        "{} is an integer that f64 does not hold exactly; the column has fractions too, as '{}' on "
        "line {}",
        inexact_in_f64_.place(), floats_.first->text, floats_.first->line);
  }
  if (rounded_) return fmt::format("{} has more digits than f64 keeps", rounded_.place());
  return std::nullopt;
}

std::vector<std::string> NumberValues::notes() const {
  std::vector<std::string> notes;
  if (leading_zeros_) {
    notes.push_back("leading zeros are not kept: " + times(leading_zeros_, "value"));
  }
  if (plus_signs_) notes.push_back("plus signs are not kept: " + times(plus_signs_, "value"));
  if (requested_ && !is_exact_ && rounded_) {
    notes.push_back(
        fmt::format("rounded to {}: {}", name_of(*requested_), times(rounded_, "value")));
  }
  return notes;
}

double NumberValues::as_double(std::uint64_t integer_slot) const {
  if (integers_are_unsigned_) return static_cast<double>(integer_slot);
  return static_cast<double>(static_cast<std::int64_t>(integer_slot));
}

void NumberValues::convert(std::span<const std::uint64_t> slots, std::uint64_t first,
                           std::byte* out) const {
  const std::size_t size = size_of(type());
  const bool has_floats = !requested_ && first_float_slot_;
  if (size == sizeof(std::uint64_t) && (!has_floats || first >= *first_float_slot_)) {
    if (!slots.empty()) std::memcpy(out, slots.data(), slots.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    std::uint64_t slot = slots[i];
    if (has_floats && first + i < *first_float_slot_) slot = slot_of(as_double(slot));
    std::memcpy(out + i * size, &slot, size);
  }
}

}  // namespace numpact::cli
