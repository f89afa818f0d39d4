// SPDX-License-Identifier: Apache-2.0
#include "numbers/null_runs.hpp"

#include <cstddef>
#include <utility>

namespace numpact::cli {

void NullRuns::add(std::uint64_t rows, bool null) {
  if (rows == 0) return;
  rows_ += rows;
  if (null) nulls_ += rows;
  if (null != is_null_) {
    complete_.push_back(length_);
    length_ = 0;
    is_null_ = null;
  }
  length_ += rows;
}

std::vector<std::uint64_t> NullRuns::take() { return std::exchange(complete_, {}); }

void NullRuns::finish() {
  if (length_ > 0) complete_.push_back(std::exchange(length_, 0));
}

}  // namespace numpact::cli
