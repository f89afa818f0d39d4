// SPDX-License-Identifier: Apache-2.0
#include "support/system.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>

namespace numpact::testing::system {

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::byte* take_guarded_pages(std::size_t bytes) {
  void* const map = ::mmap(nullptr, bytes + page_bytes(), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  auto* const pages = static_cast<std::byte*>(map);
  if (::mprotect(pages + bytes, page_bytes(), PROT_NONE) == 0) return pages;
  give_back_guarded_pages(pages, bytes);
  return nullptr;
}

void give_back_guarded_pages(std::byte* pages, std::size_t bytes) {
  ::munmap(pages, bytes + page_bytes());
}

std::string new_folder(const std::string& name) {
  std::string path = (std::filesystem::temp_directory_path() / (name + "_XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) throw std::bad_alloc();
  return path;
}

bool has_modes() { return true; }

bool set_mode(const std::string& path, unsigned mode) { return ::chmod(path.c_str(), mode) == 0; }

unsigned mode_of(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
}

bool has_links() { return true; }

bool make_named_pipe(const std::string& path) { return ::mkfifo(path.c_str(), 0600) == 0; }

std::optional<int> run_in_copy(const std::function<int()>& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(function());
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

namespace {

struct Watched {
  const std::function<void()>& function;
  std::uintptr_t start = 0;  // the address of the thread's first frame
};

void* run_watched(void* argument) {
  Watched& watched = *static_cast<Watched*>(argument);
  const std::byte here{};
  watched.start = reinterpret_cast<std::uintptr_t>(&here);
  watched.function();
  return nullptr;
}

}  // namespace

std::optional<std::size_t> stack_bytes_of(const std::function<void()>& function) {
  // The stack is filled with this byte; frames rarely end with it.
  constexpr std::byte kUntouched{0xA5};
  constexpr std::size_t kBytes = std::size_t{4} << 20;  // more than any function should use
  std::byte* const stack = take_guarded_pages(kBytes);
  if (stack == nullptr) return std::nullopt;
  std::fill_n(stack, kBytes, kUntouched);
  Watched watched{function};
  pthread_attr_t attributes;
  pthread_t thread{};
  std::optional<std::size_t> used;
  ::pthread_attr_init(&attributes);
  if (::pthread_attr_setstack(&attributes, stack, kBytes) == 0 &&
      ::pthread_create(&thread, &attributes, run_watched, &watched) == 0) {
    ::pthread_join(thread, nullptr);
    const std::byte* const end =
        std::find_if(stack, stack + kBytes, [](std::byte value) { return value != kUntouched; });
    used = static_cast<std::size_t>(watched.start - reinterpret_cast<std::uintptr_t>(end));
  }
  ::pthread_attr_destroy(&attributes);
  give_back_guarded_pages(stack, kBytes);
  return used;
}

FileSizeLimit::FileSizeLimit(std::size_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  before_ = limit.rlim_cur;
  old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

FileSizeLimit::~FileSizeLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = static_cast<rlim_t>(before_);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, old_handler_);
}

bool FileSizeLimit::is_set() { return true; }

}  // namespace numpact::testing::system
