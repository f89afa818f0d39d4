// SPDX-License-Identifier: Apache-2.0
// Contents of Status and Result, and the arrays that functions accept as they are.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/numbers.hpp"

namespace numpact::testing {
namespace {

TEST(Outcome, ResultWithoutAValueThrows) {
  const Status truncated(ErrorKind::kTruncated, "the bytes end", 17);
  Result<int> result = truncated;
  EXPECT_FALSE(result.ok());
  try {
    (void)result.value("some.pco");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTruncated);
    EXPECT_EQ(error.offset(), 17u);
    EXPECT_STREQ(error.what(), "some.pco: truncated: the bytes end (at byte 17)");
  }
  EXPECT_THROW((void)std::as_const(result).value(), Error);
  // value() of an rvalue is a function of its own. NOLINTNEXTLINE(performance-move-const-arg)
  EXPECT_THROW((void)std::move(result).value(), Error);
  EXPECT_THROW((void)Result<int>(Status()).value(), Error);
  EXPECT_THROW(throw_if_error(truncated), Error);
  EXPECT_NO_THROW(throw_if_error(Status()));
}

TEST(Outcome, ErrorNamesTheReasonOfTheSystem) {
  const Status status = Status(ErrorKind::kIo, "cannot be opened").because_of(ENOENT);
  EXPECT_EQ(status.system_error(), ENOENT);
  EXPECT_EQ(status.message(), "input/output error: cannot be opened");
  EXPECT_STREQ(Error(status, "a").what(),
               "a: input/output error: cannot be opened: No such file or directory");
}

TEST(Outcome, IntoMovesTheValue) {
  std::vector<int> out = {9};
  EXPECT_OK(Result<std::vector<int>>(std::vector<int>{1, 2}).into(out));
  EXPECT_EQ(out, (std::vector<int>{1, 2}));
  EXPECT_KIND(Result<std::vector<int>>(Status(ErrorKind::kIo, "")).into(out), kIo);
  EXPECT_EQ(out, (std::vector<int>{1, 2}));  // unchanged
}

TEST(Outcome, EveryContiguousRangeIsTaken) {
  const std::vector<double> vector = {1.5, 2.5, 2.5};
  std::vector<double> writable_vector = vector;
  const std::array<double, 3> array = {1.5, 2.5, 2.5};
  const double plain[] = {1.5, 2.5, 2.5};
  const Bytes file = compress(vector).value();
  EXPECT_EQ(compress(writable_vector).value(), file);
  EXPECT_EQ(compress(array).value(), file);
  EXPECT_EQ(compress(plain).value(), file);
  EXPECT_EQ(compress(std::span(vector)).value(), file);
  EXPECT_EQ(compress(std::span(writable_vector)).value(), file);
  EXPECT_EQ(compress(std::span<const double, 3>(array)).value(), file);

  std::array<double, 3> array_out{};
  EXPECT_EQ(decompress_into(file, array_out).value(), 3u);
  EXPECT_EQ(array_out, array);
  double plain_out[3] = {};
  EXPECT_EQ(decompress_into(file, plain_out).value(), 3u);
  EXPECT_EQ(plain_out[2], 2.5);
  std::vector<double> vector_out(3);
  EXPECT_EQ(decompress_into(file, std::span(vector_out).first(3)).value(), 3u);
  EXPECT_EQ(vector_out, vector);

  // A view of a temporary would outlive it; bytes are no numbers.
  static_assert(!std::is_convertible_v<std::vector<double>, NumberView>);
  static_assert(!std::is_convertible_v<const std::vector<double>&, MutableNumberView>);
  static_assert(!std::is_convertible_v<std::vector<std::byte>&, NumberView>);
}

TEST(Outcome, GoodNumbersAfterAnError) {
  const std::vector<std::uint32_t> numbers = {1, 2, 3, 4, 5, 6, 7};
  EncodeConfig config;
  config.paging = PagingSpec::exact({3, 4});
  Bytes file = compress(numbers, config).value();
  file.resize(inspect(file).value().chunks[1].offset);
  std::vector<std::uint32_t> out(7);
  const Result<std::size_t> count = decompress_into(file, out);
  EXPECT_KIND(count, kTruncated);
  EXPECT_EQ(count.status().good_numbers(), 3u);
  EXPECT_EQ(std::vector(out.begin(), out.begin() + 3), (std::vector<std::uint32_t>{1, 2, 3}));

  MemorySource source(file);
  StreamReader reader(source);
  const Status status = reader.read(out).status();
  EXPECT_KIND(status, kTruncated);
  EXPECT_EQ(status.good_numbers(), 3u);
  EXPECT_EQ(reader.read(out).status().good_numbers(), 0u);  // of the later call

  Bytes type_mismatch = compress(numbers).value();
  std::vector<float> floats(7);
  EXPECT_EQ(decompress_into(type_mismatch, floats).status().good_numbers(), 0u);
}

}  // namespace
}  // namespace numpact::testing
