// SPDX-License-Identifier: Apache-2.0
// Functions of the system for tests, once for each system: posix/system.cpp and windows/system.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace numpact::testing::system {

std::size_t page_bytes();
// New memory of whole pages, behind which a page is that nobody may access. Null if there is none.
std::byte* take_guarded_pages(std::size_t bytes);
void give_back_guarded_pages(std::byte* pages, std::size_t bytes);

// A new folder for temporary files whose name begins with `name`.
std::string new_folder(const std::string& name);

// The permissions of a file: nine bits for owner, group and others, and three before these. Only
// if has_modes().
bool has_modes();
bool set_mode(const std::string& path, unsigned mode);
unsigned mode_of(const std::string& path);

// Whether every user may make symbolic links.
bool has_links();

// Makes a pipe that has a name. Returns false if the system has none.
bool make_named_pipe(const std::string& path);

// Runs a function, which returns an exit status, in a copy of this process, for at most 20 seconds.
// Returns the status; none if the system cannot copy a process. -1: it did not exit by itself.
std::optional<int> run_in_copy(const std::function<int()>& function);

// Runs a function in a thread of its own. Returns how many bytes of the stack it used; none if the
// stack of a thread cannot be looked at.
std::optional<std::size_t> stack_bytes_of(const std::function<void()>& function);

// While it lives, files cannot grow beyond a size, as on a full disk, if is_set().
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes);
  ~FileSizeLimit();
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  static bool is_set();

 private:
  unsigned long long before_ = 0;
  void (*old_handler_)(int) = nullptr;
};

}  // namespace numpact::testing::system
