// SPDX-License-Identifier: Apache-2.0
// The runs of null rows of a column against its counts.
#include <algorithm>
#include <limits>

#include "numpact/table.hpp"

namespace numpact::table {

std::uint64_t max_null_runs(std::uint64_t numbers, std::uint64_t nulls) noexcept {
  const std::uint64_t fewer = std::min(numbers, nulls);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return fewer > (kMax - 2) / 2 ? kMax : 2 * fewer + 2;
}

Status NullRunCheck::add(std::span<const std::uint64_t> lengths) noexcept {
  for (const std::uint64_t length : lengths) {
    const bool is_null = runs_ % 2 == 1;
    std::uint64_t& left = is_null ? nulls_left_ : numbers_left_;
    if (length == 0 && runs_ > 0) return Status(ErrorKind::kCorrupt, "a run of nulls has no rows");
    if (length > left) {
      return Status(ErrorKind::kCorrupt, is_null ? "its runs have more nulls than the manifest says"
                                                 : "its runs have more numbers than the manifest "
                                                   "says");
    }
    left -= length;
    ++runs_;
  }
  return {};
}

Status NullRunCheck::finish() const noexcept {
  if (numbers_left_ == 0 && nulls_left_ == 0) return {};
  return Status(ErrorKind::kCorrupt, nulls_left_ > 0
                                         ? "its runs have fewer nulls than the manifest says"
                                         : "its runs have fewer numbers than the manifest says");
}

}  // namespace numpact::table
