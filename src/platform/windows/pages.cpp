// SPDX-License-Identifier: Apache-2.0
#include "platform/pages.hpp"

namespace numpact::internal::platform {

std::span<std::byte> whole_pages(std::span<std::byte>) { return {}; }
void prefer_large_pages(std::span<std::byte>) {}
void populate_pages(std::span<std::byte>) {}

}  // namespace numpact::internal::platform
