// SPDX-License-Identifier: Apache-2.0
// Comparison of payloads with their checksums, if the file has them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Checks each of the chunks once, with the threads of the config and without reporting progress.
Status check_chunks(const Records& records, std::vector<std::size_t> chunks,
                    const ReadConfig& config);
// Checks one chunk on the calling thread.
Status check_chunk(const Records& records, std::size_t chunk);

}  // namespace numpact::cvc::internal
