// SPDX-License-Identifier: Apache-2.0
#include "table/filter/value.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

#include "literal/decimal.hpp"
#include "literal/digit.hpp"
#include "literal/literal.hpp"

namespace numpact::internal {
namespace {

using table::Kind;

using LatentCut = Cut<std::uint64_t>;

// Digits of a field of a duration: a day has 86,400 s, and the sum stays below 2^63.
constexpr std::size_t kMaxDurationDigits = 12;
constexpr std::size_t kMaxSecondDigits = 18;

std::string in_quotes(std::string_view text) { return "'" + shown(text) + "'"; }

std::string describe_value(const FilterValue& value) {
  using Given = FilterValue::Kind;
  switch (value.kind) {
    case Given::kNumber:
      return "the number " + shown(value.text);
    case Given::kText:
      return "the text " + in_quotes(value.text);
    case Given::kBool:
      return "the boolean " + shown(value.text);
    case Given::kTime:
      return "the time " + shown(value.text);
    case Given::kInstant:
      return "a point in time";
    case Given::kTimeOfDay:
      return "a time of day";
    case Given::kDuration:
      return "a duration";
    case Given::kStored:
      return "the stored number " + shown(value.text);
    case Given::kBytes:
      break;
  }
  return "a value of bytes";
}

// ---- whole numbers ----

// The greatest whole number that is not greater than a value.
struct Whole {
  int beyond = 0;  // -1 or 1: less or greater than all numbers of 64 bits
  bool is_negative = false;
  std::uint64_t magnitude = 0;
  bool is_exact = true;  // it is the value
};

constexpr Whole kBelowAll{-1, true, 0, false};
constexpr Whole kAboveAll{1, false, 0, false};

Whole floor_of(const Decimal& number) {
  const Whole beyond = number.is_negative ? kBelowAll : kAboveAll;
  if (number.is_infinite) return beyond;
  Whole whole;
  const auto digits = static_cast<std::int64_t>(number.digits.size());
  if (number.exponent > 20) return beyond;  // 2^64 has 20 digits before the point
  if (number.exponent > 0) {
    std::string text = number.digits.substr(0, static_cast<std::size_t>(number.exponent));
    text.resize(static_cast<std::size_t>(number.exponent), '0');
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, whole.magnitude).ec != std::errc()) return beyond;
  }
  whole.is_exact = number.exponent >= digits || digits == 0;
  whole.is_negative = number.is_negative && digits > 0;
  if (whole.is_negative && !whole.is_exact && ++whole.magnitude == 0) return kBelowAll;
  return whole;
}

Whole floor_divided(const Whole& whole, std::uint64_t divisor) {
  if (whole.beyond != 0) return whole;
  Whole result = whole;
  const std::uint64_t rest = whole.magnitude % divisor;
  result.magnitude = whole.magnitude / divisor + (whole.is_negative && rest > 0 ? 1 : 0);
  result.is_exact = whole.is_exact && rest == 0;
  return result;
}

// Before the latent `at`; behind all numbers if it is greater than all.
LatentCut before_latent(std::uint64_t at, const NumberFilter::Range& all) {
  return at > all.last ? LatentCut::end() : LatentCut::before(at);
}
LatentCut after_latent(std::uint64_t at, const NumberFilter::Range& all) {
  return at >= all.last ? LatentCut::end() : LatentCut::before(at + 1);
}

LatentCuts cuts_of_whole(const Whole& whole, NumberType type) {
  const NumberFilter::Range all = latents_without_nan(type);
  const std::uint64_t zero = kind_of(type) == NumberKind::kSigned ? all.last / 2 + 1 : 0;
  const bool is_below = whole.beyond < 0 || (whole.is_negative && whole.magnitude > zero);
  const bool is_above =
      whole.beyond > 0 || (!whole.is_negative && whole.magnitude > all.last - zero);
  if (is_below) return {LatentCut::before(0), LatentCut::before(0)};
  if (is_above) return {LatentCut::end(), LatentCut::end()};
  const std::uint64_t at = whole.is_negative ? zero - whole.magnitude : zero + whole.magnitude;
  const LatentCut after = after_latent(at, all);
  return {whole.is_exact ? before_latent(at, all) : after, after};
}

// ---- floats ----

template <class T>
double as_double(T number) {
  if constexpr (std::is_same_v<T, Float16>) {
    return static_cast<double>(to_float(number));
  } else {
    return static_cast<double>(number);
  }
}

// Whole numbers up to this are floats of the type.
template <class T>
constexpr std::uint64_t kMaxExactWhole = std::uint64_t{1} << (sizeof(T) == 2   ? 11
                                                              : sizeof(T) == 4 ? 24
                                                                               : 53);

// A number with a point or an exponent stands for the float nearest to it, as users mean by 0.1.
// Digits alone are exact, and so is every `number` if `is_exact`.
template <class T>
LatentCuts cuts_of_float(const std::string& text, const Decimal& number, bool is_exact) {
  constexpr NumberType kType = kNumberTypeOf<T>;
  const NumberFilter::Range all = latents_without_nan(kType);
  const auto infinity = number.is_negative ? all.first : all.last;
  if (number.is_infinite) return {before_latent(infinity, all), after_latent(infinity, all)};
  const Literal literal = parse_literal(text, '.');
  T near{};
  const Fit fit = nearest(literal, '.', near);
  // Beyond the largest float: between it and infinity.
  if (fit == Fit::kRange && number.exponent > 0) {
    const LatentCut cut =
        number.is_negative ? after_latent(infinity, all) : before_latent(infinity, all);
    return {cut, cut};
  }
  std::uint64_t low = latent_of_number(near);
  std::uint64_t high = low;
  const std::uint64_t zero = latent_of_number(T{});
  if (low == zero || low == zero - 1) {  // 0.0 and -0.0 are equal
    low = zero - 1;
    high = zero;
  }
  const bool is_whole = literal.kind == LiteralKind::kInteger;
  if (is_exact || (is_whole && !(literal.fits && literal.magnitude <= kMaxExactWhole<T>))) {
    const std::strong_ordering order = compare(decimal_of(as_double(near)), number);
    if (std::is_lt(order)) return {after_latent(high, all), after_latent(high, all)};
    if (std::is_gt(order)) return {before_latent(low, all), before_latent(low, all)};
  }
  return {before_latent(low, all), after_latent(high, all)};
}

LatentCuts cuts_of_number(const std::string& text, const Decimal& number, NumberType type,
                          bool is_exact = false) {
  switch (type) {
    case NumberType::kF16:
      return cuts_of_float<Float16>(text, number, is_exact);
    case NumberType::kF32:
      return cuts_of_float<float>(text, number, is_exact);
    case NumberType::kF64:
      return cuts_of_float<double>(text, number, is_exact);
    default:
      return cuts_of_whole(floor_of(number), type);
  }
}

// The exact value of a stored number.
std::optional<Decimal> stored_number(const std::string& text) {
  std::optional<Decimal> number = parse_decimal(text);
  const Literal literal = parse_literal(text, '.');
  if (!number || number->is_infinite || literal.kind == LiteralKind::kInteger) return number;
  double near = 0;
  if (nearest(literal, '.', near) == Fit::kRange && number->exponent > 0) {
    return parse_decimal(number->is_negative ? "-inf" : "inf");
  }
  return decimal_of(near);
}

// ---- times ----

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
  std::string fraction = std::to_string(parts);
  fraction.insert(0, 10 - fraction.size(), '0');
  const std::string text = (is_negative ? "-" : "") + std::to_string(whole) + "." + fraction;
  return parse_decimal(text).value_or(Decimal());
}

// Takes digits and one of the letters; false if there is none of them.
class DurationScanner {
 public:
  explicit DurationScanner(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(char capital) {
    const bool is_it = !text_.empty() && (text_[0] == capital || text_[0] == (capital | 0x20));
    if (is_it) text_.remove_prefix(1);
    return is_it;
  }
  // A whole number of at most `max_digits` digits before a letter; nothing is taken without both.
  bool take_field(char capital, std::size_t max_digits, std::uint64_t& number) {
    const std::string_view before = text_;
    const std::string_view digits = take_digits();
    if (!digits.empty() && digits.size() <= max_digits && take(capital)) {
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
      return true;
    }
    text_ = before;
    return false;
  }
  std::string_view take_digits() {
    std::size_t end = 0;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    const std::string_view digits = text_.substr(0, end);
    text_.remove_prefix(end);
    return digits;
  }

 private:
  std::string_view text_;
};

// A duration in ISO form, "P1DT2H3M4.5S", in seconds; none for other texts.
std::optional<Decimal> parse_duration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  DurationScanner scanner(text);
  std::uint64_t days = 0;
  std::uint64_t hours = 0;
  std::uint64_t minutes = 0;
  std::uint64_t seconds = 0;
  std::string fraction;
  if (!scanner.take('P')) return std::nullopt;
  bool has_field = scanner.take_field('D', kMaxDurationDigits, days);
  if (scanner.take('T')) {
    has_field = scanner.take_field('H', kMaxDurationDigits, hours) || has_field;
    has_field = scanner.take_field('M', kMaxDurationDigits, minutes) || has_field;
    if (scanner.take_field('S', kMaxSecondDigits, seconds)) {
      has_field = true;
    } else if (scanner.take_field('.', kMaxSecondDigits, seconds)) {
      fraction = scanner.take_digits();
      if (fraction.empty() || !scanner.take('S')) return std::nullopt;
      has_field = true;
    }
  }
  if (!has_field || !scanner.at_end()) return std::nullopt;
  const std::uint64_t whole = days * kSecondsPerDay + hours * 3'600 + minutes * 60 + seconds;
  return parse_decimal((is_negative ? "-" : "") + std::to_string(whole) + "." + fraction + "0");
}

LatentCuts cuts_of_seconds(const Decimal& seconds, const ColumnType& column) {
  const NumberType type = column.type;
  switch (column.kind) {
    case Kind::kDate32:
      return cuts_of_whole(floor_divided(floor_of(seconds), kSecondsPerDay), type);
    case Kind::kDate64:
      return cuts_of_whole(floor_of(seconds.shifted(3)), type);
    default:
      return cuts_of_whole(floor_of(seconds.shifted(3 * static_cast<int>(column.unit))), type);
  }
}

// The seconds of a value for a column of dates, times or durations; none if it is of another kind.
std::optional<Decimal> seconds_for(const FilterValue& value, Kind kind, bool& has_zone) {
  using Given = FilterValue::Kind;
  const bool is_clock = kind == Kind::kTime32 || kind == Kind::kTime64;
  const Given own = kind == Kind::kDuration ? Given::kDuration
                    : is_clock              ? Given::kTimeOfDay
                                            : Given::kInstant;
  has_zone = value.kind == Given::kInstant && value.zoned;
  if (value.kind == own) return parse_decimal(value.text);
  if (kind == Kind::kDuration) {
    return value.kind == Given::kText ? parse_duration(value.text) : std::nullopt;
  }
  if (value.kind != Given::kText && value.kind != Given::kTime) return std::nullopt;
  const std::optional<Literal> literal = parse_time_literal(value.text);
  if (!literal || (literal->kind == LiteralKind::kTime) != is_clock) return std::nullopt;
  has_zone = literal->zoned;
  return seconds_of(*literal);
}

}  // namespace

NumberFilter::Range latents_without_nan(NumberType type) {
  switch (type) {
    case NumberType::kF16:
      return {latent_of_number(Float16{0xfc00}), latent_of_number(Float16{0x7c00})};
    case NumberType::kF32:
      return {to_ordered_latent(type, 0xff800000U), to_ordered_latent(type, 0x7f800000U)};
    case NumberType::kF64:
      return {to_ordered_latent(type, std::uint64_t{0xfff0} << 48),
              to_ordered_latent(type, std::uint64_t{0x7ff0} << 48)};
    default:
      return {0, ~std::uint64_t{0} >> (64 - 8 * size_of(type))};
  }
}

bool is_nan_of(const FilterValue& value, Kind kind) {
  const bool is_stored = value.kind == FilterValue::Kind::kStored;
  const bool is_number = kind == Kind::kNumber || kind == Kind::kDecimal;
  if (!is_stored && (value.kind != FilterValue::Kind::kNumber || !is_number)) {
    return false;
  }
  std::string_view text = value.text;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() == 3 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a' &&
         (text[2] | 0x20) == 'n';
}

bool find_latents(const FilterValue& value, const ColumnType& type, std::string_view column,
                  LatentCuts& cuts, FilterProblem& problem) {
  using Given = FilterValue::Kind;
  const auto refuse = [&] { return mismatch(value, column, table::describe(type), problem); };
  if (value.kind == Given::kStored) {
    const std::optional<Decimal> number = stored_number(value.text);
    if (!number) return refuse();
    cuts = cuts_of_number(value.text, *number, type.type, true);
    return true;
  }
  if (type.kind == Kind::kBool) {
    if (value.kind != Given::kBool) return refuse();
    cuts = cuts_of_whole({0, false, value.text == "true" ? 1U : 0U, true}, type.type);
    return true;
  }
  const bool is_count = type.kind == Kind::kDuration && value.kind == Given::kNumber;
  if (type.kind == Kind::kNumber || is_count) {
    if (value.kind != Given::kNumber) return refuse();
    const std::optional<Decimal> number = parse_decimal(value.text);
    if (!number) return refuse();
    cuts = cuts_of_number(value.text, *number, type.type);
    return true;
  }
  if (type.kind == Kind::kDecimal) {
    const std::optional<Decimal> number =
        value.kind == Given::kNumber ? parse_decimal(value.text) : std::nullopt;
    if (!number) return refuse();
    cuts = cuts_of_whole(floor_of(number->shifted(type.decimal.scale)), type.type);
    return true;
  }
  bool has_zone = false;
  const std::optional<Decimal> seconds = seconds_for(value, type.kind, has_zone);
  if (!seconds) return refuse();
  if (has_zone && (type.kind != Kind::kTimestamp || type.timezone.empty())) {
    const bool has_text = value.kind != Given::kInstant;
    return problem.set(ErrorKind::kTypeMismatch,
                       "column " + in_quotes(column) + " has no time zone, " +
                           (has_text ? in_quotes(value.text) : "the point in time") + " has one");
  }
  cuts = cuts_of_seconds(*seconds, type);
  return true;
}

bool mismatch(const FilterValue& value, std::string_view column, std::string_view type,
              FilterProblem& problem) {
  return problem.set(ErrorKind::kTypeMismatch,
                     "column " + in_quotes(column) + " is of type " + std::string(type) +
                         ", which " + describe_value(value) + " cannot be compared with");
}

bool not_text(const FilterComparison& comparison, std::string_view type, FilterProblem& problem) {
  return problem.set(ErrorKind::kTypeMismatch, "column " + in_quotes(comparison.column) +
                                                   " is of type " + std::string(type) +
                                                   ", and 'like' compares text");
}

bool check_count(const FilterComparison& comparison, FilterProblem& problem) {
  if (comparison.other) {
    return problem.is_invalid("column " + in_quotes(comparison.column) +
                              ": a column takes the place of the value");
  }
  const FilterOp op = comparison.op;
  const bool is_test = op == FilterOp::kIsNull || op == FilterOp::kIsNotNull;
  const std::size_t expected = is_test ? 0 : 1;
  if (op == FilterOp::kIn || comparison.values.size() == expected) return true;
  return problem.is_invalid("column " + in_quotes(comparison.column) + ": '" +
                            std::string(to_string(op)) + "' takes " +
                            (is_test ? "no value" : "one value"));
}

}  // namespace numpact::internal
