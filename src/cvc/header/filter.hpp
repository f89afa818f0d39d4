// SPDX-License-Identifier: Apache-2.0
// A filter for metadata by the value of a key.
#pragma once

#include <string_view>

#include "base/internal.hpp"
#include "json/json.hpp"

namespace numpact::cvc::internal {

// Whether metadata is an object in which `key` has the value of the JSON text `value`.
class MetadataFilter {
 public:
  MetadataFilter(std::string_view key, std::string_view value) : key_(key), text_(value) {}
  // Parses the value; must be called first. kInvalidArgument if it is not JSON.
  Status parse();
  bool matches(std::string_view metadata) const;

 private:
  std::string_view key_;
  std::string_view text_;
  json::Document value_;
};

}  // namespace numpact::cvc::internal
