// SPDX-License-Identifier: Apache-2.0
// Access to stored codes: views of them in the file, and copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Implement Reader::codes and Reader::read_codes.
Status view_codes(const Records& records, std::size_t chunk, std::size_t column,
                  const ReadConfig& config, Codes& codes);
Status copy_codes(const Records& records, const RowRange& rows, std::size_t column,
                  std::span<std::byte> out, std::size_t stride, const ReadConfig& config,
                  std::vector<CodeRun>& runs);

}  // namespace numpact::cvc::internal
