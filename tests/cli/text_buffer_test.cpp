// SPDX-License-Identifier: Apache-2.0
#include "text/text_buffer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace numpact::cli {
namespace {

TEST(TextBuffer, GrowsAndKeepsWhatWasWritten) {
  TextBuffer text;
  std::string expected;
  EXPECT_EQ(text.view(), "");
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::string word(i % 70, static_cast<char>('a' + i % 26));
    text.add(word);
    text.add('\n');
    char* const room = text.room(64);
    room[0] = '!';
    text.end_at(room + i % 2);  // less than was asked for, or nothing
    expected += word + '\n' + (i % 2 == 1 ? "!" : "");
  }
  EXPECT_EQ(text.view(), expected);
  text.clear();
  EXPECT_EQ(text.view(), "");
  text.add("again");
  EXPECT_EQ(text.view(), "again");
}

}  // namespace
}  // namespace numpact::cli
