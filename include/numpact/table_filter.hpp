// SPDX-License-Identifier: Apache-2.0
// Filters of the rows of a table: comparisons of columns with values or with each other, joined by
// `and`, `or` and `not`. The language is that of `numpact decompress --where` (docs/cli-tables.md);
// the Python package uses it, too.
//
// parse_filter() reads the text. The comparisons with one column are then bound to its type: a
// NumberFilter for numbers, dates, times and booleans, a TextFilter for text and bytes, a
// DecimalFilter for decimals. All comparisons are exact. Bound filters are immutable; threads may
// share them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/table.hpp"
#include "numpact/trailer.hpp"
#include "numpact/types.hpp"

namespace numpact::table {

enum class FilterOp : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kIsNull,
  kIsNotNull,
  kLike,  // text that begins as the value says: 'abc%'
};

// "=", "!=", "<", "<=", ">", ">=", "in", "is null", "is not null", "like"; a static string.
NUMPACT_API std::string_view to_string(FilterOp op) noexcept;
// The other way; also "==", capitals, and blanks between words. Fails with kInvalidArgument. With
// `negated`, "not in", "not like" and, for all others, "not =" are taken, too. Here and below,
// `message`, if not null, receives one line that says what is wrong and, where it is known, what to
// write instead.
NUMPACT_API Result<FilterOp> filter_op_of(std::string_view text, std::string* message = nullptr,
                                          bool* negated = nullptr) noexcept;

struct FilterValue {
  enum class Kind : std::uint8_t {
    kNumber,     // decimal, with or without sign, point and exponent; nan, inf and infinity
    kText,       // in quotes: text, or the ISO form of a date, a time or a duration
    kBool,       // true or false
    kTime,       // a date, time or timestamp in ISO form, without quotes
    kInstant,    // seconds since 1970-01-01T00:00Z, decimal
    kTimeOfDay,  // seconds since midnight, decimal
    kDuration,   // seconds, decimal
    kBytes,
    // A number as the column stores it, whatever that means: a decimal, compared exactly. One with
    // a point or an exponent, and nan and inf, stand for an f64.
    kStored,
  };
  Kind kind = Kind::kNumber;
  std::string text = {};  // without quotes
  bool zoned = false;     // kInstant: it has a time zone

  friend bool operator==(const FilterValue&, const FilterValue&) = default;
};

// How a comparison is joined to the one before it. A filter is a list of clauses, which all must
// hold. A clause is a list of alternatives, one of which must hold. All comparisons of an
// alternative must hold:
//
//   a = 1 and (b = 2 or c = 3 and d = 4)     a: kClause  b: kClause  c: kAlternative  d: kWith
enum class FilterJoin : std::uint8_t {
  kClause,       // begins a clause, as the first comparison always does
  kAlternative,  // begins another alternative of the clause
  kWith,         // belongs to the same alternative
};

struct FilterComparison {
  std::string column;
  FilterOp op = FilterOp::kEqual;
  // Any count for kIn, none for kIsNull and kIsNotNull and with another column, else one.
  std::vector<FilterValue> values = {};
  // The rows that do not satisfy it, of those that are not null.
  bool negated = false;
  FilterJoin join = FilterJoin::kClause;
  // The column that takes the place of the value. It must be of the same type.
  std::optional<std::string> other = {};

  friend bool operator==(const FilterComparison&, const FilterComparison&) = default;
};

// Reads a filter. Fails with kInvalidArgument; the message says at which character.
NUMPACT_API Result<std::vector<FilterComparison>> parse_filter(
    std::string_view text, std::string* message = nullptr) noexcept;

// The type of a column of numbers, as a manifest describes it.
struct ColumnType {
  NumberType type = NumberType::kU8;
  Kind kind = Kind::kNumber;
  Unit unit = Unit::kSecond;  // if has_unit(kind)
  std::string timezone = {};  // of kTimestamp; empty: none
  DecimalType decimal = {};   // of kDecimal
};

// For messages: "i64", "date32", "timestamp[ms, UTC]", "decimal128(18, 2)".
NUMPACT_API std::string describe(const ColumnType& column);

// The comparisons with one column of numbers, dates, times, decimals or booleans: ranges of ordered
// latents (to_ordered_latent()), so that numbers and the ranges in trailers are compared alike, and
// no comparison depends on the thread's floating-point environment.
class NUMPACT_API NumberFilter {
 public:
  struct Range {
    std::uint64_t first;
    std::uint64_t last;  // included
  };

  // Binds comparisons, joined as they say; the names of their columns are used for messages only.
  // Fails with kTypeMismatch if a value is of another kind than the column, or has a time zone and
  // the column none; with kInvalidArgument if an operator has too few or many values, or a column
  // instead of them, which scans compare.
  static Result<NumberFilter> bind(std::span<const FilterComparison> comparisons,
                                   const ColumnType& column,
                                   std::string* message = nullptr) noexcept;

  // Binds comparisons with a column of texts: each of `texts` is compared once, and the numbers, of
  // the type `type`, are places among them. Fails as TextFilter::bind().
  static Result<NumberFilter> bind_texts(std::span<const FilterComparison> comparisons,
                                         NumberType type, bool is_bytes, const TextValues& texts,
                                         std::string* message = nullptr) noexcept;

  NumberType type() const noexcept { return type_; }
  // Whether null rows satisfy it, whether NaNs do, and whether any number may.
  bool matches_null() const noexcept { return matches_null_; }
  bool matches_nan() const noexcept { return matches_nan_; }
  bool matches_numbers() const noexcept { return !all_.empty(); }
  // The numbers without NaNs that satisfy it: ranges that increase and have gaps between them.
  std::span<const Range> ranges() const noexcept { return ranges_; }

  // Whether a number of the chunk may satisfy it.
  bool may_match(const ChunkSummary& chunk) const noexcept;
  // Sets kept[i] to 0 for numbers that do not satisfy it, and leaves the others. Rows that are null
  // are for the caller to judge. `numbers` are of type(), in memory of any alignment, and as many
  // as `kept`.
  void narrow(const NumberView& numbers, std::span<std::uint8_t> kept) const noexcept;

 private:
  NumberType type_ = NumberType::kU8;
  bool matches_null_ = false;
  bool matches_nan_ = false;
  std::vector<Range> ranges_;
  std::vector<Range> all_;  // with those of NaNs
  // Of texts, if there are many ranges: whether each number of the type satisfies it; else null.
  std::shared_ptr<const std::vector<std::uint8_t>> by_number_;
};

// A comparison of two columns of numbers, dates, times or booleans of the same type. As with
// values, NaN is equal to NaN, and neither less nor greater than any number; 0.0 is equal to -0.0.
class NUMPACT_API PairFilter {
 public:
  // Fails with kTypeMismatch if the columns are not of one type, with kInvalidArgument if the
  // operator is not one of = != < <= > >=.
  static Result<PairFilter> bind(const FilterComparison& comparison, const ColumnType& column,
                                 const ColumnType& other, std::string* message = nullptr) noexcept;

  // Sets kept[i] to 0 where the numbers at i do not satisfy it, and leaves the others. Both are of
  // the type of the columns, in memory of any alignment, and as many as `kept`.
  void narrow(const NumberView& column, const NumberView& other,
              std::span<std::uint8_t> kept) const noexcept;

 private:
  unsigned orders_ = 0;  // of two numbers that satisfy it, a bit each
};

// The comparisons with one column of text or bytes, which are compared byte by byte: valid UTF-8 is
// in the order of code points.
class NUMPACT_API TextFilter {
 public:
  TextFilter();
  // As NumberFilter::bind(). `is_bytes`: the column holds bytes, and values are kBytes.
  static Result<TextFilter> bind(std::span<const FilterComparison> comparisons, bool is_bytes,
                                 std::string* message = nullptr) noexcept;

  bool matches_null() const noexcept;
  bool matches(std::string_view text) const noexcept;

  struct Table;

 private:
  std::shared_ptr<const Table> table_;
};

// The comparisons with one column of decimals.
class NUMPACT_API DecimalFilter {
 public:
  DecimalFilter();
  // As NumberFilter::bind().
  static Result<DecimalFilter> bind(std::span<const FilterComparison> comparisons,
                                    std::string* message = nullptr) noexcept;

  bool matches_null() const noexcept;
  // Of a decimal number as text, "-12.50"; false if it is none. Throws std::bad_alloc.
  bool matches(std::string_view text) const;
  // The whole numbers of at most `precision` digits which, times 10^-scale, satisfy it: closed
  // ranges that increase, as decimal text. Throws std::bad_alloc.
  std::vector<std::pair<std::string, std::string>> ranges(int precision, int scale) const;

  struct Table;

 private:
  std::shared_ptr<const Table> table_;
};

}  // namespace numpact::table
