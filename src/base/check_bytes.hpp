// SPDX-License-Identifier: Apache-2.0
// Checks that memory passed by a caller is not null.
#pragma once

#include <span>

#include "numpact/error.hpp"

namespace numpact::internal {

template <class T>
Status check_bytes(std::span<T> memory) {
  if (memory.data() != nullptr || memory.empty()) return {};
  return Status(ErrorKind::kInvalidArgument, "the memory is null");
}

}  // namespace numpact::internal
