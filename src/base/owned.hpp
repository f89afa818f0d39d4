// SPDX-License-Identifier: Apache-2.0
// Makes the owners that public classes hold.
#pragma once

#include <memory>

#include "numpact/config.hpp"

namespace numpact::internal {

template <class T>
detail::Owned<T> owned(std::unique_ptr<T> object) noexcept {
  return {object.release(), [](T* held) { delete held; }};
}

}  // namespace numpact::internal
