// SPDX-License-Identifier: Apache-2.0
// The limits of manifests, of docs/format/table-folder.md: readers accept what reaches them and
// refuse one more; writers refuse what readers would.
#include <gtest/gtest.h>

#include <string>

#include "numpact/table.h"
#include "numpact/table.hpp"

namespace numpact {
namespace {

table::Column column_of(const std::string& name) {
  table::Column column;
  column.name = name;
  column.file = "a.pco";
  column.type = NumberType::kI64;
  column.count = 2;
  return column;
}

table::Other other_of(const std::string& name, std::uint64_t position) {
  table::Other other;
  other.name = name;
  other.type = "string";
  other.position = position;
  other.rows = 2;
  other.parts.push_back({"s.arrow", 2, 100, {10, 90, 100}, {1, 2, 3}});
  return other;
}

table::Manifest of(std::vector<table::Column> columns, std::vector<table::Other> others = {}) {
  table::Manifest manifest;
  manifest.columns = std::move(columns);
  manifest.others = std::move(others);
  return manifest;
}

ErrorKind read(const std::string& text) { return table::parse_manifest(text).status().kind(); }

// What writing gives; also that a text that is written can be read.
ErrorKind write(const table::Manifest& manifest) {
  std::string why;
  const Result<std::string> text = table::manifest_text(manifest, &why);
  EXPECT_EQ(text.ok(), why.empty()) << why;
  EXPECT_TRUE(!text.ok() || read(*text) == ErrorKind::kNone);
  return text.status().kind();
}

std::string with_member(const std::string& member) {
  return R"({"format":"numpact-table","version":2,"columns":[],"skipped":[])" + member + "}";
}

TEST(ManifestLimits, BytesOfTheText) {
  std::string text = with_member("");
  text.resize(table::kMaxManifestBytes, ' ');
  EXPECT_EQ(read(text), ErrorKind::kNone);
  EXPECT_EQ(read(text + ' '), ErrorKind::kCorrupt);
  std::string why;
  EXPECT_FALSE(table::parse_manifest(text + ' ', &why).ok());
  EXPECT_EQ(why, "is too long: 67108865 bytes");
}

TEST(ManifestLimits, Values) {
  // The object, the two texts' values, the two lists and the new one.
  std::string zeros;
  for (std::size_t i = 0; i < table::kMaxManifestValues - 6; ++i) zeros += i == 0 ? "0" : ",0";
  EXPECT_EQ(read(with_member(",\"x\":[" + zeros + "]")), ErrorKind::kNone);
  EXPECT_EQ(read(with_member(",\"x\":[" + zeros + ",0]")), ErrorKind::kCorrupt);
}

TEST(ManifestLimits, Memory) {
  std::string entries = R"({"name":"","type":""})";
  for (int i = 0; i < 100'000; ++i) entries += R"(,{"name":"","type":""})";
  const std::string text = R"({"format":"numpact-table","version":2,"columns":[],"skipped":[)";
  EXPECT_EQ(read(text + entries + "]}"), ErrorKind::kLimitExceeded);
  EXPECT_EQ(read(text + entries.substr(0, 22 * 30'000 - 1) + "]}"), ErrorKind::kNone);
}

TEST(ManifestLimits, ManyColumns) {
  std::vector<table::Column> columns;
  for (int i = 0; i < 100'000; ++i) columns.push_back(column_of(std::to_string(i)));
  EXPECT_EQ(write(of(std::move(columns))), ErrorKind::kNone);
}

TEST(ManifestLimits, WritersRefuseLongTexts) {
  const std::string long_text(table::kMaxManifestBytes + 1, 'x');
  table::Manifest manifest = of({column_of("a")});
  EXPECT_EQ(write(manifest), ErrorKind::kNone);
  manifest.metadata = {{"k", long_text}};
  EXPECT_EQ(write(manifest), ErrorKind::kLimitExceeded);
  manifest.metadata = {{long_text, ""}};
  EXPECT_EQ(write(manifest), ErrorKind::kLimitExceeded);
  manifest = of({column_of("a")});
  manifest.columns[0].metadata = {{"k", long_text}};
  EXPECT_EQ(write(manifest), ErrorKind::kLimitExceeded);
  EXPECT_EQ(write(of({column_of(long_text)})), ErrorKind::kLimitExceeded);
  EXPECT_EQ(write(of({column_of("a")}, {other_of(long_text, 1)})), ErrorKind::kLimitExceeded);
  manifest = of({column_of("a")});
  manifest.skipped = {{"s", long_text, ""}};
  EXPECT_EQ(write(manifest), ErrorKind::kLimitExceeded);
  // Half of the limit, whose hexadecimal digits are longer than it; and characters that are
  // escaped.
  manifest.skipped = {};
  manifest.metadata = {{"k", std::string(table::kMaxManifestBytes / 2, '\xff')}};
  EXPECT_EQ(write(manifest), ErrorKind::kLimitExceeded);
  manifest.metadata = {{"k", std::string(table::kMaxManifestBytes / 5, '\1')}};
  EXPECT_EQ(write(manifest), ErrorKind::kLimitExceeded);
  manifest.metadata = {{"k", std::string(table::kMaxManifestBytes / 7, '\1')}};
  EXPECT_EQ(write(manifest), ErrorKind::kNone);
}

TEST(ManifestLimits, WritersRefuseManyValues) {
  table::Manifest manifest = of({column_of("a")});
  manifest.metadata.resize(table::kMaxManifestValues / 3);
  EXPECT_EQ(write(manifest), ErrorKind::kLimitExceeded);
  manifest.metadata.resize(table::kMaxManifestValues / 3 - 10);
  EXPECT_EQ(write(manifest), ErrorKind::kNone);
}

TEST(ManifestLimits, WritersRefuseWhatReadersRefuse) {
  EXPECT_EQ(write(of({column_of("a\xed\xa0\x80")})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(write(of({column_of("a\xff")})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(write(of({column_of("a")}, {other_of("\xed\xb0\x80", 1)})),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(write(of({column_of(std::string("\0", 1))})), ErrorKind::kNone);
  table::Column column = column_of("a");
  column.file = "../a.pco";
  EXPECT_EQ(write(of({column})), ErrorKind::kInvalidArgument);
  column = column_of("a");
  column.kind = table::Kind::kBool;  // stored as u8
  EXPECT_EQ(write(of({column})), ErrorKind::kInvalidArgument);
  column = column_of("a");
  column.count = table::kCountLimit;
  EXPECT_EQ(write(of({column})), ErrorKind::kInvalidArgument);
  column.count = 3;
  EXPECT_EQ(write(of({column_of("a"), column})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(write(of({column_of("a")}, {other_of("s", 2)})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(write(of({column_of("a")}, {other_of("s", 1)})), ErrorKind::kNone);
  table::Other other = other_of("s", 1);
  other.parts.push_back(other.parts[0]);
  EXPECT_EQ(write(of({column_of("a")}, {other})), ErrorKind::kInvalidArgument);
  other.parts.clear();
  EXPECT_EQ(write(of({column_of("a")}, {other})), ErrorKind::kInvalidArgument);
  other = other_of("s", 1);
  other.parts[0].crc32.pop_back();
  EXPECT_EQ(write(of({column_of("a")}, {other})), ErrorKind::kInvalidArgument);
  // With checksums and without.
  other = other_of("t", 2);
  other.parts[0].ends = {};
  EXPECT_EQ(write(of({column_of("a")}, {other_of("s", 1), other})), ErrorKind::kInvalidArgument);
}

// Texts for people are written as far as they are text.
TEST(ManifestLimits, TypesAndReasonsMayBeAnyBytes) {
  table::Manifest manifest = of({column_of("a")}, {other_of("s", 1)});
  manifest.others[0].type = "struct<\xff\xc3\xa4\xed\xa0\x80>";
  manifest.skipped = {{"q", "\xc3", "\xf0\x9f\x98\x80\xf0\x9f"}};
  const table::Manifest found =
      table::parse_manifest(table::manifest_text(manifest).value()).value();
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(found.others[0].type, "struct<" + mark + "\xc3\xa4" + mark + mark + mark + ">");
  EXPECT_EQ(found.skipped[0].type, mark);
  EXPECT_EQ(found.skipped[0].reason, "\xf0\x9f\x98\x80" + mark + mark);
}

TEST(ManifestLimits, MessagesAreShort) {
  const std::string name(1000, 'n');
  std::string why;
  const std::string text =
      R"({"format":"numpact-table","version":2,"skipped":[],"columns":[{"name":")" + name +
      R"(","file":"a","count":")" + name + R"("}]})";
  EXPECT_FALSE(table::parse_manifest(text, &why).ok());
  EXPECT_LT(why.size(), 300u);
  EXPECT_NE(why.find("'count' is not a count"), std::string::npos);
  char little[8] = "";
  numpact_table_manifest* manifest = nullptr;
  EXPECT_EQ(numpact_table_manifest_parse(text.data(), text.size(), &manifest, little, sizeof little,
                                         nullptr),
            NUMPACT_CORRUPT);
  EXPECT_STREQ(little, "column ");
  EXPECT_EQ(numpact_table_manifest_parse("x", 1, &manifest, nullptr, 0, nullptr), NUMPACT_CORRUPT);
  EXPECT_EQ(numpact_table_manifest_parse("x", 1, nullptr, nullptr, 0, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST(FileNames, DifferAndStayInTheFolder) {
  table::FileNames names;
  EXPECT_EQ(names.add("a", ".pco"), "a.pco");
  EXPECT_EQ(names.add("A", ".pco"), "A~2.pco");
  EXPECT_EQ(names.add("a", ".arrow"), "a~3.arrow");
  EXPECT_EQ(names.add("a~2", ".pco"), "a%7E2.pco");
  EXPECT_EQ(names.add("../x", ".pco"), "%2E%2E%2Fx.pco");
  EXPECT_EQ(names.add("", ".pco"), "column.pco");
  EXPECT_EQ(names.add(std::string("\0", 1), ".pco"), "%00.pco");
  EXPECT_EQ(names.add("\xc3\xa4", ".pco"), "%C3%A4.pco");
  const std::string long_name(500, 'x');
  EXPECT_EQ(names.add(long_name, ".pco"), long_name.substr(0, 120) + ".pco");
  EXPECT_EQ(names.add(long_name + "y", ".pco"), long_name.substr(0, 120) + "~2.pco");
  EXPECT_EQ(table::null_file_name("a.pco"), "a.nulls.pco");
  for (const std::string_view bad : {"", ".", "..", "a..b", "a/b", "a\\b", "c:d"}) {
    EXPECT_FALSE(table::is_file_name(bad)) << bad;
  }
  EXPECT_FALSE(table::is_file_name(std::string_view("a\0b", 3)));
  EXPECT_TRUE(table::is_file_name(".a"));
}

}  // namespace
}  // namespace numpact
