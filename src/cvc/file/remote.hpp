// SPDX-License-Identifier: Apache-2.0
// Reading of files that are not in memory: each task loads what it decodes, a chunk at most.
#ifndef NUMPACT_CVC_FILE_REMOTE_HPP
#define NUMPACT_CVC_FILE_REMOTE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "cvc/file/loader.hpp"
#include "cvc/file/read_rows.hpp"
#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// What read_parts does.
Status read_remote_parts(const Records& records, std::span<const Part> parts,
                         std::span<const Target> targets, const ReadConfig& config,
                         PartHandler handler, void* owner);
// What gather_rows does, of rows and for targets that were checked.
Status gather_remote_rows(const Records& records, std::span<const std::uint64_t> rows,
                          std::span<const Target> targets, const ReadConfig& config);

}  // namespace numpact::cvc

#endif
