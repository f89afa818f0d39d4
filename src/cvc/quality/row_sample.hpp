// SPDX-License-Identifier: Apache-2.0
// Draws a random sample of a stream of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace numpact::cvc::quality {

// Every row has a key that is pseudo-random but fixed; the rows with the smallest keys are the
// sample. So neither the sample nor its order depends on how rows arrive.
class RowSample {
 public:
  explicit RowSample(std::size_t capacity) : capacity_(capacity) {}

  // Offers rows 0, 1, 2, ... in this order. Returns the slot for the row, below the capacity, which
  // may replace an earlier row; none if the row is not sampled.
  std::optional<std::size_t> offer(std::uint64_t row);

  std::size_t size() const { return taken_.size(); }
  // All slots, in random order.
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

}  // namespace numpact::cvc::quality
