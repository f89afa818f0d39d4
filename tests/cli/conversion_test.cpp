// SPDX-License-Identifier: Apache-2.0
// Half-precision numbers, and numbers, dates and times as text.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "numbers/logical_type.hpp"
#include "numbers/number_text.hpp"
#include "text/literals.hpp"

namespace numpact::cli {
namespace {

Float16 half(unsigned bits) { return Float16{static_cast<std::uint16_t>(bits)}; }

TEST(Float16, EveryNumberComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    EXPECT_EQ(to_float16(to_float(half(bits))).bits, bits);
  }
}

TEST(Float16, RoundsToNearestAndTiesToEven) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {  // up to the largest finite number
    const float low = to_float(half(bits));
    const float high = to_float(half(bits + 1));
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(to_float16(middle).bits, bits + bits % 2);
    EXPECT_EQ(to_float16(std::nextafter(middle, low)).bits, bits);
    EXPECT_EQ(to_float16(std::nextafter(middle, high)).bits, bits + 1);
    EXPECT_EQ(to_float16(-middle).bits, 0x8000 | (bits + bits % 2));
  }
  EXPECT_EQ(to_float16(65519.0f).bits, 0x7bff);
  EXPECT_EQ(to_float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(to_float16(std::numeric_limits<float>::infinity()).bits, 0x7c00);
}

template <class T>
std::string number_text(T number) {
  std::string text;
  append_number(text, std::span<const T>(&number, 1), 0);
  return text;
}

TEST(NumberText, IsTheShortest) {
  EXPECT_EQ(number_text<std::int8_t>(-128), "-128");
  EXPECT_EQ(number_text<std::uint64_t>(~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(number_text(0.1f), "0.1");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(half(0x3c00)), "1");
  EXPECT_EQ(number_text(half(0xc000)), "-2");
}

std::string value_text(const LogicalType& logical, std::int64_t value) {
  std::string text;
  if (table::stored_type(logical.kind) == NumberType::kI32) {
    const auto narrow = static_cast<std::int32_t>(value);
    append_value(text, logical, std::span<const std::int32_t>(&narrow, 1), 0);
  } else if (table::stored_type(logical.kind) == NumberType::kU8) {
    const auto narrow = static_cast<std::uint8_t>(value);
    append_value(text, logical, std::span<const std::uint8_t>(&narrow, 1), 0);
  } else {
    append_value(text, logical, std::span<const std::int64_t>(&value, 1), 0);
  }
  return text;
}

TEST(ValueText, Dates) {
  const LogicalType date{LogicalKind::kDate32, {}, ""};
  EXPECT_EQ(value_text(date, 0), "1970-01-01");
  EXPECT_EQ(value_text(date, -1), "1969-12-31");
  EXPECT_EQ(value_text(date, 11016), "2000-02-29");
  EXPECT_EQ(value_text(date, 11017), "2000-03-01");
  EXPECT_EQ(value_text(date, -719468), "0000-03-01");
  EXPECT_EQ(value_text(date, -719469), "0000-02-29");
  EXPECT_EQ(value_text(date, 2932896), "9999-12-31");
  EXPECT_EQ(value_text(date, std::numeric_limits<std::int32_t>::max()), "5881580-07-11");
  const LogicalType date64{LogicalKind::kDate64, {}, ""};
  EXPECT_EQ(value_text(date64, 86'400'000), "1970-01-02");
  EXPECT_EQ(value_text(date64, 86'400'001), "1970-01-02 00:00:00.001");
}

TEST(ValueText, Timestamps) {
  const auto at = [](TimeUnit unit, std::int64_t value, const char* zone = "") {
    return value_text({LogicalKind::kTimestamp, unit, zone}, value);
  };
  EXPECT_EQ(at(TimeUnit::kSecond, 0), "1970-01-01 00:00:00");
  EXPECT_EQ(at(TimeUnit::kMilli, -1), "1969-12-31 23:59:59.999");
  EXPECT_EQ(at(TimeUnit::kMicro, 1'000'001, "Europe/Paris"), "1970-01-01 00:00:01.000001Z");
  EXPECT_EQ(at(TimeUnit::kNano, std::numeric_limits<std::int64_t>::max()),
            "2262-04-11 23:47:16.854775807");
  EXPECT_EQ(at(TimeUnit::kNano, std::numeric_limits<std::int64_t>::min()),
            "1677-09-21 00:12:43.145224192");
  for (const TimeUnit unit : {TimeUnit::kSecond, TimeUnit::kMilli, TimeUnit::kMicro}) {
    for (const std::int64_t value :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
      const std::string text = at(unit, value, "UTC");
      EXPECT_EQ(text.back(), 'Z');
      EXPECT_LE(text.size(), kMaxValueBytes);
    }
  }
}

TEST(ValueText, TimesAndBooleans) {
  EXPECT_EQ(value_text({LogicalKind::kTime32, TimeUnit::kSecond, ""}, 86'399), "23:59:59");
  EXPECT_EQ(value_text({LogicalKind::kTime32, TimeUnit::kSecond, ""}, 86'400), "86400");
  EXPECT_EQ(value_text({LogicalKind::kTime64, TimeUnit::kNano, ""}, 1), "00:00:00.000000001");
  EXPECT_EQ(value_text({LogicalKind::kTime64, TimeUnit::kNano, ""}, -1), "-1");
  EXPECT_EQ(value_text({LogicalKind::kDuration, TimeUnit::kMilli, ""}, -5), "-5");
  EXPECT_EQ(value_text({LogicalKind::kBool, {}, ""}, 1), "true");
  EXPECT_EQ(value_text({LogicalKind::kBool, {}, ""}, 0), "false");
  EXPECT_EQ(value_text({LogicalKind::kBool, {}, ""}, 2), "2");
}

}  // namespace
}  // namespace numpact::cli
