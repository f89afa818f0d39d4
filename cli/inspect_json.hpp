// SPDX-License-Identifier: Apache-2.0
// What is inside Pco files, as JSON to be put into more of it.
#ifndef NUMPACT_CLI_INSPECT_JSON_HPP
#define NUMPACT_CLI_INSPECT_JSON_HPP

#include "json_text.hpp"
#include "numpact/inspect.hpp"

namespace numpact::cli {

Json file_json(const FileInfo& info, bool bins);

}  // namespace numpact::cli

#endif
