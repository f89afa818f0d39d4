// SPDX-License-Identifier: Apache-2.0
// The contents of Pco files as JSON values.
#ifndef NUMPACT_CLI_REPORT_INSPECT_JSON_HPP
#define NUMPACT_CLI_REPORT_INSPECT_JSON_HPP

#include "numpact/inspect.hpp"
#include "report/json_text.hpp"

namespace numpact::cli {

enum class ListedChunks : std::uint8_t {
  kSome,  // as many as listed_chunks() allows; "chunks_not_listed" counts the others, if any
  kAll,
};

Json file_json(const FileInfo& info, bool bins, ListedChunks chunks = ListedChunks::kSome);

}  // namespace numpact::cli

#endif
