// SPDX-License-Identifier: Apache-2.0
// The list of manifests that every reader accepts or refuses, by the C++ and the C interface.
#include <gtest/gtest.h>

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
                      is_other ? "other" : to_string(static_cast<table::Kind>(column.kind)), unit,
                      column.timezone,
                      is_other ? column.type_text : name_of(static_cast<NumberType>(column.type)));
    EXPECT_EQ(column.rows, is_other ? column.rows : column.numbers + column.nulls);
    EXPECT_EQ(is_other, column.nulls == NUMPACT_UNKNOWN);
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
    EXPECT_EQ(again.version, found.others.empty() ? 2u : has_checksums ? 4u : 3u);
    EXPECT_EQ(table::manifest_text(again).value(), text);
    again.version = found.version;
    EXPECT_EQ(again, found);
  }
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
