// SPDX-License-Identifier: Apache-2.0
// The log of the alternatives that the encoder compares for a chunk. `explain` listens to it.
#pragma once

#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

// Estimated bits per number, metadata included, and what the encoder allows for as their error:
// smaller differences rule nothing out.
struct BitsEstimate {
  float bits = 0;
  float error = 0;
};

// Why an alternative was dropped, if not by the estimates.
enum class DropReason {
  kEnoughOthers,   // are encoded for comparison
  kNotRepetitive,  // cheap tests show too little for Lookback
  kDecodesSlowly,  // it saves less than Lookback must, which decodes slowly
};

// Memory that `mode` and `delta` refer to is valid during a call only.
class ChoiceListener {
 public:
  virtual ~ChoiceListener() = default;
  virtual void estimated(const AnyMode& mode, const AnyDelta& delta,
                         const BitsEstimate& estimate) noexcept = 0;
  virtual void dropped(const AnyMode& mode, const AnyDelta& delta, DropReason reason) noexcept = 0;
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

  void estimated(const AnyMode& mode, const AnyDelta& delta,
                 const BitsEstimate& estimate) const noexcept {
    if (listener_ != nullptr) listener_->estimated(mode, delta, estimate);
  }
  void dropped(const AnyMode& mode, const AnyDelta& delta, DropReason reason) const noexcept {
    if (listener_ != nullptr) listener_->dropped(mode, delta, reason);
  }
  void encoded(const AnyMode& mode, const AnyDelta& delta, std::uint64_t bytes) const noexcept {
    if (listener_ != nullptr) listener_->encoded(mode, delta, bytes);
  }

 private:
  ChoiceListener* listener_ = nullptr;
};

}  // namespace numpact::internal
