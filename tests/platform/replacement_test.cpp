// SPDX-License-Identifier: Apache-2.0
// Files that are replaced, also while others have them open, mapped or locked.
#include "platform/replacement.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <numeric>
#include <thread>

#include "numpact/file_access.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/pco.hpp"
#include "numpact/stream.hpp"
#include "platform/children.hpp"
#include "platform/file_tests.hpp"
#include "platform/folders.hpp"
#include "platform/locks.hpp"
#include "platform/temporary.hpp"

namespace numpact::testing {
namespace {

using platform::Access;
using std::chrono::milliseconds;

const LockConfig kAtOnce{milliseconds(0), {}};

class Replacing : public FileTest {
 protected:
  std::size_t count() const {
    std::vector<platform::FolderEntry> entries;
    return platform::list_folder(folder_, entries) ? entries.size() : 0;
  }
};

TEST_F(Replacing, TakesTheName) {
  put("new", "new");
  put("old", "old");
  EXPECT_TRUE(platform::rename_over(path("new"), path("old")));
  EXPECT_EQ(get("old"), "new");
  EXPECT_TRUE(platform::rename_over(path("old"), path("free")));
  EXPECT_EQ(get("free"), "new");
  EXPECT_EQ(count(), 1u);
  EXPECT_FALSE(platform::rename_over(path("none"), path("free")));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(get("free"), "new");
}

TEST_F(Replacing, NotWhereAFileIs) {
  put("new", "new");
  put("old", "old");
  EXPECT_FALSE(platform::rename_to_free_name(path("new"), path("old")));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(get("old"), "old");
  EXPECT_TRUE(platform::rename_to_free_name(path("new"), path("free")));
  EXPECT_EQ(get("free"), "new");
}

TEST_F(Replacing, AFolderStays) {
  put("new", "new");
  ASSERT_TRUE(platform::make_folder(path("folder"), false));
  put("folder/in", "x");
  EXPECT_FALSE(platform::rename_over(path("new"), path("folder")));
  EXPECT_EQ(get("folder/in"), "x");
  EXPECT_EQ(get("new"), "new");
}

// By this process and by another.
TEST_F(Replacing, WhileReadersHaveIt) {
  const std::string before = some_text(200000);
  put("file", before);
  const int open = platform::open_file(path("file"), Access::kRead);
  const MappedFile mapped = MappedFile::open(path("file")).value();
  TestChild child({"hold", path("file")});
  ASSERT_TRUE(child.wait_until_ready());
  for (const std::string text : {"first", "second", "third"}) {
    put("new", text);
    ASSERT_OK(replace_file(path("new"), path("file")));
    EXPECT_EQ(get("file"), text);
  }
  EXPECT_EQ(text_of(mapped.bytes()), before);
  Bytes out(before.size());
  EXPECT_EQ(platform::read_some(open, out), static_cast<std::int64_t>(out.size()));
  EXPECT_EQ(text_of(out), before);
  platform::close_file(open);
  EXPECT_EQ(child.finish(), 0);
  EXPECT_EQ(get("file"), "third");
}

TEST_F(Replacing, ByAppendingWhileAReaderHasIt) {
  const std::vector<std::int64_t> numbers(5000, 3);
  const Bytes packed = compress(std::span(numbers)).value();
  put("file", text_of(packed));
  const MappedFile mapped = MappedFile::open(path("file")).value();
  ASSERT_OK(append_to_file(path("file"), NumberView(std::span(numbers))));
  EXPECT_TRUE(same_bytes(mapped.bytes(), packed));
  const MappedFile now = MappedFile::open(path("file")).value();
  EXPECT_EQ(decompress<std::int64_t>(now.bytes()).value().size(), 10000u);
}

TEST_F(Replacing, Folders) {
  for (const char* const name : {"a", "b"}) {
    ASSERT_TRUE(platform::make_folder(path(name), false));
    put(name + "/f"s, name);
  }
  std::string old;
  ASSERT_TRUE(platform::exchange_folders(path("a"), path("b"), path("spare"), old));
  EXPECT_EQ(get("b/f"), "a");
  EXPECT_TRUE(old == path("a") || old.starts_with(path("spare")));
  EXPECT_EQ(get(old.substr(folder_.size() + 1) + "/f"), "b");
  EXPECT_EQ(count(), 2u);
  // A folder that cannot be removed stays, under the name that is told.
  EXPECT_FALSE(platform::remove_old_folder(old));
  EXPECT_TRUE(old == path("a") || old == path("spare"));
  EXPECT_EQ(get(old.substr(folder_.size() + 1) + "/f"), "b");
}

// Another process looks at the folder, at its entries and at a file by its path.
TEST_F(Replacing, FoldersAlwaysHaveTheirName) {
  const auto make = [&](const std::string& name) {
    ASSERT_TRUE(platform::make_folder(path(name), false));
    put(name + "/f", "x");
  };
  make("folder");
  TestChild child({"look", path("folder")});
  ASSERT_TRUE(child.wait_until_ready());
  for (std::uint32_t i = 0; i < 100; ++i) {
    make("new");
    std::string old;
    const std::string spare = platform::hidden_name(folder_ + "/", "folder", i);
    ASSERT_TRUE(platform::exchange_folders(path("new"), path("folder"), spare, old));
    ASSERT_TRUE(platform::remove_file(old + "/f"));
    ASSERT_TRUE(platform::remove_old_folder(old));
    // Who looks again after a replacement that has just ended should not meet the next one.
    std::this_thread::sleep_for(milliseconds(5));
    if (old == spare) {
      GTEST_SKIP() << "this system does not exchange folders atomically";
    }
  }
  EXPECT_EQ(child.finish(), 0);
  EXPECT_EQ(count(), 1u);
}

TEST_F(Replacing, AccessIsTaken) {
  put("new", "new");
  put("old", "old");
  const int file = platform::open_to_take_access(path("new"));
  ASSERT_GE(file, 0);
  EXPECT_EQ(platform::take_access(file, path("old")), platform::AccessTaking::kDone);
  EXPECT_EQ(platform::take_access(file, path("none")), platform::AccessTaking::kDone);
  platform::close_file(file);
  EXPECT_EQ(platform::take_access(-1, path("old")), platform::AccessTaking::kNotSeen);
  EXPECT_EQ(get("new"), "new");
}

class Locking : public Replacing {};

TEST_F(Locking, OneOpenFileAtATime) {
  put("file", "x");
  const int first = platform::open_file(path("file"), Access::kRead);
  const int second = platform::open_file(path("file"), Access::kReadWrite);
  EXPECT_EQ(platform::try_lock(first), 0);
  EXPECT_EQ(platform::try_lock(second), EWOULDBLOCK);
  // Locks are advisory.
  EXPECT_EQ(get("file"), "x");
  EXPECT_EQ(platform::write_some(second, bytes_of("yz")), 2);
  EXPECT_TRUE(platform::resize_file(second, 1));
  platform::unlock(first);
  EXPECT_EQ(platform::try_lock(second), 0);
  platform::close_file(second);
  EXPECT_EQ(platform::try_lock(first), 0);
  platform::close_file(first);
}

TEST_F(Locking, BetweenProcesses) {
  put("file", "x");
  TestChild child({"lock", path("file")});
  ASSERT_TRUE(child.wait_until_ready());
  FileLock lock;
  EXPECT_KIND(lock.lock(path("file"), kAtOnce), kTimedOut);
  EXPECT_EQ(get("file"), "x");
  EXPECT_EQ(child.finish(), 0);
  EXPECT_OK(lock.lock(path("file"), {milliseconds(5000), {}}));
  EXPECT_TRUE(lock.is_held());
}

TEST_F(Locking, EndsWithItsProcess) {
  put("file", "x");
  TestChild child({"lock", path("file")});
  ASSERT_TRUE(child.wait_until_ready());
  FileLock lock;
  EXPECT_KIND(lock.lock(path("file"), kAtOnce), kTimedOut);
  EXPECT_EQ(child.kill(), 128 + 9);
  EXPECT_OK(lock.lock(path("file"), {milliseconds(5000), {}}));
}

TEST_F(Locking, FoldersHaveTurnsWhereLocksOfTheirFilesAreNotEnough) {
  const int taken = platform::open_folders_move() ? 0 : EWOULDBLOCK;
  platform::FolderTurn first;
  platform::FolderTurn second;
  EXPECT_EQ(first.take(path("folder")), 0);
  EXPECT_EQ(second.take(path("folder")), taken);
  EXPECT_EQ(second.take(path("other")), 0);
  platform::FolderTurn moved = std::move(first);
  EXPECT_EQ(second.take(path("folder")), taken);
  moved.release();
  EXPECT_EQ(second.take(path("folder")), 0);
  second = {};
  EXPECT_EQ(count(), 0u);
}

TEST_F(Locking, TurnsEndWithTheirProcess) {
  TestChild child({"turn", path("folder")});
  ASSERT_TRUE(child.wait_until_ready());
  platform::FolderTurn turn;
  EXPECT_EQ(turn.take(path("folder")), platform::open_folders_move() ? 0 : EWOULDBLOCK);
  EXPECT_EQ(child.kill(), 128 + 9);
  EXPECT_EQ(turn.take(path("folder")), 0);
  turn.release();
  EXPECT_EQ(count(), 0u);
}

TEST_F(Locking, AppendsOfProcessesLoseNothing) {
  constexpr std::int64_t kEach = 15;
  put("file", text_of(compress(std::span<const std::int64_t>()).value()));
  {
    TestChild one({"append", path("file"), "0", std::to_string(kEach)});
    TestChild two({"append", path("file"), std::to_string(kEach), std::to_string(kEach)});
    EXPECT_EQ(one.finish(), 0);
    EXPECT_EQ(two.finish(), 0);
  }
  const MappedFile file = MappedFile::open(path("file")).value();
  std::vector<std::int64_t> found = decompress<std::int64_t>(file.bytes()).value();
  std::sort(found.begin(), found.end());
  std::vector<std::int64_t> expected(2 * kEach);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(count(), 1u);
}

}  // namespace
}  // namespace numpact::testing
