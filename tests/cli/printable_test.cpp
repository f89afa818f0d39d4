// SPDX-License-Identifier: Apache-2.0
#include "text/printable.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

namespace numpact::cli {
namespace {

TEST(Printable, OrdinaryTextIsKept) {
  for (const char* text : {"", "plain", "caf\u00e9 \u6570 \U0001f600", "tab is \\t", "a~b"}) {
    EXPECT_EQ(one_line(text), text);
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_json(text), text);
  }
}

TEST(Printable, ControlsAreEscaped) {
  EXPECT_EQ(one_line("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(one_line("a\rb\tc\x7f"), "a\\x0db\\x09c\\x7f");
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(one_line("two\nlines\n"), "two lines");
  EXPECT_EQ(printable("two\nlines\r\n"), "two\nlines\\x0d\n");
  // C1 controls as UTF-8, and as the bytes that old terminals obey.
  EXPECT_EQ(one_line("\u009b31m"), "\\u{009b}31m");
  EXPECT_EQ(one_line("\x9b"
                     "31m"),
            "\\x9b31m");
  for (const char* mark : {"\u202a", "\u202e", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c",
                           "\u2028", "\u2029", "\u0080", "\u009f"}) {
    EXPECT_EQ(one_line(mark).substr(0, 3), "\\u{") << one_line(mark);
    EXPECT_EQ(printable_json(mark).substr(0, 2), "\\u");
    EXPECT_EQ(printable_json(mark).size(), 6u);
  }
  EXPECT_EQ(one_line("\u202egpj.exe"), "\\u{202e}gpj.exe");
}

TEST(Printable, InvalidUtf8IsEscaped) {
  const std::pair<const char*, const char*> cases[] = {
      {"\xff", "\\xff"},
      {"\xc3", "\\xc3"},
      {"\xc3(", "\\xc3("},
      {"\xc0\x9b", "\\xc0\\x9b"},                    // overlong
      {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},           // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // past the last code point
      {"\xe2\x80", "\\xe2\\x80"},                    // truncated
      {"\xe2\x80x", "\\xe2\\x80x"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(one_line(text), shown);
}

TEST(Printable, NoControlCharacterRemains) {
  // All pairs of bytes after a lead byte of a three-byte sequence.
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text = {'\xe2', static_cast<char>(a), static_cast<char>(b)};
      for (const std::string_view whole :
           {std::string_view(text), std::string_view(text).substr(1)}) {
        const std::string shown = one_line(whole);
        EXPECT_EQ(one_line(shown), shown);
        for (const char c : shown) {
          const auto byte = static_cast<unsigned char>(c);
          ASSERT_TRUE(byte >= 0x20 && byte != 0x7f) << a << " " << b;
        }
      }
    }
  }
}

}  // namespace
}  // namespace numpact::cli
