// SPDX-License-Identifier: Apache-2.0
#ifndef NUMPACT_TESTS_GPU_PCO_FILES_HPP
#define NUMPACT_TESTS_GPU_PCO_FILES_HPP

#include <gtest/gtest.h>

#include "support/fixtures.hpp"

namespace numpact::testing {

// Replaces everything behind the terminator by a trailer with restart points.
inline Bytes with_restarts(ByteSpan file, unsigned log) {
  Bytes trailer;
  std::uint64_t file_bytes = 0;
  EXPECT_OK(Trailer::try_make(file, TrailerSpec::restarts(log), trailer, file_bytes));
  Bytes all = prefix(file, file_bytes);
  all.insert(all.end(), trailer.begin(), trailer.end());
  return all;
}

}  // namespace numpact::testing

#endif
