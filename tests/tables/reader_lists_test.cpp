// SPDX-License-Identifier: Apache-2.0
// Readers of tables run the list of filters, and the list of manifests as folders on disk.
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "numpact/table_reader.hpp"
#include "support/filter_fixture.hpp"
#include "support/system.hpp"
#include "tables/manifest_cases.hpp"
#include "tables/memory_table.hpp"

namespace numpact {
namespace {

using table::Batch;
using table::Cursor;
using table::Failure;
using table::FilterComparison;
using table::Query;
using table::Reader;
using table::Scan;
using testing::FilterFixture;
using testing::FixtureColumn;

// ---- filters ----

// The columns that Pco cannot hold, as a product reads them: here their texts are in memory.
class TextColumns final : public table::OtherColumns {
 public:
  explicit TextColumns(const FilterFixture& fixture) : fixture_(fixture) {}

  Status bind(std::size_t test, std::size_t, const table::Other& other,
              std::span<const FilterComparison> comparisons, std::string& message) override {
    Bound& bound = bound_[test];
    bound.values = &fixture_.columns.at(other.name).values;
    if (other.type.starts_with("decimal")) {
      return table::DecimalFilter::bind(comparisons, &message).into(bound.decimal);
    }
    for (const FilterComparison& comparison : comparisons) {
      if (other.type == "list" && !comparison.values.empty()) {
        return Status(ErrorKind::kTypeMismatch, "lists are not compared");
      }
    }
    return table::TextFilter::bind(comparisons, false, &message).into(bound.text);
  }

  Status narrow(std::size_t test, std::size_t, std::uint64_t first,
                std::span<std::uint8_t> kept) override {
    const Bound& bound = bound_.at(test);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto& value = (*bound.values)[first + i];
      bool matches = false;
      if (bound.decimal) {
        matches = value ? bound.decimal->matches(*value) : bound.decimal->matches_null();
      } else {
        matches = value ? bound.text->matches(*value) : bound.text->matches_null();
      }
      kept[i] = kept[i] != 0 && matches ? 1 : 0;
    }
    return {};
  }

 private:
  struct Bound {
    const std::vector<std::optional<std::string>>* values = nullptr;
    std::optional<table::TextFilter> text = {};
    std::optional<table::DecimalFilter> decimal = {};
  };
  const FilterFixture& fixture_;
  std::map<std::size_t, Bound> bound_;
};

std::shared_ptr<testing::MemoryFiles> files_of(const FilterFixture& fixture) {
  auto files = std::make_shared<testing::MemoryFiles>(testing::MemoryFiles::As::kRanges);
  table::Manifest manifest;
  std::uint64_t position = 0;
  for (const auto& [name, column] : fixture.columns) {
    const auto type = testing::column_type(column.type);
    if (!type) {
      table::Part part;
      part.file = std::to_string(position) + ".arrow";
      part.rows = column.values.size();
      part.bytes = 3;  // decimals of few digits need version 4, which has checksums
      part.ends = {1, 2, 3};
      part.crc32 = {0, 0, 0};
      manifest.others.push_back({name, column.type, position++, part.rows, {part}});
      continue;
    }
    testing::ModelColumn made;
    made.described.name = std::to_string(position++);
    made.described.type = type->type;
    made.described.kind = type->kind;
    made.described.unit = type->unit;
    made.described.timezone = type->timezone;
    made.described.decimal = type->decimal;
    for (const auto& value : column.values) {
      made.rows.push_back(value ? std::optional(testing::bits_of(*value, type->type))
                                : std::nullopt);
    }
    EncodeConfig config;
    config.level = 1;
    config.trailer = TrailerSpec::index();
    config.paging = PagingSpec::equal_pages_up_to(3);
    testing::write_column(files->files, made, config);
    made.described.name = name;
    manifest.columns.push_back(made.described);
  }
  const std::string text = table::manifest_text(manifest).value();
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  files->files[table::kManifestName] = testing::Bytes(bytes, bytes + text.size());
  return files;
}

std::string selected(const Reader& reader, TextColumns& others, const std::string& filter) {
  auto conditions = reader.conditions(filter);
  if (!conditions.ok()) return "refused";
  Query query{.columns = {0}, .where = std::move(*conditions), .window_rows = 5, .others = &others};
  Failure failure;
  const auto scan = Scan::create(reader, query, &failure);
  if (!scan.ok()) {
    const bool is_pattern = failure.text.find(": like '") != std::string::npos;
    EXPECT_EQ(scan.status().kind(),
              is_pattern ? ErrorKind::kInvalidArgument : ErrorKind::kTypeMismatch)
        << failure.message();
    return "refused";
  }
  std::string rows;
  Cursor cursor = Cursor::create(*scan).value();
  cursor.start(scan->all());
  for (Batch batch; cursor.next(batch).ok() && batch.window_rows > 0;) {
    for (std::uint64_t i = 0; i < batch.window_rows; ++i) {
      if (!batch.kept.empty() && batch.kept[i] == 0) continue;
      rows += (rows.empty() ? "" : " ") + std::to_string(batch.first_row + i);
    }
  }
  return rows;
}

TEST(ReaderLists, Filters) {
  const FilterFixture fixture = testing::read_filter_fixture(NUMPACT_FILTERS);
  ASSERT_GT(fixture.lines.size(), 1000u);
  Failure failure;
  const auto opened = Reader::open(files_of(fixture), {}, &failure);
  ASSERT_TRUE(opened.ok()) << failure.message();
  for (const testing::FixtureLine& line : fixture.lines) {
    TextColumns others(fixture);
    EXPECT_EQ(selected(*opened, others, line.filter), line.expected) << line.filter;
  }
}

// ---- manifests ----

std::string shown(NumberType type, const std::byte* at) {
  const std::size_t size = size_of(type);
  const std::uint64_t bits = testing::load(at, size);
  if (kind_of(type) == NumberKind::kUnsigned) return std::to_string(bits);
  if (kind_of(type) == NumberKind::kSigned) {
    const unsigned unused = static_cast<unsigned>(64 - 8 * size);
    return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  std::ostringstream text;
  text << (size == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                     : std::bit_cast<double>(bits));
  return text.str();
}

// The values of a column as the list has them.
std::string values_of(const Reader& reader, Cursor& cursor, std::size_t position) {
  const table::Column& column = *reader.columns()[position].numbers;
  const auto rows = static_cast<std::size_t>(column.rows());
  std::vector<std::byte> numbers(8 * rows + 8);
  std::vector<std::uint8_t> valid(rows);
  Failure failure;
  const Status status = cursor.read(
      position, 0, MutableNumberView(column.type, numbers.data(), rows), valid, 0, &failure);
  if (!status.ok()) return failure.message();
  std::shared_ptr<const table::TextValues> texts;
  if (column.kind == table::Kind::kText) texts = reader.texts(position).value();
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string number = shown(column.type, numbers.data() + row * size_of(column.type));
    text += row == 0 ? "" : ",";
    if (valid[row] == 0) {
      text += "null";
    } else {
      text += texts == nullptr ? number : std::string((*texts)[std::stoul(number)]);
    }
  }
  return text;
}

class Folders : public ::testing::Test {
 protected:
  void SetUp() override {
    place_ = testing::system::new_folder("reader");
    path_ = std::filesystem::path(place_) / "table";
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  // A folder with a manifest and the files that those of the list name.
  std::string folder(const std::string& manifest) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(NUMPACT_MANIFESTS "/files", path_,
                          std::filesystem::copy_options::recursive);
    std::ofstream(path_ / table::kManifestName, std::ios::binary) << manifest;
    return path_.string();
  }
  // One with the first manifest of the list that is accepted and has numbers.
  std::string sound() {
    for (const testing::ManifestCase& one : testing::manifest_cases()) {
      if (one.is_accepted() && one.fields.size() == 5 &&
          one.fields[4].find(":number:") != std::string::npos) {
        return folder(one.text);
      }
    }
    return "";
  }

  std::string place_;
  std::filesystem::path path_;
};

TEST_F(Folders, OfTheListOfManifests) {
  for (const testing::ManifestCase& one : testing::manifest_cases()) {
    SCOPED_TRACE(one.fields[1]);
    const std::string place = folder(one.text);
    Failure failure;
    const auto reader = Reader::open(place, {}, &failure);
    ASSERT_EQ(reader.ok(), one.is_accepted()) << failure.message();
    if (!reader.ok()) {
      EXPECT_EQ(to_string(reader.status().kind()), one.fields[3]);
      EXPECT_NE(failure.text.find(one.fields[4]), std::string::npos) << failure.message();
      EXPECT_EQ(failure.file, place + "/manifest.json");
      continue;
    }
    ASSERT_EQ(reader->columns().size(), one.fields.size() - 4);
    for (std::size_t i = 0; i < reader->columns().size(); ++i) {
      if (reader->columns()[i].other != nullptr) {
        EXPECT_EQ(reader->load(i).kind(), ErrorKind::kTypeMismatch);
        continue;
      }
      const auto scan = Scan::create(*reader, Query{.columns = {i}}, &failure);
      ASSERT_TRUE(scan.ok()) << failure.message();
      Cursor cursor = Cursor::create(*scan).value();
      const std::string& expected = one.fields[4 + i];
      EXPECT_EQ(values_of(*reader, cursor, i), expected.substr(expected.rfind('=') + 1));
    }
    std::vector<std::size_t> all(reader->columns().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    if (all.size() > 1) {
      EXPECT_EQ(Scan::create(*reader, Query{.columns = all}).ok(), one.fields[3] != "apart");
    }
  }
}

TEST_F(Folders, StayTheSameUnderAReader) {
  const std::string place = sound();
  const Reader reader = Reader::open(place).value();
  const std::string file = reader.columns()[0].numbers->file;
  Cursor cursor = Cursor::create(Scan::create(reader, {}).value()).value();
  // Before a column was used. (Windows keeps files that are in use.)
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::string values = values_of(reader, cursor, 0);
  sound();
  const Reader again = Reader::open(place).value();
  EXPECT_EQ(values_of(again, cursor, 0), values);
  std::filesystem::remove(path_ / file);
  Failure failure;
  const Reader without = Reader::open(place).value();
  EXPECT_EQ(without.load(0, &failure).kind(), ErrorKind::kIo);
  EXPECT_EQ(failure.file, place + "/" + file);
  EXPECT_NE(failure.text.find("No such file"), std::string::npos) << failure.message();
}

TEST_F(Folders, AreOpenedByTheirPath) {
  Failure failure;
  EXPECT_EQ(Reader::open((path_ / "absent").string(), {}, &failure).status().kind(),
            ErrorKind::kIo);
  EXPECT_NE(failure.message().find("absent: No such file"), std::string::npos);
  std::filesystem::create_directories(path_);
  EXPECT_EQ(Reader::open(path_.string(), {}, &failure).status().kind(), ErrorKind::kIo);
  EXPECT_NE(failure.message().find("manifest.json: No such file"), std::string::npos);
}

TEST_F(Folders, SingleFiles) {
  std::filesystem::create_directories(path_);
  const std::string file = (path_ / "numbers.pco").string();
  const std::vector<std::uint16_t> numbers = {5, 7, 9};
  const auto bytes = compress(numbers).value();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const Reader reader = Reader::open_file(file).value();
  ASSERT_EQ(reader.columns().size(), 1u);
  EXPECT_EQ(reader.columns()[0].name(), "numbers");
  Cursor cursor = Cursor::create(Scan::create(reader, {}).value()).value();
  EXPECT_EQ(values_of(reader, cursor, 0), "5,7,9");
  EXPECT_EQ(reader.file_end().warning(), "");
  const auto write = [&](const std::vector<std::byte>& content) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
  };
  EncodeConfig indexed_config;
  indexed_config.trailer = TrailerSpec::index();
  const auto indexed = compress(numbers, indexed_config).value();
  for (const auto& first : {bytes, indexed}) {
    for (const auto& second : {bytes, indexed, std::vector<std::byte>(7)}) {
      std::vector<std::byte> joined = first;
      joined.insert(joined.end(), second.begin(), second.end());
      write(joined);
      const Reader of_joined = Reader::open_file(file).value();
      EXPECT_EQ(of_joined.columns()[0].rows(), 3u);
      EXPECT_NE(of_joined.file_end().warning(), "");
      EXPECT_EQ(of_joined.file_end().foreign_at.value_or(of_joined.file_end().file_bytes),
                first.size());
    }
  }
  write(indexed);
  EXPECT_EQ(Reader::open_file(file).value().file_end().warning(), "");
  Failure failure;
  EXPECT_EQ(Reader::open_file(path_.string(), {}, &failure).status().kind(), ErrorKind::kIo);
  std::ofstream(file, std::ios::binary) << "no Pco file";
  EXPECT_EQ(Reader::open_file(file, {}, &failure).status().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(failure.file, file);
}

TEST_F(Folders, HoldRegularFilesAlone) {
  if (!testing::system::has_links()) GTEST_SKIP();
  const auto outcome = [&](const std::function<void(const std::filesystem::path&)>& change,
                           std::string& text) {
    const std::string place = sound();
    const std::string file = Reader::open(place).value().columns()[0].numbers->file;
    std::filesystem::rename(path_ / file, path_ / "moved");
    change(path_ / file);
    Failure failure;
    const Status status = Reader::open(place).value().load(0, &failure);
    text = failure.text;
    return status.kind();
  };
  std::string text;
  using std::filesystem::create_symlink;
  EXPECT_EQ(outcome([](const auto& at) { create_symlink("moved", at); }, text), ErrorKind::kNone);
  EXPECT_EQ(outcome([&](const auto& at) { create_symlink(path_ / "moved", at); }, text),
            ErrorKind::kCorrupt);
  EXPECT_NE(text.find("leads out of the folder"), std::string::npos);
  EXPECT_EQ(outcome([](const auto& at) { create_symlink("..", at); }, text), ErrorKind::kCorrupt);
  EXPECT_EQ(outcome([](const auto& at) { create_symlink(at.filename(), at); }, text),
            ErrorKind::kIo);
  EXPECT_NE(text.find("lead back"), std::string::npos);
  EXPECT_EQ(outcome([](const auto& at) { std::filesystem::create_directory(at); }, text),
            ErrorKind::kIo);
  if (testing::system::make_named_pipe((path_ / "pipe").string())) {
    EXPECT_EQ(outcome([](const auto& at) { testing::system::make_named_pipe(at.string()); }, text),
              ErrorKind::kIo);
    EXPECT_EQ(text, "is not a regular file");
  }
  EXPECT_EQ(outcome([](const auto& at) { std::ofstream file(at); }, text), ErrorKind::kTruncated);
}

// More files than are mapped: their sizes and times are noted.
TEST_F(Folders, WithVeryManyFiles) {
  std::map<std::string, testing::Bytes> files;
  std::vector<testing::ModelColumn> columns;
  for (int c = 0; c < 4200; ++c) {
    testing::ModelColumn& column = columns.emplace_back();
    column.described.name = std::to_string(c);
    column.described.type = NumberType::kU8;
    column.rows = {static_cast<std::uint64_t>(c % 100), 7};
    EncodeConfig config;
    config.level = 0;
    testing::write_column(files, column, config);
  }
  testing::write_manifest(files, columns);
  std::filesystem::create_directories(path_);
  for (const auto& [name, bytes] : files) {
    std::ofstream(path_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  const Reader reader = Reader::open(path_.string()).value();
  Cursor cursor = Cursor::create(Scan::create(reader, {}).value()).value();
  EXPECT_EQ(values_of(reader, cursor, 4123), "23,7");
  // A file that is replaced before it is used belongs to another version.
  std::filesystem::copy_file(path_ / "5.pco", path_ / "new");
  std::filesystem::rename(path_ / "new", path_ / "6.pco");
  EXPECT_NE(values_of(reader, cursor, 6).find("was replaced after the table was opened"),
            std::string::npos);
  EXPECT_EQ(values_of(reader, cursor, 4123), "23,7");
}

}  // namespace
}  // namespace numpact
