// SPDX-License-Identifier: Apache-2.0
// A file in a folder of its own, for tests of functions that change files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/fixtures.hpp"
#include "support/numbers.hpp"
#include "support/system.hpp"

namespace numpact::testing {

// Nothing but the file is left in the folder by a test, such as a temporary file.
class FileInFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = system::new_folder("numpact_append");
    path_ = folder_ + "/numbers.pco";
  }
  void TearDown() override {
    EXPECT_EQ(files_left(), std::filesystem::exists(path_) ? 1 : 0);
    std::filesystem::remove_all(folder_);
  }

  void put(ByteSpan bytes) const {
    std::ofstream stream(path_, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(stream.flush());
  }
  Bytes get() const { return read_file(path_); }
  std::ptrdiff_t files_left() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
  // The function fails on a file of these bytes and changes nothing.
  template <class Function>
  void expect_refused(ByteSpan bytes, ErrorKind kind, Function&& change) const {
    put(bytes);
    const Status status = change(path_);
    EXPECT_STREQ(to_string(status.kind()), to_string(kind)) << status.message();
    EXPECT_TRUE(same_bytes(get(), bytes));
  }

  std::string folder_;
  std::string path_;
};

inline Numbers joined(const Numbers& first, const Numbers& second) {
  Numbers all = first;
  all.storage().insert(all.storage().end(), raw(second).begin(), raw(second).end());
  return all;
}

}  // namespace numpact::testing
