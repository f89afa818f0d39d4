// SPDX-License-Identifier: Apache-2.0
// How the second decoders say no. Inside them a refusal is thrown; their doors catch it.
#ifndef NUMPACT_TESTS_SECOND_REFUSAL_HPP
#define NUMPACT_TESTS_SECOND_REFUSAL_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace numpact::second {

enum class Verdict : std::uint8_t {
  kAccepted,
  kTruncated,  // the input ends inside a part
  kMalformed,  // what a reader refuses
  kLimit,      // more than the caller wants: neither sound nor unsound
};

struct Refusal {
  Verdict verdict = Verdict::kMalformed;
  std::string reason;
};

[[noreturn]] inline void refuse(std::string reason) {
  throw Refusal{Verdict::kMalformed, std::move(reason)};
}
inline void refuse_if(bool bad, const char* reason) {
  if (bad) refuse(reason);
}
[[noreturn]] inline void truncated(std::string reason) {
  throw Refusal{Verdict::kTruncated, std::move(reason)};
}
[[noreturn]] inline void over_limit(std::string reason) {
  throw Refusal{Verdict::kLimit, std::move(reason)};
}

}  // namespace numpact::second

#endif
