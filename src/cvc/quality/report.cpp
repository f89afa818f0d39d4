// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/report.hpp"

#include <algorithm>
#include <cmath>

#include "cvc/quality/printed.hpp"

namespace numpact::cvc::quality {
namespace {

// Minimum recall of a compression that the advice recommends.
constexpr double kMinAdvisedRecall = 0.99;
// Relative difference up to which sizes count as equal: headers and ranges take about as much.
constexpr double kSizeTolerance = 0.02;

// Whether rows are named by files instead of by their compressions.
bool has_files(const QualityReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const QualityRow& row) { return row.name != row.compression; });
}

std::string error_text(double error) {
  return printed(error == 0 || std::isinf(error) ? "%g" : "%.2e", error);
}

// Never prints 1 for a smaller share.
std::string share_text(double share) {
  return share == 1 ? "1" : printed("%.4f", std::floor(share * 1e4) / 1e4);
}

std::string interval_text(const Recall& recall) {
  if (recall.low == recall.high) return "exact";
  return share_text(recall.low) + " to " + share_text(recall.high);
}

}  // namespace

std::string grouped_digits(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::vector<Title> quality_titles(const QualityReport& report) {
  std::vector<Title> titles;
  if (has_files(report)) titles.push_back({"file"});
  titles.push_back({"compression"});
  for (const char* title : {"bytes", "B/vector", "ratio", "max error", "mean error", "RMSE",
                            "mean 1-cos", "worst 1-cos"}) {
    titles.push_back({title, true});
  }
  titles.push_back({"recall@" + std::to_string(report.plan.k), true});
  titles.push_back({"95 % interval"});
  titles.push_back({"overflows", true});
  return titles;
}

std::vector<std::string> quality_cells(const QualityReport& report, const QualityRow& row) {
  std::vector<std::string> cells;
  if (has_files(report)) cells.push_back(row.name);
  cells.insert(
      cells.end(),
      {row.compression, grouped_digits(row.bytes), printed("%.1f", report.bytes_per_vector(row)),
       printed("%.2f", report.ratio(row)), error_text(row.errors.max), error_text(row.errors.mean),
       error_text(row.errors.rmse), error_text(row.errors.mean_cosine),
       error_text(row.errors.worst_cosine), row.recall ? share_text(row.recall->mean) : "-",
       row.recall ? interval_text(*row.recall) : "-", grouped_digits(row.errors.overflows)});
  return cells;
}

std::string quality_explanation(const QualityReport& report) {
  std::string text = report.source + ": " + grouped_digits(report.vectors) + " vectors of " +
                     std::to_string(report.dimension) + " " + report.type.name +
                     " values; ratio to " + report.type.name +
                     "; errors absolute, of all values; 1-cos of all rows\n";
  if (report.plan.queries == 0) return text;
  const std::string k = std::to_string(report.plan.k);
  const bool original = report.plan.from == Queries::kOriginal;
  return text + "recall@" + k + ": of the " + k + " nearest (" +
         std::string(name_of(report.plan.metric)) + ") among " +
         grouped_digits(report.sample_rows) +
         " decoded rows, how many are so among the original ones;\nmean of " +
         grouped_digits(report.plan.queries) + (original ? " original" : " decoded") +
         " rows as queries, each without itself, with its 95 % interval\n";
}

std::optional<std::size_t> recommended_row(const QualityReport& report) {
  std::vector<std::size_t> fit;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const std::optional<Recall>& recall = report.rows[i].recall;
    if (recall && recall->low >= kMinAdvisedRecall) fit.push_back(i);
  }
  if (fit.empty() || report.rows.size() < 2) return std::nullopt;
  std::size_t best = *std::min_element(fit.begin(), fit.end(), [&](std::size_t a, std::size_t b) {
    return report.rows[a].bytes < report.rows[b].bytes;
  });
  const double enough = static_cast<double>(report.rows[best].bytes) * (1 + kSizeTolerance);
  for (const std::size_t i : fit) {
    const QualityRow& row = report.rows[i];
    const bool is_small = static_cast<double>(row.bytes) <= enough;
    if (is_small && row.recall->low > report.rows[best].recall->low) best = i;
  }
  return best;
}

std::string quality_advice(const QualityReport& report) {
  const std::optional<std::size_t> index = recommended_row(report);
  if (!index) return "";
  const QualityRow& best = report.rows[*index];
  const std::string start =
      "99 % of the neighbours, by the lower end of the interval, in the fewest bytes "
      "(within 2 %): " +
      best.name + ", which";
  const double percent = 100 * (1 - best.recall->low);
  if (percent == 0) return start + " keeps all";
  return start + " loses at most " + printed("%.2f", std::ceil(percent * 100 - 1e-6) / 100) +
         " % of them at " + printed("%.1f", 100 / report.ratio(best)) + " % of " +
         report.type.name + "'s bytes";
}

}  // namespace numpact::cvc::quality
