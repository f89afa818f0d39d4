// SPDX-License-Identifier: Apache-2.0
// Recognition of other formats by their first bytes.
#include "signature/file_format.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace numpact::internal::signature {
namespace {

using std::string_view_literals::operator""sv;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A file of the format, as far as it is looked at.
std::string made(const FileFormat& format) {
  std::string file(kFrontBytes, '\0');
  for (const Mark& mark : {format.mark, format.second_mark}) {
    file.replace(mark.at, mark.bytes.size(), mark.bytes);
  }
  return file;
}

TEST(FileFormat, EachIsFoundByItsOwnMarkAndNotByLess) {
  for (const FileFormat& format : kFormats) {
    if (&format == &kText) continue;
    const std::string file = made(format);
    EXPECT_EQ(find(bytes_of(file)), &format) << format.name;
    const std::string_view all = file;
    const std::size_t end = format.mark.at + format.mark.bytes.size();
    for (std::size_t size = 0; size < end; ++size) {
      EXPECT_NE(find(bytes_of(all.substr(0, size))), &format) << format.name << ", " << size;
    }
    std::string other = file;
    other[format.mark.at] = static_cast<char>(other[format.mark.at] ^ 1);
    EXPECT_NE(find(bytes_of(other)), &format) << format.name;
  }
}

TEST(FileFormat, MarksAreWithinTheFrontAndAdviceIsGiven) {
  for (const FileFormat& format : kFormats) {
    EXPECT_LE(format.mark.at + format.mark.bytes.size(), kFrontBytes) << format.name;
    EXPECT_TRUE(format.name.starts_with("a ") || format.name.starts_with("an ")) << format.name;
    EXPECT_FALSE(format.pco_advice.empty() || format.cvc_advice.empty()) << format.name;
  }
}

TEST(FileFormat, TextIsRecognisedByItsCharacters) {
  EXPECT_EQ(find(bytes_of("a,b\n1,2\n")), &kText);
  EXPECT_EQ(find(bytes_of("\xef\xbb\xbf"
                          "a\tb\r\n1\t2\r\n")),
            &kText);
  EXPECT_EQ(find(bytes_of("a,b\n1,2")), nullptr);  // too short to tell
  EXPECT_EQ(find(bytes_of("a,b\n1,2\n\x01")), nullptr);
  EXPECT_EQ(find(bytes_of("")), nullptr);
  EXPECT_EQ(find(bytes_of("\xff\xff\xff\xff\xff\xff\xff\xff"sv)), nullptr);  // no IPC stream
}

TEST(FileFormat, RefusalsNameFormatAndCommand) {
  EXPECT_STREQ(refusal(bytes_of("PAR1"), Expected::kPco, "?"),
               "another format: this is a Parquet file, not a standalone Pco file; "
               "'numpact compress FILE' reads it");
  EXPECT_STREQ(refusal(bytes_of("pco!"), Expected::kCvc, "?"),
               "another format: this is a standalone Pco file, not a CVC file; "
               "'numpact decompress FILE' reads it");
  EXPECT_STREQ(refusal(bytes_of("\x01\x02"), Expected::kPco, "?"), "?");
}

}  // namespace
}  // namespace numpact::internal::signature
