// SPDX-License-Identifier: Apache-2.0
// The second decoder on files of other writers, valid and invalid.
#include <gtest/gtest.h>

#include "second/compare.hpp"
#include "support/fixtures.hpp"

namespace numpact::testing {
namespace {

TEST(SecondPco, ConformanceFiles) {
  for (const std::string& name : conformance_names()) {
    const second::PlainNumbers got = second::decode_pco(read_file(fixture_path(name + ".pco")));
    ASSERT_TRUE(got.accepted()) << name << ": " << got.refusal.reason;
    if (name == kTypelessEmpty) {
      EXPECT_TRUE(got.numbers.empty());
      EXPECT_EQ(got.type, 0);
    } else {
      EXPECT_TRUE(same_as_plain(conformance_numbers(name), got)) << name;
    }
  }
}

TEST(SecondPco, MadeFiles) {
  const std::vector<Fixture> files = good_fixtures();
  EXPECT_GT(files.size(), 40u);
  for (const Fixture& fixture : files) {
    EXPECT_TRUE(same_as_plain(fixture.numbers, second::decode_pco(fixture.file))) << fixture.name;
  }
}

TEST(SecondPco, RefusedFiles) {
  const std::vector<std::string> names = names_in("made/refused");
  EXPECT_GT(names.size(), 30u);
  for (const std::string& name : names) {
    const Bytes file = read_file(fixture_path("made/refused/" + name + ".pco"));
    EXPECT_FALSE(second::decode_pco(file).accepted()) << name;
  }
}

}  // namespace
}  // namespace numpact::testing
