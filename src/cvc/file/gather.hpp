// SPDX-License-Identifier: Apache-2.0
// Decoding of single rows in any order, without decoding their whole chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Implements Reader::gather.
Status gather_rows(const Records& records, std::span<const std::uint64_t> rows,
                   std::span<const Target> targets, const ReadConfig& config);

}  // namespace numpact::cvc::internal
