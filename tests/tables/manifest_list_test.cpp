// SPDX-License-Identifier: Apache-2.0
// The list of manifests that every reader accepts or refuses, by the C++ and the C interface.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "numpact/table.h"
#include "numpact/table.hpp"
#include "tables/manifest_cases.hpp"

namespace numpact {
namespace {

using Case = testing::ManifestCase;
using testing::manifest_cases;

// The columns of a case without their values.
std::string expected_of(const Case& one) {
  std::string all;
  for (std::size_t i = 4; i < one.fields.size(); ++i) {
    all += one.fields[i].substr(0, one.fields[i].find('=')) + "\n";
  }
  return all;
}

std::string shown(std::string_view name) {
  std::string text;
  for (const char c : name) text += c == '\0' ? "\\0" : std::string(1, c);
  return text;
}

std::string described(std::string_view name, std::string_view kind, std::string_view unit,
                      const std::string& zone, std::string_view type) {
  std::string text = shown(name) + ":" + std::string(kind);
  if (!unit.empty()) text += "[" + std::string(unit) + (zone.empty() ? "" : ", " + zone) + "]";
  return text + ":" + std::string(type) + "\n";
}

std::string described(const table::Manifest& manifest) {
  std::vector<std::string> all(manifest.columns.size() + manifest.others.size());
  for (const table::Other& other : manifest.others) {
    all[other.position] = described(other.name, "other", "", "", other.type);
  }
  auto column = manifest.columns.begin();
  std::string text;
  for (std::string& one : all) {
    if (one.empty()) {
      one = described(column->name, to_string(column->kind),
                      has_unit(column->kind) ? to_string(column->unit) : "", column->timezone,
                      name_of(column->type));
      ++column;
    }
    text += one;
  }
  return text;
}

std::string described(const numpact_table_manifest* manifest) {
  std::string text;
  for (std::size_t i = 0; i < numpact_table_manifest_column_count(manifest); ++i) {
    numpact_table_column column;
    column.struct_size = sizeof column;
    EXPECT_EQ(numpact_table_manifest_column(manifest, i, &column, nullptr), NUMPACT_OK);
    EXPECT_EQ(column.name[column.name_size], '\0');
    const bool is_other = column.kind == NUMPACT_TABLE_OTHER;
    const std::string_view unit =
        column.unit == NUMPACT_TABLE_NO_UNIT
            ? ""
            : to_string(static_cast<table::Unit>(column.unit - NUMPACT_TABLE_SECOND));
    text += described({column.name, column.name_size},
                      is_other                            ? "other"
                      : column.kind == NUMPACT_TABLE_TEXT ? "text"
                      : column.kind == NUMPACT_TABLE_DECIMAL
                          ? "decimal"
                          : to_string(static_cast<table::Kind>(column.kind)),
                      unit, column.timezone,
                      is_other ? column.type_text : name_of(static_cast<NumberType>(column.type)));
    EXPECT_EQ(column.rows, is_other ? column.rows : column.numbers + column.nulls);
    EXPECT_EQ(is_other, column.nulls == NUMPACT_UNKNOWN);
    std::uint64_t rows = 0;
    numpact_table_part part;
    part.struct_size = sizeof part;
    for (std::size_t at = 0; at < column.part_count; ++at) {
      EXPECT_EQ(numpact_table_manifest_part(manifest, i, at, &part, nullptr), NUMPACT_OK);
      EXPECT_EQ(column.part_count > 1, std::string(column.file) != part.file);
      rows += part.rows;
    }
    EXPECT_EQ(rows, column.rows);
    EXPECT_EQ(numpact_table_manifest_part(manifest, i, column.part_count, &part, nullptr),
              NUMPACT_INVALID_ARGUMENT);
  }
  return text;
}

TEST(ManifestList, IsLong) { EXPECT_GE(manifest_cases().size(), 200u); }

TEST(ManifestList, InCpp) {
  for (const Case& one : manifest_cases()) {
    SCOPED_TRACE(one.fields[1]);
    std::string why;
    const Result<table::Manifest> found = table::parse_manifest(one.text, &why);
    ASSERT_EQ(found.ok(), one.is_accepted()) << why;
    if (!found.ok()) {
      EXPECT_EQ(to_string(found.status().kind()), one.fields[3]);
      EXPECT_NE(why.find(one.fields[4]), std::string::npos) << why;
      EXPECT_TRUE(found.status().offset() == Status::kNoOffset ||
                  found.status().offset() < one.text.size());
      continue;
    }
    EXPECT_EQ(described(*found), expected_of(one));
    const auto rows = found->joined_rows();
    EXPECT_EQ(rows ? std::to_string(*rows) : "apart", one.fields[3]);
  }
}

TEST(ManifestList, IsWrittenAsItIsRead) {
  for (const Case& one : manifest_cases()) {
    if (!one.is_accepted()) continue;
    SCOPED_TRACE(one.fields[1]);
    table::Manifest found = table::parse_manifest(one.text).value();
    const std::string text = table::manifest_text(found).value();
    table::Manifest again = table::parse_manifest(text).value();
    const bool has_checksums = !found.others.empty() && found.others[0].parts[0].has_checksums();
    const bool has_parts =
        std::any_of(found.columns.begin(), found.columns.end(), [](const table::Column& column) {
          return !column.parts.empty() || column.kind >= table::Kind::kText;
        });
    const bool has_vectors =
        !found.others.empty() && found.others[0].vectors != table::Vectors::kExact;
    EXPECT_EQ(again.version, has_vectors            ? 5u
                             : has_parts            ? 4u
                             : found.others.empty() ? 2u
                             : has_checksums        ? 4u
                                                    : 3u);
    EXPECT_EQ(table::manifest_text(again).value(), text);
    again.version = found.version;
    EXPECT_EQ(again, found);
  }
}

// Of several parts, which the list has not.
TEST(ManifestList, Parts) {
  table::Manifest manifest;
  table::Column column;
  column.name = "a";
  column.type = NumberType::kI64;
  column.parts.push_back({"a.pco", "", 5, 0, {100, 7}, {}});
  column.parts.push_back({"a.p1.pco", "a.p1.nulls.pco", 2, 3, {101, 8}, {102, 9}});
  column.parts.push_back({"a.p2.pco", "a.p2.nulls.pco", 0, 1, {}, {}});
  column.count = 7;
  column.null_count = 4;
  table::Other other;
  other.name = "s";
  other.type = "string";
  other.position = 1;
  other.rows = 11;
  other.parts.push_back({"s.arrow", 10, 100, {10, 90, 100}, {1, 2, 3}});
  other.parts.push_back({"s.p1.arrow", 1, 80, {10, 70, 80}, {4, 5, 6}});
  manifest.columns.push_back(column);
  manifest.others.push_back(other);
  const std::string text = table::manifest_text(manifest).value();
  table::Manifest again = table::parse_manifest(text).value();
  EXPECT_EQ(again.version, 4u);
  EXPECT_EQ(again.columns, manifest.columns);
  EXPECT_EQ(again.others, manifest.others);
  EXPECT_EQ(again.columns[0].all_parts(), column.parts);
  EXPECT_EQ(again.columns[0].first_file(), "a.pco");
  numpact_table_manifest* in_c = nullptr;
  ASSERT_EQ(numpact_table_manifest_parse(text.data(), text.size(), &in_c, nullptr, 0, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(described(in_c), "a:number:i64\ns:other:string\n");
  numpact_table_part part;
  part.struct_size = sizeof part;
  ASSERT_EQ(numpact_table_manifest_part(in_c, 0, 1, &part, nullptr), NUMPACT_OK);
  EXPECT_EQ(std::string(part.null_file), "a.p1.nulls.pco");
  EXPECT_EQ(part.numbers, 2u);
  EXPECT_EQ(part.file_size, 101u);
  ASSERT_EQ(numpact_table_manifest_part(in_c, 1, 1, &part, nullptr), NUMPACT_OK);
  EXPECT_EQ(part.block_count, 3u);
  EXPECT_EQ(part.block_ends[1], 70u);
  EXPECT_EQ(part.null_file, nullptr);
  numpact_table_manifest_destroy(in_c);

  manifest.columns[0].count = 8;
  std::string why;
  EXPECT_EQ(table::manifest_text(manifest, &why).status().kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(why, "column 'a': its parts do not have its rows");
  manifest.columns[0].count = 7;
  manifest.others[0].parts[0].ends = {};
  manifest.others[0].parts[0].crc32 = {};
  manifest.others[0].parts[1] = manifest.others[0].parts[0];
  EXPECT_EQ(table::manifest_text(manifest, &why).status().kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(why.find("no checksums"), std::string::npos);
}

TEST(ManifestList, InC) {
  for (const Case& one : manifest_cases()) {
    SCOPED_TRACE(one.fields[1]);
    numpact_error error;
    numpact_error_init(&error);
    numpact_table_manifest* manifest = nullptr;
    char why[300] = "";
    const numpact_status status = numpact_table_manifest_parse(one.text.data(), one.text.size(),
                                                               &manifest, why, sizeof why, &error);
    ASSERT_EQ(status == NUMPACT_OK, one.is_accepted()) << why;
    if (status != NUMPACT_OK) {
      EXPECT_EQ(manifest, nullptr);
      EXPECT_EQ(numpact_status_name(status), one.fields[3]);
      EXPECT_NE(std::string(why).find(one.fields[4]), std::string::npos) << why;
      EXPECT_NE(*error.text, '\0');
      continue;
    }
    EXPECT_EQ(described(manifest), expected_of(one));
    const std::uint64_t rows = numpact_table_manifest_rows(manifest);
    EXPECT_EQ(rows == NUMPACT_UNKNOWN ? "apart" : std::to_string(rows), one.fields[3]);
    numpact_table_column column;
    column.struct_size = sizeof column;
    EXPECT_EQ(numpact_table_manifest_column(manifest, numpact_table_manifest_column_count(manifest),
                                            &column, nullptr),
              NUMPACT_INVALID_ARGUMENT);
    numpact_table_manifest_destroy(manifest);
  }
}

}  // namespace
}  // namespace numpact
