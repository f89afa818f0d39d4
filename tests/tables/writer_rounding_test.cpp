// SPDX-License-Identifier: Apache-2.0
// Columns of tables that are rounded: new rows alone, also where nulls and parts are between them.
#include <cmath>
#include <vector>

#include "tables/written_table.hpp"

namespace numpact::testing {
namespace {

class RoundedColumns : public WrittenTable {
 protected:
  static std::vector<double> noise(std::size_t n, unsigned seed) {
    Random random(seed);
    std::vector<double> numbers(n);
    for (double& number : numbers) {
      number = static_cast<double>(random.between(0, 1'000'000'000)) / 1e7;
    }
    return numbers;
  }
  std::vector<double> read() const {
    const table::Reader opened = reader();
    const auto count = static_cast<std::size_t>(opened.columns()[0].numbers->rows());
    std::vector<double> numbers(count);
    std::vector<std::uint8_t> valid(count);
    table::Cursor cursor = table::Cursor::create(table::Scan::create(opened, {}).value()).value();
    Failure failure;
    EXPECT_TRUE(cursor.read(0, 0, numbers, valid, 0, &failure).ok()) << failure.message();
    return numbers;
  }
};

TEST_F(RoundedColumns, AppendsRoundNewRowsAlone) {
  constexpr NumberType kTypes[] = {NumberType::kF64};
  const std::vector<double> exact = noise(3000, 1);
  const std::vector<double> coarse = noise(2000, 2);
  {
    TableWriter writer = TableWriter::create(path_, manifest_of(kTypes), false, fast()).value();
    ASSERT_TRUE(writer.write(0, exact).ok());
    EXPECT_EQ(writer.rounding(0), nullptr);
    ASSERT_TRUE(writer.commit().ok());
  }
  TableWriter writer = TableWriter::append(path_).value();
  EXPECT_EQ(writer.plan().columns[0].copied_rows(), 3000u);
  ASSERT_TRUE(writer.set_rounding(0, RoundingSpec::max_error(0.01)).ok());
  ASSERT_TRUE(writer.write(0, NumberView(NumberType::kF64, coarse.data(), 1000)).ok());
  ASSERT_TRUE(writer.write(0, NumberView(NumberType::kF64, coarse.data() + 1000, 1000)).ok());
  ASSERT_TRUE(writer.commit().ok());
  ASSERT_NE(writer.rounding(0), nullptr);
  const RoundingReport report = *writer.rounding(0);
  EXPECT_EQ(report.count, 2000u);
  const std::vector<double> rows = read();
  ASSERT_EQ(rows.size(), 5000u);
  double worst = 0;
  for (std::size_t i = 0; i < 3000; ++i) ASSERT_EQ(rows[i], exact[i]);
  for (std::size_t i = 0; i < 2000; ++i) {
    worst = std::max(worst, std::abs(rows[3000 + i] - coarse[i]));
  }
  EXPECT_LE(worst, 0.01);
  EXPECT_GT(worst, 0);
  EXPECT_EQ(worst, report.max_error);
}

TEST_F(RoundedColumns, PackedRowsAndRefusals) {
  constexpr NumberType kTypes[] = {NumberType::kF64, NumberType::kI32};
  TableWriter writer = TableWriter::create(path_, manifest_of(kTypes), false, fast()).value();
  EXPECT_EQ(writer.set_rounding(2, RoundingSpec::decimals(1)).kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(writer.set_rounding(1, RoundingSpec::keep_bits(1)).kind(), ErrorKind::kTypeMismatch);
  ASSERT_TRUE(writer.set_rounding(0, RoundingSpec::decimals(1)).ok());
  ASSERT_TRUE(writer.set_rounding(1, RoundingSpec::max_error(3)).ok());
  const std::vector<double> packed = {0.26, 17.04};
  const std::vector<std::uint64_t> runs = {1, 2, 1};
  ASSERT_TRUE(writer.write_packed(0, packed, runs).ok());
  EXPECT_EQ(writer.set_rounding(0, RoundingSpec::decimals(2)).kind(), ErrorKind::kInvalidArgument);
  const std::vector<std::int32_t> integers = {5, -5, 1000, 7};
  ASSERT_TRUE(writer.write(1, integers).ok());
  ASSERT_TRUE(writer.commit().ok());
  const std::vector<double> rows = read();
  EXPECT_EQ(rows[0], 0.3);
  EXPECT_EQ(rows[3], 17.0);
  EXPECT_LE(writer.rounding(1)->max_error, 3);
}

}  // namespace
}  // namespace numpact::testing
