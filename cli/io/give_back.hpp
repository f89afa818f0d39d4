// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace numpact::cli {

// Frees the memory of a vector or string. `container = {}` assigns an empty list: that keeps it.
template <class T>
void give_back(T& container) {
  container = T();
}

}  // namespace numpact::cli
