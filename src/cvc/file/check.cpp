// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/check.hpp"

#include <algorithm>

#include "base/internal.hpp"
#include "cvc/file/read_rows.hpp"

namespace numpact::cvc::internal {

Status check_chunks(const Records& records, std::vector<std::size_t> chunks,
                    const ReadConfig& config) {
  if (!records.info().has_checksums()) return {};
  std::sort(chunks.begin(), chunks.end());
  chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
  std::vector<ChunkRead> reads;
  reads.reserve(chunks.size());
  for (const std::size_t chunk : chunks) reads.push_back({chunk, {}, 0, true});
  ReadConfig quiet = config;
  quiet.progress = nullptr;
  return read_chunks(records, reads, {}, quiet, pass_on, nullptr);
}

Status check_chunk(const Records& records, std::size_t chunk) {
  return check_chunks(records, {chunk}, {});
}

}  // namespace numpact::cvc::internal
