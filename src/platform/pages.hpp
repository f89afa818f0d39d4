// SPDX-License-Identifier: Apache-2.0
// Hints to the system about memory pages.
#pragma once

#include <cstddef>
#include <span>

namespace numpact::internal::platform {

// The whole pages within `memory`; none where the system takes no hints.
std::span<std::byte> whole_pages(std::span<std::byte> memory);
// Hints for whole pages: use large pages; map all now because they will be written soon. Contents
// are unchanged. No effect where the system lacks the hint.
void prefer_large_pages(std::span<std::byte> pages);
void populate_pages(std::span<std::byte> pages);

}  // namespace numpact::internal::platform
