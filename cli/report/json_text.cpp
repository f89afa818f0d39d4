// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.hpp"

#include "text/printable.hpp"

namespace numpact::cli {

std::string dump(const Json& json) {
  return printable_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace numpact::cli
