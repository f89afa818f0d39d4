// SPDX-License-Identifier: Apache-2.0
// Names of folders by values, and the text of the index of a dataset.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numpact/pco.hpp"
#include "numpact/table_dataset.hpp"
#include "numpact/trailer.hpp"

namespace numpact {
namespace {

TEST(Dataset, NamesOfPartitions) {
  for (const char* const name : {"day=2024-01-01", "part-0", "part-00001", "a=", "_a=1"}) {
    EXPECT_TRUE(table::is_partition(name)) << name;
  }
  for (const char* const name : {"", "day", "=1", ".day=1", "part-", "part-x", "Part-1"}) {
    EXPECT_FALSE(table::is_partition(name)) << name;
  }
}

TEST(Dataset, NamesByValues) {
  const auto name = [](const char* column, const std::optional<std::string>& value) {
    return table::partition_name(column, value, false).value();
  };
  EXPECT_EQ(name("day", "2024-01-01"), "day=2024-01-01");
  EXPECT_EQ(name("a b/c", "x=y/\xc3\xbc"), "a%20b%2Fc=x%3Dy%2F%C3%BC");
  EXPECT_EQ(name(".h", std::nullopt), "%2Eh=__HIVE_DEFAULT_PARTITION__");
  EXPECT_EQ(name("s", ".."), "s=..");
}

TEST(Dataset, ValuesThatNameNoFolder) {
  const auto refusal = [](const char* column, const std::optional<std::string>& value,
                          bool is_whole) {
    std::string why;
    EXPECT_EQ(table::partition_name(column, value, is_whole, &why).status().kind(),
              ErrorKind::kInvalidArgument);
    return why;
  };
  const std::string digits(19, '1');
  EXPECT_EQ(refusal("k", "", false),
            "column 'k': '' names no folder, since readers take it for a null");
  EXPECT_NE(refusal("k", "__HIVE_DEFAULT_PARTITION__", false), "");
  EXPECT_EQ(refusal("k", "-" + digits, true), "column 'k': -" + digits +
                                                  " names no folder, since readers take more than "
                                                  "18 digits for text");
  EXPECT_TRUE(table::partition_name("k", digits, false).ok());
  EXPECT_TRUE(table::partition_name("k", "-" + digits.substr(1), true).ok());
  EXPECT_EQ(refusal("k", std::string(254, 'y'), false),
            "column 'k': the name of a folder would have 256 bytes, more than 255");
  EXPECT_EQ(refusal("", "1", true), "a column without a name names no folder");
}

TEST(Dataset, Entries) {
  const std::vector<double> numbers = {1, 2.5, 0.5};
  std::vector<std::byte> file = compress(numbers).value();
  file.insert(file.end(), 3, std::byte{7});  // no trailer
  table::Manifest manifest;
  table::Column& column = manifest.columns.emplace_back();
  column.name = "a\xc3\xbc";
  column.file = "a.pco";
  column.type = NumberType::kF64;
  column.count = 3;
  const std::string text = table::manifest_text(manifest).value();
  const table::ReadTail read = [&](const std::string&, bool) {
    return table::FileTail{file.size(), file};
  };
  const std::string sum = std::to_string(checksum_of(file));
  const std::uint64_t coded[] = {0, 3};
  const std::string entry = table::dataset_entry("k=1", text, coded, read).value();
  EXPECT_TRUE(entry.starts_with("\"path\": \"k=1\", \"manifest\": \"{\\n")) << entry;
  EXPECT_TRUE(entry.ends_with(
      "\"ranges\": [null], \"files\": {\"a.pco\": {\"bytes\": " + std::to_string(file.size()) +
      ", \"crc32\": " + sum + "}}, \"coded\": [0, 3]"))
      << entry;
  file.resize(file.size() - 3);
  const MadeTrailer made = Trailer::make(file, TrailerSpec::index()).value();
  file.insert(file.end(), made.bytes.begin(), made.bytes.end());
  const std::string with_range = table::dataset_entry("k=1", text, {}, read).value();
  EXPECT_NE(with_range.find("\"ranges\": [[" + std::to_string(latent_of_number(0.5)) + ", " +
                            std::to_string(latent_of_number(2.5)) + ", 0]]"),
            std::string::npos)
      << with_range;
  EXPECT_NE(with_range.find("\"end\": \""), std::string::npos) << with_range;
  EXPECT_FALSE(table::dataset_entry("\xff", text, {}, read).ok());
  EXPECT_FALSE(table::dataset_entry("k=1", "{", {}, read).ok());
}

TEST(Dataset, TextOfTheIndex) {
  const std::string schema("\xff\0ab", 4);
  const std::pair<std::string, std::string> tables[] = {
      {schema, "\"a\": 1"}, {"new", "\"b\": 2"}, {schema, "\"c\": 3"}};
  EXPECT_EQ(table::dataset_index_text(tables).value(),
            "{\"format\": \"numpact-dataset\", \"version\": 1, \"schemas\": "
            "[\"/wBhYg==\", \"bmV3\"], \"folders\": [\n{\"schema\": 0, \"a\": 1},\n"
            "{\"schema\": 1, \"b\": 2},\n{\"schema\": 0, \"c\": 3}\n]}\n");
}

}  // namespace
}  // namespace numpact
