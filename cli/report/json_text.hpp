// SPDX-License-Identifier: Apache-2.0
// JSON text for the output of commands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace numpact::cli {

using Json = nlohmann::ordered_json;

// Formats over several lines. Bytes that are not UTF-8 are replaced, and unprintable characters are
// escaped.
std::string dump(const Json& json);

}  // namespace numpact::cli
