// SPDX-License-Identifier: Apache-2.0
// Who wants to know what was tried, for `explain`.
#ifndef NUMPACT_PCO_ENCODE_CHOICE_LOG_HPP
#define NUMPACT_PCO_ENCODE_CHOICE_LOG_HPP

#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

class ChoiceLog {
 public:
  virtual ~ChoiceLog() = default;
  // A way to encode that was weighed: estimated bits for each number, metadata included. What
  // `mode` and `delta` point to lives for this call only.
  virtual void weighed(const AnyMode& mode, const AnyDelta& delta, float bits) noexcept = 0;
  // One that was encoded in full.
  virtual void encoded(const AnyMode& mode, const AnyDelta& delta,
                       std::uint64_t bytes) noexcept = 0;
};

}  // namespace numpact

#endif
