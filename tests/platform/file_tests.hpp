// SPDX-License-Identifier: Apache-2.0
// A folder for each test, and files as texts.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal.hpp"
#include "platform/files.hpp"
#include "platform/folders.hpp"
#include "support/fixtures.hpp"
#include "support/system.hpp"

namespace numpact::testing {

using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Bytes of every value.
inline std::string some_text(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
  return text;
}

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = system::new_folder("numpact_platform"); }
  void TearDown() override { internal::platform::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, std::string_view text) const {
    (void)internal::platform::remove_file(path(name));
    const int file =
        internal::platform::create_file(path(name), internal::platform::Access::kWrite, false);
    ASSERT_GE(file, 0) << path(name);
    ASSERT_EQ(internal::platform::write_some(file, bytes_of(text)),
              static_cast<std::int64_t>(text.size()));
    ASSERT_TRUE(internal::platform::close_file(file));
  }
  std::string get(const std::string& name) const {
    const int file = internal::platform::open_file(path(name), internal::platform::Access::kRead);
    if (file < 0) return "(none)";
    std::string text;
    std::vector<std::byte> block(1 << 16);
    while (true) {
      const std::int64_t got = internal::platform::read_some(file, block);
      if (got <= 0) break;
      text += text_of(std::span(block).first(static_cast<std::size_t>(got)));
    }
    internal::platform::close_file(file);
    return text;
  }

  std::string folder_;
};

}  // namespace numpact::testing
