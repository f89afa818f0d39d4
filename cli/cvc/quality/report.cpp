// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/json_text.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

// Minimum recall of a compression that the advice recommends.
constexpr double kMinAdvisedRecall = 0.99;
// Relative difference up to which sizes count as equal: headers and ranges take about as much.
constexpr double kSizeTolerance = 0.02;

bool has_files(const QualityReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const QualityRow& row) { return row.name != row.compression; });
}

std::string error_text(double error) {
  return error == 0 || std::isinf(error) ? fmt::format("{}", error) : fmt::format("{:.2e}", error);
}

// Never prints 1 for a smaller share.
std::string share_text(double share) {
  return share == 1 ? "1" : fmt::format("{:.4f}", std::floor(share * 1e4) / 1e4);
}

std::string interval_text(const Recall& recall) {
  if (recall.low == recall.high) return "exact";
  return share_text(recall.low) + " to " + share_text(recall.high);
}

std::vector<std::string> cells_of(const QualityReport& report, const QualityRow& row, bool files) {
  std::vector<std::string> cells;
  if (files) cells.push_back(row.name);
  cells.insert(
      cells.end(),
      {row.compression, grouped(row.bytes), fmt::format("{:.1f}", report.bytes_per_vector(row)),
       fmt::format("{:.2f}", report.ratio(row)), error_text(row.errors.max),
       error_text(row.errors.mean), error_text(row.errors.rmse), error_text(row.errors.mean_cosine),
       error_text(row.errors.worst_cosine), row.recall ? share_text(row.recall->mean) : "-",
       row.recall ? interval_text(*row.recall) : "-", grouped(row.errors.overflows)});
  return cells;
}

std::string explanation(const QualityReport& report) {
  std::string text = fmt::format(
      "\n{}: {} vectors of {} {} values; ratio to float32; errors absolute, of all values; "
      "1-cos of all rows\n",
      report.source, grouped(report.vectors), report.dimension, report.dtype);
  if (report.plan.queries == 0) return text;
  const bool original = report.plan.from == Queries::kOriginal;
  return text + fmt::format(
                    "recall@{}: of the {} nearest ({}) among {} decoded rows, how many are so "
                    "among the original ones;\nmean of {} {} rows as queries, each without "
                    "itself, with its 95 % interval\n",
                    report.plan.k, report.plan.k, name_of(report.plan.metric),
                    grouped(report.sample_rows), grouped(report.plan.queries),
                    original ? "original" : "decoded");
}

// Infinity becomes null.
Json number_json(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json row_json(const QualityReport& report, const QualityRow& row) {
  Json json;
  json["name"] = row.name;
  json["compression"] = row.compression;
  json["bytes"] = row.bytes;
  json["bytes_per_vector"] = report.bytes_per_vector(row);
  json["ratio"] = report.ratio(row);
  json["max_error"] = number_json(row.errors.max);
  json["mean_error"] = number_json(row.errors.mean);
  json["rmse"] = number_json(row.errors.rmse);
  json["mean_cosine_error"] = number_json(row.errors.mean_cosine);
  json["worst_cosine_error"] = number_json(row.errors.worst_cosine);
  json["overflows"] = row.errors.overflows;
  json["recall"] = nullptr;
  if (row.recall) {
    json["recall"] = {
        {"mean", row.recall->mean}, {"low", row.recall->low}, {"high", row.recall->high}};
  }
  return json;
}

}  // namespace

std::string quality_table(const QualityReport& report) {
  using Align = TextTable::Align;
  const bool files = has_files(report);
  TextTable table;
  if (files) table.add_column("file", Align::kLeft, 40);
  table.add_column("compression", Align::kLeft);
  for (const char* title : {"bytes", "B/vector", "ratio", "max error", "mean error", "RMSE",
                            "mean 1-cos", "worst 1-cos"}) {
    table.add_column(title, Align::kRight);
  }
  table.add_column(fmt::format("recall@{}", report.plan.k), Align::kRight);
  table.add_column("95 % interval", Align::kLeft);
  table.add_column("overflows", Align::kRight);
  table.add_rule();
  for (const QualityRow& row : report.rows) table.add_row(cells_of(report, row, files));
  const std::string advice = quality_advice(report);
  return table.text() + explanation(report) + (advice.empty() ? "" : advice + "\n");
}

std::string quality_json(const QualityReport& report) {
  Json json;
  json["source"] = report.source;
  json["dtype"] = report.dtype;
  json["vectors"] = report.vectors;
  json["dimension"] = report.dimension;
  json["search"] = nullptr;
  if (report.plan.queries != 0) {
    json["search"] = {
        {"k", report.plan.k},
        {"metric", name_of(report.plan.metric)},
        {"sample", report.sample_rows},
        {"queries", report.plan.queries},
        {"quantized_queries", report.plan.from == Queries::kDecoded},
    };
  }
  json["compressions"] = Json::array();
  for (const QualityRow& row : report.rows) json["compressions"].push_back(row_json(report, row));
  return dump(json);
}

std::string quality_advice(const QualityReport& report) {
  std::vector<const QualityRow*> fit;
  for (const QualityRow& row : report.rows) {
    if (row.recall && row.recall->low >= kMinAdvisedRecall) fit.push_back(&row);
  }
  if (fit.empty() || report.rows.size() < 2) return "";
  const auto smallest =
      std::min_element(fit.begin(), fit.end(), [](auto a, auto b) { return a->bytes < b->bytes; });
  const double enough = static_cast<double>((*smallest)->bytes) * (1 + kSizeTolerance);
  const QualityRow* best = *smallest;
  for (const QualityRow* row : fit) {
    const bool is_small = static_cast<double>(row->bytes) <= enough;
    if (is_small && row->recall->low > best->recall->low) best = row;
  }
  const std::string start = fmt::format(
      "99 % of the neighbours, by the lower end of the interval, in the fewest bytes (within 2 %): "
      "{}, which",
      best->name);
  const double percent = 100 * (1 - best->recall->low);
  if (percent == 0) return start + " keeps all";
  return fmt::format("{} loses at most {:.2f} % of them at {:.1f} % of float32's bytes", start,
                     std::ceil(percent * 100 - 1e-6) / 100, 100 / report.ratio(*best));
}

}  // namespace numpact::cli
