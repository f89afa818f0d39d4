// SPDX-License-Identifier: Apache-2.0
// Payloads against their checksums, where the file has them.
#ifndef NUMPACT_CVC_FILE_CHECK_HPP
#define NUMPACT_CVC_FILE_CHECK_HPP

#include <cstddef>
#include <vector>

#include "cvc/file/records.hpp"
#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// Each chunk once, by all that the config asks for, without progress.
Status check_chunks(const Records& records, std::vector<std::size_t> chunks,
                    const ReadConfig& config);
// One by the calling thread.
Status check_chunk(const Records& records, std::size_t chunk);

}  // namespace numpact::cvc

#endif
