// SPDX-License-Identifier: Apache-2.0
// Appends little-endian words to a vector.
#pragma once

#include <cstddef>
#include <vector>

#include "base/load.hpp"

namespace numpact::internal {

template <class Word>
void append_le(std::vector<std::byte>& out, Word word) {
  const std::size_t at = out.size();
  out.resize(at + sizeof word);
  store_le(out.data() + at, word);
}

}  // namespace numpact::internal
