// SPDX-License-Identifier: Apache-2.0
#include "cvc/header/filter.hpp"
#include "base/internal.hpp"

#include <algorithm>
#include <optional>

namespace numpact::cvc::internal {
namespace {

// Memory limit, in bytes, of the parsed candidate value: the larger of kMinMemoryLimitBytes and
// kMemoryLimitRatio times the memory of the value to look for. An equal value takes about the same
// memory; repeated keys, of which the last counts, can make it larger.
constexpr std::uint64_t kMinMemoryLimitBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMemoryLimitRatio = 16;

}  // namespace

Status MetadataFilter::parse() {
  if (value_.parse(text_).ok()) return {};
  return Status(ErrorKind::kInvalidArgument, "the value to look for is not JSON");
}

bool MetadataFilter::matches(std::string_view metadata) const {
  if (!json::check(metadata).ok()) return false;
  const json::View root = json::View::root_of(metadata);
  const std::optional<json::View> found = root.find(key_);
  if (!found) return false;
  // The limit protects against values with very many elements, which cannot be equal.
  json::Document document;
  const std::uint64_t max_memory =
      std::max(kMinMemoryLimitBytes, kMemoryLimitRatio * value_.memory());
  return document.parse(found->text(), max_memory).ok() &&
         json::equal(document.root(), value_.root());
}

}  // namespace numpact::cvc::internal
