// SPDX-License-Identifier: Apache-2.0
// Columns of texts whose values repeat, against a plain model of their rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "numpact/file_access.hpp"
#include "numpact/trailer.hpp"
#include "tables/written_table.hpp"

namespace numpact {
namespace {

using table::Failure;
using table::FilterComparison;
using table::FilterOp;
using table::FilterValue;
using table::Kind;
using table::Manifest;
using table::Reader;
using table::TableWriter;
using table::TextType;
using table::TextValues;
using Text = std::optional<std::string>;
using Texts = std::vector<Text>;

// The bytes of rows, as a caller gives them.
struct Given {
  explicit Given(const Texts& texts) : bytes("??") {
    for (const Text& text : texts) {
      bytes += text.value_or("");
      ends.push_back(bytes.size());
      valid.push_back(text ? 1 : 0);
    }
  }
  table::TextRows rows() const { return {bytes, ends, 2, valid}; }

  std::string bytes;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint8_t> valid;
};

table::Column text_column(TextType type = TextType::kString) {
  table::Column column;
  column.name = "s";
  column.kind = Kind::kText;
  column.text.emplace_back().type = type;
  return column;
}

Manifest with_other(const std::string& type = "string") {
  Manifest manifest;
  table::Other& other = manifest.others.emplace_back();
  other.name = "s";
  other.type = type;
  manifest.columns.emplace_back().name = "n";
  manifest.columns[0].type = NumberType::kI64;
  return manifest;
}

Texts words(std::size_t rows, std::size_t different, std::uint64_t seed, std::size_t from = 0) {
  std::mt19937_64 random(seed);
  Texts made(rows);
  for (Text& text : made) {
    if (random() % 10 == 0) continue;
    text = "w" + std::to_string(from + random() % different);
  }
  return made;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class TextTables : public testing::WrittenTable {
 protected:
  // Writes the rows, and as many numbers. Whether the texts became a column of them.
  bool write(TableWriter& writer, const Texts& texts, bool is_new = true) {
    if (is_new) {
      EXPECT_TRUE(writer.begin_texts(0, text_column()).ok());
    }
    bool is_taken = true;
    for (std::size_t at = 0; at < texts.size() && is_taken; at += 1000) {
      const std::size_t count = std::min<std::size_t>(1000, texts.size() - at);
      const Given given(Texts(texts.begin() + static_cast<std::ptrdiff_t>(at),
                              texts.begin() + static_cast<std::ptrdiff_t>(at + count)));
      is_taken = writer.add_texts(0, given.rows()).value();
    }
    if (is_taken) is_taken = writer.finish_texts(0).value();
    std::vector<std::int64_t> numbers(texts.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
    EXPECT_TRUE(writer.write(1, NumberView(NumberType::kI64, numbers.data(), numbers.size())).ok());
    return is_taken;
  }
  void make(const Texts& texts) {
    TableWriter writer = TableWriter::create(path_, with_other(), true).value();
    ASSERT_TRUE(write(writer, texts));
    Failure failure;
    ASSERT_TRUE(writer.commit(&failure).ok()) << failure.message();
    texts_ = texts;
  }
  void add(const Texts& texts, const std::string& type = "string") {
    TableWriter writer = TableWriter::append(path_).value();
    Failure failure;
    ASSERT_TRUE(writer.set_rows(with_other(type), table::SchemaChange::kNone, &failure).ok())
        << failure.message();
    ASSERT_TRUE(write(writer, texts, false));
    ASSERT_TRUE(writer.commit(&failure).ok()) << failure.message();
    texts_.insert(texts_.end(), texts.begin(), texts.end());
  }
  Texts read(const Reader& reader) {
    const table::Scan scan = table::Scan::create(reader, {}).value();
    table::Cursor cursor = table::Cursor::create(scan).value();
    const table::Column& column = *reader.columns()[0].numbers;
    Failure failure;
    const auto values = reader.texts(0, &failure);
    EXPECT_TRUE(values.ok()) << failure.message();
    std::vector<std::uint64_t> numbers(column.rows());
    std::vector<std::uint8_t> valid(column.rows());
    EXPECT_TRUE(
        cursor.read(0, 0, MutableNumberView(column.type, numbers.data(), valid.size()), valid)
            .ok());
    Texts made(valid.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      std::uint64_t code = 0;
      const std::size_t size = size_of(column.type);
      std::memcpy(&code, reinterpret_cast<const char*>(numbers.data()) + i * size, size);
      if (valid[i] != 0) made[i] = std::string((**values)[code]);
    }
    return made;
  }
  void expect_rows() {
    EXPECT_EQ(read(reader()), texts_);
    expect_only_files_of_the_table();
  }
  // The rows that a filter finds.
  std::vector<std::uint64_t> found(const std::string& where) {
    const Reader opened = reader();
    table::Query query;
    query.where = opened.conditions(where).value();
    Failure failure;
    const auto scan = table::Scan::create(opened, query, &failure);
    EXPECT_TRUE(scan.ok()) << failure.message();
    table::Cursor cursor = table::Cursor::create(*scan).value();
    cursor.start(scan->all());
    std::vector<std::uint64_t> rows;
    for (table::Batch batch; cursor.next(batch).ok() && batch.window_rows > 0;) {
      for (std::uint64_t i = 0; i < batch.window_rows; ++i) {
        if (batch.kept.empty() || batch.kept[i] != 0) rows.push_back(batch.first_row + i);
      }
    }
    return rows;
  }
  template <class Holds>
  void expect_found(const std::string& where, const Holds& holds) {
    std::vector<std::uint64_t> rows;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (holds(texts_[i])) rows.push_back(i);
    }
    EXPECT_EQ(found(where), rows) << where;
  }
  std::string file_of_texts() const { return path_ + "/s.values"; }
  // Reading fails so with these bytes in the place of the file of texts, of which the manifest has
  // the checksum.
  void expect_refused(const std::string& bytes, std::uint64_t count, const std::string& why) {
    const std::string manifest_path = path_ + "/manifest.json";
    Manifest manifest = reader().manifest();
    const auto all = std::as_bytes(std::span(bytes));
    manifest.columns[0].text[0].count = count;
    manifest.columns[0].text[0].sum = {bytes.size(), checksum_of(all)};
    std::ofstream(manifest_path, std::ios::binary) << table::manifest_text(manifest).value();
    std::ofstream(file_of_texts(), std::ios::binary) << bytes;
    Failure failure;
    const Status status = reader().load(0, &failure);
    EXPECT_EQ(status.kind(), ErrorKind::kCorrupt) << why;
    EXPECT_NE(failure.message().find("s.values, column \"s\""), std::string::npos)
        << failure.message();
    EXPECT_NE(failure.message().find(why), std::string::npos) << failure.message();
  }

  Texts texts_;
};

TEST_F(TextTables, TextsThatRepeatBecomeNumbersAndOneFile) {
  make(words(5000, 200, 1));
  expect_rows();
  const Manifest manifest = reader().manifest();
  EXPECT_EQ(manifest.version, 4u);
  EXPECT_EQ(manifest.columns[0].type, NumberType::kU8);
  EXPECT_EQ(manifest.columns[0].text[0].count, 200u);
  EXPECT_EQ(names(),
            (std::set<std::string>{"manifest.json", "n.pco", "s.nulls.pco", "s.pco", "s.values"}));
  EXPECT_EQ(table::parse_manifest(table::manifest_text(manifest).value()).value(), manifest);
}

TEST_F(TextTables, TheFileIsTheSameHoweverRowsCome) {
  const Texts rows = words(5000, 300, 2);
  make(rows);
  const auto first = contents_of(file_of_texts());
  TableWriter writer = TableWriter::create(path_, with_other(), true).value();
  ASSERT_TRUE(writer.begin_texts(0, text_column()).ok());
  ASSERT_TRUE(writer.add_texts(0, Given(rows).rows()).value());
  ASSERT_TRUE(writer.finish_texts(0).value());
  std::vector<std::int64_t> numbers(rows.size());
  ASSERT_TRUE(writer.write(1, NumberView(NumberType::kI64, numbers.data(), numbers.size())).ok());
  ASSERT_TRUE(writer.commit().ok());
  EXPECT_EQ(contents_of(file_of_texts()), first);
  expect_rows();
}

TEST_F(TextTables, OtherTextsAreGivenBack) {
  for (const std::size_t rows : {std::size_t{0}, std::size_t{7}, std::size_t{100'000}}) {
    TableWriter writer = TableWriter::create(path_, with_other(), true).value();
    Texts texts(rows);
    for (std::size_t i = 0; i < rows; ++i) texts[i] = std::to_string(i * 2 / 3);
    EXPECT_FALSE(write(writer, texts));
    const table::TakenTexts taken = writer.take_texts(0).value();
    ASSERT_LE(taken.codes.size(), rows);
    for (std::size_t i = 0; i < taken.codes.size(); ++i) {
      ASSERT_EQ(taken.texts[taken.codes[i]], *texts[i]);
    }
    EXPECT_TRUE(writer.begin_other(0).ok());
  }
  TableWriter writer = TableWriter::create(path_, with_other(), true).value();
  EXPECT_FALSE(write(writer, Texts(100, "\xff")));  // no UTF-8
}

TEST_F(TextTables, AppendsKeepNumbersAndAddTexts) {
  make(words(70'000, 100, 3));
  add(words(100, 100, 4));
  EXPECT_EQ(reader().columns()[0].numbers->text[0].file, "s.values");
  expect_rows();
  add(words(200, 50, 5, 1000), "large_string");
  EXPECT_NE(reader().columns()[0].numbers->text[0].file, "s.values");
  EXPECT_EQ(reader().columns()[0].numbers->type, NumberType::kU8);
  expect_rows();
  add(words(5000, 400, 6, 2000), "dictionary<values=string, indices=int8, ordered=0>");
  EXPECT_EQ(reader().columns()[0].numbers->type, NumberType::kU16);
  EXPECT_EQ(reader().columns()[0].numbers->parts.size(), 0u);
  expect_rows();
  add({});
  add(Texts(3));
  add(words(70'000, 70'000, 7, 5000));
  EXPECT_EQ(reader().columns()[0].numbers->type, NumberType::kU16);
  add(words(70'000, 70'000, 8, 75'000));
  EXPECT_EQ(reader().columns()[0].numbers->type, NumberType::kU32);
  expect_rows();
  TableWriter writer = TableWriter::compact(path_).value();
  ASSERT_TRUE(writer.commit().ok());
  EXPECT_EQ(reader().columns()[0].numbers->parts.size(), 0u);
  expect_rows();
  expect_found("s in ('w5001', 'w75001', 'w1', 'w2002', 'w99', 'w6000')", [](const Text& text) {
    return text && (*text == "w5001" || *text == "w75001" || *text == "w1" || *text == "w2002" ||
                    *text == "w99" || *text == "w6000");
  });
}

TEST_F(TextTables, RowsOfAnotherTypeAreRefused) {
  make(words(100, 5, 3));
  TableWriter writer = TableWriter::append(path_).value();
  Failure failure;
  for (const char* type :
       {"binary", "list<item: string>", "dictionary<values=binary, indices=int8>"}) {
    EXPECT_EQ(writer.set_rows(with_other(type), table::SchemaChange::kExtend, &failure).kind(),
              ErrorKind::kTypeMismatch);
    EXPECT_NE(failure.text.find("the folder has string"), std::string::npos) << failure.text;
  }
  ASSERT_TRUE(writer.set_rows(with_other(), table::SchemaChange::kNone).ok());
  EXPECT_EQ(writer.add_texts(0, Given({"\xff"}).rows()).status().kind(),
            ErrorKind::kInvalidArgument);
  const std::uint8_t number = 0;
  EXPECT_EQ(writer.write(0, NumberView(NumberType::kU8, &number, 1)).kind(),
            ErrorKind::kInvalidArgument);
}

// Categories keep their order, also those that no row has, and appends add theirs behind.
TEST_F(TextTables, Categories) {
  table::Column like = text_column();
  ASSERT_TRUE(set_type(like.text[0], "dictionary<values=string, indices=int8, ordered=1>"));
  const std::uint8_t all[] = {1, 1, 1};
  const auto commit = [&](TableWriter& writer, const Texts& categories,
                          const std::vector<std::uint32_t>& places) {
    const Given given(categories);
    EXPECT_TRUE(writer.add_categories(0, given.rows(), places, std::span(all)).value());
    EXPECT_TRUE(writer.finish_texts(0).value());
    const std::int64_t numbers[] = {0, 1, 2};
    EXPECT_TRUE(writer.write(1, NumberView(NumberType::kI64, numbers, 3)).ok());
    Failure failure;
    EXPECT_TRUE(writer.commit(&failure).ok()) << failure.message();
    for (const std::uint32_t place : places) texts_.push_back(categories[place]);
  };
  const auto expect_categories = [&](const Texts& expected, const std::string& type) {
    const Reader table = reader();
    const auto values = table.texts(0).value();
    Texts found;
    for (std::size_t i = 0; i < values->size(); ++i) found.emplace_back((*values)[i]);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(type_text(table.columns()[0].numbers->text[0]), type);
    expect_rows();
  };
  {
    TableWriter writer = TableWriter::create(path_, with_other()).value();
    ASSERT_TRUE(writer.begin_texts(0, like).ok());
    const Given given({"z"});
    const std::uint32_t behind[] = {1};
    EXPECT_EQ(writer.add_categories(0, given.rows(), behind).status().kind(),
              ErrorKind::kInvalidArgument);
    commit(writer, {"z", "unused", "a", std::nullopt}, {2, 0, 3});
  }
  expect_categories({"z", "unused", "a"}, "dictionary<values=string, indices=int8, ordered=1>");
  expect_found("s = 'z'", [](const Text& text) { return text == "z"; });
  Texts many;
  for (int i = 0; i < 150; ++i) many.emplace_back("m" + std::to_string(i));
  many.emplace_back("a");
  {
    TableWriter writer = TableWriter::append(path_).value();
    const char* const type = "dictionary<values=string, indices=int16, ordered=1>";
    ASSERT_TRUE(writer.set_rows(with_other(type), table::SchemaChange::kNone).ok());
    commit(writer, many, {150, 0, 149});
  }
  many.pop_back();
  Texts expected{"z", "unused", "a"};
  expected.insert(expected.end(), many.begin(), many.end());
  expect_categories(expected, "dictionary<values=string, indices=int16, ordered=1>");
  // A column of texts has none.
  make(words(1000, 5, 3));
  TableWriter writer = TableWriter::append(path_).value();
  ASSERT_TRUE(writer.set_rows(with_other(), table::SchemaChange::kNone).ok());
  EXPECT_EQ(writer.add_categories(0, Given({"z"}).rows(), {}).status().kind(),
            ErrorKind::kInvalidArgument);
}

TEST(TextTypes, AreNamedAsArrowPrintsThem) {
  table::TextFile text;
  for (const char* values : {"string", "large_binary", "string_view", "binary_view"}) {
    const std::string name(values);
    for (const std::string& type :
         {name, "dictionary<values=" + name + ", indices=uint64, " + "ordered=0>"}) {
      ASSERT_TRUE(set_type(text, type)) << type;
      EXPECT_EQ(type_text(text), type);
    }
  }
  for (const char* type : {"", "int8", "dictionary<", "dictionary<values=string>",
                           "dictionary<values=int8, indices=int8, ordered=0>",
                           "dictionary<values=string, indices=float, ordered=0>",
                           "dictionary<values=string, indices=int8, ordered=2>",
                           "dictionary<values=string, indices=int8, ordered=0>>"}) {
    EXPECT_FALSE(set_type(text, type)) << type;
  }
  EXPECT_EQ(table::max_categories(NumberType::kI8), 128u);
  EXPECT_EQ(table::max_categories(NumberType::kU16), 65'536u);
}

// What was refused leaves nothing, so other rows may follow.
TEST_F(TextTables, RowsMayFollowRefusedOnes) {
  make(words(1000, 100, 3));
  const Texts more = words(2000, 400, 4, 500);
  Texts bad(more.begin(), more.end());
  bad.emplace_back("\xff");
  TableWriter writer = TableWriter::append(path_).value();
  ASSERT_TRUE(writer.set_rows(with_other(), table::SchemaChange::kNone).ok());
  EXPECT_EQ(writer.add_texts(0, Given(bad).rows()).status().kind(), ErrorKind::kInvalidArgument);
  ASSERT_TRUE(write(writer, more, false));
  ASSERT_TRUE(writer.commit().ok());
  texts_.insert(texts_.end(), more.begin(), more.end());
  expect_rows();
}

// Numbers of the old rows that cannot be read must not get lost by finishing once more.
TEST_F(TextTables, AColumnThatFailedStaysFailed) {
  make(words(70'000, 200, 3));
  const std::string place = path_ + "/s.pco";
  std::string bytes = contents_of(place);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  std::ofstream(place, std::ios::binary) << bytes;
  TableWriter writer = TableWriter::append(path_).value();
  ASSERT_TRUE(writer.set_rows(with_other(), table::SchemaChange::kNone).ok());
  const Given given(words(2000, 400, 4, 500));  // codes become wider
  ASSERT_TRUE(writer.add_texts(0, given.rows()).value());
  EXPECT_FALSE(writer.finish_texts(0).ok());
  Failure failure;
  EXPECT_FALSE(writer.finish_texts(0, &failure).ok());
  EXPECT_NE(failure.text.find("an earlier write has failed"), std::string::npos) << failure.text;
  EXPECT_FALSE(writer.add_texts(0, given.rows()).ok());
  EXPECT_FALSE(writer.commit().ok());
  EXPECT_EQ(reader().columns()[0].rows(), 70'000u);
}

// A column of texts that comes with an append, described as one: of more texts than fit 8 bits, and
// without a row of its own.
TEST_F(TextTables, ColumnsOfTextsMayComeWithAnAppend) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{20}, std::size_t{3000}}) {
    Manifest before;
    before.columns.emplace_back().name = "n";
    before.columns[0].type = NumberType::kU8;
    const std::vector<std::uint8_t> numbers(3000);
    TableWriter made = TableWriter::create(path_, before, true).value();
    ASSERT_TRUE(made.write(0, NumberView(NumberType::kU8, numbers.data(), 100)).ok());
    ASSERT_TRUE(made.commit().ok());
    TableWriter writer = TableWriter::append(path_).value();
    Manifest rows = before;
    rows.columns.push_back(text_column());
    rows.columns[1].nullable = true;
    Failure failure;
    ASSERT_TRUE(writer.set_rows(rows, table::SchemaChange::kExtend, &failure).ok())
        << failure.message();
    const Texts texts = words(count, 600, 5);
    if (count > 0) {
      ASSERT_TRUE(writer.add_texts(1, Given(texts).rows()).value());
    }
    ASSERT_TRUE(writer.write(0, NumberView(NumberType::kU8, numbers.data(), count)).ok());
    ASSERT_TRUE(writer.commit(&failure).ok()) << count << " " << failure.message();
    const table::Column column = *reader().columns()[1].numbers;
    EXPECT_EQ(column.rows(), 100 + count);
    EXPECT_TRUE(reader().texts(1).ok()) << count;
  }
}

TEST_F(TextTables, ANewColumnOfAnAppendMayHaveTexts) {
  Manifest before;
  before.columns.emplace_back().name = "n";
  const std::uint8_t numbers[100] = {};
  TableWriter made = TableWriter::create(path_, before).value();
  ASSERT_TRUE(made.write(0, NumberView(NumberType::kU8, numbers, 100)).ok());
  ASSERT_TRUE(made.commit().ok());
  TableWriter writer = TableWriter::append(path_).value();
  Manifest rows = before;
  rows.others.emplace_back().name = "s";
  rows.others[0].type = "string";
  rows.others[0].position = 1;
  ASSERT_TRUE(writer.set_rows(rows, table::SchemaChange::kExtend).ok());
  ASSERT_TRUE(writer.begin_texts(1, text_column()).ok());
  ASSERT_TRUE(writer.add_texts(1, Given(Texts(10, "x")).rows()).value());
  ASSERT_TRUE(writer.write(0, NumberView(NumberType::kU8, numbers, 10)).ok());
  Failure failure;
  ASSERT_TRUE(writer.commit(&failure).ok()) << failure.message();
  const table::Column column = *reader().columns()[1].numbers;
  EXPECT_EQ(column.kind, Kind::kText);
  EXPECT_EQ(column.null_count, 100u);
  EXPECT_EQ(column.count, 10u);
  expect_only_files_of_the_table();
}

TEST_F(TextTables, FiltersFindWhatComparingEachRowFinds) {
  make(words(200'000, 300, 9));
  for (const std::string op : {"=", "!=", "<", "<=", ">", ">="}) {
    expect_found("s " + op + " 'w2'", [&](const Text& text) {
      if (!text) return false;
      const int order = text->compare("w2");
      return op == "="    ? order == 0
             : op == "!=" ? order != 0
             : op == "<"  ? order < 0
             : op == "<=" ? order <= 0
             : op == ">"  ? order > 0
                          : order >= 0;
    });
  }
  expect_found("s like 'w29%'", [](const Text& text) { return text && text->starts_with("w29"); });
  expect_found("s not like 'w%'", [](const Text&) { return false; });
  expect_found("s is null", [](const Text& text) { return !text; });
  expect_found("s is not null", [](const Text& text) { return text.has_value(); });
  expect_found("s in ('w1', 'w3', 'w5', 'w7', 'w9', 'w11')", [](const Text& text) {
    return text && (*text == "w1" || *text == "w3" || *text == "w5" || *text == "w7" ||
                    *text == "w9" || *text == "w11");
  });
  expect_found("s = 'w1' or s is null", [](const Text& text) { return !text || *text == "w1"; });
  const Reader opened = reader();
  table::Query query;
  Failure failure;
  query.where = opened.conditions("s = 3").value();
  EXPECT_EQ(table::Scan::create(opened, query, &failure).status().kind(), ErrorKind::kTypeMismatch);
  EXPECT_NE(failure.text.find("is of type text"), std::string::npos) << failure.text;
  query.where = opened.conditions("s = n").value();
  EXPECT_EQ(table::Scan::create(opened, query, &failure).status().kind(), ErrorKind::kTypeMismatch);
  EXPECT_NE(failure.text.find("is of type string"), std::string::npos) << failure.text;
}

TEST_F(TextTables, ChunksWithoutATextAreLeftOut) {
  Texts rows = words(600'000, 10, 1);
  Texts more = words(600'000, 10, 2);
  for (Text& text : more) {
    if (text) text->front() = 'x';
  }
  rows.insert(rows.end(), more.begin(), more.end());
  make(rows);
  const Reader opened = reader();
  table::Query query;
  query.where = opened.conditions("s = 'x5'").value();
  const table::Scan scan = table::Scan::create(opened, query).value();
  ASSERT_EQ(scan.ranges().size(), 1u);
  EXPECT_GE(scan.ranges()[0].first, 300'000u);
  query.where = opened.conditions("s = 'none'").value();
  EXPECT_EQ(table::Scan::create(opened, query).value().ranges().size(), 0u);
}

TEST_F(TextTables, FilesOfTextsAreChecked) {
  make(words(1000, 3, 1));
  const std::string magic("NPTX\x01", 5);
  const std::string good = magic + "\x03\x02\x02\x02w0w1w2";
  expect_refused("N", 3, "no file of texts");
  expect_refused("NPTX\x02" + good.substr(5), 3, "no file of texts");
  expect_refused(magic, 3, "another count");
  expect_refused(good, 4, "another count");
  expect_refused(magic + "\x03", 3, "ends early");
  expect_refused(good.substr(0, good.size() - 1), 3, "another size");
  expect_refused(good + "x", 3, "another size");
  expect_refused(magic + "\x03\x02\x82", 3, "ends early");
  expect_refused(magic + "\x03\x02\x02\x02w0w1w0", 3, "twice");
  expect_refused(magic + "\x03\x02\x02\x02w0w1w\xff", 3, "not UTF-8");
  expect_refused(magic + "\x03\x02\x02\xff\xff\xff\xff\xff\xff\xff\xff\x7fw0w1", 3, "ends early");
  // Numbers behind the last text.
  const std::string two = magic + "\x02\x02\x02w0w1";
  Manifest manifest = reader().manifest();
  manifest.columns[0].text[0].count = 2;
  manifest.columns[0].text[0].sum = {two.size(), checksum_of(std::as_bytes(std::span(two)))};
  std::ofstream(path_ + "/manifest.json", std::ios::binary)
      << table::manifest_text(manifest).value();
  std::ofstream(file_of_texts(), std::ios::binary) << two;
  const Reader opened = reader();
  ASSERT_TRUE(opened.load(0).ok());
  table::Cursor cursor = table::Cursor::create(table::Scan::create(opened, {}).value()).value();
  std::vector<std::uint8_t> codes(1000);
  Failure failure;
  EXPECT_EQ(
      cursor.read(0, 0, MutableNumberView(NumberType::kU8, codes.data(), 1000), {}, 0, &failure)
          .kind(),
      ErrorKind::kCorrupt);
  EXPECT_NE(failure.message().find("s.pco, column \"s\": corrupt: a number is no place of a text"),
            std::string::npos)
      << failure.message();
  std::filesystem::remove(file_of_texts());
  EXPECT_EQ(reader().load(0, &failure).kind(), ErrorKind::kIo);
  EXPECT_NE(failure.message().find("s.values, column \"s\""), std::string::npos)
      << failure.message();
}

TEST_F(TextTables, EveryBitOfTheFileOfTextsIsChecked) {
  make(words(1000, 20, 1));
  auto bytes = contents_of(file_of_texts());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    std::ofstream(file_of_texts(), std::ios::binary).write(bytes.data(), std::ssize(bytes));
    EXPECT_EQ(reader().load(0).kind(), ErrorKind::kChecksum) << bit;
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
}

TEST(TextValuesTest, FilesHoldTexts) {
  TextValues texts;
  const std::string all[] = {"", std::string(200, 'x'), "a", std::string("\0", 1), "\xff"};
  for (const std::string& text : all) texts.add(text);
  const std::string file = texts.file();
  const auto bytes = std::as_bytes(std::span(file));
  const TextValues read = TextValues::parse(bytes, 5, true).value();
  ASSERT_EQ(read.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(read[i], all[i]);
  EXPECT_FALSE(TextValues::parse(bytes, 5, false).ok());
}

}  // namespace
}  // namespace numpact
