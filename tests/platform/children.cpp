// SPDX-License-Identifier: Apache-2.0
#include "platform/children.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "numpact/file_access.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/pco.hpp"
#include "numpact/stream.hpp"
#include "platform/folders.hpp"
#include "platform/locks.hpp"
#include "platform/program.hpp"
#include "platform/terminal.hpp"
#include "support/fixtures.hpp"

namespace numpact::testing {

std::string own_program;

namespace {

using platform::kStandardInput;
using platform::kStandardOutput;

std::string all_of(int descriptor) {
  std::string text;
  std::vector<std::byte> block(1 << 12);
  while (true) {
    const std::int64_t got = platform::read_some(descriptor, block);
    if (got <= 0) return text;
    text.append(reinterpret_cast<const char*>(block.data()), static_cast<std::size_t>(got));
  }
}

bool put(int descriptor, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return platform::write_some(descriptor, bytes) == static_cast<std::int64_t>(bytes.size());
}

int hold_lock(const std::string& path) {
  FileLock lock;
  if (!lock.lock(path).ok() || !lock.is_held() || !put(kStandardOutput, "!")) return 1;
  (void)all_of(kStandardInput);
  return 0;
}

int hold_turn(const std::string& folder) {
  platform::FolderTurn turn;
  if (turn.take(folder) != 0 || !put(kStandardOutput, "!")) return 1;
  (void)all_of(kStandardInput);
  return 0;
}

// Keeps a file open and mapped; at the end of the input it must be as it was.
int hold_file(const std::string& path) {
  const MappedFile mapped = MappedFile::open(path).value();
  FileRangeSource source = FileRangeSource::open(path).value();
  const Bytes before(mapped.bytes().begin(), mapped.bytes().end());
  if (!put(kStandardOutput, "!")) return 1;
  (void)all_of(kStandardInput);
  Bytes read(before.size());
  for (std::size_t at = 0; at < read.size();) {
    std::size_t got = 0;
    if (!source.read_at(at, std::span(read).subspan(at)).into(got).ok() || got == 0) return 2;
    at += got;
  }
  return same_bytes(mapped.bytes(), before) && read == before ? 0 : 3;
}

// Until the end of the input: the folder and its file must be found each time.
int look_until_the_end(const std::string& folder) {
  std::atomic<bool> is_over = false;
  std::thread input([&] {
    (void)all_of(kStandardInput);
    is_over = true;
  });
  int status = put(kStandardOutput, "!") ? 0 : 1;
  while (!is_over) {
    platform::FileInfo info;
    std::vector<platform::FolderEntry> entries;
    if (!platform::look_at(folder, info) || !info.is_folder()) status = 2;
    if (!platform::look_at(folder + "/f", info) || !info.is_regular()) status = 3;
    if (!platform::list_folder(folder, entries)) status = 4;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  input.join();
  return status;
}

int append(const std::string& path, const std::string& first, const std::string& count) {
  for (std::int64_t i = 0; i < std::stoll(count); ++i) {
    const std::int64_t number = std::stoll(first) + i;
    const NumberView view(std::span<const std::int64_t>(&number, 1));
    if (!append_to_file(path, view).ok()) return 1;
  }
  return 0;
}

// Through the streams of the C library, which would change line ends in text mode.
int copy_streams() {
  platform::use_byte_streams();
  for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

int echo(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (!put(kStandardOutput, word + '\n')) return 1;
  }
  return 0;
}

}  // namespace

std::optional<int> play_role(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3 || arguments[1] != "child") return std::nullopt;
  const std::string& role = arguments[2];
  const std::span<const std::string> rest = std::span(arguments).subspan(3);
  if (role == "echo") return echo(rest);
  if (role == "lock") return hold_lock(rest[0]);
  if (role == "turn") return hold_turn(rest[0]);
  if (role == "look") return look_until_the_end(rest[0]);
  if (role == "hold") return hold_file(rest[0]);
  if (role == "append") return append(rest[0], rest[1], rest[2]);
  if (role == "copy") return copy_streams();
  if (role == "status") return std::stoi(rest[0]);
  return 99;
}

TestChild::TestChild(std::vector<std::string> role) {
  std::vector<std::string> command{own_program, "child"};
  command.insert(command.end(), role.begin(), role.end());
  int input = -1;
  int output = -1;
  if (platform::open_pipe(input, to_child_) != 0 || platform::open_pipe(from_child_, output) != 0 ||
      platform::start_child(command, input, output, child_) != 0) {
    throw std::runtime_error("the child cannot be started");
  }
  platform::close_file(input);
  platform::close_file(output);
}

TestChild::~TestChild() {
  end_input();
  platform::close_file(from_child_);
  if (child_ >= 0) {
    platform::kill_child(child_);
    platform::collect_child(child_);
  }
}

bool TestChild::wait_until_ready() {
  std::byte byte{};
  return platform::read_some(from_child_, {&byte, 1}) == 1;
}

void TestChild::send(std::string_view bytes) { EXPECT_TRUE(put(to_child_, bytes)); }

std::string TestChild::rest() {
  end_input();
  return all_of(from_child_);
}

int TestChild::finish() {
  end_input();
  platform::await_child(child_);
  return platform::collect_child(std::exchange(child_, -1));
}

int TestChild::kill() {
  platform::kill_child(child_);
  return platform::collect_child(std::exchange(child_, -1));
}

void TestChild::end_input() {
  if (to_child_ >= 0) platform::close_file(std::exchange(to_child_, -1));
}

}  // namespace numpact::testing

int main(int argc, char** argv) {
  const std::vector<std::string> arguments = numpact::internal::platform::arguments_of(argc, argv);
  if (const std::optional<int> status = numpact::testing::play_role(arguments)) return *status;
  numpact::testing::own_program = arguments.at(0);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
