// SPDX-License-Identifier: Apache-2.0
// The formats .fvecs, .bvecs and .ivecs: each row is its dimension in 4 bytes, then its numbers.
#ifndef NUMPACT_CLI_CVC_VECS_HPP
#define NUMPACT_CLI_CVC_VECS_HPP

#include <cstddef>

namespace numpact::cli {

inline constexpr std::size_t kVecsHeadBytes = 4;

}  // namespace numpact::cli

#endif
