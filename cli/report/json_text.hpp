// SPDX-License-Identifier: Apache-2.0
// JSON text for the output of commands.
#ifndef NUMPACT_CLI_REPORT_JSON_TEXT_HPP
#define NUMPACT_CLI_REPORT_JSON_TEXT_HPP

#include <nlohmann/json.hpp>
#include <string>

namespace numpact::cli {

using Json = nlohmann::ordered_json;

// Formats over several lines. Bytes that are not UTF-8 are replaced, and unprintable characters are
// escaped.
std::string dump(const Json& json);

}  // namespace numpact::cli

#endif
