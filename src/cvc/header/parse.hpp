// SPDX-License-Identifier: Apache-2.0
// The header of a file as an Info, all of it checked.
#ifndef NUMPACT_CVC_HEADER_PARSE_HPP
#define NUMPACT_CVC_HEADER_PARSE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "cvc/header/frame.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cvc {

// Of the bytes at the start of a file of `file_bytes` (kUnknownSize). Places and sizes of records
// are those that follow from the header.
Status parse_header(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                    const DecodeLimits& limits, Info& info);

}  // namespace numpact::cvc

#endif
