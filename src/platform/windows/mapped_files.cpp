// SPDX-License-Identifier: Apache-2.0
#include "platform/mapped_files.hpp"

#include <cerrno>

#include "platform/windows/system.hpp"

namespace numpact::internal::platform {

const std::byte* map_file(int descriptor, std::size_t bytes) {
  HANDLE const handle = handle_of(descriptor);
  if (handle == INVALID_HANDLE_VALUE) return nullptr;
  // The view keeps the mapping, and the mapping the file.
  const OwnHandle mapping(::CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr));
  const void* const view =
      mapping ? ::MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, bytes) : nullptr;
  if (view == nullptr) fail_by_last_error();
  return static_cast<const std::byte*>(view);
}

void unmap_file(std::span<const std::byte> bytes) {
  if (!bytes.empty()) ::UnmapViewOfFile(bytes.data());
}

void release_pages(std::span<const std::byte> bytes) {
  // Pages that are not locked leave the working set by this.
  if (!bytes.empty()) ::VirtualUnlock(const_cast<std::byte*>(bytes.data()), bytes.size());
}

}  // namespace numpact::internal::platform
