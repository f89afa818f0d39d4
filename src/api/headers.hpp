// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/internal.hpp"
#include "numpact/pco.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact {

// The public view of a header; number_type is the uniform type, if any.
FileHeader to_public(const standalone::Header& header, std::uint64_t size_bytes);

}  // namespace numpact
