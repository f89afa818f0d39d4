// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "support/fixtures.hpp"

namespace numpact::testing {

// Replaces everything behind the terminator by a trailer with restart points.
inline Bytes with_restarts(ByteSpan file, unsigned log) {
  DecodeConfig config;
  config.trailer = TrailerPolicy::kIgnore;  // also other bytes, which some files of releases have
  const MadeTrailer made = Trailer::make(file, TrailerSpec::restarts(log), config).value();
  Bytes all = prefix(file, made.file_bytes);
  all.insert(all.end(), made.bytes.begin(), made.bytes.end());
  return all;
}

}  // namespace numpact::testing
