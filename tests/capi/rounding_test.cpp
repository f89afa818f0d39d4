// SPDX-License-Identifier: Apache-2.0
// Rounding by the C interface: the results of the C++ library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "numpact/lossy.hpp"
#include "numpact/numpact.h"
#include "numpact/table_writer.h"
#include "support/random.hpp"
#include "support/system.hpp"

namespace numpact::testing {
namespace {

numpact_rounding rounding_of(std::int32_t kind, std::int32_t digits, double max_error) {
  numpact_rounding rounding;
  numpact_rounding_init(&rounding);
  rounding.kind = kind;
  rounding.digits = digits;
  rounding.max_error = max_error;
  return rounding;
}

TEST(CRounding, GivesTheNumbersOfCpp) {
  Random random(941);
  std::vector<float> numbers(5000);
  for (float& number : numbers) number = static_cast<float>(random.between(0, 1'000'000)) / 8e4F;
  const float fill = numbers[0];
  numpact_rounding_report report = {};
  report.struct_size = sizeof report;
  const std::pair<numpact_rounding, RoundingSpec> requests[] = {
      {rounding_of(NUMPACT_ROUND_MAX_ERROR, 0, 0.01), RoundingSpec::max_error(0.01)},
      {rounding_of(NUMPACT_ROUND_KEEP_BITS, 7, 0), RoundingSpec::keep_bits(7)},
      {rounding_of(NUMPACT_ROUND_DECIMALS, 1, 0), RoundingSpec::decimals(1)}};
  for (auto [rounding, spec] : requests) {
    rounding.fill = &fill;
    Rounder rounder = Rounder::create(spec.with_fill(fill), NumberType::kF32).value();
    std::vector<float> expected(numbers.size());
    ASSERT_TRUE(rounder.round(numbers, expected).ok());
    std::vector<float> out(numbers.size());
    ASSERT_EQ(numpact_round(NUMPACT_F32, numbers.data(), numbers.size(), &rounding, nullptr,
                            out.data(), &report, nullptr),
              NUMPACT_OK);
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), 4 * out.size()), 0);
    EXPECT_EQ(report.max_error, rounder.report().max_error);
    EXPECT_EQ(report.changed, rounder.report().changed);
    EXPECT_EQ(report.kept, rounder.report().kept);
    EXPECT_EQ(report.step, rounder.report().step);
    EXPECT_EQ(report.count, 5000u);
    EXPECT_GT(report.changed, 1000u);
    EXPECT_EQ(out[0], fill);
  }
}

TEST(CRounding, ReportsErrors) {
  const double numbers[] = {1.5, 2.5};
  double out[2];
  const auto status = [&](numpact_type type, const numpact_rounding* rounding, void* to) {
    return numpact_round(type, numbers, 2, rounding, nullptr, to, nullptr, nullptr);
  };
  const numpact_rounding bits = rounding_of(NUMPACT_ROUND_KEEP_BITS, 7, 0);
  EXPECT_EQ(status(NUMPACT_I64, &bits, out), NUMPACT_TYPE_MISMATCH);
  EXPECT_EQ(status(NUMPACT_F64, &bits, nullptr), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(status(NUMPACT_F64, nullptr, out), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(status(17, &bits, out), NUMPACT_INVALID_ARGUMENT);
  for (const numpact_rounding& wrong :
       {rounding_of(3, 1, 1), rounding_of(NUMPACT_ROUND_KEEP_BITS, -1, 0),
        rounding_of(NUMPACT_ROUND_KEEP_BITS, 53, 0), rounding_of(NUMPACT_ROUND_MAX_ERROR, 0, -1),
        rounding_of(NUMPACT_ROUND_DECIMALS, -23, 0)}) {
    EXPECT_EQ(status(NUMPACT_F64, &wrong, out), NUMPACT_INVALID_ARGUMENT);
  }
}

TEST(CRounding, OfColumnsOfTables) {
  const std::string place = system::new_folder("rounding_in_c");
  const std::string path = place + "/table";
  numpact_table_column columns[2] = {};
  for (numpact_table_column& column : columns) {
    column.struct_size = sizeof column;
    column.name_size = 1;
    column.type = NUMPACT_F64;
    column.is_nullable = 1;
  }
  columns[0].name = "x";
  columns[1].name = "t";
  columns[1].kind = NUMPACT_TABLE_TIMESTAMP;
  columns[1].unit = NUMPACT_TABLE_MICRO;
  columns[1].type = NUMPACT_I64;
  char why[200] = {};
  numpact_table_writer* writer = nullptr;
  ASSERT_EQ(numpact_table_writer_create(path.c_str(), columns, 2, 0, nullptr, &writer, why,
                                        sizeof why, nullptr),
            NUMPACT_OK)
      << why;
  const numpact_rounding decimals = rounding_of(NUMPACT_ROUND_DECIMALS, 1, 0);
  EXPECT_EQ(numpact_table_writer_set_rounding(writer, 1, &decimals, why, sizeof why, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  ASSERT_EQ(numpact_table_writer_set_rounding(writer, 0, &decimals, why, sizeof why, nullptr),
            NUMPACT_OK);
  const double numbers[] = {1.04, 1e300, -7.26};
  const std::uint8_t valid[] = {1, 0, 1};
  const std::int64_t times[] = {1, 2, 3};
  ASSERT_EQ(numpact_table_writer_write(writer, 0, numbers, valid, 3, why, sizeof why, nullptr),
            NUMPACT_OK);
  ASSERT_EQ(numpact_table_writer_write(writer, 1, times, nullptr, 3, why, sizeof why, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_table_writer_set_rounding(writer, 0, &decimals, why, sizeof why, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  ASSERT_EQ(numpact_table_writer_commit(writer, why, sizeof why, nullptr), NUMPACT_OK) << why;
  numpact_rounding_report report = {};
  report.struct_size = sizeof report;
  ASSERT_EQ(numpact_table_writer_get_rounding(writer, 0, &report, nullptr), NUMPACT_OK);
  EXPECT_EQ(report.count, 2u);
  EXPECT_EQ(report.max_error, 1.04 - 1.0);
  EXPECT_EQ(numpact_table_writer_get_rounding(writer, 1, &report, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_table_writer_destroy(writer);
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace numpact::testing
