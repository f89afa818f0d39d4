// SPDX-License-Identifier: Apache-2.0
// Processes that are killed at one of their system calls.
#pragma once

#if defined(__linux__)
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace numpact::testing {

// Calls work(), which returns whether it has succeeded, in a process that is killed when it enters
// its call number `stop`. False: it has made fewer calls, and ended well.
template <class Work>
bool is_killed(int stop, const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    _exit(work() ? 0 : 1);
  }
  int state = 0;
  waitpid(child, &state, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL);
  for (int stops = 0;; ++stops) {
    if (stops / 2 == stop) {
      kill(child, SIGKILL);
      waitpid(child, &state, 0);
      return true;
    }
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    waitpid(child, &state, 0);
    if (WIFEXITED(state)) {
      EXPECT_EQ(WEXITSTATUS(state), 0);
      return false;
    }
    if (WIFSIGNALED(state)) {
      ADD_FAILURE() << "signal " << WTERMSIG(state);
      return false;
    }
  }
}

inline bool may_trace() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

}  // namespace numpact::testing
#endif
