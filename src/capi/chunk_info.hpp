// SPDX-License-Identifier: Apache-2.0
// The description of a chunk, as a struct of C and as text.
#pragma once

#include <string>
#include <type_traits>

#include "numpact/inspect.hpp"
#include "numpact/numpact.h"

namespace numpact::internal::capi {

static_assert(NUMPACT_MODE_DICT == static_cast<int>(Mode::kDict));
static_assert(NUMPACT_DELTA_CONV1 == static_cast<int>(Delta::kConv1));
static_assert(std::extent_v<decltype(numpact_chunk_info::bin_counts)> ==
              static_cast<std::size_t>(LatentVariable::kSecondary) + 1);

inline numpact_chunk_info info_of(const ChunkInfo& found, std::size_t page_count) {
  numpact_chunk_info info = {};
  info.type = static_cast<numpact_type>(found.type);
  info.mode = static_cast<std::int32_t>(found.mode());
  info.delta = static_cast<std::int32_t>(found.delta());
  info.count = found.count;
  info.page_count = page_count;
  info.meta_size = found.meta_bytes;
  info.page_size = found.page_bytes;
  for (const LatentVariableInfo& variable : found.variables) {
    const auto index = static_cast<std::size_t>(variable.variable);
    info.bin_counts[index] = variable.bins.size();
    info.table_logs[index] = variable.ans_size_log;
  }
  return info;
}

// "float-mult=0.01, consecutive=1; primary: 12 bins, table of 2^6; secondary: 1 bin"
inline std::string text_of(const ChunkInfo& info) {
  std::string text = info.mode_text();
  text.append(", ").append(info.delta_text());
  for (const LatentVariableInfo& variable : info.variables) {
    text.append("; ").append(to_string(variable.variable)).append(": ");
    text.append(std::to_string(variable.bins.size()));
    text.append(variable.bins.size() == 1 ? " bin" : " bins");
    if (variable.ans_size_log == 0) continue;
    text.append(", table of 2^").append(std::to_string(variable.ans_size_log));
  }
  return text;
}

}  // namespace numpact::internal::capi
