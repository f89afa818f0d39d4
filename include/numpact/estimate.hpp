// SPDX-License-Identifier: Apache-2.0
// The size of a compressed array without encoding it, for a choice between codecs.
#pragma once

#include <cstdint>
#include <string>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact {

struct SizeEstimate {
  std::uint64_t bytes = 0;  // expected size of the file that compress() would make
  // The file is within `bytes` plus or minus this for nine columns of ten: not a bound. More where
  // the samples disagree.
  std::uint64_t error_bytes = 0;
  // What the encoder would choose for all numbers; it may choose others for parts of them.
  Mode mode = Mode::kClassic;
  Delta delta = Delta::kNone;
  std::string mode_text = "classic";  // as ChunkInfo::mode_text()
  std::string delta_text = "none";    // as ChunkInfo::delta_text()
};

// Estimates from samples of the numbers, in a small part of the time of compress() if there are
// many: at most 2^16 are looked at. The same numbers and config always give the same estimate,
// whatever the machine. Ignored: the recipe, max_bytes, threads, progress; and Lookback or Conv1 if
// the config requests one of them. Files of levels 0 and 1 are larger than estimated. Errors:
// kInvalidArgument (config), kOutOfMemory.
NUMPACT_API Result<SizeEstimate> estimate_size(const NumberView& numbers,
                                               const EncodeConfig& config = {},
                                               EncodeContext* context = nullptr) noexcept;

}  // namespace numpact
