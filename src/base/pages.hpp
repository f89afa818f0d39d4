// SPDX-License-Identifier: Apache-2.0
// What the system does for memory, page by page.
#ifndef NUMPACT_BASE_PAGES_HPP
#define NUMPACT_BASE_PAGES_HPP

#include <cstddef>
#include <span>

namespace numpact {

// The part of `memory` that is made of whole pages.
std::span<std::byte> whole_pages(std::span<std::byte> memory);
// Hints, of whole pages: large ones are welcome; all of them will be written to soon. Contents
// stay. Nothing happens where the system knows no such thing.
void prefer_large_pages(std::span<std::byte> pages);
void populate_pages(std::span<std::byte> pages);

}  // namespace numpact

#endif
