// SPDX-License-Identifier: Apache-2.0
// Reading and writing of JSON like Python's json module.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "base/internal.hpp"
#include "json/text.hpp"
#include "platform/write_number.hpp"
#include "support/numbers.hpp"

namespace numpact::internal::json {
namespace {

std::string again(std::string_view text, Style style) {
  Document document;
  const Status status = document.parse(text);
  return status.ok() ? value_text(document.root(), style) : "error: " + status.message();
}

TEST(Json, StylesOfPython) {
  const std::string_view text =
      " {\"b\" : [1, 2.50, -0, 1e5, true , null], \"a\":{\"\\u00e9\":\"\\ud83d\\ude00/\"}} ";
  EXPECT_EQ(again(text, Style::kOrdered),
            "{\"b\": [1, 2.5, 0, 100000.0, true, null], \"a\": {\"\\u00e9\": "
            "\"\\ud83d\\ude00/\"}}");
  EXPECT_EQ(again(text, Style::kSorted),
            "{\"a\":{\"\\u00e9\":\"\\ud83d\\ude00/\"},\"b\":[1,2.5,0,100000.0,true,null]}");
}

TEST(Json, Numbers) {
  EXPECT_EQ(number_text(0.008660835213959217), "0.008660835213959217");
  EXPECT_EQ(number_text(1e16), "1e+16");
  EXPECT_EQ(number_text(9999999999999998), "9999999999999998.0");
  EXPECT_EQ(number_text(1e-4), "0.0001");
  EXPECT_EQ(number_text(1e-5), "1e-05");
  EXPECT_EQ(number_text(3.923635700109488e-43), "3.923635700109488e-43");
  EXPECT_EQ(number_text(-0.0), "-0.0");
  EXPECT_EQ(number_text(1.5e300), "1.5e+300");
  EXPECT_EQ(again("[NaN,Infinity,-Infinity,1e999,-1e999,1e-999]", Style::kSorted),
            "[NaN,Infinity,-Infinity,Infinity,-Infinity,0.0]");
  EXPECT_EQ(again("123456789012345678901234567890", Style::kSorted),
            "123456789012345678901234567890");
}

// The texts of WebAssembly are those of the standard library.
TEST(Json, ShortestTextsAreThoseOfToChars) {
  using platform::shortest_text;
  testing::Random random(61);
  const auto expect_texts = [](auto value) {
    for (const auto format :
         {std::chars_format{}, std::chars_format::fixed, std::chars_format::scientific}) {
      char text[400] = {};
      const auto end = format == std::chars_format{}
                           ? std::to_chars(text, text + sizeof text, value)
                           : std::to_chars(text, text + sizeof text, value, format);
      EXPECT_EQ(shortest_text(value, format), std::string(text, end.ptr));
    }
  };
  for (const double value : {0.0, -0.0, 1.0, 0.1, 0.0001, 0.00001, 100000.0, 1234567.0, 1e15, 1e16,
                             1e22, 1e23, 5e-324, 1.7976931348623157e308, 0.3, -2.5}) {
    expect_texts(value);
    expect_texts(static_cast<float>(value));
  }
  for (int i = 0; i < 2000; ++i) {
    const auto value = std::bit_cast<double>(random.bits());
    if (std::isfinite(value)) expect_texts(value);
    const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits()));
    if (std::isfinite(single)) expect_texts(single);
    expect_texts(static_cast<double>(random.bits(40)) / 1000);
  }
}

TEST(Json, Strings) {
  EXPECT_EQ(again(R"("\"\\\/\b\f\n\r\t\u007f\u0001~")", Style::kSorted),
            R"("\"\\/\b\f\n\r\t\u007f\u0001~")");
  EXPECT_EQ(again(R"("\ud800 \udc00")", Style::kSorted), R"("\ud800 \udc00")");
  EXPECT_EQ(again("\"\xc3\xa9\xf0\x9f\x98\x80\"", Style::kSorted), R"("\u00e9\ud83d\ude00")");
}

TEST(Json, SortedByCodePointAndLastOfRepeatedKeys) {
  EXPECT_EQ(again("{\"\\ud83d\\ude00\":1,\"\\uffff\":2,\"Z\":3,\"a\":4}", Style::kSorted),
            R"({"Z":3,"a":4,"\uffff":2,"\ud83d\ude00":1})");
  EXPECT_EQ(again(R"({"b":1,"a":2,"b":3})", Style::kOrdered), R"({"b": 3, "a": 2})");
  Document document;
  ASSERT_TRUE(document.parse(R"({"b":1,"a":2,"\u0062":3})").ok());
  EXPECT_EQ(document.root().find("b")->natural(), 3u);
  EXPECT_EQ(document.root().count(), 3u);
}

TEST(Json, Refused) {
  for (const std::string_view text : {"",
                                      " ",
                                      "{",
                                      "[",
                                      "[1",
                                      "[1,",
                                      "[1,]",
                                      "[,1]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{1:2}",
                                      "01",
                                      "1.",
                                      ".5",
                                      "1e",
                                      "+1",
                                      "-",
                                      "nul",
                                      "\"",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\n\"",
                                      "[1]]",
                                      "[1 2]",
                                      "{\"a\" 1}",
                                      "'a'",
                                      "nan",
                                      "-NaN",
                                      "\"\xff\"",
                                      "\"\xc0\x80\"",
                                      "\"\xed\xa0\x80\"",
                                      "[}",
                                      "{]"}) {
    Document document;
    EXPECT_FALSE(document.parse(text).ok()) << text;
  }
}

TEST(Json, Depth) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  Document document;
  EXPECT_TRUE(document.parse(nested(kMaxDepth)).ok());
  EXPECT_EQ(document.parse(nested(kMaxDepth + 1)).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(document.parse("[1,2,3]", 30).kind(), ErrorKind::kLimitExceeded);
}

void expect_same(const Value& value, const View& view) {
  EXPECT_EQ(value.kind(), view.kind());
  EXPECT_EQ(value.text(), view.text());
  EXPECT_EQ(value.offset(), view.offset());
  EXPECT_EQ(value.natural(), view.natural());
  if (value.is(Kind::kString)) {
    EXPECT_EQ(value.string(), view.string());
    EXPECT_TRUE(view.says(value.string()));
  }
  auto item = value.first();
  auto other = view.first();
  for (; item && other; item = item->next(), other = other->next()) expect_same(*item, *other);
  EXPECT_FALSE(item || other);
  EXPECT_EQ(value.count(), view.count());
}

TEST(Json, ReadInPlace) {
  for (const std::string_view text :
       {R"( {"a":[1,-0,2.5,1e3,"x\\\"]}",{}],"":{"b":[[],[[]]]},"\u00e9":null} )", "[ ]", " 1 ",
        R"("\ud83d\ude00")", "[NaN,-Infinity,true,false]", R"({"a":{"b":"}"},"a":2})"}) {
    Document document;
    ASSERT_TRUE(document.parse(text).ok()) << text;
    ASSERT_TRUE(check(text).ok()) << text;
    expect_same(document.root(), View::root_of(text));
  }
  for (const std::string_view text : {"[1 2]", "{\"a\"}", "[,]", "[1,]", "[}", "", "1 1"}) {
    Document document;
    const Status status = document.parse(text);
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_EQ(check(text).offset(), status.offset()) << text;
  }
}

TEST(Json, Strict) {
  for (const std::string_view text :
       {"[]", " {\"a\": [1, -2.5e3, true, null]} ", "\xef\xbb\xbf[1]", "\"\\ud800\"", "0"}) {
    EXPECT_TRUE(parse_strict(text)) << text;
  }
  for (const std::string_view text :
       {"", "[", "[1,]", "[NaN]", "[-Infinity]", "Infinity", "01", "1.", "[1]]", "\"\xff\"",
        "\"\xed\xa0\x80\"", "\xef\xbb\xbf", "[\"\x01\"]"}) {
    EXPECT_FALSE(parse_strict(text)) << text;
  }
}

TEST(Json, StrictLimits) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_strict(nested(kMaxStrictDepth)));
  EXPECT_FALSE(parse_strict(nested(kMaxStrictDepth + 1)));
  EXPECT_TRUE(parse_strict(R"({"a": [1, 2], "b": {}})", 5));
  EXPECT_FALSE(parse_strict(R"({"a": [1, 2], "b": {}})", 4));
}

TEST(Json, StrictValues) {
  const std::optional<View> root =
      parse_strict(R"({"a": 18446744073709551615, "b": -0, "a": 18446744073709551616, "c": 7})");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->first()->next()->unsigned_integer(), ~std::uint64_t{0});
  EXPECT_EQ(root->find("a")->text(), "18446744073709551616");
  EXPECT_FALSE(root->find("a")->unsigned_integer());
  EXPECT_FALSE(root->find("b")->unsigned_integer());
  EXPECT_EQ(root->find("c")->unsigned_integer(), 7u);
  EXPECT_FALSE(root->find("d"));
}

bool are_equal(std::string_view a, std::string_view b) {
  Document x;
  Document y;
  EXPECT_TRUE(x.parse(a).ok() && y.parse(b).ok());
  return equal(x.root(), y.root());
}

TEST(Json, EqualAsInPython) {
  EXPECT_TRUE(are_equal("1", "1.0"));
  EXPECT_TRUE(are_equal("1", "true"));
  EXPECT_TRUE(are_equal("0.0", "false"));
  EXPECT_TRUE(are_equal("-0", "0"));
  EXPECT_TRUE(are_equal("1e2", "100"));
  EXPECT_TRUE(are_equal("18446744073709551616", "18446744073709551616.0"));
  EXPECT_FALSE(are_equal("18446744073709551617", "18446744073709551616.0"));
  EXPECT_FALSE(are_equal("9007199254740993", "9007199254740992.0"));
  EXPECT_FALSE(are_equal("NaN", "NaN"));
  EXPECT_TRUE(are_equal("Infinity", "1e999"));
  EXPECT_FALSE(are_equal("1", "\"1\""));
  EXPECT_FALSE(are_equal("null", "false"));
  EXPECT_TRUE(are_equal(R"({"a":[1,{"b":"\u00e9"}]})", "{\"a\": [1.0, {\"b\": \"\xc3\xa9\"}]}"));
  EXPECT_FALSE(are_equal("[1]", "[1,2]"));
  EXPECT_FALSE(are_equal(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_TRUE(are_equal(R"({"b":2,"a":1})", R"({"a":3,"b":2,"a":1.0})"));
}

}  // namespace
}  // namespace numpact::internal::json
