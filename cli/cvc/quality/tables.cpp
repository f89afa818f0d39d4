// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/tables.hpp"

#include <cmath>
#include <limits>

#include "report/json_text.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

using cvc::quality::QualityReport;
using cvc::quality::QualityRow;
using cvc::quality::Queries;

// Names of files are truncated to this many characters.
constexpr std::size_t kMaxFileWidth = 40;

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
  TextTable table;
  for (const cvc::quality::Title& title : quality_titles(report)) {
    const auto align = title.is_number ? TextTable::Align::kRight : TextTable::Align::kLeft;
    table.add_column(title.text, align, title.text == "file" ? kMaxFileWidth : 1000);
  }
  table.add_rule();
  for (const QualityRow& row : report.rows) table.add_row(quality_cells(report, row));
  const std::string advice = quality_advice(report);
  return table.text() + "\n" + quality_explanation(report) + (advice.empty() ? "" : advice + "\n");
}

std::string quality_json(const QualityReport& report) {
  Json json;
  json["source"] = report.source;
  json["dtype"] = report.type.name;
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
  const auto recommended = recommended_row(report);
  json["recommended"] = recommended ? Json(report.rows[*recommended].name) : Json(nullptr);
  return dump(json);
}

}  // namespace numpact::cli
