// SPDX-License-Identifier: Apache-2.0
#include "csv/column_part.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "csv/number_values.hpp"
#include "csv/plain_time.hpp"
#include "numbers/dispatch.hpp"

namespace numpact::cli {
class ColumnPart::Parser {
 public:
  Parser(ColumnPart& part, const RecordBlock& block, std::size_t column, const PartRules& rules)
      : part_(part), block_(block), column_(column), rules_(rules), dialect_(*rules.dialect) {
    part_.slots_.resize(block.rows());
  }

  void parse() {
    const auto rows = static_cast<std::uint32_t>(block_.rows());
    const bool has_words = !dialect_.null_values.empty();
    for (row_ = 0; row_ < rows; ++row_) {
      const std::string_view text = block_.text(row_, column_);
      const bool is_null =
          (text.empty() && !block_.is_quoted(row_, column_)) || (has_words && is_null_word(text));
      if (is_null) {
        add_null();
        continue;
      }
      PlainNumber number;
      if (parse_plain(text, dialect_.decimal, number) && add_plain(number)) continue;
      if (!add_other(text)) break;
    }
    if (row_ < rows) open(Kind::kReplay).row_n += rows - row_;
    part_.slots_.resize(slot_n_);
  }

 private:
  bool is_null_word(std::string_view text) const {
    const std::vector<std::string>& words = dialect_.null_values;
    return std::find(words.begin(), words.end(), without_blanks(text)) != words.end();
  }

  // The run that the row belongs to, a new one if the last is of another kind. Nulls belong to any
  // run of values.
  Run& open(Kind kind) {
    if (!part_.runs_.empty()) {
      Run& last = part_.runs_.back();
      if (last.kind == kind) return last;
      const bool both_have_slots = last.kind != Kind::kReplay && kind != Kind::kReplay;
      if (both_have_slots && kind == Kind::kNulls) return last;
      if (both_have_slots && last.kind == Kind::kNulls) {
        last.kind = kind;
        return last;
      }
    }
    return open_new(kind);
  }

  Run& open_new(Kind kind) {
    Run& run = part_.runs_.emplace_back();
    run.kind = kind;
    run.first_row = row_;
    run.first_slot = slot_n_;
    run.first_null = static_cast<std::uint32_t>(part_.nulls_.size());
    return run;
  }

  void add_null() {
    Run& run = open(Kind::kNulls);
    ++run.row_n;
    if (run.kind == Kind::kReplay) return;
    ++run.null_n;
    part_.nulls_.push_back(row_);
  }

  void replay() { ++open(Kind::kReplay).row_n; }

  void add_slot(Run& run, std::uint64_t slot) {
    part_.slots_[slot_n_++] = slot;
    ++run.slot_n;
    ++run.row_n;
  }

  bool add_plain(const PlainNumber& number) {
    if (rules_.requested) return add_requested(number);
    if (number.is_float) {
      double nearest = 0;
      if (!nearest_exact(number, nearest)) return false;
      add_float(nearest);
      return true;
    }
    if (number.digits > kMaxI64) return false;
    add_integer(number.is_negative, number.digits);
    return true;
  }

  // `magnitude` is in the range of i64, or of u64 if it is not negative.
  void add_integer(bool is_negative, std::uint64_t magnitude) {
    Run* run = &open(Kind::kNumbers);
    const bool is_beyond = magnitude > kMaxI64 && !is_negative;
    const bool is_mixed = is_beyond ? run->negative_row != kNone || run->first_float_row != kNone
                                    : is_negative && run->beyond_row != kNone;
    if (is_mixed) run = &open_new(Kind::kNumbers);
    if (is_negative && run->negative_row == kNone) run->negative_row = row_;
    if (is_beyond && run->beyond_row == kNone) run->beyond_row = row_;
    if (run->inexact_row == kNone && !is_exact_in_f64(magnitude)) run->inexact_row = row_;
    const std::uint64_t integer = is_negative ? 0 - magnitude : magnitude;
    const bool is_float = run->first_float_row != kNone;
    add_slot(*run,
             is_float ? slot_of(static_cast<double>(static_cast<std::int64_t>(integer))) : integer);
  }

  void add_float(double number) {
    Run* run = &open(Kind::kNumbers);
    if (run->beyond_row != kNone) run = &open_new(Kind::kNumbers);
    if (run->first_float_row == kNone) {
      run->first_float_row = row_;
      run->first_float_slot = run->slot_n;
    }
    add_slot(*run, slot_of(number));
  }

  bool add_requested(const PlainNumber& number) {
    return with_type(*rules_.requested, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>) {
        constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        if (number.is_float || number.digits > kMax) return false;
        if (number.is_negative && !std::is_signed_v<T>) return false;
        const std::uint64_t bits = number.is_negative ? 0 - number.digits : number.digits;
        add_slot(open(Kind::kNumbers), slot_of(static_cast<T>(bits)));
        return true;
      } else if constexpr (std::is_floating_point_v<T>) {
        // Integers may have to be held exactly.
        constexpr std::uint64_t kMaxWhole = std::uint64_t{1} << std::numeric_limits<T>::digits;
        T nearest{};
        if (!number.is_float && number.digits > kMaxWhole) return false;
        if (!nearest_exact(number, nearest)) return false;
        add_slot(open(Kind::kNumbers), slot_of(nearest));
        return true;
      } else {
        return false;  // half precision
      }
    });
  }

  // Adds a text that is not a plain number. Returns false if all fields from here on are to be
  // added one by one.
  bool add_other(std::string_view text) {
    Literal literal;
    if (!clock_.parse(text, literal)) literal = parse_literal(text, dialect_.decimal);
    switch (literal.kind) {
      case LiteralKind::kText:
        return false;  // a column that holds text is text
      case LiteralKind::kInteger:
      case LiteralKind::kFloat:
        if (!add_number(literal)) replay();
        return true;
      case LiteralKind::kBool:
        add_slot(open(Kind::kBools), literal.boolean ? 1 : 0);
        return true;
      default:
        if (!add_time(literal)) replay();
        return true;
    }
  }

  bool add_number(const Literal& literal) {
    if (rules_.requested || literal.leading_zeros || literal.plus_sign) return false;
    if (literal.kind == LiteralKind::kInteger) {
      if (!literal.fits || (literal.negative && literal.magnitude > kMaxI64)) return false;
      add_integer(literal.negative, literal.magnitude);
      return true;
    }
    double number = 0;
    if (nearest(literal, dialect_.decimal, number) != Fit::kExact) return false;
    add_float(number);
    return true;
  }

  bool add_time(const Literal& literal) {
    if (literal.too_fine) return false;
    const bool is_time = literal.kind == LiteralKind::kTime;
    const TimeValues::Unit unit = TimeValues::unit_for(literal);
    Run* run = &open(Kind::kTimes);
    const bool is_first = run->first_value_row == kNone;
    if (!is_first &&
        (run->are_times != is_time || run->are_zoned != literal.zoned || run->unit < unit)) {
      run = &open_new(Kind::kTimes);
    }
    if (run->first_value_row == kNone) {
      run->are_times = is_time;
      run->are_zoned = literal.zoned;
      run->unit = unit;
    }
    std::int64_t value = 0;
    if (!TimeValues::in_unit(literal.seconds, literal.nanoseconds, run->unit, value)) {
      if (run->first_value_row == kNone && run->row_n > 0) run->kind = Kind::kNulls;
      if (run->row_n == 0) part_.runs_.pop_back();
      return false;
    }
    if (run->first_value_row == kNone) {
      run->first_value_row = run->earliest_row = run->latest_row = row_;
      run->earliest = run->latest = value;
    }
    if (value < run->earliest) {
      run->earliest = value;
      run->earliest_row = row_;
    }
    if (value > run->latest) {
      run->latest = value;
      run->latest_row = row_;
    }
    if (literal.has_offset && run->offset_n++ == 0) run->first_offset_row = row_;
    add_slot(*run, static_cast<std::uint64_t>(value));
    return true;
  }

  ColumnPart& part_;
  const RecordBlock& block_;
  std::size_t column_;
  const PartRules& rules_;
  const CsvDialect& dialect_;
  PlainClock clock_;
  std::uint32_t row_ = 0;
  std::uint32_t slot_n_ = 0;
};

void ColumnPart::clear() {
  runs_.clear();
  slots_.clear();
  nulls_.clear();
}

void ColumnPart::parse(const RecordBlock& block, std::size_t column, const PartRules& rules) {
  clear();
  if (rules.replays_all) {
    if (block.rows() == 0) return;
    runs_.emplace_back().row_n = static_cast<std::uint32_t>(block.rows());
    return;
  }
  Parser(*this, block, column, rules).parse();
}

}  // namespace numpact::cli
