// SPDX-License-Identifier: Apache-2.0
// The log of the alternatives that the encoder compares for a chunk. `explain` listens to it.
#pragma once

#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

// Memory that `mode` and `delta` refer to is valid during a call only.
class ChoiceListener {
 public:
  virtual ~ChoiceListener() = default;
  // An alternative was estimated at `bits` per number, metadata included.
  virtual void estimated(const AnyMode& mode, const AnyDelta& delta, float bits) noexcept = 0;
  // An alternative that was to be encoded for comparison is not, as there are enough others. bits:
  // its estimate per number; 0: none was made.
  virtual void dropped(const AnyMode& mode, const AnyDelta& delta, float bits) noexcept = 0;
  // An alternative was encoded in full.
  virtual void encoded(const AnyMode& mode, const AnyDelta& delta,
                       std::uint64_t bytes) noexcept = 0;
};

// Passes everything on to a listener. Costs a comparison where there is none.
class ChoiceLog {
 public:
  ChoiceLog() = default;
  // listener: outlives the log; may be null.
  explicit ChoiceLog(ChoiceListener* listener) : listener_(listener) {}

  ChoiceListener* listener() const { return listener_; }

  void estimated(const AnyMode& mode, const AnyDelta& delta, float bits) const noexcept {
    if (listener_ != nullptr) listener_->estimated(mode, delta, bits);
  }
  void dropped(const AnyMode& mode, const AnyDelta& delta, float bits) const noexcept {
    if (listener_ != nullptr) listener_->dropped(mode, delta, bits);
  }
  void encoded(const AnyMode& mode, const AnyDelta& delta, std::uint64_t bytes) const noexcept {
    if (listener_ != nullptr) listener_->encoded(mode, delta, bytes);
  }

 private:
  ChoiceListener* listener_ = nullptr;
};

}  // namespace numpact::internal
