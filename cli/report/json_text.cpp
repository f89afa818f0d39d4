// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"

#include "printable.hpp"

namespace numpact::cli {

std::string dump(const Json& json) {
  return printable_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace numpact::cli
