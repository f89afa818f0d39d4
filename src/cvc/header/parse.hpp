// SPDX-License-Identifier: Apache-2.0
// Parses and checks the header of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"
#include "cvc/header/frame.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cvc::internal {

// Parses the header in the bytes at the start of a file of `file_bytes` bytes (or kUnknownSize).
// Offsets and sizes of records are set as far as they follow from the header.
Status parse_header(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                    const DecodeLimits& limits, Info& info);

}  // namespace numpact::cvc::internal
