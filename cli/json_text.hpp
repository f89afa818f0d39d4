// SPDX-License-Identifier: Apache-2.0
// JSON as commands print it.
#ifndef NUMPACT_CLI_JSON_TEXT_HPP
#define NUMPACT_CLI_JSON_TEXT_HPP

#include <nlohmann/json.hpp>
#include <string>

namespace numpact::cli {

using Json = nlohmann::ordered_json;

// Lines of text. Bytes that are no UTF-8 are replaced, and characters that are not shown are
// escaped.
std::string dump(const Json& json);

}  // namespace numpact::cli

#endif
