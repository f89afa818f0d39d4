// SPDX-License-Identifier: Apache-2.0
// Checks of arguments and of DecodeConfig limits that all entry points share.
#pragma once

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/config.hpp"

namespace numpact {

// `numbers`: the total including the chunk to be read.
inline Status check_limits(const DecodeLimits& limits, std::uint64_t numbers, NumberType type) {
  if (numbers > limits.max_numbers) {
    return Status(ErrorKind::kLimitExceeded, "more numbers than the limit max_numbers");
  }
  if (numbers > numbers_in(limits.max_output_bytes, type)) {
    return Status(ErrorKind::kLimitExceeded, "more bytes than the limit max_output_bytes");
  }
  return {};
}

// Never throws: tasks, which must not throw, call it too.
inline Status report_progress(const ProgressCallback& progress, const Progress& done) noexcept {
  if (!progress) return {};
  return guarded([&]() -> Status {
    if (progress(done)) return {};
    return Status(ErrorKind::kCancelled, "the progress callback asked to stop");
  });
}

inline Status check_number_type(NumberType type) {
  if (is_number_type(static_cast<std::uint8_t>(type))) return {};
  return Status(ErrorKind::kInvalidArgument, "there is no such number type");
}

// For a NumberView or MutableNumberView.
template <class View>
Status check_view(const View& view) {
  NUMPACT_TRY(check_number_type(view.type));
  if (view.data == nullptr && view.count > 0) {
    return Status(ErrorKind::kInvalidArgument, "the numbers are null");
  }
  if (view.count > numbers_in(SIZE_MAX, view.type)) {
    return Status(ErrorKind::kInvalidArgument, "more numbers than memory can hold");
  }
  return {};
}

inline Status moved_from() {
  return Status(ErrorKind::kInvalidArgument, "the object was moved from");
}

}  // namespace numpact
