// SPDX-License-Identifier: Apache-2.0
// Rejection of inputs by the second decoders. Inside them a Refusal is thrown; their public
// functions catch it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace numpact::second {

enum class Outcome : std::uint8_t {
  kAccepted,
  kTruncated,  // the input ends inside a component
  kMalformed,  // invalid
  kLimit,      // larger than the caller's limit: not known to be valid or invalid
};

struct Refusal {
  Outcome outcome = Outcome::kMalformed;
  std::string reason;
};

[[noreturn]] inline void refuse(std::string reason) {
  throw Refusal{Outcome::kMalformed, std::move(reason)};
}
inline void refuse_if(bool bad, const char* reason) {
  if (bad) refuse(reason);
}
[[noreturn]] inline void truncated(std::string reason) {
  throw Refusal{Outcome::kTruncated, std::move(reason)};
}
[[noreturn]] inline void over_limit(std::string reason) {
  throw Refusal{Outcome::kLimit, std::move(reason)};
}

}  // namespace numpact::second
