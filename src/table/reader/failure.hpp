// SPDX-License-Identifier: Apache-2.0
// Errors of readers: a Status with the file and the column.
#pragma once

#include <string>
#include <utility>

#include "base/internal.hpp"
#include "numpact/table_reader.hpp"

namespace numpact::internal {

using table::Failure;

// Sets a failure, if it is asked for, and returns the status.
inline Status fail(Failure* failure, const Status& status, std::string file, std::string column,
                   std::string text = {}) {
  if (failure != nullptr) {
    if (text.empty()) text = status.message();
    *failure = {std::move(file), std::move(column), std::move(text)};
  }
  return status;
}

}  // namespace numpact::internal
