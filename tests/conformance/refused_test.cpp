// SPDX-License-Identifier: Apache-2.0
// Files that break one rule each are refused, with the kind of error that names the reason.
#include <gtest/gtest.h>

#include <map>

#include "support/fixtures.hpp"

namespace numpact::testing {
namespace {

// All others: kCorrupt.
const std::map<std::string, ErrorKind>& other_kinds() {
  static const std::map<std::string, ErrorKind> kinds = {
      {"cut_in_metadata", ErrorKind::kTruncated},
      {"cut_in_page", ErrorKind::kTruncated},
      {"dict_longer_than_file", ErrorKind::kTruncated},
      {"header_only", ErrorKind::kTruncated},
      {"no_terminator", ErrorKind::kTruncated},
      {"format_version_5", ErrorKind::kUnsupportedVersion},
      {"standalone_version_4", ErrorKind::kUnsupportedVersion},
  };
  return kinds;
}

// Faults that only decoding the numbers shows.
bool inspect_accepts(const std::string& name) {
  return name == "dict_empty" || name == "dict_index_past_end" || name == "lookback_17_window_16";
}

ErrorKind stream_kind(ByteSpan file, NumberType type, std::size_t block) {
  MemorySource source(file, block);
  StreamReader reader(source);
  Numbers out = zeros(type, 1000);
  while (true) {
    std::size_t count = 0;
    const Status status = count_into(reader.read(writable(out)), count);
    if (!status.ok()) return status.kind();
    if (count < out.count()) return ErrorKind::kNone;
  }
}

class RefusedFile : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    file_ = read_file(fixture_path("made/refused/" + GetParam() + ".pco"));
    const auto found = other_kinds().find(GetParam());
    kind_ = found == other_kinds().end() ? ErrorKind::kCorrupt : found->second;
  }
  const char* expected() const { return to_string(kind_); }
  // The type that the file states; any type if it states none.
  NumberType type() const {
    FileHeader header;
    (void)read_header(file_).into(header).ok();
    return header.number_type.value_or(NumberType::kU32);
  }
  Bytes file_;
  ErrorKind kind_ = ErrorKind::kNone;
};

TEST_P(RefusedFile, DecompressAny) {
  Numbers out;
  const Status status = decompress_any(file_).into(out);
  EXPECT_STREQ(to_string(status.kind()), expected()) << status.message();
  EXPECT_STRNE(status.what(), "");
  EXPECT_NE(status.offset(), Status::kNoOffset);
  EXPECT_LE(status.offset(), file_.size());
}

TEST_P(RefusedFile, DecompressInto) {
  Numbers out = zeros(type(), 100000);
  std::size_t count = 0;
  const Status status = count_into(decompress_into(file_, writable(out)), count);
  EXPECT_STREQ(to_string(status.kind()), expected()) << status.message();
}

TEST_P(RefusedFile, Throws) {
  try {
    (void)decompress_any(file_).value();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind_);
    EXPECT_NE(std::string(error.what()).find(to_string(kind_)), std::string::npos) << error.what();
  }
}

TEST_P(RefusedFile, Streams) {
  for (const std::size_t block : {std::size_t{1}, std::size_t{7}, file_.size()}) {
    EXPECT_STREQ(to_string(stream_kind(file_, type(), block)), expected()) << block;
  }
}

TEST_P(RefusedFile, InspectAndCount) {
  FileInfo info;
  std::uint64_t count = 0;
  if (inspect_accepts(GetParam())) {
    EXPECT_OK(inspect_into(file_, info));
    EXPECT_OK(count_numbers(file_).into(count));
    return;
  }
  EXPECT_STREQ(to_string(inspect_into(file_, info).kind()), expected());
  EXPECT_STREQ(to_string(count_numbers(file_).into(count).kind()), expected());
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Made, RefusedFile, ::testing::ValuesIn(names_in("made/refused")),
                         test_name);

TEST(RefusedFiles, AreAllThere) {
  EXPECT_EQ(names_in("made/refused").size(), 51u);
  for (const auto& [name, kind] : other_kinds()) {
    EXPECT_FALSE(read_file(fixture_path("made/refused/" + name + ".pco")).empty());
  }
}

}  // namespace
}  // namespace numpact::testing
