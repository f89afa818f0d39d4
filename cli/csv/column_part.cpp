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
namespace {

// Doubles hold all integers up to this one.
constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;

}  // namespace

class ColumnPart::Parser {
 public:
  Parser(ColumnPart& part, const RecordBlock& block, std::size_t column, const PartRules& rules)
      : part_(part),
        block_(block),
        column_(column),
        rules_(rules),
        dialect_(*rules.dialect),
        texts_(block.texts(column)),
        row_n_(static_cast<std::uint32_t>(block.rows())) {
    part_.slots_.resize(block.rows());
  }

  void parse() {
    const bool has_long_runs = !rules_.requested && !has_null_numbers();
    while (row_ < row_n_) {
      if (!add_one()) break;
      ++row_;
      if (has_long_runs) go_on();
    }
    if (row_ < row_n_) open(Kind::kReplay).row_n += row_n_ - row_;
    part_.slots_.resize(slot_n_);
  }

 private:
  // Adds the field of row_. Returns false if all fields from here on are to be added one by one.
  bool add_one() {
    const std::string_view text = texts_[row_];
    const bool has_words = !dialect_.null_values.empty();
    if ((text.empty() && !block_.is_quoted(row_, column_)) || (has_words && is_null_word(text))) {
      add_null();
      return true;
    }
    PlainNumber number;
    if (parse_plain(text, dialect_.decimal, number) && add_plain(number)) return true;
    return add_other(text);
  }

  // Whether a number or a date may stand for null.
  bool has_null_numbers() const {
    return std::any_of(dialect_.null_values.begin(), dialect_.null_values.end(),
                       [](const std::string& word) {
                         return word.find_first_of("0123456789") != std::string::npos;
                       });
  }

  // Adds further fields to the last run, as add_one() would, as long as they are of the most
  // frequent form and tell nothing new of the run. Such loops hold their state in registers.
  void go_on() {
    Run& run = part_.runs_.back();
    std::uint32_t n = 0;
    if (run.kind == Kind::kNumbers && run.first_float_row != kNone) {
      n = more_floats(run);
    } else if (run.kind == Kind::kNumbers) {
      n = more_integers(run);
    } else if (run.kind == Kind::kTimes && !run.are_times && !run.are_zoned) {
      n = run.unit == TimeValues::Unit::kDay ? more_dates(run) : more_timestamps(run);
    }
    row_ += n;
    slot_n_ += n;
    run.row_n += n;
    run.slot_n += n;
  }

  // They return the count of fields.
  std::uint32_t more_integers(const Run& run) {
    const std::uint64_t max_digits = run.inexact_row == kNone ? kMaxExact : kMaxI64;
    const bool may_be_negative = run.negative_row != kNone;
    return add_while(
        [&, decimal = dialect_.decimal](std::string_view text, std::uint32_t, std::uint64_t& slot) {
          PlainNumber number;
          if (!parse_plain(text, decimal, number) || number.is_float) return false;
          if (number.digits > max_digits || (number.is_negative && !may_be_negative)) return false;
          slot = number.is_negative ? 0 - number.digits : number.digits;
          return true;
        });
  }

  std::uint32_t more_floats(const Run& run) {
    if (!plain::kRoundsOnce) return 0;
    const bool may_be_negative = run.negative_row != kNone;  // integers
    return add_while(
        [&, decimal = dialect_.decimal](std::string_view text, std::uint32_t, std::uint64_t& slot) {
          PlainNumber number;
          if (!parse_plain(text, decimal, number)) return false;
          double nearest = 0;
          if (number.is_float) {
            if (!nearest_exact(number, nearest)) return false;
          } else {
            if (number.digits > kMaxExact || (number.is_negative && !may_be_negative)) return false;
            nearest = static_cast<double>(
                static_cast<std::int64_t>(number.is_negative ? 0 - number.digits : number.digits));
          }
          slot = slot_of(nearest);
          return true;
        });
  }

  std::uint32_t more_timestamps(Run& run) {
    const auto per_second = TimeValues::per_second(run.unit);
    const std::size_t max_digits = TimeValues::fraction_digits(run.unit);
    std::int64_t midnight = 0;
    bool has_midnight = false;
    return add_while([&](std::string_view text, std::uint32_t row, std::uint64_t& slot) {
      PlainClock::Clock clock;
      if (!PlainClock::parse_clock(text, clock) || clock.fraction_digits > max_digits) return false;
      if (!has_midnight || !clock_.is_last_date(text.data())) {
        // All times of the day are in range.
        if (!clock_.take_date(text.data()) ||
            !TimeValues::in_unit(clock_.midnight() - kSecondsPerDay, 0, run.unit, midnight) ||
            !TimeValues::in_unit(clock_.midnight() + kSecondsPerDay, 0, run.unit, midnight)) {
          return false;
        }
        midnight = clock_.midnight() * per_second;
        has_midnight = true;
      }
      const auto fraction = static_cast<std::int64_t>(
          clock.fraction * plain::kPowersOf10[max_digits - clock.fraction_digits]);
      const std::int64_t value = midnight + clock.seconds * per_second + fraction;
      note_extreme(run, value, row);
      slot = static_cast<std::uint64_t>(value);
      return true;
    });
  }

  std::uint32_t more_dates(Run& run) {
    return add_while([&](std::string_view text, std::uint32_t row, std::uint64_t& slot) {
      if (text.size() != PlainClock::kDateBytes || !clock_.take_date(text.data())) return false;
      std::int64_t value = 0;
      if (!TimeValues::in_unit(clock_.midnight(), 0, run.unit, value)) return false;
      note_extreme(run, value, row);
      slot = static_cast<std::uint64_t>(value);
      return true;
    });
  }

  // Makes slots of the texts from row_ on up to the first that is refused.
  // to_slot(text, row, slot): false if it is.
  template <class ToSlot>
  std::uint32_t add_while(const ToSlot& to_slot) {
    std::uint64_t* const slots = part_.slots_.data() + slot_n_;
    const RecordBlock::Texts texts = texts_;
    const std::uint32_t first = row_;
    const std::uint32_t max_n = row_n_ - first;
    for (std::uint32_t i = 0; i < max_n; ++i) {
      std::uint64_t slot = 0;
      if (!to_slot(texts[first + i], first + i, slot)) return i;
      slots[i] = slot;
    }
    return max_n;
  }

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
    note_extreme(*run, value, row_);
    if (literal.has_offset && run->offset_n++ == 0) run->first_offset_row = row_;
    add_slot(*run, static_cast<std::uint64_t>(value));
    return true;
  }

  static void note_extreme(Run& run, std::int64_t value, std::uint32_t row) {
    if (value < run.earliest) {
      run.earliest = value;
      run.earliest_row = row;
    }
    if (value > run.latest) {
      run.latest = value;
      run.latest_row = row;
    }
  }

  ColumnPart& part_;
  const RecordBlock& block_;
  std::size_t column_;
  const PartRules& rules_;
  const CsvDialect& dialect_;
  PlainClock clock_;
  const RecordBlock::Texts texts_;
  const std::uint32_t row_n_;
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
