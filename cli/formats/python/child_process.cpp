// SPDX-License-Identifier: Apache-2.0
#include "formats/python/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "failure.hpp"
#include "io/cleanup.hpp"

extern char** environ;

namespace numpact::cli {
namespace {

// Larger than the system's default, so that a block of a column needs few context switches.
constexpr int kPipeBytes = 1 << 20;

struct Pipe {
  int reading = -1;
  int writing = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (reading >= 0) ::close(reading);
    if (writing >= 0) ::close(writing);
  }

  // Returns false with errno on failure. Started programs do not inherit the ends.
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return false;
    reading = ends[0];
    writing = ends[1];
    for (const int end : ends) {
      if (::fcntl(end, F_SETFD, FD_CLOEXEC) != 0) return false;
    }
#ifdef F_SETPIPE_SZ
    ::fcntl(writing, F_SETPIPE_SZ, kPipeBytes);  // may be refused; only speed depends on it
#endif
    return true;
  }
};

// What the child does with descriptors before it becomes the program.
class SpawnActions {
 public:
  SpawnActions() : error_(::posix_spawn_file_actions_init(&actions_)) { is_made_ = error_ == 0; }
  ~SpawnActions() {
    if (is_made_) ::posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void duplicate(int from, int to) {
    if (error_ == 0) error_ = ::posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  // The descriptors become kFirstDescriptor and the following ones. They first move to numbers
  // above all of them, since one of them may have the number that another gets.
  void pass(std::span<const int> descriptors) {
    if (descriptors.empty()) return;
    const int count = static_cast<int>(descriptors.size());
    const int largest = *std::max_element(descriptors.begin(), descriptors.end());
    const int free = std::max(largest, ChildProcess::kFirstDescriptor + count) + 1;
    for (int i = 0; i < count; ++i) duplicate(descriptors[static_cast<std::size_t>(i)], free + i);
    for (int i = 0; i < count; ++i) duplicate(free + i, ChildProcess::kFirstDescriptor + i);
    for (int i = 0; i < count && error_ == 0; ++i) {
      error_ = ::posix_spawn_file_actions_addclose(&actions_, free + i);
    }
  }

  // 0 or errno.
  int error() const { return error_; }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
  int error_;
  bool is_made_;
};

// Returns 0 or errno. The signals that end this program stay blocked in the child as they are here:
// the terminal sends them to both processes, and this program is responsible for ending the child.
int spawn(const std::vector<std::string>& command, int input, int output,
          std::span<const int> descriptors, pid_t& process) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& arg : command) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  SpawnActions actions;
  actions.duplicate(input, STDIN_FILENO);
  actions.duplicate(output, STDOUT_FILENO);
  actions.pass(descriptors);
  if (actions.error() != 0) return actions.error();
  return ::posix_spawn(&process, argv[0], actions.get(), nullptr, argv.data(), environ);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& place,
                           std::span<const int> descriptors) {
  Pipe requests;
  Pipe replies;
  int error = requests.open() && replies.open() ? 0 : errno;
  if (error == 0) {
    error = start_guarded(process_, [&](pid_t& process) {
      return spawn(command, requests.reading, replies.writing, descriptors, process);
    });
  }
  if (error != 0) {
    errno = error;
    fail_errno(place, command[0] + " cannot be started");
  }
  to_child_ = std::exchange(requests.writing, -1);
  from_child_ = std::exchange(replies.reading, -1);
}

ChildProcess::~ChildProcess() { wait(true); }

bool ChildProcess::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to_child_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool ChildProcess::read(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = ::read(from_child_, out.data(), out.size());
    if (got > 0) {
      out = out.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

int ChildProcess::finish() { return wait(false); }

int ChildProcess::wait(bool kill_it) {
  if (process_ < 0) return 0;
  if (kill_it) ::kill(process_, SIGKILL);
  ::close(to_child_);
  ::close(from_child_);
  // Leaves the child waitable: until it is collected, no other process can get its id.
  siginfo_t ended = {};
  while (::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  end_guard(process_);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace numpact::cli
