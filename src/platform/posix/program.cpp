// SPDX-License-Identifier: Apache-2.0
#include "platform/program.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace numpact::internal::platform {
namespace {

void wait_and_clean(sigset_t signals, void (*clean)()) {
  int signal_number = 0;
  while (sigwait(&signals, &signal_number) != 0) {
  }
  clean();
  ::signal(signal_number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal_number);
  ::_exit(128 + signal_number);
}

}  // namespace

std::vector<std::string> arguments_of(int argc, char** argv) { return {argv, argv + argc}; }

void return_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void set_if_unset(const char* variable, const char* value) { ::setenv(variable, value, 0); }

std::uint64_t allow_open_files(std::uint64_t requested) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const auto allowed = static_cast<rlim_t>(std::min<std::uint64_t>(limit.rlim_max, requested));
  if (limit.rlim_cur < allowed) {
    limit.rlim_cur = allowed;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_max;
}

void clean_before_end(void (*clean)()) {
  ::signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
  ::signal(SIGXFSZ, SIG_IGN);
#endif
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current = {};
    // Signals that the caller ignores (nohup) stay ignored.
    if (::sigaction(number, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) {
      sigaddset(&signals, number);
    }
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(wait_and_clean, signals, clean).detach();
}

void end_by_broken_pipe() {
  ::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
}

}  // namespace numpact::internal::platform
