// SPDX-License-Identifier: Apache-2.0
// All functions that read a standalone file must agree about it, whatever its bytes are.
#pragma once

#include "common/draw.hpp"
#include "common/target.hpp"
#include "numpact/numpact.hpp"

namespace numpact::fuzz {

// Enough to get everywhere, little enough to be quick.
DecodeConfig tight_config(TrailerPolicy trailer = TrailerPolicy::kUse);

// The result of decoding a file at once.
struct Decoded {
  Status status;
  NumberArray numbers;  // after an error those before it
};
Decoded decode(ByteSpan file, const DecodeConfig& config = tight_config());

bool same_status(const Status& a, const Status& b);
bool same_numbers(const NumberView& a, const NumberView& b);
// The first a.count of b.
bool is_prefix(const NumberView& a, const NumberView& b);

// Calls all functions that read; the draw decides their options.
void check_file(ByteSpan file, Draw& draw);

}  // namespace numpact::fuzz
