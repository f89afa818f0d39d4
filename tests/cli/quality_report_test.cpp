// SPDX-License-Identifier: Apache-2.0
// Table, JSON and picture of a report.
#include "base/internal.hpp"
#include "cvc/quality/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cvc/quality/tables.hpp"

namespace numpact::cli {
namespace {

using namespace cvc::quality;  // NOLINT(google-build-using-namespace)

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

QualityReport report_of_three() {
  QualityReport report;
  report.source = "wine <\"&\x01>.npy";
  report.type = {"float32", 4};
  report.vectors = 1000;
  report.dimension = 100;
  report.plan.k = 10;
  report.plan.queries = 500;
  report.sample_rows = 1000;
  ErrorFigures errors;
  report.rows.push_back({"lossless", "lossless", 360'000, errors, Recall{1, 1, 1}});
  errors.max = 0.001234;
  errors.mean = 0.0005;
  report.rows.push_back({"int8", "int8", 100'000, errors, Recall{0.99996, 0.992, 0.99999}});
  errors.max = std::numeric_limits<double>::infinity();
  errors.overflows = 1234;
  report.rows.push_back({"fp16", "fp16", 200'000, errors, Recall{0.5, 0.4, 0.6}});
  return report;
}

TEST(QualityTable, HasAllFigures) {
  const std::string table = quality_table(report_of_three());
  EXPECT_THAT(table, HasSubstr("recall@10"));
  EXPECT_THAT(table, HasSubstr("100.0   4.00   1.23e-03    5.00e-04"));
  // Not rounded up to 1.
  EXPECT_THAT(table, HasSubstr("0.9999  0.9920 to 0.9999"));
  EXPECT_THAT(table, HasSubstr("exact"));
  EXPECT_THAT(table, HasSubstr("inf"));
  EXPECT_THAT(table, HasSubstr("1,234"));
  EXPECT_THAT(table, Not(HasSubstr("file ")));
}

TEST(QualityTable, NamesFiles) {
  QualityReport report = report_of_three();
  report.rows[1].name = "packed.cvc";
  report.rows[1].recall.reset();
  EXPECT_THAT(quality_table(report), HasSubstr("packed.cvc  int8"));
  report.plan.queries = 0;
  EXPECT_THAT(quality_table(report), Not(HasSubstr("nearest")));
}

TEST(QualityTable, ComparesWithTheTypeOfTheInput) {
  QualityReport report = report_of_three();
  report.type = {"float16", 2};
  EXPECT_THAT(quality_table(report), HasSubstr("100.0   2.00   1.23e-03"));
  EXPECT_THAT(quality_table(report), HasSubstr("ratio to float16;"));
  EXPECT_THAT(quality_advice(report), HasSubstr("at 50.0 % of float16's bytes"));
}

TEST(QualityAdvice, RecommendsTheSmallestThatIsCertain) {
  QualityReport report = report_of_three();
  EXPECT_THAT(quality_advice(report),
              HasSubstr("int8, which loses at most 0.80 % of them at 25.0 % of float32's bytes"));
  report.rows.push_back(report.rows[1]);
  report.rows.back().name = "int8_dim";
  report.rows.back().bytes = 102'000;
  report.rows.back().recall->low = 0.995;
  EXPECT_THAT(quality_advice(report), HasSubstr("int8_dim, which loses at most 0.50 %"));
  report.rows.back().bytes = 102'001;
  EXPECT_THAT(quality_advice(report), HasSubstr("int8, "));
  report.rows.pop_back();
  report.rows[1].recall->low = 0.98;
  EXPECT_THAT(quality_advice(report), HasSubstr("lossless, which keeps all"));
  report.rows[0].recall.reset();
  EXPECT_EQ(quality_advice(report), "");
}

TEST(QualityJson, HasNullForInfinity) {
  const Json json = Json::parse(quality_json(report_of_three()));
  EXPECT_EQ(json["search"]["k"], 10);
  EXPECT_EQ(json["compressions"][1]["bytes"], 100'000);
  EXPECT_EQ(json["compressions"][1]["ratio"], 4);
  EXPECT_EQ(json["compressions"][1]["recall"]["mean"], 0.99996);
  EXPECT_TRUE(json["compressions"][2]["max_error"].is_null());
  EXPECT_EQ(json["compressions"][2]["overflows"], 1234);
  EXPECT_EQ(json["recommended"], "int8");
}

}  // namespace
}  // namespace numpact::cli
