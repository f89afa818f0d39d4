// SPDX-License-Identifier: Apache-2.0
// Validates UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace numpact::cli {

// The offset of the first byte that is not part of a well-formed character; none if all are.
// Surrogates and overlong forms are not well-formed.
std::optional<std::size_t> first_not_utf8(std::string_view text);

}  // namespace numpact::cli
