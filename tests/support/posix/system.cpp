// SPDX-License-Identifier: Apache-2.0
#include "support/system.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
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
