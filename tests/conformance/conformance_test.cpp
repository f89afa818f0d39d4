// SPDX-License-Identifier: Apache-2.0
// Files of other writers decode to the numbers they are known to hold, by all functions.
#include <gtest/gtest.h>

#include "support/fixtures.hpp"

namespace numpact::testing {
namespace {

class GoodFile : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string& name = GetParam();
    file_ = read_file(fixture_path(name + ".pco"));
    numbers_ = name.starts_with("made/") ? read_npy(fixture_path(name + ".npy"))
                                         : conformance_numbers(name);
  }
  Bytes file_;
  Numbers numbers_;
};

TEST_P(GoodFile, DecompressAny) { EXPECT_TRUE(same_numbers(decompressed(file_), numbers_)); }

TEST_P(GoodFile, DecompressOfType) {
  visit_type(numbers_.type(), [&](auto value) {
    const auto got = decompress<decltype(value)>(file_).value();
    EXPECT_TRUE(same_numbers(from_values(got), numbers_));
  });
}

TEST_P(GoodFile, DecompressInto) {
  Numbers out = zeros(numbers_.type(), numbers_.count());
  std::size_t count = 0;
  ASSERT_OK(count_into(decompress_into(file_, writable(out)), count));
  EXPECT_EQ(count, numbers_.count());
  EXPECT_TRUE(same_numbers(out, numbers_));
}

TEST_P(GoodFile, DecompressIntoTooSmallBuffer) {
  const std::size_t buffer = numbers_.count() == 0 ? 0 : numbers_.count() - 1;
  Numbers out = zeros(numbers_.type(), buffer);
  std::size_t count = 0;
  const Status status = count_into(decompress_into(file_, writable(out)), count);
  if (numbers_.count() == 0) {
    EXPECT_OK(status);  // an empty buffer suffices for no numbers
  } else {
    EXPECT_KIND(status, kOutputTooSmall);
  }
  EXPECT_LE(count, buffer);
}

TEST_P(GoodFile, OtherTypesMismatch) {
  for (const NumberType type : kNumberTypes) {
    if (type == numbers_.type()) continue;
    Numbers out = zeros(type, numbers_.count());
    std::size_t count = 0;
    EXPECT_KIND(count_into(decompress_into(file_, writable(out)), count), kTypeMismatch)
        << name_of(type);
    EXPECT_EQ(count, 0u);
  }
}

TEST_P(GoodFile, CountAndHeader) {
  std::uint64_t count = 0;
  ASSERT_OK(count_numbers(file_).into(count));
  EXPECT_EQ(count, numbers_.count());
  EXPECT_EQ(read_header(file_).value().number_type, numbers_.type());
}

TEST_P(GoodFile, CompressesAgain) {
  const Bytes again = compressed(numbers_);
  EXPECT_TRUE(same_numbers(decompressed(again), numbers_));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

std::vector<std::string> typed_names() {
  std::vector<std::string> names = conformance_names();
  std::erase(names, kTypelessEmpty);
  return names;
}

std::vector<std::string> made_names() {
  std::vector<std::string> names = names_in("made");
  for (std::string& name : names) name = "made/" + name;
  return names;
}

INSTANTIATE_TEST_SUITE_P(Releases, GoodFile, ::testing::ValuesIn(typed_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Made, GoodFile, ::testing::ValuesIn(made_names()), test_name);

TEST(Fixtures, AreAllThere) {
  EXPECT_EQ(names_in("").size(), 13u);
  for (const std::string& name : conformance_names()) {
    EXPECT_FALSE(read_file(fixture_path(name + ".pco")).empty()) << name;
  }
  EXPECT_EQ(names_in("made").size(), 46u);
}

TEST(TypelessEmpty, FitsEveryType) {
  const Bytes file = read_file(fixture_path(std::string(kTypelessEmpty) + ".pco"));
  for (const NumberType type : kNumberTypes) {
    Numbers out = zeros(type, 3);
    std::size_t count = 9;
    EXPECT_OK(count_into(decompress_into(file, writable(out)), count)) << name_of(type);
    EXPECT_EQ(count, 0u);
    visit_type(type,
               [&](auto value) { EXPECT_TRUE(decompress<decltype(value)>(file).value().empty()); });
  }
}

TEST(TypelessEmpty, IsOfNoTypeByItself) {
  const Bytes file = read_file(fixture_path(std::string(kTypelessEmpty) + ".pco"));
  Numbers out;
  EXPECT_KIND(decompress_any(file).into(out), kTypeMismatch);
  EXPECT_FALSE(read_header(file).value().number_type.has_value());
  std::uint64_t count = 9;
  EXPECT_OK(count_numbers(file).into(count));
  EXPECT_EQ(count, 0u);
}

TEST(TypelessEmpty, DamagedIsNotCalledMismatched) {
  Bytes file = read_file(fixture_path(std::string(kTypelessEmpty) + ".pco"));
  file.pop_back();
  Numbers out;
  EXPECT_KIND(decompress_any(file).into(out), kTruncated);
}

}  // namespace
}  // namespace numpact::testing
