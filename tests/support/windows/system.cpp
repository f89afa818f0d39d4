// SPDX-License-Identifier: Apache-2.0
#include "support/system.hpp"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <atomic>
#include <filesystem>

namespace numpact::testing::system {

std::size_t page_bytes() {
  SYSTEM_INFO info = {};
  ::GetSystemInfo(&info);
  return info.dwPageSize;
}

std::byte* take_guarded_pages(std::size_t bytes) {
  void* const memory =
      ::VirtualAlloc(nullptr, bytes + page_bytes(), MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  auto* const pages = static_cast<std::byte*>(memory);
  DWORD before = 0;
  if (pages == nullptr || ::VirtualProtect(pages + bytes, page_bytes(), PAGE_NOACCESS, &before)) {
    return pages;
  }
  give_back_guarded_pages(pages, bytes);
  return nullptr;
}

void give_back_guarded_pages(std::byte* pages, std::size_t) {
  ::VirtualFree(pages, 0, MEM_RELEASE);
}

std::string new_folder(const std::string& name) {
  namespace fs = std::filesystem;
  static std::atomic<unsigned> count = 0;
  while (true) {
    const fs::path path =
        fs::temp_directory_path() /
        (name + "_" + std::to_string(::GetCurrentProcessId()) + "_" + std::to_string(++count));
    if (fs::create_directory(path)) return path.generic_string();
  }
}

bool has_modes() { return false; }
bool set_mode(const std::string&, unsigned) { return false; }
unsigned mode_of(const std::string&) { return 0; }

bool has_links() { return false; }

bool make_named_pipe(const std::string&) { return false; }

std::optional<int> run_in_copy(const std::function<int()>&) { return std::nullopt; }

std::optional<std::size_t> stack_bytes_of(const std::function<void()>&) { return std::nullopt; }

FileSizeLimit::FileSizeLimit(std::size_t) {}
FileSizeLimit::~FileSizeLimit() = default;
bool FileSizeLimit::is_set() { return false; }

}  // namespace numpact::testing::system
