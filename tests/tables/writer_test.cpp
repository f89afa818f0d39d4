// SPDX-License-Identifier: Apache-2.0
// Writing tables and appending to them, against a plain model of their rows.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "numpact/file_access.hpp"
#include "numpact/inspect.hpp"
#include "tables/written_table.hpp"

namespace numpact {
namespace {

using table::Failure;
using table::kMinPartRows;
using table::Manifest;
using table::TableWriter;
using table::WriterConfig;
using testing::fast;
using testing::kTypes;
using testing::Row;
using testing::TextSource;

class Writers : public testing::WrittenTable {};

// ---- plans ----

TEST(WritePlans, KeepLargePartsAndCopySmallOnes) {
  Manifest manifest;
  table::Column large;
  large.name = "a";
  large.file = "a.pco";
  large.count = kMinPartRows;
  table::Column mixed;
  mixed.name = "a";  // its files are a~2...
  mixed.parts.push_back({"x.pco", "", 100'000, 0, {}, {}});
  mixed.parts.push_back({"a~2.p7-00000001.pco", "", 10, 0, {}, {}});
  mixed.parts.push_back({"a~2.p9-00000001.pco", "y.nulls.pco", 40'000, 30'000, {}, {}});
  mixed.parts.push_back({"b", "", 1, 0, {}, {}});
  mixed.parts.push_back({"c", "d", 0, 5, {}, {}});
  table::Other text;
  text.name = "s";
  text.type = "string";
  text.position = 1;
  text.parts.push_back({"s.arrow", kMinPartRows, 0, {}, {}});
  text.parts.push_back({"t.arrow", kMinPartRows - 1, 0, {}, {}});
  table::Other coded = text;
  coded.position = 3;
  coded.type = "list<item: dictionary<values=string, indices=int32, ordered=0>>";
  manifest.columns = {large, mixed};
  manifest.others = {text, coded};
  const table::WritePlan plan = table::plan_append(manifest, {}, 0xabc).value();
  EXPECT_EQ(plan.kind, table::WritePlan::Kind::kAppend);
  ASSERT_EQ(plan.columns.size(), 4u);
  EXPECT_EQ(plan.columns[0].kept, 1u);
  EXPECT_EQ(plan.columns[0].copied_rows(), 0u);
  EXPECT_EQ(plan.columns[0].file, "a.p10-00000abc.pco");
  EXPECT_EQ(plan.columns[0].null_file, "a.p10-00000abc.nulls.pco");
  EXPECT_EQ(plan.columns[1].kept, 1u);
  EXPECT_EQ(plan.columns[1].copied_rows(), kMinPartRows - 1);
  EXPECT_EQ(plan.columns[1].file, "s.p10-00000abc.arrow");
  EXPECT_EQ(plan.columns[2].kept, 3u);
  EXPECT_EQ(plan.columns[2].copied_rows(), 6u);
  EXPECT_EQ(plan.columns[2].file, "a~2.p10-00000abc.pco");
  EXPECT_EQ(plan.columns[3].kept, 0u);
  EXPECT_EQ(plan.columns[3].copied_rows(), 2 * kMinPartRows - 1);
  EXPECT_EQ(table::plan_append(manifest, {}, 0xabc).value(), plan);
  manifest.columns[0].nulls_dropped = 1;
  std::string why;
  EXPECT_EQ(table::plan_append(manifest, {}, 1, &why).status().kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(why.find("column 'a' lost its nulls"), std::string::npos);
}

TEST(WritePlans, OnlyFilesOfNumpactAreLeftovers) {
  Manifest manifest;
  table::Column column;
  column.name = "a";
  column.file = "a.p3-0000000a.pco";
  manifest.columns = {column};
  manifest.obsolete = {"a.pco", "a.nulls.pco"};
  const std::vector<std::string> left = {"a.pco",
                                         "a.p1-00000000.pco",
                                         "a.p12-89abcdef.nulls.pco",
                                         "a.p4-00000000.arrow",
                                         "a.p4-00000000.values",
                                         ".manifest.json.7-00000001.tmp"};
  const std::vector<std::string> others = {"manifest.json",
                                           "a.p3-0000000a.pco",
                                           "b.p1-00000000.pco",
                                           "a.p1-0000000.pco",
                                           "a.p1-000000000.pco",
                                           "a.p1-0000000G.pco",
                                           "a.p-00000000.pco",
                                           "a.p1-00000000.csv",
                                           "a.p1-00000000.pco~",
                                           "a.p1.pco",
                                           "a.arrow",
                                           "a.values",
                                           "A.p1-00000000.pco",
                                           "a.b.p1-00000000.pco",
                                           ".manifest.json.tmp2",
                                           "notes.txt",
                                           "",
                                           "a.p12345678901234567890-00000000.pco",
                                           ".p1-00000000.pco"};
  std::vector<std::string> all = left;
  all.insert(all.end(), others.begin(), others.end());
  EXPECT_EQ(table::left_files(manifest, all), left);
}

// ---- rows ----

TEST_F(Writers, ANewTableHasVersion2AndItsRows) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 5000, 1)).ok());
  expect_model(reader());
  EXPECT_EQ(reader().manifest().version, 2u);
  EXPECT_EQ(reader().columns()[1].numbers->file, "c1.pco");
  EXPECT_EQ(names(), (std::set<std::string>{"c0.nulls.pco", "c0.pco", "c1.nulls.pco", "c1.pco",
                                            "c2.nulls.pco", "c2.pco", "manifest.json"}));
}

TEST_F(Writers, TablesWithoutRowsOrColumns) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 0, 0)).ok());
  expect_model(reader());
  ASSERT_TRUE(append(rows_of(3, 0, 0)).ok());
  expect_model(reader());
  ASSERT_TRUE(append(rows_of(3, 3, 2)).ok());
  expect_model(reader());
  ASSERT_TRUE(append(rows_of(3, 1, 0)).ok());
  expect_model(reader());
  expect_only_files_of_the_table();
  path_ += "2";
  model_.clear();
  ASSERT_TRUE(create({}, {}).ok());
  ASSERT_TRUE(append({}).ok());
  EXPECT_EQ(reader().columns().size(), 0u);
}

TEST_F(Writers, AppendsOfAnySizes) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 1000, 0)).ok());
  const std::size_t sizes[] = {1, 500, 70'000, 1, 1, 65'536, 65'535, 1, 2, 30'000, 40'000, 7};
  unsigned nulls = 0;
  for (const std::size_t size : sizes) {
    Failure failure;
    ASSERT_TRUE(append(rows_of(3, size, nulls++ % 3), &failure).ok()) << failure.message();
    expect_model(reader());
    expect_only_files_of_the_table();
    const Manifest manifest = reader().manifest();
    EXPECT_EQ(manifest.version, manifest.columns[0].parts.empty() ? 2u : 4u);
    for (const table::Column& column : manifest.columns) {
      const std::vector<table::NumberPart> parts = column.all_parts();
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        EXPECT_GE(parts[i].rows(), kMinPartRows);
        EXPECT_TRUE(parts[i].sum.bytes > 0);
      }
    }
  }
  EXPECT_EQ(reader().manifest().columns[0].parts.size(), 5u);
}

TEST_F(Writers, JoinPartsWithoutNewRows) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 70'000, 0)).ok());
  for (const std::size_t size : {70'000, 65'536, 10}) {
    ASSERT_TRUE(append(rows_of(3, size, 1)).ok());
  }
  const table::Reader before = reader();
  ASSERT_EQ(before.manifest().columns[0].parts.size(), 4u);
  TableWriter writer = TableWriter::compact(path_, fast()).value();
  EXPECT_EQ(writer.plan().columns[0].copied_rows(), model_[0].size());
  const std::uint8_t one = 1;
  EXPECT_EQ(writer.write(0, NumberView(NumberType::kU8, &one, 1)).kind(),
            ErrorKind::kInvalidArgument);
  ASSERT_TRUE(writer.finish(1).ok());
  ASSERT_TRUE(writer.commit().ok());
  for (const table::Column& column : reader().manifest().columns) EXPECT_TRUE(column.parts.empty());
  expect_model(reader());
  expect_model(before);
  expect_only_files_of_the_table();
  // A column of one part is left as it is.
  const std::set<std::string> files = names();
  ASSERT_TRUE(TableWriter::compact(path_, fast()).value().commit().ok());
  EXPECT_EQ(names(), files);
}

TEST_F(Writers, RefuseRowsOfColumnsThatAreFinished) {
  TableWriter writer = TableWriter::create(path_, manifest_of(kTypes), false, fast()).value();
  const std::uint8_t numbers[] = {3, 4};
  ASSERT_TRUE(writer.write(0, NumberView(NumberType::kU8, numbers, 2)).ok());
  ASSERT_TRUE(writer.finish(0).ok());
  EXPECT_EQ(writer.finish(0).kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(writer.write(0, NumberView(NumberType::kU8, numbers, 2)).kind(),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(writer.finish(3).kind(), ErrorKind::kInvalidArgument);
  Failure failure;
  EXPECT_EQ(writer.commit(&failure).kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(failure.text, "has 0 new rows, column \"c0\" has 2");
}

TEST_F(Writers, PackedNumbersAndRunsMayComeInParts) {
  constexpr NumberType kOne[] = {NumberType::kU16};
  TableWriter writer = TableWriter::create(path_, manifest_of(kOne), false, fast()).value();
  // Rows 5, 6, null, null, 7, null.
  const std::uint16_t numbers[] = {5, 6, 7};
  const std::uint64_t runs[] = {2, 2, 1, 1};
  const auto write = [&](std::size_t first, std::size_t count, std::size_t run, std::size_t n) {
    return writer.write_packed(0, NumberView(NumberType::kU16, numbers + first, count),
                               std::span(runs).subspan(run, n));
  };
  ASSERT_TRUE(write(0, 1, 0, 0).ok());
  ASSERT_TRUE(write(1, 0, 0, 3).ok());
  ASSERT_TRUE(write(1, 2, 3, 0).ok());
  ASSERT_TRUE(write(0, 0, 3, 1).ok());
  ASSERT_TRUE(writer.commit().ok());
  model_ = {{5, 6, std::nullopt, std::nullopt, 7, std::nullopt}};
  expect_model(reader());
  // An append of a run of nulls, and one without runs. Each writer holds the lock of the table.
  const auto append = [&](std::size_t count, std::span<const std::uint64_t> lengths,
                          Failure* failure = nullptr) {
    TableWriter appending = TableWriter::append(path_, fast()).value();
    const Status status =
        appending.write_packed(0, NumberView(NumberType::kU16, numbers, count), lengths);
    return status.ok() ? appending.commit(failure) : status;
  };
  const std::uint64_t only[] = {0, 3};
  ASSERT_TRUE(append(0, only).ok());
  ASSERT_TRUE(append(3, {}).ok());
  model_[0].insert(model_[0].end(), {std::nullopt, std::nullopt, std::nullopt, 5, 6, 7});
  expect_model(reader());
  // Runs that do not fit the numbers.
  const std::uint64_t longer[] = {4};
  Failure failure;
  EXPECT_EQ(append(3, longer, &failure).kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(failure.text, "has 3 numbers, its runs have 4");
  const std::uint64_t endless[] = {1, ~std::uint64_t{0}};
  EXPECT_EQ(append(1, endless).kind(), ErrorKind::kInvalidArgument);
  // Rows of both kinds would have no order.
  TableWriter both = TableWriter::append(path_, fast()).value();
  const NumberView three(NumberType::kU16, numbers, 3);
  ASSERT_TRUE(both.write_packed(0, three, {}).ok());
  EXPECT_EQ(both.write(0, three, {}, &failure).kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(failure.text, "gets rows either by write or by write_packed");
  expect_model(reader());
}

TEST_F(Writers, FoldersAreMovedToTheirName) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 100, 1)).ok());
  const std::string made = std::exchange(path_, place_ + "/other");
  const auto model = std::exchange(model_, {});
  ASSERT_TRUE(create(kTypes, rows_of(3, 50, 1)).ok());
  model_ = model;
  ASSERT_TRUE(table::move_table(made, path_).ok());
  EXPECT_FALSE(std::filesystem::exists(made));
  expect_model(reader());
  std::ofstream(path_ + "/mine.txt") << "x";
  std::filesystem::create_directory(made);
  Failure failure;
  EXPECT_EQ(table::move_table(made, path_, {}, &failure).kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(failure.text.find("holds 'mine.txt'"), std::string::npos);
  std::filesystem::remove(path_ + "/mine.txt");
  EXPECT_EQ(table::move_table(made, path_).kind(), ErrorKind::kIo);  // no manifest
  EXPECT_TRUE(std::filesystem::exists(made));
  expect_model(reader());
}

TEST_F(Writers, ReadersKeepWhatTheyHaveOpened) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 1000, 1)).ok());
  const table::Reader before = reader();
  const auto old = model_;
  ASSERT_TRUE(append(rows_of(3, 100, 1)).ok());
  const table::Reader between = reader();
  const auto old_between = model_;
  ASSERT_TRUE(append(rows_of(3, 100, 0)).ok());
  expect_model(reader());
  std::swap(model_, const_cast<std::vector<std::vector<Row>>&>(old));
  expect_model(before);
  model_ = old_between;
  expect_model(between);
}

TEST_F(Writers, ManySmallAppendsLeaveFewBytes) {
  constexpr NumberType kOne[] = {NumberType::kI64};
  ASSERT_TRUE(create(kOne, rows_of(1, 100, 0)).ok());
  WriterConfig config = fast();
  config.verify = false;
  for (int i = 1; i < 1000; ++i) {
    const auto rows = rows_of(1, 100, i % 2 == 0 ? 1 : 0);
    ASSERT_TRUE(write(TableWriter::append(path_, config), rows, 100).ok()) << i;
  }
  expect_model(reader());
  expect_only_files_of_the_table();
  const std::uint64_t many = bytes_in_folder();
  const auto all = std::move(model_);
  model_.clear();
  path_ += "2";
  ASSERT_TRUE(create(kOne, all).ok());
  EXPECT_LE(static_cast<double>(many), 1.15 * static_cast<double>(bytes_in_folder()));
}

// What an append does not copy it does not read: those files may hold anything.
TEST_F(Writers, LargePartsAreNotTouched) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 300'000, 1)).ok());
  std::map<std::string, testing::Bytes> old;
  for (const std::string& name : names()) {
    if (name == table::kManifestName) continue;
    const std::string file = path_ + "/" + name;
    const auto size = static_cast<std::size_t>(std::filesystem::file_size(file));
    testing::Bytes& bytes = old[name];
    bytes.resize(size);
    std::ifstream(file, std::ios::binary)
        .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    std::ofstream(file, std::ios::binary) << std::string(size, 'x');
  }
  ASSERT_TRUE(append(rows_of(3, 1, 0)).ok());
  ASSERT_TRUE(append(rows_of(3, 1, 2)).ok());
  std::uint64_t written = 0;
  for (const std::string& name : names()) {
    if (!old.contains(name)) written += std::filesystem::file_size(path_ + "/" + name);
  }
  EXPECT_LT(written, 10'000u);
  for (const auto& [name, bytes] : old) {
    std::ofstream(path_ + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  expect_model(reader());
}

TEST_F(Writers, ColumnsMayBeWrittenByThreads) {
  std::vector<NumberType> types(8, NumberType::kU32);
  ASSERT_TRUE(create(types, rows_of(8, 1000, 1)).ok());
  const auto rows = rows_of(8, 5000, 1);
  TableWriter writer = TableWriter::append(path_, fast()).value();
  std::vector<std::thread> threads;
  std::vector<Status> statuses(8);
  for (std::size_t c = 0; c < 8; ++c) {
    threads.emplace_back([&, c] {
      std::vector<std::uint32_t> numbers;
      std::vector<std::uint8_t> valid;
      for (const Row& row : rows[c]) {
        numbers.push_back(static_cast<std::uint32_t>(row.value_or(0)));
        valid.push_back(row ? 1 : 0);
      }
      statuses[c] = writer.write(c, numbers, valid);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : statuses) EXPECT_TRUE(status.ok());
  ASSERT_TRUE(writer.commit().ok());
  for (std::size_t c = 0; c < 8; ++c) {
    model_[c].insert(model_[c].end(), rows[c].begin(), rows[c].end());
  }
  expect_model(reader());
}

TEST_F(Writers, ConcurrentAppendsLoseNothing) {
  constexpr NumberType kOne[] = {NumberType::kU32};
  ASSERT_TRUE(create(kOne, {{}}).ok());
  constexpr std::uint32_t kThreads = 8;
  constexpr std::uint32_t kAppends = 10;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < kAppends; ++i) {
        Failure failure;
        auto writer = TableWriter::append(path_, fast(), &failure);
        const std::vector<std::uint32_t> rows(50, t * kAppends + i);
        if (!writer.ok() || !writer->write(0, rows, {}, &failure).ok() ||
            !writer->commit(&failure).ok()) {
          ++failures;
          ADD_FAILURE() << failure.message();
        }
      }
    });
  }
  std::thread([&] {
    for (int i = 0; i < 200; ++i) EXPECT_EQ(rows_in(reader(), 0).size() % 50, 0u);
  }).join();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  std::map<std::uint64_t, int> counts;
  for (const Row& row : rows_in(reader(), 0)) ++counts[row.value()];
  EXPECT_EQ(counts.size(), kThreads * kAppends);
  for (const auto& [value, count] : counts) EXPECT_EQ(count, 50) << value;
  expect_only_files_of_the_table();
}

// ---- other columns ----

TEST_F(Writers, OtherColumnsHavePartsToo) {
  Manifest manifest = manifest_of(std::span(kTypes).first(1));
  table::Other other;
  other.name = "s";
  other.type = "string";
  other.position = 1;
  manifest.others.push_back(other);
  const auto write = [&](Result<TableWriter>&& opened, std::uint64_t rows, std::size_t copied) {
    TableWriter writer = std::move(opened).value();
    const std::vector<std::uint8_t> numbers(static_cast<std::size_t>(rows), 3);
    ASSERT_TRUE(writer.write(0, numbers).ok());
    TextSource source(rows);
    ASSERT_TRUE(writer.write_other(1, source).ok());
    EXPECT_EQ(source.copied_, copied);
    Failure failure;
    ASSERT_TRUE(writer.commit(&failure).ok()) << failure.message();
  };
  write(TableWriter::create(path_, manifest, false, fast()), kMinPartRows, 0);
  EXPECT_EQ(reader().manifest().version, 4u);
  write(TableWriter::append(path_, fast()), 10, 0);
  write(TableWriter::append(path_, fast()), 20, 1);
  const Manifest found = reader().manifest();
  ASSERT_EQ(found.others[0].parts.size(), 2u);
  EXPECT_EQ(found.others[0].rows, kMinPartRows + 30);
  EXPECT_EQ(found.others[0].parts[0].file, "s.arrow");
  EXPECT_EQ(found.others[0].parts[1].rows, 30u);
  expect_only_files_of_the_table();

  // Not all columns: nothing is changed.
  TableWriter writer = TableWriter::append(path_, fast()).value();
  const std::vector<std::uint8_t> five(5);
  ASSERT_TRUE(writer.write(0, five).ok());
  Failure failure;
  EXPECT_EQ(writer.commit(&failure).kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(failure.text.find("has 0 new rows, column \"c0\" has 5"), std::string::npos)
      << failure.text;
  writer = TableWriter::create(path_ + "2", manifest, false, fast()).value();
  EXPECT_EQ(writer.commit(&failure).kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(failure.column, "s");
  writer = TableWriter::append(path_, fast()).value();
  EXPECT_EQ(reader().manifest(), found);
}

// A table of version 3 gets the checksums that lists of parts need.
TEST_F(Writers, Version3BecomesVersion4) {
  std::filesystem::create_directory(path_);
  for (const char* const name : {"a.pco", "s.arrow"}) {
    std::filesystem::copy(std::string(NUMPACT_MANIFESTS "/files/") + name, path_);
  }
  Manifest manifest;
  table::Column& column = manifest.columns.emplace_back();
  column.name = "a";
  column.file = "a.pco";
  column.type = NumberType::kI64;
  column.count = 2;
  table::Other& other = manifest.others.emplace_back();
  other.name = "s";
  other.type = "string";
  other.position = 1;
  other.rows = 2;
  other.parts.push_back({"s.arrow", 2, 0, {}, {}});
  std::ofstream(path_ + "/manifest.json") << table::manifest_text(manifest).value();
  EXPECT_EQ(reader().manifest().version, 3u);
  TableWriter writer = TableWriter::append(path_, fast()).value();
  TextSource source(1);
  const std::vector<std::int64_t> nine = {9};
  ASSERT_TRUE(writer.write(0, nine).ok());
  ASSERT_TRUE(writer.write_other(1, source).ok());
  ASSERT_TRUE(writer.commit().ok());
  EXPECT_EQ(reader().manifest().version, 4u);
  EXPECT_EQ(reader().manifest().obsolete, (std::vector<std::string>{"a.pco", "s.arrow"}));
  EXPECT_EQ(rows_in(reader(), 0), (std::vector<Row>{5, 7, 9}));
  expect_only_files_of_the_table();
}

// What is known before or after the rows of a column.
TEST_F(Writers, FinishColumnsOneByOne) {
  Manifest manifest;
  table::Column& first = manifest.columns.emplace_back();
  first.name = "a";
  first.type = NumberType::kI64;
  first.kind = table::Kind::kTimestamp;
  manifest.columns.push_back(first);
  manifest.columns[1].name = "b";
  WriterConfig config = fast();
  config.encode.paging = PagingSpec::equal_pages_up_to(400);
  int replacing = 0;
  config.before_replacing = [&] { ++replacing; };
  const std::vector<std::int64_t> rows(1000, 7);
  {
    TableWriter writer = TableWriter::create(path_, manifest, false, config).value();
    writer.set_unit(0, table::Unit::kNano);
    writer.expect(0, rows.size());
    const NumberView view(NumberType::kI64, rows.data(), rows.size());
    ASSERT_TRUE(writer.write(0, view).ok());
    ASSERT_TRUE(writer.finish(0).ok());
    EXPECT_EQ(writer.write(0, view).kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(writer.finish(0).kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(writer.finish(2).kind(), ErrorKind::kInvalidArgument);
    ASSERT_TRUE(writer.write(1, NumberView(NumberType::kI64, rows.data(), 990)).ok());
    EXPECT_EQ(replacing, 0);
    EXPECT_EQ(writer.commit().kind(), ErrorKind::kInvalidArgument);  // 990 rows
    ASSERT_TRUE(writer.finish(1, 10).ok());
    ASSERT_TRUE(writer.commit().ok());
    EXPECT_EQ(replacing, 1);
    EXPECT_EQ(writer.leftover(), "");
    EXPECT_EQ(writer.manifest().columns[0].unit, table::Unit::kNano);
    EXPECT_EQ(writer.manifest().columns[1].nulls_dropped, 10u);
  }
  const MappedFile file = MappedFile::open(path_ + "/a.pco").value();
  EXPECT_EQ(inspect(file.bytes()).value().chunks[0].count, 334u);  // of equal sizes
  EXPECT_EQ(TableWriter::append(path_, config).status().kind(), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace numpact
