// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/recall.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace numpact::cvc::quality {
namespace {

struct MetricName {
  Metric metric;
  std::string_view name;
};

constexpr MetricName kMetrics[] = {
    {Metric::kL2, "l2"}, {Metric::kCosine, "cosine"}, {Metric::kDot, "dot"}};

// Standard deviations around the mean that contain 95 % of a normal distribution.
constexpr double kDeviationsOf95Percent = 1.959963984540054;

void normalise(std::span<float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * value;
  if (squares == 0) return;
  const double factor = 1 / std::sqrt(squares);
  for (float& value : row) value = static_cast<float>(value * factor);
}

// The effective sample size: the number of independent sample_n with this mean that would have the
// observed variance.
double effective_sample_n(std::span<const std::size_t> right, std::size_t k, double mean) {
  const auto queries = static_cast<double>(right.size());
  double squares = 0;
  for (const std::size_t count : right) {
    const double difference = static_cast<double>(count) / static_cast<double>(k) - mean;
    squares += difference * difference;
  }
  if (squares == 0) return queries;
  const double variance = squares / (queries - 1) / queries;
  return std::clamp(mean * (1 - mean) / variance, queries, queries * static_cast<double>(k));
}

}  // namespace

std::optional<Metric> metric_of_name(std::string_view name) {
  for (const MetricName& known : kMetrics) {
    if (known.name == name) return known.metric;
  }
  return std::nullopt;
}

std::string_view name_of(Metric metric) {
  for (const MetricName& known : kMetrics) {
    if (known.metric == metric) return known.name;
  }
  return "";
}

Recall recall_of(std::span<const std::size_t> right, std::size_t k) {
  std::size_t sum = 0;
  for (const std::size_t count : right) sum += count;
  const double mean =
      static_cast<double>(sum) / static_cast<double>(right.size()) / static_cast<double>(k);
  const double sample_n = effective_sample_n(right, k, mean);
  const double z = kDeviationsOf95Percent * kDeviationsOf95Percent / sample_n;
  const double middle = (mean + z / 2) / (1 + z);
  const double half = std::sqrt(z * (mean * (1 - mean) + z / 4)) / (1 + z);
  return {mean, std::clamp(middle - half, 0.0, mean), std::clamp(middle + half, mean, 1.0)};
}

RecallSearch::RecallSearch(std::vector<float> original, std::size_t dimension, const Plan& plan,
                           Executor& executor, const QueriesDone& done)
    : original_(std::move(original)),
      dimension_(dimension),
      plan_(plan),
      measure_(plan.metric == Metric::kL2 ? Measure::kSquares : Measure::kProducts),
      executor_(executor) {
  float largest = 0;
  for (const float value : original_) largest = std::max(largest, std::fabs(value));
  exponent_ = largest == 0 ? 0 : -std::ilogb(largest);
  prepare(original_);
  const std::span<const float> queries = std::span(original_).first(plan_.queries * dimension_);
  const std::vector<Neighbour> found =
      nearest(Panels(original_, dimension_), queries, plan_.k, measure_, executor_, done);
  for (std::size_t query = 0; query < plan_.queries; ++query) {
    limits_.push_back(found[(query + 1) * plan_.k - 1].distance);
  }
}

// Scaling by a power of two preserves the order of distances, and ties.
void RecallSearch::prepare(std::vector<float>& rows) const {
  const double factor = std::ldexp(1.0, exponent_);
  for (float& value : rows) value = static_cast<float>(value * factor);
  if (plan_.metric != Metric::kCosine) return;
  for (std::size_t i = 0; i < rows.size(); i += dimension_) {
    normalise(std::span(rows).subspan(i, dimension_));
  }
}

Recall RecallSearch::measure(std::vector<float> decoded, const QueriesDone& done) const {
  prepare(decoded);
  const std::vector<float>& from = plan_.from == Queries::kOriginal ? original_ : decoded;
  const std::span<const float> queries = std::span(from).first(plan_.queries * dimension_);
  const std::vector<Neighbour> found =
      nearest(Panels(decoded, dimension_), queries, plan_.k, measure_, executor_, done);
  std::vector<std::size_t> right(plan_.queries);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t query = i / plan_.k;
    const bool is_right = distance(measure_, row(query), row(found[i].row)) <= limits_[query];
    right[query] += is_right ? 1 : 0;
  }
  return recall_of(right, plan_.k);
}

}  // namespace numpact::cvc::quality
