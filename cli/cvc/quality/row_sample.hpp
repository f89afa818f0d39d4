// SPDX-License-Identifier: Apache-2.0
// A random sample of rows that pass by.
#ifndef NUMPACT_CLI_CVC_QUALITY_ROW_SAMPLE_HPP
#define NUMPACT_CLI_CVC_QUALITY_ROW_SAMPLE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace numpact::cli {

// Every row has a key, which looks random but is always the same; those with the smallest keys are
// the sample. So the sample does not depend on how rows arrive, nor does its order.
class RowSample {
 public:
  explicit RowSample(std::size_t capacity) : capacity_(capacity) {}

  // Rows 0, 1, 2, ... The place where the row is to be kept, below the capacity, whatever is there
  // already; none if it is not taken.
  std::optional<std::size_t> offer(std::uint64_t row);

  std::size_t size() const { return taken_.size(); }
  // All places, in random order.
  std::vector<std::size_t> order() const;

 private:
  struct Taken {
    std::uint64_t key;
    std::size_t place;
    friend bool operator<(const Taken& a, const Taken& b) { return a.key < b.key; }
  };
  std::size_t capacity_;
  std::priority_queue<Taken> taken_;  // the largest key on top
};

}  // namespace numpact::cli

#endif
