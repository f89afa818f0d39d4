// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace numpact::cli {

// Frees the memory of a vector or string. `container = {}` keeps it: an empty list is assigned; so
// does moving an empty string, which is copied.
template <class T>
void give_back(T& container) {
  T().swap(container);
}

}  // namespace numpact::cli
