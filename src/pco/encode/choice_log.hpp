// SPDX-License-Identifier: Apache-2.0
// Observer of the alternatives that the encoder compares, for `explain`.
#ifndef NUMPACT_PCO_ENCODE_CHOICE_LOG_HPP
#define NUMPACT_PCO_ENCODE_CHOICE_LOG_HPP

#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

class ChoiceLog {
 public:
  virtual ~ChoiceLog() = default;
  // An alternative was estimated at `bits` per number, metadata included. Memory that `mode` and
  // `delta` refer to is valid during this call only.
  virtual void estimated(const AnyMode& mode, const AnyDelta& delta, float bits) noexcept = 0;
  // An alternative was encoded in full.
  virtual void encoded(const AnyMode& mode, const AnyDelta& delta,
                       std::uint64_t bytes) noexcept = 0;
};

}  // namespace numpact

#endif
