// SPDX-License-Identifier: Apache-2.0
// Reading of files that are not in memory: each task loads at most one chunk at a time and decodes
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"
#include "cvc/file/loader.hpp"
#include "cvc/file/read_rows.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Implements read_chunks() for records with a loader.
Status read_remote_chunks(const Records& records, std::span<const ChunkRead> reads,
                          std::span<const Target> targets, const ReadConfig& config,
                          ReadHandler handler, void* owner);
// Implements gather_rows() for records with a loader. Rows and targets have been checked.
Status gather_remote_rows(const Records& records, std::span<const std::uint64_t> rows,
                          std::span<const Target> targets, const ReadConfig& config);

}  // namespace numpact::cvc::internal
