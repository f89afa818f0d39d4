// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/search.hpp"

#include <algorithm>
#include <utility>

namespace numpact::cvc::quality {
namespace {

constexpr std::size_t kDefaultSample = 20000;
// Values in the default sample: 64 MiB as float32 for each compression.
constexpr std::size_t kDefaultSampleValues = std::size_t{1} << 24;
constexpr std::size_t kDefaultQueries = 1000;
// Up to this many rows, all rows are queries. More would take quadratic time.
constexpr std::size_t kMaxRowsQueriedInFull = 2000;

// Counts the queries; says why if there can be none.
void plan_search(const SearchOptions& options, QualityReport& report) {
  const std::size_t rows = report.sample_rows;
  report.plan = {options.metric, options.k, 0, options.from};
  std::size_t queries = std::min(rows, options.queries.value_or(rows));
  if (!options.queries && rows > kMaxRowsQueriedInFull) queries = kDefaultQueries;
  if (queries > 0 && rows <= options.k) {
    report.no_recall = std::to_string(rows) + " rows are too few for " + std::to_string(options.k) +
                       " neighbours of each: no recall";
    queries = 0;
  }
  report.plan.queries = queries;
}

}  // namespace

std::size_t sample_rows(const SearchOptions& options, std::uint64_t dimension) {
  if (options.sample) return *options.sample;
  const std::uint64_t fit = kDefaultSampleValues / std::max<std::uint64_t>(1, dimension);
  const std::size_t min_rows =
      options.k > kDefaultSample / 2 ? kDefaultSample : std::size_t{2} * options.k;
  return std::clamp(static_cast<std::size_t>(fit), min_rows, kDefaultSample);
}

QualityReport report_of(const Measurement& measurement, std::string source, const InputType& type,
                        std::uint64_t dimension, const SearchOptions& options) {
  QualityReport report;
  report.source = std::move(source);
  report.type = type;
  report.vectors = measurement.rows();
  report.dimension = dimension;
  report.sample_rows = measurement.sample_rows();
  plan_search(options, report);
  for (const Candidate& candidate : measurement.candidates()) {
    if (!candidate.unfit.empty()) {
      report.left_out.push_back({candidate.name, candidate.unfit});
      continue;
    }
    report.rows.push_back({candidate.name, candidate.compression, candidate.bytes,
                           candidate.errors.figures(), std::nullopt});
    QualityRow& row = report.rows.back();
    if (report.plan.queries > 0 && row.errors.is_exact()) row.recall = Recall{1, 1, 1};
  }
  return report;
}

std::size_t count_searches(const QualityReport& report) {
  if (report.plan.queries == 0) return 0;
  const auto missing = std::count_if(report.rows.begin(), report.rows.end(),
                                     [](const QualityRow& row) { return !row.recall; });
  return missing == 0 ? 0 : static_cast<std::size_t>(missing) + 1;
}

void add_recalls(const Measurement& measurement, QualityReport& report, Executor& executor,
                 const QueriesDone& done) {
  if (count_searches(report) == 0) return;
  const RecallSearch exact(measurement.original_sample(),
                           static_cast<std::size_t>(report.dimension), report.plan, executor, done);
  std::size_t index = 0;
  for (const Candidate& candidate : measurement.candidates()) {
    if (!candidate.unfit.empty()) continue;
    QualityRow& row = report.rows[index++];
    if (!row.recall) row.recall = exact.measure(measurement.sample_of(candidate), done);
  }
}

}  // namespace numpact::cvc::quality
