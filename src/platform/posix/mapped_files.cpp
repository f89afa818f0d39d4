// SPDX-License-Identifier: Apache-2.0
#include "platform/mapped_files.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace numpact::internal::platform {

const std::byte* map_file(int descriptor, std::size_t bytes) {
  void* const map = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  return map == MAP_FAILED ? nullptr : static_cast<const std::byte*>(map);
}

void unmap_file(std::span<const std::byte> bytes) {
  if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

void release_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t whole = bytes.size() / page * page;
  if (whole > 0) ::madvise(const_cast<std::byte*>(bytes.data()), whole, MADV_DONTNEED);
}

}  // namespace numpact::internal::platform
