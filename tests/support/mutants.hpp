// SPDX-License-Identifier: Apache-2.0
// Files with one byte changed: each bit flipped, 0x00, 0xFF. The same as in
// tests/oracle/mutants.py.
#pragma once

#include <algorithm>
#include <vector>

#include "support/bytes.hpp"

namespace numpact::testing {

// The values that replace a byte: 8 to 10 distinct ones, excluding itself.
inline std::vector<std::byte> changed_bytes(std::byte byte) {
  std::vector<std::byte> values;
  for (int bit = 0; bit < 8; ++bit) values.push_back(byte ^ static_cast<std::byte>(1 << bit));
  for (const std::byte value : {std::byte{0x00}, std::byte{0xff}}) {
    if (value != byte && std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(value);
    }
  }
  return values;
}

// Calls f(at, value, mutant) for every mutant of the first `reach` bytes; the mutant is a heap copy
// of exact size.
template <class F>
void for_each_mutant(ByteSpan file, std::size_t reach, const F& f) {
  ExactCopy copy(file);
  for (std::size_t at = 0; at < std::min(reach, file.size()); ++at) {
    for (const std::byte value : changed_bytes(file[at])) {
      copy.writable()[at] = value;
      f(at, value, copy.span());
    }
    copy.writable()[at] = file[at];
  }
}

}  // namespace numpact::testing
