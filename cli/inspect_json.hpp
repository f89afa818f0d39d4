// SPDX-License-Identifier: Apache-2.0
// What is inside Pco files, as JSON to be put into more of it.
#ifndef NUMPACT_CLI_INSPECT_JSON_HPP
#define NUMPACT_CLI_INSPECT_JSON_HPP

#include <nlohmann/json.hpp>
#include <string>

#include "numpact/inspect.hpp"

namespace numpact::cli {

using Json = nlohmann::ordered_json;

Json file_json(const FileInfo& info, bool bins);

// Lines of text. Bytes that are no UTF-8 are replaced.
std::string dump(const Json& json);

}  // namespace numpact::cli

#endif
