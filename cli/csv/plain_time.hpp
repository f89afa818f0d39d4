// SPDX-License-Identifier: Apache-2.0
// Timestamps in the form that most files have: 2024-02-29 12:30:05, with or without a fraction of a
// second. A fast path to the results of csv/literal.hpp, as csv/plain_number.hpp is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "csv/literal.hpp"
#include "csv/plain_number.hpp"
#include "csv/word.hpp"

namespace numpact::cli {

class PlainClock {
 public:
  // Returns false for all texts of other forms. kWordBytes must be readable behind the text.
  bool parse(std::string_view text, Literal& literal) {
    if (text.size() < kDateBytes + 1 + kClockBytes) return false;
    const char* at = text.data();
    if (at[kDateBytes] != ' ' && at[kDateBytes] != 'T') return false;
    if (!take_date(at)) return false;
    at += kDateBytes + 1;
    std::int64_t seconds = 0;
    if (!take_clock(load_word(at), seconds)) return false;
    at += kClockBytes;
    const char* const end = text.data() + text.size();
    if (at < end && !take_fraction(at, end, literal)) return false;
    literal.kind = LiteralKind::kTimestamp;
    literal.text = text;
    literal.seconds = midnight_ + seconds;
    return true;
  }

 private:
  static constexpr std::size_t kDateBytes = 10;
  static constexpr std::size_t kClockBytes = 8;
  static constexpr std::size_t kMaxFractionDigits = 9;

  // Most dates are those of the row before.
  bool take_date(const char* at) {
    if (is_known_ && std::memcmp(at, date_, kDateBytes) == 0) return true;
    const Literal date = parse_literal({at, kDateBytes}, '.');
    if (date.kind != LiteralKind::kDate || date.text.size() != kDateBytes) return false;
    std::memcpy(date_, at, kDateBytes);
    midnight_ = date.seconds;
    is_known_ = true;
    return true;
  }

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
  static bool take_fraction(const char* at, const char* end, Literal& literal) {
    if (*at++ != '.') return false;
    const auto count = static_cast<std::size_t>(end - at);
    if (count == 0 || count > kMaxFractionDigits) return false;
    std::uint64_t fraction = 0;
    if (!plain::take_digits(at, end, fraction) || at != end) return false;
    literal.nanoseconds =
        static_cast<std::uint32_t>(fraction * plain::kPowersOf10[kMaxFractionDigits - count]);
    literal.fraction_digits = static_cast<std::uint8_t>(count);
    return true;
  }

  bool is_known_ = false;
  char date_[kDateBytes] = {};
  std::int64_t midnight_ = 0;
};

}  // namespace numpact::cli
