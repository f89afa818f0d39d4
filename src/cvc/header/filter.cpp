// SPDX-License-Identifier: Apache-2.0
#include "cvc/header/filter.hpp"

namespace numpact::cvc {

Status MetadataFilter::parse() {
  if (value_.parse(text_).ok()) return {};
  return Status(ErrorKind::kInvalidArgument, "the value to look for is no JSON");
}

bool MetadataFilter::matches(std::string_view metadata) const {
  json::Document document;
  if (!document.parse(metadata).ok()) return false;
  const std::optional<json::Value> found = document.root().find(key_);
  return found && json::equal(*found, value_.root());
}

}  // namespace numpact::cvc
