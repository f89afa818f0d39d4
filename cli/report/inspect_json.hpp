// SPDX-License-Identifier: Apache-2.0
// The contents of Pco files as JSON values.
#pragma once

#include "numpact/inspect.hpp"
#include "report/json_text.hpp"

namespace numpact::cli {

enum class ListedChunks : std::uint8_t {
  kSome,  // as many as listed_chunks() allows; "chunks_not_listed" counts the others, if any
  kAll,
};

Json file_json(const FileInfo& info, bool bins, ListedChunks chunks = ListedChunks::kSome);

}  // namespace numpact::cli
