// SPDX-License-Identifier: Apache-2.0
// Memory that a caller says it has.
#ifndef NUMPACT_BASE_CHECK_BYTES_HPP
#define NUMPACT_BASE_CHECK_BYTES_HPP

#include <span>

#include "numpact/error.hpp"

namespace numpact {

template <class T>
Status check_bytes(std::span<T> memory) {
  if (memory.data() != nullptr || memory.empty()) return {};
  return Status(ErrorKind::kInvalidArgument, "the memory is null");
}

}  // namespace numpact

#endif
