// SPDX-License-Identifier: Apache-2.0
// Verification of every chunk of a file; decoded values are discarded.
#pragma once

#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Implements Reader::verify.
Status verify_chunks(const Records& records, const ReadConfig& config, VerifyReport& report);

}  // namespace numpact::cvc::internal
