// SPDX-License-Identifier: Apache-2.0
#include "pco/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <limits>
#include <type_traits>

#include "csv/literal.hpp"
#include "failure.hpp"
#include "numbers/dispatch.hpp"
#include "numbers/float16.hpp"
#include "numbers/logical_type.hpp"
#include "platform/read_number.hpp"

namespace numpact::cli {
namespace {

constexpr std::int64_t kMillisPerDay = 1'000 * kSecondsPerDay;

using LatentRange = NumberCondition::LatentRange;

[[noreturn]] void refuse_kind(const FilterValue& value, const std::string& kind,
                              const std::string& place) {
  fail_usage("--where", fmt::format("{} is of type {}, which {} cannot be compared with", place,
                                    kind, describe(value)));
}

bool is_nan(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() == 3 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a' &&
         (text[2] | 0x20) == 'n';
}

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || std::is_same_v<T, Float16>;

// As latent_of_number(), in line.
template <class T>
std::uint64_t latent_of(T number) {
  using Bits = detail::BitsOf<T>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  const Bits bits = std::bit_cast<Bits>(number);
  if constexpr (kIsFloat<T>) {
    return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(bits ^ kSign);
  } else {
    return bits;
  }
}

template <class T>
bool is_nan_value(T number) {
  if constexpr (std::is_same_v<T, Float16>) {
    return (number.bits & 0x7fff) > 0x7c00;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(number);
  } else {
    return false;
  }
}

// The latents of all numbers but NaN.
LatentRange all_latents(NumberType type) {
  return with_type(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Float16>) {
      return LatentRange{latent_of(Float16{0xfc00}), latent_of(Float16{0x7c00})};
    } else if constexpr (std::is_floating_point_v<T>) {
      constexpr T kInfinity = std::numeric_limits<T>::infinity();
      return LatentRange{latent_of(-kInfinity), latent_of(kInfinity)};
    } else {
      return LatentRange{latent_of(std::numeric_limits<T>::min()),
                         latent_of(std::numeric_limits<T>::max())};
    }
  });
}

// The decimal power of a unit of time: 3 for milliseconds.
int power_of(TimeUnit unit) { return 3 * static_cast<int>(unit); }

// A value of a column: a number, or seconds of a date or time.
Decimal value_of_latent(std::uint64_t latent, const Column& column) {
  return with_type(column.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T number = number_of_latent<T>(latent);
    if constexpr (std::is_same_v<T, Float16>) {
      return decimal_of(static_cast<double>(to_float(number)));
    } else if constexpr (std::is_floating_point_v<T>) {
      return decimal_of(static_cast<double>(number));
    } else {
      using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      const auto wide = static_cast<Wide>(number);
      switch (column.logical.kind) {
        case LogicalKind::kDate32:  // of 32 bits: the product fits
          return decimal_of(static_cast<std::int64_t>(wide) * kSecondsPerDay);
        case LogicalKind::kDate64:
          return decimal_of(wide).shifted(-3);
        case LogicalKind::kTime32:
        case LogicalKind::kTime64:
        case LogicalKind::kTimestamp:
          return decimal_of(wide).shifted(-power_of(column.logical.unit));
        default:
          return decimal_of(wide);
      }
    }
  });
}

// The first latent of the range whose value is not less than `value`, or greater than it if
// `is_after`; one more than the last latent if there is none. Values do not decrease with latents.
std::uint64_t first_from(const Decimal& value, bool is_after, const LatentRange& all,
                         const Column& column) {
  const auto is_before = [&](std::uint64_t latent) {
    const std::strong_ordering order = compare(value_of_latent(latent, column), value);
    return std::is_lt(order) || (is_after && std::is_eq(order));
  };
  if (is_before(all.last)) return all.last + 1;  // wraps for 64 bits, see add_exact()
  std::uint64_t low = all.first;
  std::uint64_t high = all.last;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    is_before(middle) ? low = middle + 1 : high = middle;
  }
  return low;
}

// The seconds of a date or time with their fraction. Nanoseconds count forwards from the second, so
// before 1970 -2 s and 250,000,000 ns are -1.75 s.
Decimal seconds_of(const Literal& literal) {
  constexpr std::uint64_t kPartsPerSecond = 10'000'000'000;  // tenths of nanoseconds
  // No column has digits after the ninth, so any number between two nanoseconds compares the same.
  std::uint64_t parts = std::uint64_t{literal.nanoseconds} * 10 + (literal.too_fine ? 5 : 0);
  const bool is_negative = literal.seconds < 0;
  auto whole = static_cast<std::uint64_t>(literal.seconds);
  if (is_negative) {
    whole = 0 - whole;
    if (parts > 0) {
      whole -= 1;
      parts = kPartsPerSecond - parts;
    }
  }
  const std::string text = fmt::format("{}{}.{:010}", is_negative ? "-" : "", whole, parts);
  return parse_decimal(text).value_or(Decimal());
}

std::string type_name(const Column& column) { return describe(column.logical, column.type); }

// For a number with a fraction the nearest value of a type of floats, as users mean by 0.1. The
// number itself for whole ones and other types, and where the nearest value is infinite. Rounded to
// f64 first, as in Python.
Decimal nearest_value(const Decimal& number, std::string_view text, NumberType type) {
  const bool has_fraction = number.exponent < static_cast<std::int64_t>(number.digits.size());
  if (kind_of(type) != NumberKind::kFloat || number.is_infinite || !has_fraction) return number;
  if (text.starts_with('+')) text.remove_prefix(1);
  double nearest = 0;
  const auto [end, error] =
      internal::platform::read_number(text.data(), text.data() + text.size(), nearest);
  if (error != std::errc()) return number;  // beyond all floats, or nearer to 0 than all
  if (type == NumberType::kF32) nearest = static_cast<double>(static_cast<float>(nearest));
  if (type == NumberType::kF16) nearest = to_float(to_float16(static_cast<float>(nearest)));
  return std::isinf(nearest) ? number : decimal_of(nearest);
}

// The value that the column's values are compared with, see value_of_latent().
Decimal exact_value(const FilterValue& value, const Column& column, const std::string& place) {
  const LogicalKind kind = column.logical.kind;
  const auto refuse = [&] { refuse_kind(value, type_name(column), place); };
  if (kind == LogicalKind::kBool) {
    if (value.kind != FilterValue::Kind::kBool) refuse();
    return decimal_of(std::uint64_t{value.boolean});
  }
  if (kind == LogicalKind::kNumber || kind == LogicalKind::kDuration) {
    if (value.kind != FilterValue::Kind::kNumber) refuse();
    const std::optional<Decimal> number = parse_decimal(value.text);
    if (!number) refuse();
    return nearest_value(*number, value.text, column.type);
  }
  const bool is_text = value.kind == FilterValue::Kind::kText;
  if (!is_text && value.kind != FilterValue::Kind::kTime) refuse();
  const Literal literal = parse_literal(value.text, '.');
  const bool is_clock = kind == LogicalKind::kTime32 || kind == LogicalKind::kTime64;
  const bool fits =
      is_clock ? literal.kind == LiteralKind::kTime
               : literal.kind == LiteralKind::kDate || literal.kind == LiteralKind::kTimestamp;
  if (!fits) refuse();
  const bool has_zone = kind == LogicalKind::kTimestamp && !column.logical.timezone.empty();
  if (literal.zoned && !has_zone) {
    fail_usage("--where", fmt::format("{} has no time zone, '{}' has one", place, value.text));
  }
  return seconds_of(literal);
}

void keep_nulls(const ColumnBlock& block, bool nulls, std::span<std::uint8_t> kept) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (block.is_null(i) != nulls) kept[i] = 0;
  }
}

bool holds(CompareOp op, std::strong_ordering order) {
  switch (op) {
    case CompareOp::kNotEqual:
      return std::is_neq(order);
    case CompareOp::kLess:
      return std::is_lt(order);
    case CompareOp::kLessEqual:
      return std::is_lteq(order);
    case CompareOp::kGreater:
      return std::is_gt(order);
    case CompareOp::kGreaterEqual:
      return std::is_gteq(order);
    default:
      return std::is_eq(order);
  }
}

}  // namespace

NumberCondition::NumberCondition(const Comparison& comparison, const Column& column,
                                 const std::string& place)
    : op_(comparison.op) {
  for (const FilterValue& value : comparison.values) add_value(value, column, place);
}

void NumberCondition::add_value(const FilterValue& value, const Column& column,
                                const std::string& place) {
  const bool is_number =
      value.kind == FilterValue::Kind::kNumber && column.logical.kind == LogicalKind::kNumber;
  if (is_number && is_nan(value.text)) {
    if (op_ == CompareOp::kNotEqual) {
      ranges_.push_back(all_latents(column.type));
    } else if (op_ == CompareOp::kEqual || op_ == CompareOp::kIn) {
      matches_nan_ = true;
    }
    return;
  }
  if (op_ == CompareOp::kNotEqual) matches_nan_ = true;
  add_exact(exact_value(value, column, place), column);
}

void NumberCondition::add_exact(const Decimal& value, const Column& column) {
  const LatentRange all = all_latents(column.type);
  // Latents from `at` on are not less than the value, those from `after` on are greater.
  const std::uint64_t at = first_from(value, false, all, column);
  const std::uint64_t after = first_from(value, true, all, column);
  const bool none_at = std::is_lt(compare(value_of_latent(all.last, column), value));
  const bool none_after = none_at || std::is_eq(compare(value_of_latent(all.last, column), value));
  // The last latents before `at` and before `after`; less than all.first if there are none.
  const auto add_below = [&](std::uint64_t end, bool is_all) {
    if (is_all) {
      ranges_.push_back(all);
    } else if (end > all.first) {
      ranges_.push_back({all.first, end - 1});
    }
  };
  const auto add_from = [&](std::uint64_t begin, bool is_none) {
    if (!is_none) ranges_.push_back({begin, all.last});
  };
  switch (op_) {
    case CompareOp::kLess:
      return add_below(at, none_at);
    case CompareOp::kLessEqual:
      return add_below(after, none_after);
    case CompareOp::kGreater:
      return add_from(after, none_after);
    case CompareOp::kGreaterEqual:
      return add_from(at, none_at);
    case CompareOp::kNotEqual:
      add_below(at, none_at);
      return add_from(after, none_after);
    default:
      break;
  }
  const std::uint64_t last = none_after ? all.last : after - 1;
  const bool has_equal = !none_at && std::is_eq(compare(value_of_latent(at, column), value));
  if (has_equal) ranges_.push_back({at, last});
}

bool NumberCondition::contains(std::uint64_t latent) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [latent](const LatentRange& range) {
    return range.first <= latent && latent <= range.last;
  });
}

bool NumberCondition::may_match(const ChunkSummary& chunk) const {
  if (op_ == CompareOp::kIsNotNull) return true;
  if (op_ == CompareOp::kIsNull) return false;
  if (matches_nan_ && chunk.nan_count > 0) return true;
  if (!chunk.has_range()) return false;
  return std::any_of(ranges_.begin(), ranges_.end(), [&chunk](const LatentRange& range) {
    return range.first <= chunk.max_latent && chunk.min_latent <= range.last;
  });
}

void NumberCondition::narrow(const ColumnBlock& block, std::span<std::uint8_t> kept) const {
  if (op_ == CompareOp::kIsNull) return keep_nulls(block, true, kept);
  keep_nulls(block, false, kept);
  if (op_ == CompareOp::kIsNotNull) return;
  with_type(block.numbers.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const numbers = static_cast<const T*>(block.numbers.data);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] == 0) continue;
      const bool matches =
          is_nan_value(numbers[i]) ? matches_nan_ : contains(latent_of(numbers[i]));
      if (!matches) kept[i] = 0;
    }
  });
}

TextCondition::TextCondition(const Comparison& comparison, OtherKind kind, const std::string& place)
    : op_(comparison.op), kind_(kind) {
  for (const FilterValue& value : comparison.values) {
    if (kind == OtherKind::kText && value.kind == FilterValue::Kind::kText) {
      texts_.push_back(value.text);
      continue;
    }
    const bool is_number = kind == OtherKind::kDecimal && value.kind == FilterValue::Kind::kNumber;
    if (is_number && is_nan(value.text)) continue;  // no decimal is equal to it
    const std::optional<Decimal> number = is_number ? parse_decimal(value.text) : std::nullopt;
    if (number) {
      decimals_.push_back(*number);
      continue;
    }
    const char* const kind_name = kind == OtherKind::kText      ? "text"
                                  : kind == OtherKind::kDecimal ? "decimal"
                                                                : "an own type";
    refuse_kind(value, kind_name, place);
  }
}

bool TextCondition::matches(std::string_view text) const {
  if (kind_ == OtherKind::kText) {
    return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& value) {
      return holds(op_, text.compare(value) <=> 0);
    });
  }
  if (decimals_.empty()) return op_ == CompareOp::kNotEqual;
  const Decimal number = parse_decimal(text).value_or(Decimal());
  return std::any_of(decimals_.begin(), decimals_.end(),
                     [&](const Decimal& value) { return holds(op_, compare(number, value)); });
}

void TextCondition::narrow(const TextBlock& block, std::span<std::uint8_t> kept) const {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == 0) continue;
    const bool is_null = block.is_null(i);
    if (op_ == CompareOp::kIsNull || op_ == CompareOp::kIsNotNull) {
      kept[i] = is_null == (op_ == CompareOp::kIsNull) ? 1 : 0;
    } else if (is_null || !matches(block.text(i))) {
      kept[i] = 0;
    }
  }
}

}  // namespace numpact::cli
