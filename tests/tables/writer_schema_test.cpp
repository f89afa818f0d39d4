// SPDX-License-Identifier: Apache-2.0
// Appends of rows whose columns differ from those of the table.
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tables/written_table.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace numpact {
namespace {

using table::Failure;
using table::Kind;
using table::kMinPartRows;
using table::Manifest;
using table::SchemaChange;
using table::TableWriter;
using table::Unit;
using testing::fast;
using testing::Row;
using testing::TextSource;

Manifest columns(std::initializer_list<std::pair<const char*, NumberType>> given) {
  Manifest manifest;
  for (const auto& [name, type] : given) {
    table::Column& column = manifest.columns.emplace_back();
    column.name = name;
    column.type = type;
  }
  return manifest;
}

Manifest times(Kind kind, Unit unit, const char* timezone = "") {
  Manifest manifest = columns({{"t", table::stored_type(kind).value()}});
  manifest.columns[0].kind = kind;
  manifest.columns[0].unit = unit;
  manifest.columns[0].timezone = timezone;
  return manifest;
}

Manifest with_other(Manifest manifest, const char* name, const char* type) {
  table::Other& other = manifest.others.emplace_back();
  other.name = name;
  other.type = type;
  other.position = manifest.columns.size() + manifest.others.size() - 1;
  return manifest;
}

class WriterSchema : public testing::WrittenTable {
 protected:
  template <class T>
  void make(const Manifest& table, const std::vector<T>& numbers) {
    TableWriter writer = TableWriter::create(path_, table, false, fast()).value();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      ASSERT_TRUE(writer.write(i, numbers).ok());
    }
    ASSERT_TRUE(writer.commit().ok());
  }
  // Appends numbers to all columns that rows have.
  template <class T>
  Status extend(const Manifest& rows, const std::vector<T>& numbers, Failure* failure = nullptr,
                std::span<const std::uint8_t> valid = {}) {
    TableWriter writer = TableWriter::append(path_, fast()).value();
    Status status = writer.set_rows(rows, SchemaChange::kExtend, failure);
    if (!status.ok()) return status;
    for (std::size_t i = 0; i < writer.plan().columns.size(); ++i) {
      if (!writer.plan().columns[i].source) continue;
      status = writer.write(i, numbers, valid, failure);
      if (!status.ok()) return status;
    }
    return writer.commit(failure);
  }
  // What an append without changes says.
  std::string refused(const Manifest& rows, ErrorKind kind = ErrorKind::kTypeMismatch,
                      SchemaChange allowed = SchemaChange::kNone) {
    Failure failure;
    TableWriter writer = TableWriter::append(path_, fast()).value();
    EXPECT_EQ(writer.set_rows(rows, allowed, &failure).kind(), kind);
    return failure.text;
  }
  template <class T>
  static std::vector<Row> bits_of(const std::vector<T>& numbers) {
    std::vector<Row> rows;
    for (const T number : numbers) {
      rows.emplace_back(0);
      std::memcpy(&*rows.back(), &number, sizeof number);
    }
    return rows;
  }
  // The rows of column 0 after an append of `more` to `first`, both of which are converted to T.
  template <class T, class From, class More>
  void expect_common(const std::vector<From>& first, const std::vector<More>& more) {
    SCOPED_TRACE(std::string(name_of(kNumberTypeOf<From>)) + " and " +
                 std::string(name_of(kNumberTypeOf<More>)));
    std::filesystem::remove_all(path_);
    make(columns({{"a", kNumberTypeOf<From>}}), first);
    Failure failure;
    ASSERT_TRUE(extend(columns({{"a", kNumberTypeOf<More>}}), more, &failure).ok())
        << failure.message();
    const table::Reader opened = reader();
    EXPECT_EQ(opened.manifest().columns[0].type, kNumberTypeOf<T>);
    std::vector<T> expected(first.begin(), first.end());
    expected.insert(expected.end(), more.begin(), more.end());
    EXPECT_EQ(rows_in(opened, 0), bits_of(expected));
    expect_only_files_of_the_table();
  }
  template <class From, class More>
  void expect_no_common() {
    std::filesystem::remove_all(path_);
    make(columns({{"a", kNumberTypeOf<From>}}), std::vector<From>(3));
    const Manifest rows = columns({{"a", kNumberTypeOf<More>}});
    EXPECT_NE(refused(rows, ErrorKind::kTypeMismatch, SchemaChange::kExtend)
                  .find("no type holds the values of both exactly"),
              std::string::npos);
  }
};

constexpr Row kNull = std::nullopt;

TEST_F(WriterSchema, ColumnsMayBeNewAndAbsent) {
  make(columns({{"a", NumberType::kU8}, {"b", NumberType::kU8}}), std::vector<std::uint8_t>{1, 2});
  const table::Reader before = reader();
  const Manifest rows = columns({{"c", NumberType::kU8}, {"a", NumberType::kU8}});
  EXPECT_EQ(
      refused(rows),
      "columns are missing: ['b'] (schema 'extend' makes them null); the folder does not have "
      "the columns ['c'] (schema 'extend' adds them)");
  {
    TableWriter writer = TableWriter::append(path_, fast()).value();
    ASSERT_TRUE(writer.set_rows(rows, SchemaChange::kExtend).ok());
    ASSERT_EQ(writer.plan().columns.size(), 3u);
    EXPECT_EQ(writer.plan().columns[0].source, 1u);
    EXPECT_EQ(writer.plan().columns[1].source, std::nullopt);
    EXPECT_EQ(writer.plan().columns[2].source, 0u);
    EXPECT_EQ(writer.plan().columns[2].null_rows, 2u);
    const std::uint8_t numbers[] = {7, 8, 9};
    ASSERT_TRUE(writer.write(0, numbers).ok());
    EXPECT_EQ(writer.set_rows(rows, SchemaChange::kExtend).kind(), ErrorKind::kInvalidArgument);
    ASSERT_TRUE(writer.write(2, numbers).ok());
    ASSERT_TRUE(writer.commit().ok());
  }
  const std::vector<std::vector<Row>> old = {{1, 2}, {1, 2}};
  model_ = {{1, 2, 7, 8, 9}, {1, 2, kNull, kNull, kNull}, {kNull, kNull, 7, 8, 9}};
  expect_model(reader());
  expect_only_files_of_the_table();
  // The new column is absent again.
  ASSERT_TRUE(extend(columns({{"b", NumberType::kU8}}), std::vector<std::uint8_t>{5}).ok());
  for (std::size_t i = 0; i < 3; ++i) model_[i].push_back(i == 1 ? Row(5) : kNull);
  expect_model(reader());
  expect_only_files_of_the_table();
  // Rows without a column of the table.
  ASSERT_TRUE(extend(columns({{"d", NumberType::kF64}}), std::vector<double>{0}).ok());
  for (std::vector<Row>& column : model_) column.push_back(kNull);
  model_.push_back(std::vector<Row>(model_[0].size() - 1, kNull));
  model_[3].push_back(0);
  expect_model(reader());
  expect_only_files_of_the_table();
  model_ = old;
  expect_model(before);
}

TEST_F(WriterSchema, NullsOfANewColumnTakeNoNumbers) {
  constexpr std::size_t kRows = 5'000'000;
  make(columns({{"a", NumberType::kU8}}), std::vector<std::uint8_t>(kRows, 3));
  const std::uint64_t bytes = bytes_in_folder();
  const Manifest rows = columns({{"a", NumberType::kU8}, {"b", NumberType::kF64}});
  TableWriter writer = TableWriter::append(path_, fast()).value();
  ASSERT_TRUE(writer.set_rows(rows, SchemaChange::kExtend).ok());
  ASSERT_TRUE(writer.commit().ok());  // columns alone, without rows
  EXPECT_LT(bytes_in_folder(), bytes + 1000);
  const table::Reader opened = reader();
  EXPECT_EQ(opened.manifest().columns[0].file, "a.pco");
  EXPECT_EQ(opened.manifest().columns[1].count, 0u);
  EXPECT_EQ(opened.manifest().columns[1].null_count, kRows);
  expect_only_files_of_the_table();
}

TEST_F(WriterSchema, NumbersBecomeWider) {
  using Limits32 = std::numeric_limits<std::int32_t>;
  const std::vector<std::int32_t> ints = {Limits32::min(), -1, 0, Limits32::max()};
  const std::vector<std::int8_t> small = {-128, -1, 0, 127};
  const std::vector<std::uint32_t> plain = {0, 1, std::numeric_limits<std::uint32_t>::max()};
  const std::vector<std::uint8_t> bytes = {0, 255};
  const std::vector<std::uint16_t> words = {0, 65'535};
  expect_common<std::int64_t>(ints, std::vector<std::int64_t>{std::int64_t{1} << 62});
  expect_common<std::int32_t>(ints, small);
  expect_common<std::int32_t>(small, ints);
  expect_common<std::int64_t>(ints, plain);
  expect_common<std::int64_t>(plain, small);
  expect_common<std::uint32_t>(bytes, plain);
  expect_common<std::int16_t>(bytes, small);
  expect_common<std::uint64_t>(words, std::vector<std::uint64_t>{~std::uint64_t{0}});
  expect_common<float>(words, std::vector<float>{1.5F});
  expect_common<float>(std::vector<float>{-0.0F, 1e30F}, small);
  expect_common<double>(std::vector<float>{-0.0F, 1e-45F, 0.1F}, ints);
  expect_common<double>(plain, std::vector<float>{0.1F});
  expect_common<double>(std::vector<float>{0.1F}, std::vector<double>{0.1});
  expect_no_common<std::uint64_t, std::int64_t>();
  expect_no_common<std::int64_t, double>();
  expect_no_common<float, std::uint64_t>();
}

// Every half and its float, NaNs bit by bit.
TEST_F(WriterSchema, FloatsBecomeWider) {
  std::vector<Float16> halves;
  for (std::uint32_t bits = 0; bits < 65'536; ++bits) {
    halves.push_back({static_cast<std::uint16_t>(bits)});
  }
  make(columns({{"a", NumberType::kF16}}), halves);
  ASSERT_TRUE(extend(columns({{"a", NumberType::kI8}}), std::vector<std::int8_t>{-128, 3}).ok());
  EXPECT_EQ(reader().manifest().columns[0].type, NumberType::kF16);
  const std::vector<float> floats = {std::bit_cast<float>(0x7f800001U)};
  ASSERT_TRUE(extend(columns({{"a", NumberType::kF32}}), floats).ok());
  ASSERT_TRUE(extend(columns({{"a", NumberType::kF64}}), std::vector<double>{1}).ok());
  const std::vector<Row> rows = rows_in(reader(), 0);
  ASSERT_EQ(rows.size(), 65'540u);
  for (std::uint32_t bits = 0; bits < 65'536; ++bits) {
    const std::uint64_t sign = std::uint64_t{bits >> 15} << 63;
    const std::uint64_t exponent = bits >> 10 & 31;
    const std::uint64_t mantissa = bits & 1023;
    std::uint64_t expected = sign | (exponent + 1008) << 52 | mantissa << 42;
    if (exponent == 31) expected = sign | std::uint64_t{2047} << 52 | mantissa << 42;
    if (exponent == 0) {
      expected = sign | std::bit_cast<std::uint64_t>(static_cast<double>(mantissa) * 0x1p-24);
    }
    ASSERT_EQ(rows[bits], expected) << bits;
  }
  EXPECT_EQ(rows[65'536], std::bit_cast<std::uint64_t>(-128.0));
  EXPECT_EQ(rows[65'537], std::bit_cast<std::uint64_t>(3.0));
  EXPECT_EQ(rows[65'538], 0x7ff0000020000000U);
}

// The caller may flush subnormals; the library does not while it works.
TEST_F(WriterSchema, SubnormalFloatsBecomeWider) {
  const std::vector<float> floats = {std::bit_cast<float>(1U), std::bit_cast<float>(0x807fffffU),
                                     std::bit_cast<float>(0x00800000U)};
  make(columns({{"a", NumberType::kF32}}), floats);
#if defined(__x86_64__)
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040U);  // results and inputs that are subnormal become 0
#endif
  const Status status = extend(columns({{"a", NumberType::kF64}}), std::vector<double>{1});
#if defined(__x86_64__)
  _mm_setcsr(before);
#endif
  ASSERT_TRUE(status.ok());
  const std::vector<Row> rows = rows_in(reader(), 0);
  EXPECT_EQ(rows[0], std::bit_cast<std::uint64_t>(0x1p-149));
  EXPECT_EQ(rows[1], std::bit_cast<std::uint64_t>(-0x1.fffffcp-127));
  EXPECT_EQ(rows[2], std::bit_cast<std::uint64_t>(0x1p-126));
}

TEST_F(WriterSchema, TimesGetFinerUnits) {
  make(times(Kind::kTimestamp, Unit::kSecond, "UTC"), std::vector<std::int64_t>{-5, 1'000});
  ASSERT_TRUE(
      extend(times(Kind::kTimestamp, Unit::kMicro, "UTC"), std::vector<std::int64_t>{7}).ok());
  ASSERT_TRUE(
      extend(times(Kind::kTimestamp, Unit::kMilli, "UTC"), std::vector<std::int64_t>{8}).ok());
  EXPECT_EQ(reader().manifest().columns[0].unit, Unit::kMicro);
  model_ = {{static_cast<std::uint64_t>(-5'000'000), 1'000'000'000, 7, 8'000}};
  expect_model(reader());
  EXPECT_EQ(refused(times(Kind::kTimestamp, Unit::kMicro), ErrorKind::kTypeMismatch,
                    SchemaChange::kExtend),
            "column 't': values of type timestamp[us], the folder has timestamp[us, UTC]: no type "
            "holds the values of both exactly");
  EXPECT_EQ(refused(times(Kind::kTimestamp, Unit::kNano, "UTC")),
            "column 't': values of type timestamp[ns, UTC], the folder has timestamp[us, UTC] "
            "(schema 'extend' writes the column anew as timestamp[ns, UTC])");
  EXPECT_EQ(refused(times(Kind::kTimestamp, Unit::kSecond, "UTC")),
            "column 't': values of type timestamp[s, UTC], the folder has timestamp[us, UTC] "
            "(schema 'extend' converts the rows)");
  EXPECT_NE(refused(times(Kind::kDuration, Unit::kMicro), ErrorKind::kTypeMismatch,
                    SchemaChange::kExtend),
            "");

  std::filesystem::remove_all(path_);
  make(times(Kind::kDate32, Unit::kSecond), std::vector<std::int32_t>{-1, 2'147'483'647});
  ASSERT_TRUE(extend(times(Kind::kDate64, Unit::kSecond), std::vector<std::int64_t>{5}).ok());
  model_ = {
      {static_cast<std::uint64_t>(-86'400'000), 2'147'483'647 * std::uint64_t{86'400'000}, 5}};
  expect_model(reader());

  std::filesystem::remove_all(path_);
  make(times(Kind::kTime32, Unit::kSecond), std::vector<std::int32_t>{86'399});
  ASSERT_TRUE(extend(times(Kind::kTime32, Unit::kMilli), std::vector<std::int32_t>{1}).ok());
  ASSERT_TRUE(extend(times(Kind::kTime64, Unit::kNano), std::vector<std::int64_t>{2}).ok());
  model_ = {{86'399'000'000'000, 1'000'000, 2}};
  expect_model(reader());
}

TEST_F(WriterSchema, ValuesThatDoNotFitChangeNothing) {
  // 2262-04-11 is the last day in nanoseconds.
  make(times(Kind::kTimestamp, Unit::kSecond), std::vector<std::int64_t>{0, 9'223'372'037});
  const auto before = names();
  Failure failure;
  const Manifest nanos = times(Kind::kTimestamp, Unit::kNano);
  EXPECT_EQ(extend(nanos, std::vector<std::int64_t>{1}, &failure).kind(), ErrorKind::kTypeMismatch);
  EXPECT_EQ(failure.column, "t");
  EXPECT_EQ(failure.text, "the value 9223372037 does not fit timestamp[ns]");
  EXPECT_EQ(names(), before);
  EXPECT_EQ(rows_in(reader(), 0), (std::vector<Row>{0, 9'223'372'037}));

  std::filesystem::remove_all(path_);
  make(nanos, std::vector<std::int64_t>{3});
  const Manifest seconds = times(Kind::kTimestamp, Unit::kSecond);
  const std::vector<std::int64_t> wide = {-9'223'372'036, 9'223'372'036, -9'223'372'037};
  EXPECT_EQ(extend(seconds, wide, &failure).kind(), ErrorKind::kTypeMismatch);
  EXPECT_EQ(failure.text, "the value -9223372037 does not fit timestamp[ns]");
  // Numbers of null rows may be anything.
  const std::uint8_t valid[] = {1, 1, 0};
  ASSERT_TRUE(extend(seconds, wide, &failure, valid).ok()) << failure.message();
  model_ = {{3, static_cast<std::uint64_t>(-9'223'372'036'000'000'000), 9'223'372'036'000'000'000,
             kNull}};
  expect_model(reader());

  std::filesystem::remove_all(path_);
  make(times(Kind::kTime32, Unit::kSecond), std::vector<std::int32_t>{2'147'484});
  EXPECT_EQ(extend(times(Kind::kTime32, Unit::kMilli), std::vector<std::int32_t>{1}).kind(),
            ErrorKind::kTypeMismatch);
}

// All parts of a column become wider, also those that appends leave alone, of any version.
TEST_F(WriterSchema, PartsAreJoinedToOne) {
  constexpr NumberType kNarrow[] = {NumberType::kU16, NumberType::kU8};
  ASSERT_TRUE(create(kNarrow, rows_of(2, 70'000, 1)).ok());
  ASSERT_TRUE(append(rows_of(2, 70'000, 0)).ok());
  ASSERT_TRUE(append(rows_of(2, 30, 2)).ok());
  const table::Reader before = reader();
  const auto old = model_;
  const Manifest rows = columns({{"c0", NumberType::kU32}, {"c1", NumberType::kU32}});
  TableWriter writer = TableWriter::append(path_, fast()).value();
  ASSERT_TRUE(writer.set_rows(rows, SchemaChange::kExtend).ok());
  const table::WritePlan plan = writer.plan();
  EXPECT_EQ(plan.columns[0].kept, 0u);
  EXPECT_EQ(plan.columns[0].copied_rows(), 140'030u);
  EXPECT_EQ(plan.columns[0].copied_type, (table::ValueType{NumberType::kU16}));
  EXPECT_EQ(plan.columns[0].given_type, std::nullopt);
  EXPECT_EQ(plan.after.columns[1].type, NumberType::kU32);
  const std::uint32_t numbers[] = {70'000, 300};
  const std::uint64_t runs[] = {1, 1, 1};
  ASSERT_TRUE(writer.write_packed(0, numbers, runs).ok());
  const std::uint8_t valid[] = {1, 0, 1};
  const std::uint32_t rows_of_three[] = {70'000, 0, 300};
  ASSERT_TRUE(writer.write(1, rows_of_three, valid).ok());
  ASSERT_TRUE(writer.commit().ok());
  for (std::vector<Row>& column : model_) column.insert(column.end(), {70'000, kNull, 300});
  expect_model(reader());
  expect_only_files_of_the_table();
  for (const table::Column& column : reader().manifest().columns) {
    EXPECT_TRUE(column.parts.empty());
  }
  model_ = old;
  expect_model(before);
}

TEST_F(WriterSchema, Refusals) {
  Manifest table = columns({{"a", NumberType::kU8}, {"b", NumberType::kU8}});
  table.columns[1].nullable = false;
  make(table, std::vector<std::uint8_t>{1});
  const auto before = names();
  const Manifest only = columns({{"a", NumberType::kU8}});
  EXPECT_EQ(refused(only, ErrorKind::kInvalidArgument, SchemaChange::kExtend),
            "column 'b' is missing, and its field is not nullable");
  EXPECT_EQ(refused(with_other(only, "b", "string")),
            "column 'b': values of type string, the folder has u8");
  const Manifest twice = columns({{"a", NumberType::kU8}, {"a", NumberType::kU8}});
  EXPECT_EQ(refused(twice, ErrorKind::kTypeMismatch, SchemaChange::kExtend),
            "columns of the same name must be in the order of the folder: ['a', 'b'], not ['a', "
            "'a']");
  Manifest misplaced = with_other(only, "b", "string");
  misplaced.others[0].position = 2;
  EXPECT_NE(refused(misplaced, ErrorKind::kInvalidArgument), "");
  TableWriter writer = TableWriter::append(path_, fast()).value();
  EXPECT_EQ(writer.rewrite_other(0, "x").kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(names(), before);
}

TEST_F(WriterSchema, ColumnsWithoutATypeGetOne) {
  Manifest table = with_other(columns({{"a", NumberType::kU8}}), "n", "null");
  table.columns.push_back(table.columns[0]);
  table.columns[1].name = "z";
  const auto write = [&](Result<TableWriter>&& opened, const Manifest* rows) {
    TableWriter writer = std::move(opened).value();
    Failure failure;
    if (rows != nullptr) {
      ASSERT_TRUE(writer.set_rows(*rows, SchemaChange::kExtend, &failure).ok())
          << failure.message();
    }
    const std::uint8_t two[] = {1, 2};
    for (const std::size_t column : {0, 1, 2}) {
      TextSource source(2);
      const bool is_other = rows == nullptr && column == 1;
      ASSERT_TRUE((is_other ? writer.write_other(column, source) : writer.write(column, two)).ok());
    }
    ASSERT_TRUE(writer.commit(&failure).ok()) << failure.message();
  };
  write(TableWriter::create(path_, table, false, fast()), nullptr);
  const Manifest rows =
      columns({{"a", NumberType::kU8}, {"n", NumberType::kU8}, {"z", NumberType::kU8}});
  EXPECT_EQ(refused(rows),
            "column 'n': values of type u8, the folder has null (schema 'extend' "
            "changes its type)");
  write(TableWriter::append(path_, fast()), &rows);
  model_ = {{1, 2, 1, 2}, {kNull, kNull, 1, 2}, {1, 2, 1, 2}};
  expect_model(reader());
  expect_only_files_of_the_table();
  EXPECT_EQ(reader().columns()[1].numbers->name, "n");
}

TEST_F(WriterSchema, OtherColumns) {
  Manifest table = columns({{"a", NumberType::kU8}});
  table.skipped.push_back({"s", "string", "was not asked for"});
  make(table, std::vector<std::uint8_t>{1, 2, 3});
  const std::uint8_t numbers[] = {4, 5};
  {
    TableWriter writer = TableWriter::append(path_, fast()).value();
    ASSERT_TRUE(writer.set_rows(with_other(table, "s", "string"), SchemaChange::kExtend).ok());
    EXPECT_EQ(writer.plan().columns[1].null_rows, 3u);
    ASSERT_TRUE(writer.write(0, numbers).ok());
    TextSource source(5);  // the null rows, and the new ones
    ASSERT_TRUE(writer.write_other(1, source).ok());
    ASSERT_TRUE(writer.commit().ok());
  }
  EXPECT_EQ(reader().manifest().others[0].rows, 5u);
  EXPECT_TRUE(reader().manifest().skipped.empty());
  expect_only_files_of_the_table();
  {
    TableWriter writer = TableWriter::append(path_, fast()).value();
    ASSERT_TRUE(writer.set_rows(with_other(table, "s", "int"), SchemaChange::kExtend).ok());
    ASSERT_TRUE(writer.rewrite_other(1, "large_string").ok());
    ASSERT_TRUE(writer.write(0, numbers).ok());
    TextSource source(2);
    ASSERT_TRUE(writer.write_other(1, source).ok());
    EXPECT_EQ(source.copied_, 1u);
    ASSERT_TRUE(writer.commit().ok());
  }
  EXPECT_EQ(reader().manifest().others[0].type, "large_string");
  EXPECT_EQ(reader().manifest().others[0].rows, 7u);
}

// Files of new columns are known to the next writer, whatever the name of the column.
TEST_F(WriterSchema, FilesOfWritersThatDiedAreKnown) {
  make(columns({{"a", NumberType::kU8}}), std::vector<std::uint8_t>{1});
  const Manifest before = reader().manifest();
  const Manifest rows =
      columns({{"a", NumberType::kU8}, {"b", NumberType::kU8}, {"c", NumberType::kU8}});
  const table::WritePlan plan =
      table::plan_append(before, rows, SchemaChange::kExtend, {}, 0xabc).value();
  std::vector<std::string> files;
  for (const table::ColumnPlan& column : plan.columns) {
    files.push_back(column.file);
    files.push_back(column.null_file);
  }
  EXPECT_EQ(files, (std::vector<std::string>{"a.p1-00000abc.pco", "a.p1-00000abc.nulls.pco",
                                             "a.p2-00000abc.pco", "a.p2-00000abc.nulls.pco",
                                             "a.p3-00000abc.pco", "a.p3-00000abc.nulls.pco"}));
  EXPECT_EQ(table::left_files(before, files), files);
  for (const std::string& file : files) std::ofstream(path_ + "/" + file) << "x";
  ASSERT_TRUE(extend(rows, std::vector<std::uint8_t>{2}).ok());
  expect_only_files_of_the_table();
  model_ = {{1, 2}, {kNull, 2}, {kNull, 2}};
  expect_model(reader());
}

// Tables of all versions: the manifest says what readers need to know.
TEST_F(WriterSchema, TablesOfOlderVersions) {
  for (const int version : {1, 2, 3}) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
    std::filesystem::copy(NUMPACT_MANIFESTS "/files/a.pco", path_);
    if (version == 3) std::filesystem::copy(NUMPACT_MANIFESTS "/files/s.arrow", path_);
    const std::string others =
        R"(, "others": [{"name": "s", "position": 1, "type": "string", "rows": 2, )"
        R"("file": "s.arrow"}])";
    std::ofstream(path_ + "/manifest.json")
        << R"({"format": "numpact-table", "version": )" << version
        << R"(, "columns": [{"name": "a", "file": "a.pco", "logical_type": "number", )"
        << R"("number_type": "i64", "count": 2}])" << (version == 3 ? others : "")
        << R"(, "skipped": []})";
    const Manifest rows = columns({{"b", NumberType::kU8}, {"a", NumberType::kU16}});
    TableWriter writer = TableWriter::append(path_, fast()).value();
    ASSERT_TRUE(writer.set_rows(rows, SchemaChange::kExtend).ok());
    const std::vector<std::uint16_t> nine = {9};
    const std::vector<std::uint8_t> eight = {8};
    ASSERT_TRUE(writer.write(0, nine).ok());
    const std::size_t last = version == 3 ? 2 : 1;
    ASSERT_TRUE(writer.write(last, eight).ok());
    TextSource source(1);
    if (version == 3) {
      ASSERT_TRUE(writer.write_other(1, source).ok());
    }
    Failure failure;
    ASSERT_TRUE(writer.commit(&failure).ok()) << failure.message();
    EXPECT_EQ(rows_in(reader(), 0), (std::vector<Row>{5, 7, 9}));
    EXPECT_EQ(rows_in(reader(), last), (std::vector<Row>{kNull, kNull, 8}));
    EXPECT_EQ(reader().manifest().version, version == 3 ? 4u : 2u);
    expect_only_files_of_the_table();
  }
}

}  // namespace
}  // namespace numpact
