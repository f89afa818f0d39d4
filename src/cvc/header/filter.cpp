// SPDX-License-Identifier: Apache-2.0
#include "cvc/header/filter.hpp"

#include <algorithm>
#include <optional>

namespace numpact::cvc {
namespace {

// Bytes of a list of values that are compared with those that are looked for, at most: more only
// where there are as many of these. Repeated keys, of which the last counts, make a list longer.
constexpr std::uint64_t kLeastMemory = std::uint64_t{4} << 20;
constexpr std::uint64_t kMemoryOfValue = 16;

}  // namespace

Status MetadataFilter::parse() {
  if (value_.parse(text_).ok()) return {};
  return Status(ErrorKind::kInvalidArgument, "the value to look for is no JSON");
}

bool MetadataFilter::matches(std::string_view metadata) const {
  if (!json::check(metadata).ok()) return false;
  const json::View root = json::View::root_of(metadata);
  if (!root.is(json::Kind::kObject)) return false;
  std::optional<json::View> found;  // of several the last
  for (auto name = root.first(); name;) {
    const std::optional<json::View> value = name->next();
    if (name->says(key_)) found = value;
    name = value->next();
  }
  if (!found) return false;
  // What is equal has about as many values; a file may have very many.
  json::Document document;
  const std::uint64_t most = std::max(kLeastMemory, kMemoryOfValue * value_.memory());
  return document.parse(found->text(), most).ok() && json::equal(document.root(), value_.root());
}

}  // namespace numpact::cvc
