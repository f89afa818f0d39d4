// SPDX-License-Identifier: Apache-2.0
// A folder that tests write tables to, and a model of their rows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "numpact/table_writer.hpp"
#include "support/random.hpp"
#include "support/system.hpp"
#include "tables/memory_table.hpp"

namespace numpact::testing {

using table::Failure;
using table::Manifest;
using table::TableWriter;
using table::WriterConfig;

using Row = std::optional<std::uint64_t>;

inline WriterConfig fast() {
  WriterConfig config;
  config.encode.level = 1;
  return config;
}

class WrittenTable : public ::testing::Test {
 protected:
  void SetUp() override {
    place_ = system::new_folder("writer");
    path_ = place_ + "/table";
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  static Manifest manifest_of(std::span<const NumberType> types) {
    Manifest manifest;
    for (std::size_t i = 0; i < types.size(); ++i) {
      table::Column& column = manifest.columns.emplace_back();
      column.name = "c" + std::to_string(i);
      column.type = types[i];
    }
    return manifest;
  }

  // New rows of all columns, some of them null.
  std::vector<std::vector<Row>> rows_of(std::size_t columns, std::size_t rows, unsigned nulls) {
    std::vector<std::vector<Row>> made(columns);
    for (std::vector<Row>& column : made) {
      for (std::size_t row = 0; row < rows; ++row) {
        const bool is_null = nulls == 1 ? random_.one_in(4) : nulls == 2;
        column.push_back(is_null ? std::nullopt : Row(random_.bits(8)));
      }
    }
    return made;
  }

  // Writes rows in blocks, and adds them to the model once they are committed.
  Status write(Result<TableWriter>&& opened, const std::vector<std::vector<Row>>& rows,
               std::size_t block, Failure* failure = nullptr) {
    if (!opened.ok()) return opened.status();
    TableWriter writer = *std::move(opened);
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const NumberType type = writer.plan().before.columns[c].type;
      for (std::size_t first = 0; first < rows[c].size(); first += block) {
        const std::size_t count = std::min(block, rows[c].size() - first);
        std::vector<std::byte> numbers(count * size_of(type));
        std::vector<std::uint8_t> valid(count);
        for (std::size_t i = 0; i < count; ++i) {
          const Row& row = rows[c][first + i];
          valid[i] = row ? 1 : 0;
          store(numbers.data() + i * size_of(type), row.value_or(0xaa), size_of(type));
        }
        const bool has_nulls = std::find(valid.begin(), valid.end(), 0) != valid.end();
        const Status status = writer.write(
            c, NumberView(type, numbers.data(), count),
            has_nulls ? std::span<const std::uint8_t>(valid) : std::span<const std::uint8_t>(),
            failure);
        if (!status.ok()) return status;
      }
    }
    const Status status = writer.commit(failure);
    if (!status.ok()) return status;
    model_.resize(rows.size());
    for (std::size_t c = 0; c < rows.size(); ++c) {
      model_[c].insert(model_[c].end(), rows[c].begin(), rows[c].end());
    }
    return status;
  }
  Status create(std::span<const NumberType> types, const std::vector<std::vector<Row>>& rows) {
    return write(TableWriter::create(path_, manifest_of(types), false, fast()), rows, 1000);
  }
  Status append(const std::vector<std::vector<Row>>& rows, Failure* failure = nullptr) {
    return write(TableWriter::append(path_, fast(), failure), rows, 700, failure);
  }

  table::Reader reader() const {
    Failure failure;
    auto opened = table::Reader::open(path_, {}, &failure);
    EXPECT_TRUE(opened.ok()) << failure.message();
    return opened.value();
  }
  static std::vector<Row> rows_in(const table::Reader& reader, std::size_t column) {
    const table::Column& described = *reader.columns()[column].numbers;
    const auto count = static_cast<std::size_t>(described.rows());
    std::vector<std::byte> numbers(count * size_of(described.type));
    std::vector<std::uint8_t> valid(count);
    table::Cursor cursor = table::Cursor::create(table::Scan::create(reader, {}).value()).value();
    Failure failure;
    const Status status = cursor.read(
        column, 0, MutableNumberView(described.type, numbers.data(), count), valid, 0, &failure);
    EXPECT_TRUE(status.ok()) << failure.message();
    std::vector<Row> rows;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = size_of(described.type);
      const std::uint64_t number = load(numbers.data() + i * size, size);
      rows.push_back(valid[i] == 0 ? std::nullopt : Row(number));
    }
    return rows;
  }
  void expect_model(const table::Reader& reader) const {
    ASSERT_EQ(reader.columns().size(), model_.size());
    for (std::size_t c = 0; c < model_.size(); ++c) {
      ASSERT_EQ(rows_in(reader, c), model_[c]) << "column " << c;
    }
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }
  // The folder has the files of the table, and no others.
  void expect_only_files_of_the_table() const {
    std::set<std::string> expected = {table::kManifestName};
    const Manifest manifest = reader().manifest();
    for (const table::Column& column : manifest.columns) {
      for (const table::NumberPart& part : column.all_parts()) {
        expected.insert(part.file);
        if (part.null_count > 0) expected.insert(part.null_file);
      }
      for (const table::TextFile& texts : column.text) expected.insert(texts.file);
    }
    for (const table::Other& other : manifest.others) {
      for (const table::Part& part : other.parts) expected.insert(part.file);
    }
    EXPECT_EQ(names(), expected);
  }
  std::uint64_t bytes_in_folder() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) bytes += entry.file_size();
    return bytes;
  }

  std::string place_;
  std::string path_;
  Random random_{1};
  std::vector<std::vector<Row>> model_;
};

inline constexpr NumberType kTypes[] = {NumberType::kU8, NumberType::kI32, NumberType::kF64};

// Writes the file of the list of manifests for any rows of a batch.
class TextSource final : public table::OtherSource {
 public:
  explicit TextSource(std::uint64_t rows) : rows_(rows) {}
  Result<std::uint64_t> write(table::Other&, std::span<const table::Part> copied, ByteSink& sink,
                              std::string&) override {
    std::ifstream file(NUMPACT_MANIFESTS "/files/s.arrow", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    copied_ = copied.size();
    std::uint64_t rows = rows_;
    for (const table::Part& part : copied) rows += part.rows;
    const Status status = sink.write(std::as_bytes(std::span(bytes)));
    if (!status.ok()) return status;
    return rows;
  }
  std::size_t copied_ = 0;

 private:
  std::uint64_t rows_;
};

}  // namespace numpact::testing
