// SPDX-License-Identifier: Apache-2.0
#include "platform/child_processes.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

// POSIX leaves the declaration to programs; some systems' headers have it too.
// NOLINTNEXTLINE(readability-redundant-declaration)
extern char** environ;

namespace numpact::internal::platform {
namespace {

// The steps of the child with descriptors before it becomes the program.
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

  // 0 or errno.
  int error() const { return error_; }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
  int error_;
  bool is_made_;
};

}  // namespace

int open_pipe(int& reading, int& writing) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return errno;
  reading = ends[0];
  writing = ends[1];
  for (const int end : ends) {
    if (::fcntl(end, F_SETFD, FD_CLOEXEC) != 0) return errno;
  }
  return 0;
}

int start_child(const std::vector<std::string>& command, int input, int output, Child& child) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& arg : command) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  SpawnActions actions;
  actions.duplicate(input, STDIN_FILENO);
  actions.duplicate(output, STDOUT_FILENO);
  if (actions.error() != 0) return actions.error();
  pid_t process = -1;
  const int error = ::posix_spawn(&process, argv[0], actions.get(), nullptr, argv.data(), environ);
  if (error == 0) child = process;
  return error;
}

void kill_child(Child child) { ::kill(static_cast<pid_t>(child), SIGKILL); }

void await_child(Child child) {
  siginfo_t ended = {};
  while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

int collect_child(Child child) {
  int status = 0;
  while (::waitpid(static_cast<pid_t>(child), &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace numpact::internal::platform
