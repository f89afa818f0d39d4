// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "io/cleanup.hpp"

namespace numpact::cli {
namespace {

namespace fs = std::filesystem;

// The command's columns are written by several threads, which go on while a signal removes their
// folder.
[[noreturn]] void write_until_ended(const fs::path& target) {
  watch_signals();
  TemporaryPath folder(target.string(), TemporaryPath::Kind::kFolder);
  const auto write = [&](char name) {
    for (int i = 0; i < 100'000; ++i) {
      std::ofstream(fs::path(folder.path()) / (name + std::to_string(i)));
    }
  };
  std::vector<std::thread> threads;
  for (const char name : {'a', 'b', 'c', 'd'}) threads.emplace_back(write, name);
  while (std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) < 100) {
  }
  ::kill(::getpid(), SIGTERM);
  for (;;) std::this_thread::yield();
}

TEST(Cleanup, RemovesFoldersThatThreadsWriteInto) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fs::path here = fs::path(::testing::TempDir()) / "numpact_cleanup_test";
  fs::remove_all(here);
  fs::create_directories(here);
  EXPECT_EXIT(write_until_ended(here / "f"), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(fs::is_empty(here));
  fs::remove_all(here);
}

}  // namespace
}  // namespace numpact::cli
