// SPDX-License-Identifier: Apache-2.0
// What every way of reading a file asks of its DecodeConfig.
#ifndef NUMPACT_API_DECODE_CHECKS_HPP
#define NUMPACT_API_DECODE_CHECKS_HPP

#include "numpact/config.hpp"

namespace numpact {

// numbers: in all, with the chunk that is about to be read.
inline Status check_limits(const DecodeLimits& limits, std::uint64_t numbers, NumberType type) {
  if (numbers > limits.max_numbers) {
    return Status(ErrorKind::kLimitExceeded, "more numbers than the limit max_numbers");
  }
  if (numbers > limits.max_output_bytes / size_of(type)) {
    return Status(ErrorKind::kLimitExceeded, "more bytes than the limit max_output_bytes");
  }
  return {};
}

inline Status report_progress(const ProgressCallback& progress, const Progress& done) {
  if (progress && !progress(done)) {
    return Status(ErrorKind::kCancelled, "the progress callback asked to stop");
  }
  return {};
}

}  // namespace numpact

#endif
