// SPDX-License-Identifier: Apache-2.0
// How many of the nearest neighbours are still found among decoded vectors.
#ifndef NUMPACT_CLI_CVC_QUALITY_RECALL_HPP
#define NUMPACT_CLI_CVC_QUALITY_RECALL_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cvc/quality/distance.hpp"
#include "cvc/quality/neighbours.hpp"
#include "numpact/executor.hpp"

namespace numpact::cli {

enum class Metric {
  kL2,
  kCosine,  // rows of zeros are at right angles to all others
  kDot,
};
std::optional<Metric> metric_of_name(std::string_view name);
std::string_view name_of(Metric metric);

// What is compared with the decoded rows.
enum class Queries { kOriginal, kDecoded };

// The share of right neighbours, with its confidence interval of 95 %.
struct Recall {
  double mean = 0;
  double low = 0;
  double high = 0;
};

// Of the counts of right neighbours, of k each, for every query: Wilson's interval, for as many
// independent trials as make the variance that the queries' counts show: at least as many as there
// are queries, at most k times as many.
Recall recall_of(std::span<const std::size_t> right, std::size_t k);

// A search among one set of rows that is repeated with what they decode to. The queries are the
// first rows; a row is no neighbour of itself. A neighbour is right if its original distance is not
// above that of the k-th original neighbour: of several equally near ones any is right. Where
// decoded ones are equally near, the first rows count: rows should be in random order.
class RecallSearch {
 public:
  struct Plan {
    Metric metric = Metric::kL2;
    std::size_t k = 10;       // below the count of rows
    std::size_t queries = 0;  // 1 to the count of rows
    Queries from = Queries::kOriginal;
  };
  // Finite rows, one after the other.
  RecallSearch(std::vector<float> original, std::size_t dimension, const Plan& plan,
               Executor& executor, const QueriesDone& done = {});

  // What these rows decode to, in their order. One that is not finite is the farthest of all.
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
  int exponent_ = 0;           // of the factor that keeps squares in range
  std::vector<float> limits_;  // by query: the largest distance of a right neighbour
};

}  // namespace numpact::cli

#endif
