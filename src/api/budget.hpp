// SPDX-License-Identifier: Apache-2.0
// The bytes that the runs of a file may take under EncodeConfig::max_bytes.
#pragma once

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "numpact/config.hpp"

namespace numpact {

// The numbers of a file, their count of runs, and its largest size.
struct BudgetInput {
  const NumberView& numbers;
  std::size_t runs;
  std::size_t bound;
};

// A file is given up early only if two estimates agree: a sample of all numbers exceeds the budget,
// and a fully examined run exceeds its share. One alone may be wrong: a sample does not show
// repeats, and a run says little about those that follow.
class Budget {
 public:
  Budget(const BudgetInput& input, const EncodeConfig& config, Arena& arena);

  // Maximum bytes of a run of n numbers, after `done` numbers that took `bytes`.
  std::uint64_t of_run(std::size_t n, std::size_t done, std::size_t bytes) const;
  bool is_exceeded_by(std::size_t bytes) const { return bytes > max_bytes_; }

 private:
  std::uint64_t max_bytes_ = ~std::uint64_t{0};
  std::size_t count_;
  bool is_shared_ = false;  // by the runs; otherwise each may take the rest
};

}  // namespace numpact
