// SPDX-License-Identifier: Apache-2.0
#include "numpact/file_access.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "numpact/file_lock.hpp"
#include "support/fixtures.hpp"
#include "support/system.hpp"

namespace numpact::testing {
namespace {

class MappedFileTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = system::new_folder("numpact_map"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string make(const std::string& name, ByteSpan bytes) const {
    std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string folder_;
};

TEST_F(MappedFileTest, HoldsTheBytes) {
  Bytes bytes(100001);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  const std::string path = make("some", bytes);
  MappedFile file = MappedFile::open(path).value();
  EXPECT_TRUE(same_bytes(file.bytes(), bytes));
  const std::byte* const at = file.bytes().data();
  MappedFile other(std::move(file));
  EXPECT_EQ(other.bytes().data(), at);
  EXPECT_TRUE(file.bytes().empty());  // NOLINT(bugprone-use-after-move)
  file = std::move(other);
  EXPECT_EQ(file.bytes().data(), at);
  EXPECT_TRUE(same_bytes(file.bytes(), bytes));
  // A mapping is unaffected when the file is replaced.
  ASSERT_OK(replace_file(make("another", ByteSpan(bytes).first(5)), path));
  EXPECT_TRUE(same_bytes(file.bytes(), bytes));
  ASSERT_OK(MappedFile::open(path).into(file));
  EXPECT_EQ(file.bytes().size(), 5u);
}

TEST_F(MappedFileTest, EmptyFile) {
  EXPECT_TRUE(MappedFile::open(make("empty", {})).value().bytes().empty());
  EXPECT_TRUE(MappedFile().bytes().empty());
}

TEST_F(MappedFileTest, ErrorsNameThePathAndTheReason) {
  const std::string missing = folder_ + "/missing";
  try {
    (void)MappedFile::open(missing).value(missing);
    FAIL();
  } catch (const Error& error) {
    EXPECT_KIND(error.status(), kIo);
    EXPECT_EQ(error.status().system_error(), ENOENT);
    EXPECT_NE(std::string(error.what()).find(missing), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
  EXPECT_THROW((void)MappedFile::open(folder_).value(), Error);
  const std::string pipe = folder_ + "/pipe";
  const bool has_pipe = system::make_named_pipe(pipe);
  if (has_pipe) {
    EXPECT_THROW((void)MappedFile::open(pipe).value(), Error);
  }

  MappedFile file;
  EXPECT_KIND(MappedFile::open(missing).into(file), kIo);
  EXPECT_TRUE(file.bytes().empty());
  EXPECT_KIND(MappedFile::open(folder_).into(file), kIo);
  EXPECT_KIND(MappedFile::open(pipe).into(file), kIo);
}

}  // namespace
}  // namespace numpact::testing
