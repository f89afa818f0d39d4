// SPDX-License-Identifier: Apache-2.0
// Measures how many nearest neighbours are still found among decoded vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cvc/quality/distance.hpp"
#include "cvc/quality/neighbours.hpp"
#include "numpact/executor.hpp"

namespace numpact::cvc::quality {

enum class Metric {
  kL2,
  kCosine,  // rows of zeros are orthogonal to all others
  kDot,
};
std::optional<Metric> metric_of_name(std::string_view name);
std::string_view name_of(Metric metric);

// The choice of the queries against the decoded rows.
enum class Queries { kOriginal, kDecoded };

// The share of correct neighbours, with its 95 % confidence interval.
struct Recall {
  double mean = 0;
  double low = 0;
  double high = 0;
};

// `right`: for each query, how many of k neighbours are correct. Computes Wilson's interval for an
// effective sample size: the number of independent trials that would have the variance of the
// queries' counts. It is at least the number of queries, and at most k times that.
Recall recall_of(std::span<const std::size_t> right, std::size_t k);

// Repeats a search among original rows with the decoded rows. The queries are the first rows; a row
// is not its own neighbour. A neighbour is correct if its original distance is not above that of
// the k-th original neighbour, so any of several equidistant rows is correct. Among equidistant
// decoded rows the first ones count, so rows should be in random order.
class RecallSearch {
 public:
  struct Plan {
    Metric metric = Metric::kL2;
    std::size_t k = 10;       // below the number of rows
    std::size_t queries = 0;  // 1 to the number of rows
    Queries from = Queries::kOriginal;
  };
  // `original`: finite rows, contiguous.
  RecallSearch(std::vector<float> original, std::size_t dimension, const Plan& plan,
               Executor& executor, const QueriesDone& done = {});

  // Recall of the decoded rows, in the order of the originals. A nonfinite row is the farthest of
  // all.
  Recall measure(std::vector<float> decoded, const QueriesDone& done = {}) const;

 private:
  void prepare(std::vector<float>& rows) const;
  std::span<const float> row(std::size_t index) const {
    return std::span(original_).subspan(index * dimension_, dimension_);
  }

  std::vector<float> original_;
  std::size_t dimension_;
  Plan plan_;
  Measure measure_;
  Executor& executor_;
  int exponent_ = 0;           // of the scale factor that keeps squares in range
  std::vector<float> limits_;  // per query: the largest distance of a correct neighbour
};

}  // namespace numpact::cvc::quality
