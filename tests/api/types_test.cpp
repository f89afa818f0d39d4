// SPDX-License-Identifier: Apache-2.0
// Names, values and messages visible to callers.
#include <gtest/gtest.h>

#include <set>

#include "support/numbers.hpp"

namespace numpact::testing {
namespace {

TEST(NumberTypes, NamesAndTypesCorrespond) {
  std::set<std::string_view> names;
  for (const NumberType type : kNumberTypes) {
    names.insert(name_of(type));
    EXPECT_EQ(number_type_of_name(name_of(type)), type);
    EXPECT_TRUE(is_number_type(static_cast<std::uint8_t>(type)));
  }
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(number_type_of_name("uint8"), NumberType::kU8);
  EXPECT_EQ(number_type_of_name("int64"), NumberType::kI64);
  EXPECT_EQ(number_type_of_name("float16"), NumberType::kF16);
  for (const char* name : {"", "f8", "u128", "U8", "bool", "float"}) {
    EXPECT_FALSE(number_type_of_name(name).has_value()) << name;
  }
  EXPECT_FALSE(is_number_type(0));
  EXPECT_FALSE(is_number_type(12));
}

TEST(NumberTypes, OfCppTypes) {
  for (const NumberType type : kNumberTypes) {
    visit_type(type, [&](auto value) {
      EXPECT_EQ(kNumberTypeOf<decltype(value)>, type);
      EXPECT_EQ(sizeof(value), size_of(type));
    });
  }
  EXPECT_EQ(kNumberTypeOf<long long>, NumberType::kI64);
  // long has 32 bits on Windows.
  EXPECT_EQ(kNumberTypeOf<unsigned long>, sizeof(long) == 8 ? NumberType::kU64 : NumberType::kU32);
  static_assert(!Number<bool> && !Number<long double> && !Number<const char*>);
}

TEST(NumberTypes, BytesInFiles) {
  const std::pair<NumberType, int> bytes[] = {
      {NumberType::kU32, 1}, {NumberType::kU64, 2}, {NumberType::kI32, 3}, {NumberType::kI64, 4},
      {NumberType::kF32, 5}, {NumberType::kF64, 6}, {NumberType::kU16, 7}, {NumberType::kI16, 8},
      {NumberType::kF16, 9}, {NumberType::kU8, 10}, {NumberType::kI8, 11}};
  for (const auto& [type, byte] : bytes) {
    EXPECT_EQ(static_cast<int>(type), byte);
    EXPECT_EQ(std::to_integer<int>(compressed(zeros(type, 0)).at(5)), byte);
  }
}

TEST(Errors, KindsAreNamedApart) {
  const ErrorKind kinds[] = {ErrorKind::kNone,
                             ErrorKind::kInvalidArgument,
                             ErrorKind::kTypeMismatch,
                             ErrorKind::kOutputTooSmall,
                             ErrorKind::kCorrupt,
                             ErrorKind::kTruncated,
                             ErrorKind::kUnsupportedVersion,
                             ErrorKind::kChecksum,
                             ErrorKind::kLimitExceeded,
                             ErrorKind::kOutOfMemory,
                             ErrorKind::kIo,
                             ErrorKind::kTimedOut,
                             ErrorKind::kCancelled,
                             ErrorKind::kUnavailable,
                             ErrorKind::kDevice};
  std::set<std::string> names;
  for (const ErrorKind kind : kinds) names.insert(to_string(kind));
  EXPECT_EQ(names.size(), std::size(kinds));
}

TEST(Errors, MessageSaysKindReasonAndPlace) {
  const Status status = Status(ErrorKind::kCorrupt, "the reason", 17).at_chunk(3);
  const std::string message = status.message();
  for (const char* part : {"corrupt", "the reason", "17", "3"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_EQ(status.shifted(100).offset(), 117u);
  EXPECT_EQ(status.shifted(100).chunk(), 3u);
  const Status placeless(ErrorKind::kIo, "the reason");
  EXPECT_EQ(placeless.shifted(100).offset(), Status::kNoOffset);
  EXPECT_EQ(placeless.message().find("byte"), std::string::npos);
}

TEST(Errors, ErrorCarriesItsStatus) {
  const Error error(Status(ErrorKind::kTruncated, "the reason", 5).at_chunk(2), "file.pco");
  EXPECT_EQ(error.kind(), ErrorKind::kTruncated);
  EXPECT_EQ(error.offset(), 5u);
  EXPECT_EQ(error.chunk(), 2u);
  EXPECT_NE(std::string(error.what()).find("file.pco"), std::string::npos);
  EXPECT_NE(std::string(error.what()).find("the reason"), std::string::npos);
}

TEST(Errors, ResultThrowsWithoutAValue) {
  Result<int> good(5);
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 5);
  Result<int> bad(Status(ErrorKind::kIo, "the reason"));
  EXPECT_FALSE(bad.ok());
  EXPECT_THROW((void)bad.value(), Error);
}

TEST(NumberArrays, GiveTheirOwnTypeOnly) {
  const std::vector<std::int16_t> values = {-1, 0, 1};
  const Numbers numbers = from_values(values);
  EXPECT_EQ(numbers.as<std::int16_t>().value()[0], -1);
  EXPECT_EQ(numbers.count(), 3u);
  EXPECT_THROW((void)numbers.as<std::uint16_t>().value(), Error);
  EXPECT_EQ(NumberArray().count(), 0u);
}

TEST(FileHeaders, OfDamagedFiles) {
  FileHeader header;
  EXPECT_KIND(read_header({}).into(header), kTruncated);
  const Bytes file = compressed(from_values<std::uint8_t>({1}));
  for (std::size_t n = 0; n + 1 < file.size(); ++n) {
    const ExactCopy cut(ByteSpan(file).first(n));
    const Status status = read_header(cut.span()).into(header);
    if (n >= 9) {
      EXPECT_OK(status);
    } else {
      EXPECT_KIND(status, kTruncated) << n;
    }
  }
  EXPECT_THROW((void)read_header({}).value(), Error);
}

}  // namespace
}  // namespace numpact::testing
