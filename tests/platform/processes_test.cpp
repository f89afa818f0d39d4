// SPDX-License-Identifier: Apache-2.0
// Other processes: arguments, streams, exit status.
#include "platform/processes.hpp"

#include <gtest/gtest.h>

#include "platform/children.hpp"
#include "platform/environment.hpp"
#include "platform/file_tests.hpp"
#include "platform/program.hpp"
#include "platform/terminal.hpp"

namespace numpact::testing {
namespace {

TEST(Processes, GetTheirArguments) {
  const std::vector<std::string> words = {"plain",      "two words", "",         "\"",     "a\\",
                                          "a b\\",      "\\\"",      "a\\\\\"b", "%PATH%", "*",
                                          "größe 数字", "tab\there", "c:\\x y\\"};
  std::vector<std::string> role{"echo"};
  std::string expected;
  for (const std::string& word : words) {
    role.push_back(word);
    expected += word + "\n";
  }
  TestChild child(role);
  EXPECT_EQ(child.rest(), expected);
  EXPECT_EQ(child.finish(), 0);
}

TEST(Processes, StreamsAreOfBytes) {
  const std::string text = "a\r\nb\nc\x1a\r\0d\n\n"s + some_text(20000);
  TestChild child({"copy"});
  child.send(text);
  EXPECT_EQ(child.rest(), text);
  EXPECT_EQ(child.finish(), 0);
}

TEST(Processes, TellTheirStatus) {
  for (const int status : {0, 1, 4, 77}) {
    EXPECT_EQ(TestChild({"status", std::to_string(status)}).finish(), status);
  }
  EXPECT_EQ(TestChild({"copy"}).kill(), 128 + 9);
}

TEST(Processes, MissingProgramsAreErrors) {
  platform::Child child = -1;
  EXPECT_EQ(platform::start_child({platform::temporary_folder() + "/no such program"},
                                  platform::kStandardInput, platform::kStandardError, child),
            ENOENT);
}

TEST(Processes, KnowThemselves) {
  EXPECT_GT(platform::current_process(), 0);
  EXPECT_TRUE(platform::OwnProcess().is_this());
  EXPECT_GT(platform::allow_open_files(0), 64u);
}

TEST(Terminal, IsNotAPipe) {
  int reading = -1;
  int writing = -1;
  ASSERT_EQ(platform::open_pipe(reading, writing), 0);
  EXPECT_FALSE(platform::is_terminal(reading));
  EXPECT_EQ(platform::write_some(writing, bytes_of("ab")), 2);
  platform::close_file(writing);
  std::vector<std::byte> out(5);
  EXPECT_EQ(platform::read_some(reading, out), 2);
  EXPECT_EQ(platform::read_some(reading, out), 0);
  platform::FileInfo info;
  EXPECT_TRUE(platform::look_at(reading, info) && info.kind == platform::FileKind::kOther);
  platform::close_file(reading);
}

}  // namespace
}  // namespace numpact::testing
