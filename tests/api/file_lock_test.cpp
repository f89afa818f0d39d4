// SPDX-License-Identifier: Apache-2.0
// Writers of one file are serialized: locks, replaced files, and concurrent appends.
#include "numpact/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "numpact/cvc.hpp"
#include "numpact/pco.hpp"
#include "numpact/stream.hpp"
#include "support/fixtures.hpp"

namespace {
std::atomic<int> lock_error = 0;  // errno of flock(); 0: it works
}

// Replaces the system's function, to simulate file systems without locks.
extern "C" int flock(int file, int operation) noexcept {
  if (lock_error == 0) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = lock_error;
  return -1;
}

namespace numpact::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const LockConfig kAtOnce{milliseconds(0), {}};

class FileLocks : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "numpact_lock_XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    folder_ = fs::canonical(folder_).string();
    path_ = folder_ + "/file";
    put(path_, "old");
  }
  void TearDown() override {
    lock_error = 0;
    fs::remove_all(folder_);
  }

  static void put(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string get(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string new_file(const std::string& text) const {
    put(folder_ + "/beside", text);
    return folder_ + "/beside";
  }

  std::string folder_;
  std::string path_;
};

mode_t mode_of(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return found.st_mode & 07777;
}

// Permissions are kept, except for the set-ID bits.
TEST_F(FileLocks, AccessIsTaken) {
  for (const mode_t mode : {04755U, 02711U, 01600U, 0640U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    const std::string made = folder_ + "/made";
    const int file = ::open(made.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_GE(file, 0);
    EXPECT_TRUE(take_access(file, path_).ok());
    ::close(file);
    EXPECT_EQ(mode_of(made), mode & 0777);
    ASSERT_EQ(::unlink(made.c_str()), 0);
  }
  EXPECT_EQ(take_access(-1, path_).kind(), ErrorKind::kIo);
  EXPECT_TRUE(take_access(-1, folder_ + "/none").ok());
}

// The copy made while appending is private.
TEST_F(FileLocks, CopiesOfPrivateFilesArePrivate) {
  const std::vector<std::int64_t> numbers(100000, 7);
  const std::vector<std::byte> file = compress(std::span<const std::int64_t>(numbers)).value();
  std::ofstream(path_, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  ASSERT_EQ(::chmod(path_.c_str(), 04600), 0);
  std::vector<mode_t> seen;
  EncodeConfig config;
  config.progress = [&](const Progress&) {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      seen.push_back(mode_of(entry.path().string()) & 0777);
    }
    return true;
  };
  const auto view = NumberView(std::span<const std::int64_t>(numbers));
  ASSERT_TRUE(append_to_file(path_, view, config).ok());
  EXPECT_GE(seen.size(), 2U);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 0600U), static_cast<std::ptrdiff_t>(seen.size()));
  EXPECT_EQ(mode_of(path_), 0600U);
}

TEST_F(FileLocks, OneHolderAtATime) {
  FileLock first;
  ASSERT_OK(first.lock(path_));
  EXPECT_TRUE(first.has_file() && first.is_held());
  EXPECT_EQ(first.path(), path_);
  FileLock second;
  EXPECT_KIND(second.lock(path_, kAtOnce), kTimedOut);
  EXPECT_FALSE(second.has_file() || second.is_held());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_KIND(second.lock(path_, {milliseconds(60), {}}), kTimedOut);
  const auto waited = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(waited, milliseconds(60));
  FileLock moved = std::move(first);
  EXPECT_KIND(second.lock(path_, kAtOnce), kTimedOut);
  moved.release();
  ASSERT_OK(second.lock(path_, kAtOnce));
}

TEST_F(FileLocks, WaitingIsStopped) {
  FileLock held;
  ASSERT_OK(held.lock(path_));
  int calls = 0;
  LockConfig config;
  config.while_waiting = [&](milliseconds) { return ++calls < 3; };
  FileLock lock;
  EXPECT_KIND(lock.lock(path_, config), kCancelled);
  EXPECT_EQ(calls, 3);
}

TEST_F(FileLocks, WaitersGetTheNewFile) {
  FileLock holder;
  ASSERT_OK(holder.lock(path_));
  std::atomic<bool> waits = false;
  std::string seen;
  std::thread waiter([&] {
    LockConfig config;
    config.while_waiting = [&](milliseconds) { return waits = true; };
    FileLock lock;
    EXPECT_OK(lock.lock(path_, config));
    seen = get(lock.path());
    EXPECT_OK(lock.replace(new_file(seen + "+")));
  });
  while (!waits) std::this_thread::yield();
  put(folder_ + "/new", "new");
  ASSERT_OK(holder.replace(folder_ + "/new"));
  waiter.join();
  EXPECT_EQ(seen, "new");
  EXPECT_EQ(get(path_), "new+");
}

TEST_F(FileLocks, WaitersForARemovedFileGetNone) {
  FileLock holder;
  ASSERT_OK(holder.lock(path_));
  fs::remove(path_);
  EXPECT_KIND(holder.replace(new_file("x")), kIo);
  holder.release();
  FileLock lock;
  ASSERT_OK(lock.lock(path_));
  EXPECT_FALSE(lock.has_file());
  EXPECT_KIND(lock.replace(new_file("x")), kIo);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(FileLocks, SurviveOtherRenames) {
  FileLock lock;
  ASSERT_OK(lock.lock(path_));
  fs::rename(new_file("another program's"), path_);
  const Status status = lock.replace(new_file("ours"));
  EXPECT_KIND(status, kIo);
  EXPECT_NE(status.message().find("replaced by another program"), std::string::npos);
  EXPECT_EQ(get(path_), "another program's");
}

TEST_F(FileLocks, EndWithTheirProcess) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FileLock lock;
    if (!lock.lock(path_).ok()) ::_exit(1);
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  FileLock lock;
  EXPECT_KIND(lock.lock(path_, kAtOnce), kTimedOut);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_OK(lock.lock(path_, kAtOnce));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(FileLocks, BelongToTheirProcess) {
  FileLock lock;
  ASSERT_OK(lock.lock(path_));
  int go[2];
  ASSERT_EQ(::pipe(go), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // its copy of the object is destroyed, its copy of the descriptor remains open
    { FileLock copy = std::move(lock); }
    char byte = 0;
    (void)!::read(go[0], &byte, 1);
    ::_exit(0);
  }
  const pid_t other = ::fork();
  if (other == 0) {
    char byte = 0;
    (void)!::read(go[0], &byte, 1);
    ::_exit(0);
  }
  FileLock second;
  EXPECT_KIND(second.lock(path_, {milliseconds(100), {}}), kTimedOut);
  lock.release();
  EXPECT_OK(second.lock(path_, kAtOnce));
  (void)!::write(go[1], "xx", 2);
  for (const pid_t one : {child, other}) ::waitpid(one, nullptr, 0);
  ::close(go[0]);
  ::close(go[1]);
}

TEST_F(FileLocks, WithoutLocksReplacementIsDetected) {
  for (const int error : {ENOLCK, ENOTSUP, ENOSYS}) {
    lock_error = error;
    put(path_, "old");
    FileLock first;
    FileLock second;
    ASSERT_OK(first.lock(path_));
    ASSERT_OK(second.lock(path_, kAtOnce));
    EXPECT_TRUE(first.has_file() && !first.is_held());
    EXPECT_OK(second.replace(new_file("second")));
    EXPECT_KIND(first.replace(new_file("first")), kIo);
    EXPECT_EQ(get(path_), "second");
  }
}

TEST_F(FileLocks, FilesThatMayOnlyBeWritten) {
  ASSERT_EQ(::chmod(path_.c_str(), 0200), 0);
  FileLock lock;
  EXPECT_OK(lock.lock(path_));
  EXPECT_TRUE(lock.is_held());
}

TEST_F(FileLocks, ForRegularFilesOnly) {
  FileLock lock;
  EXPECT_KIND(lock.lock(folder_), kIo);
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_KIND(lock.lock(folder_ + "/pipe"), kIo);  // and does not wait for a writer
  ASSERT_OK(lock.lock(folder_ + "/none"));
  EXPECT_FALSE(lock.has_file());
  const Status inside = lock.lock(path_ + "/inside");
  EXPECT_KIND(inside, kIo);
  EXPECT_EQ(inside.system_error(), ENOTDIR);
}

TEST_F(FileLocks, LinksAreFollowed) {
  fs::create_directory(folder_ + "/far");
  fs::create_symlink("far/real", folder_ + "/one");
  fs::create_symlink("../one", folder_ + "/far/two");
  std::string target;
  for (const char* name : {"/one", "/far/two", "/far/real"}) {
    ASSERT_OK(follow_links(folder_ + name).into(target));  // the file does not exist yet
    EXPECT_TRUE(fs::equivalent(fs::path(target).parent_path(), folder_ + "/far")) << target;
    EXPECT_EQ(fs::path(target).filename(), "real");
  }
  ASSERT_OK(replace_file(new_file("made"), folder_ + "/far/two"));
  EXPECT_EQ(get(folder_ + "/far/real"), "made");
  EXPECT_TRUE(fs::is_symlink(folder_ + "/one") && fs::is_symlink(folder_ + "/far/two"));
  ASSERT_OK(follow_links(folder_ + "/far/two").into(target));
  EXPECT_EQ(target, folder_ + "/far/real");
  fs::create_symlink("b", folder_ + "/a");
  fs::create_symlink("a", folder_ + "/b");
  EXPECT_KIND(follow_links(folder_ + "/a").into(target), kIo);
  FileLock lock;
  EXPECT_KIND(lock.lock(folder_ + "/a"), kIo);
}

TEST_F(FileLocks, ReplacingWaits) {
  FileLock lock;
  ASSERT_OK(lock.lock(path_));
  EXPECT_KIND(replace_file(new_file("new"), path_, kAtOnce), kTimedOut);
  EXPECT_EQ(get(path_), "old");
  EXPECT_EQ(get(folder_ + "/beside"), "new");
  lock.release();
  EXPECT_OK(replace_file(new_file("new"), path_, kAtOnce));
  EXPECT_EQ(get(path_), "new");
  const Status missing = replace_file(folder_ + "/none", path_);
  EXPECT_KIND(missing, kIo);
  EXPECT_EQ(missing.system_error(), ENOENT);
}

TEST_F(FileLocks, ManyCreateOneFile) {
  for (int round = 0; round < 20; ++round) {
    fs::remove(path_);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const std::string own = folder_ + "/own" + std::to_string(t);
        put(own, std::string(100, static_cast<char>('a' + t)));
        EXPECT_OK(replace_file(own, path_));
      });
    }
    for (std::thread& thread : threads) thread.join();
    const std::string made = get(path_);
    ASSERT_EQ(made.size(), 100u);
    EXPECT_EQ(made, std::string(100, made[0]));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  }
}

// ---- files of numbers ----

class SharedFile : public FileLocks {
 protected:
  void write(std::span<const std::int64_t> numbers) const {
    const Bytes bytes = compress(numbers).value();
    put(path_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  std::vector<std::int64_t> numbers() const {
    return decompress<std::int64_t>(read_file(path_)).value();
  }

  Status append(std::int64_t number, const LockConfig& lock = {}) const {
    return append_to_file(path_, NumberView(std::span<const std::int64_t>(&number, 1)), {}, lock);
  }
};

TEST_F(SharedFile, AppendsLoseNothing) {
  constexpr int kProcesses = 4;
  constexpr int kThreads = 3;
  constexpr int kRounds = 15;
  write({});
  fs::create_symlink("file", folder_ + "/link");
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::atomic<int> failures = 0;
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          for (int i = 0; i < kRounds; ++i) {
            const std::int64_t number = (p * kThreads + t) * kRounds + i;
            const std::string name = i % 2 == 0 ? path_ : folder_ + "/link";
            const NumberView view(std::span<const std::int64_t>(&number, 1));
            if (!append_to_file(name, view).ok()) ++failures;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      ::_exit(failures == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::vector<std::int64_t> found = numbers();
  std::sort(found.begin(), found.end());
  ASSERT_EQ(found.size(), static_cast<std::size_t>(kProcesses * kThreads * kRounds));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<std::int64_t>(i));
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(SharedFile, AppendsDuringReplacements) {
  // The file starts with the number of the replacement, and each append records how many had
  // certainly completed before it; if a later one is in the file, so are these.
  constexpr int kReplacements = 40;
  write(std::vector<std::int64_t>{0});
  std::atomic<std::int64_t> replaced = 0;
  std::atomic<bool> is_over = false;
  std::atomic<int> appended_to_last = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!is_over) {
        const std::int64_t before = replaced;
        ASSERT_OK(append(-1 - before));
        if (before == kReplacements) ++appended_to_last;
      }
    });
  }
  for (std::int64_t k = 1; k <= kReplacements; ++k) {
    const Bytes bytes = compress(std::span(&k, 1)).value();
    put(folder_ + "/next", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    ASSERT_OK(replace_file(folder_ + "/next", path_));
    replaced = k;
    std::this_thread::sleep_for(milliseconds(1));
  }
  while (appended_to_last < 5) std::this_thread::yield();
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::int64_t> found = numbers();
  EXPECT_EQ(found[0], kReplacements);
  EXPECT_EQ(std::count(found.begin(), found.end(), -1 - kReplacements), appended_to_last);
}

TEST_F(SharedFile, AppendingTimesOut) {
  write(std::vector<std::int64_t>{5});
  FileLock held;
  ASSERT_OK(held.lock(path_));
  EXPECT_KIND(append(6, kAtOnce), kTimedOut);
  const std::vector<std::int64_t> six = {6};
  EXPECT_THROW(throw_if_error(append_to_file(path_, six, {}, kAtOnce)), Error);
  EXPECT_EQ(numbers(), std::vector<std::int64_t>{5});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  held.release();
  EXPECT_OK(append(6, kAtOnce));
  EXPECT_EQ(numbers(), (std::vector<std::int64_t>{5, 6}));
}

TEST_F(SharedFile, VectorWritersWaitToo) {
  FileLock held;
  ASSERT_OK(held.lock(path_));
  cvc::WriteConfig config;
  config.lock = kAtOnce;
  const std::vector<float> row = {1, 2, 3};
  for (const bool is_free : {false, true}) {
    if (is_free) held.release();
    fs::create_symlink("file", folder_ + "/link");
    Result<cvc::Writer> writer = cvc::Writer::create(folder_ + "/link", config);
    ASSERT_OK(writer.status());
    ASSERT_OK(writer->append(cvc::Rows(std::span<const float>(row), 3)));
    const Status status = writer->finish().status();
    EXPECT_EQ(status.kind(), is_free ? ErrorKind::kNone : ErrorKind::kTimedOut);
    EXPECT_EQ(get(path_) == "old", !is_free);
    EXPECT_TRUE(fs::is_symlink(folder_ + "/link"));
    fs::remove(folder_ + "/link");
  }
}

}  // namespace
}  // namespace numpact::testing
