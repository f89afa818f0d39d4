// SPDX-License-Identifier: Apache-2.0
// A process that adds rows to a collection is killed at each of its system calls: the collection
// has the old rows or all.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "numpact/cvc/collection.hpp"
#include "support/killed.hpp"
#include "support/system.hpp"

#if defined(__linux__)

namespace numpact {
namespace {

bool append(const std::string& path, float first, std::size_t rows) {
  cvc::WriteConfig config;
  config.columns = {{"v", 2, cvc::Dtype::kFloat32, cvc::Compression::kNone}};
  auto writer = cvc::CollectionWriter::open(path, config);
  if (!writer.ok()) return false;
  std::vector<float> values;
  for (std::size_t i = 0; i < 2 * rows; ++i) values.push_back(first + static_cast<float>(i));
  return writer->file().append(cvc::Rows(values, 2)).ok() && writer->commit().ok();
}

std::vector<float> rows_of(const std::string& path) {
  table::Failure failure;
  const auto reader = cvc::open_collection(path, {}, &failure);
  EXPECT_TRUE(reader.ok()) << failure.message();
  if (!reader.ok()) return {};
  EXPECT_TRUE(reader->verify().value().bad.empty());
  return reader->read_all().value();
}

TEST(CollectionCrash, LeavesTheOldRowsOrAll) {
  if (!testing::may_trace()) GTEST_SKIP() << "processes may not be traced here";
  const std::string place = testing::system::new_folder("collection_crash");
  const std::string path = place + "/vectors";
  ASSERT_TRUE(append(path, 0, 100));
  std::size_t expected = 100;
  int calls = 0;
  std::size_t kept = 0;
  while (testing::is_killed(calls, [&] { return append(path, 1e6F, 10); })) {
    const std::vector<float> rows = rows_of(path);
    ASSERT_TRUE(rows.size() == 2 * expected || rows.size() == 2 * (expected + 10)) << calls;
    if (rows.size() != 2 * expected) ++kept;
    expected = rows.size() / 2;
    for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(rows[i], static_cast<float>(i));
    ++calls;
    if (calls % 5 != 0) continue;
    // The next writer removes what was left.
    ASSERT_TRUE(append(path, 2e6F, 5)) << calls;
    expected += 5;
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      files.insert(entry.path().filename().string());
    }
    EXPECT_EQ(files.size(), 2U) << calls;
  }
  EXPECT_EQ(rows_of(path).size(), 2 * (expected + 10));
  EXPECT_GT(calls, 20);
  EXPECT_GT(kept, 0U);
  std::filesystem::remove_all(place);
}

// The first append makes the folder and its index.
TEST(CollectionCrash, MakesACollectionOrNone) {
  if (!testing::may_trace()) GTEST_SKIP() << "processes may not be traced here";
  const std::string place = testing::system::new_folder("collection_crash_new");
  const std::string path = place + "/vectors";
  int calls = 0;
  for (; testing::is_killed(calls, [&] { return append(path, 0, 10); }); ++calls) {
    table::Failure failure;
    const auto reader = cvc::open_collection(path, {}, &failure);
    if (reader.ok()) {
      EXPECT_EQ(reader->rows(), 10U);
    }
    ASSERT_TRUE(append(path, 0, 5)) << calls;
    EXPECT_EQ(rows_of(path).size(), reader.ok() ? 30U : 10U) << calls;
    std::filesystem::remove_all(path);
  }
  EXPECT_GT(calls, 20);
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace numpact
#endif
