// SPDX-License-Identifier: Apache-2.0
// Timestamps in the form that most files have: 2024-02-29 12:30:05, with or without a fraction of a
// second. A fast path to the results of literal/literal.hpp, as csv/plain_number.hpp is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "csv/plain_number.hpp"
#include "csv/word.hpp"
#include "text/literals.hpp"

namespace numpact::cli {

class PlainClock {
 public:
  // Returns false for all texts of other forms. kWordBytes must be readable behind the text.
  bool parse(std::string_view text, Literal& literal) {
    Clock clock;
    if (!parse_clock(text, clock)) return false;
    if (!take_date(text.data())) return false;
    literal.kind = LiteralKind::kTimestamp;
    literal.text = text;
    literal.seconds = midnight_ + clock.seconds;
    literal.nanoseconds = static_cast<std::uint32_t>(
        clock.fraction * plain::kPowersOf10[kMaxFractionDigits - clock.fraction_digits]);
    literal.fraction_digits = static_cast<std::uint8_t>(clock.fraction_digits);
    return true;
  }

  static constexpr std::size_t kMaxFractionDigits = 9;

  // The time after midnight of a text that has the length and the separators of a timestamp.
  struct Clock {
    std::int64_t seconds = 0;
    std::uint64_t fraction = 0;  // of fraction_digits digits
    std::size_t fraction_digits = 0;
  };
  static bool parse_clock(std::string_view text, Clock& clock) {
    constexpr std::size_t kBytes = kDateBytes + 1 + kClockBytes;
    if (text.size() < kBytes) return false;
    const char* const at = text.data();
    if (at[kDateBytes] != ' ' && at[kDateBytes] != 'T') return false;
    if (!take_clock(load_word(at + kDateBytes + 1), clock.seconds)) return false;
    return text.size() == kBytes || take_fraction(text.substr(kBytes), clock);
  }

  // Whether the text, which has a date's length at least, begins with the date of the last call of
  // take_date().
  bool is_last_date(const char* at) const {
    return is_known_ && std::memcmp(at, date_, kDateBytes) == 0;
  }
  // Parses the date that the text begins with. Returns false if it is none.
  bool take_date(const char* at) {
    if (is_last_date(at)) return true;  // most dates are those of the row before
    const Literal date = parse_literal({at, kDateBytes}, '.');
    if (date.kind != LiteralKind::kDate || date.text.size() != kDateBytes) return false;
    std::memcpy(date_, at, kDateBytes);
    midnight_ = date.seconds;
    is_known_ = true;
    return true;
  }
  // The seconds of that date.
  std::int64_t midnight() const { return midnight_; }

  static constexpr std::size_t kDateBytes = 10;

 private:
  static constexpr std::size_t kClockBytes = 8;

  // hh:mm:ss, the first character in the lowest byte.
  static bool take_clock(std::uint64_t word, std::int64_t& seconds) {
    constexpr std::uint64_t kPattern = 0x3030'3a30'303a'3030;  // 00:00:00
    // The largest byte that stands for a digit, or for the colon, sets no high bit.
    constexpr std::uint64_t kToHighBit = 0x7676'7f76'767f'7676;
    const std::uint64_t digits = word ^ kPattern;
    if ((((digits + kToHighBit) | digits) & repeated(0x80)) != 0) return false;
    const auto pair = [&](unsigned byte) {
      return static_cast<std::int64_t>((digits >> (8 * byte) & 0xff) * 10 +
                                       (digits >> (8 * byte + 8) & 0xff));
    };
    const std::int64_t hour = pair(0);
    const std::int64_t minute = pair(3);
    const std::int64_t second = pair(6);
    seconds = hour * 3600 + minute * 60 + second;
    return hour < 24 && minute < 60 && second < 60;
  }

  // A point and up to nine digits.
  static bool take_fraction(std::string_view text, Clock& clock) {
    const std::size_t count = text.size() - 1;
    if (text[0] != '.' || count == 0 || count > kMaxFractionDigits) return false;
    const char* const digits = text.data() + 1;
    const std::size_t first = std::min(count, kWordBytes);
    const std::uint64_t word = load_word(digits);
    if (plain::leading_digits(word) < first) return false;
    clock.fraction = plain::digits_value(word, first);
    clock.fraction_digits = count;
    if (count == first) return true;
    const auto last = static_cast<unsigned char>(digits[kWordBytes] - '0');
    clock.fraction = 10 * clock.fraction + last;
    return last < 10;
  }

  bool is_known_ = false;
  char date_[kDateBytes] = {};
  std::int64_t midnight_ = 0;
};

}  // namespace numpact::cli
