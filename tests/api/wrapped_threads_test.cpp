// SPDX-License-Identifier: Apache-2.0
// Headers of the wrapped format, input that encoders reject, and concurrent use of one chunk.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

TEST(WrappedHeader, IsTheCurrentVersion) {
  const Bytes header = wrapped::encode_file_header();
  wrapped::DecodedHeader decoded;
  ASSERT_OK(wrapped::decode_file_header(header).into(decoded));
  EXPECT_EQ(decoded.size, 2u);
  EXPECT_EQ(decoded.version.major, 4u);
  EXPECT_EQ(decoded.version.minor, 1u);
}

TEST(WrappedHeader, EveryVersion) {
  for (unsigned major = 0; major < 256; ++major) {
    const ExactCopy header(Bytes{static_cast<std::byte>(major), std::byte{200}});
    wrapped::DecodedHeader decoded{{99, 99}, 0};
    const Status status = wrapped::decode_file_header(header.span()).into(decoded);
    if (major > 4) {
      EXPECT_KIND(status, kUnsupportedVersion) << major;
      continue;
    }
    EXPECT_OK(status);
    EXPECT_EQ(decoded.version.major, major);
    EXPECT_EQ(decoded.version.minor, major == 4 ? 200u : 0u);
    EXPECT_EQ(decoded.size, major == 4 ? 2u : 1u);
  }
}

TEST(WrappedHeader, Truncated) {
  EXPECT_KIND(wrapped::decode_file_header({}), kTruncated);
  const ExactCopy major(Bytes{std::byte{4}});
  EXPECT_KIND(wrapped::decode_file_header(major.span()), kTruncated);
  const ExactCopy old(Bytes{std::byte{3}});
  EXPECT_OK(wrapped::decode_file_header(old.span()));
}

TEST(WrappedChunk, NewerVersionsAreRefused) {
  const Bytes meta(100);
  EXPECT_KIND(wrapped::ChunkDecoder::create(meta, NumberType::kU8, {5, 0}).status(),
              kUnsupportedVersion);
}

TEST(WrappedChunk, InvalidInput) {
  EncodeConfig config;
  const auto kind = [&](std::size_t n) {
    return wrapped::ChunkEncoder::create(zeros(NumberType::kU8, n).view(), config).status();
  };
  EXPECT_OK(kind(5));
  EXPECT_KIND(kind(0), kInvalidArgument);
  EXPECT_KIND(kind((std::size_t{1} << 24) + 1), kInvalidArgument);
  config.level = 13;
  EXPECT_KIND(kind(5), kInvalidArgument);
  config = {};
  config.paging = PagingSpec::exact({2, 2});
  EXPECT_KIND(kind(5), kInvalidArgument);
  config.paging = PagingSpec::exact({2, 4});
  EXPECT_KIND(kind(5), kInvalidArgument);
  config.paging = PagingSpec::exact({5, 0});
  EXPECT_KIND(kind(5), kInvalidArgument);
  config.paging = PagingSpec::equal_pages_up_to(0);
  EXPECT_KIND(kind(5), kInvalidArgument);
}

TEST(WrappedChunk, DamagedMetaIsRefused) {
  // Mode 5, then delta 4 in Classic: both are reserved.
  for (const unsigned first : {0x05u, 0x40u}) {
    Bytes meta(20);
    meta[0] = static_cast<std::byte>(first);
    EXPECT_KIND(wrapped::ChunkDecoder::create(meta, NumberType::kU32, {}).status(), kCorrupt);
  }
}

class Threads : public ::testing::TestWithParam<bool> {};

TEST_P(Threads, DecodePagesOfOneChunk) {
  Random random(51);
  constexpr std::size_t kPages = 16;
  constexpr std::size_t kPageN = 900;
  const Numbers numbers = make_numbers("repeats", NumberType::kI64, kPages * kPageN, random);
  EncodeConfig config;
  config.delta = DeltaSpec::try_lookback();
  config.paging = PagingSpec::equal_pages_up_to(kPageN);
  const auto encoder = wrapped::ChunkEncoder::create(numbers.view(), config).value();
  const Bytes meta = encoder.meta().value();
  const auto decoder =
      wrapped::ChunkDecoder::create(meta, NumberType::kI64, wrapped::kCurrentVersion).value();
  ASSERT_EQ(encoder.page_count(), kPages);

  const bool own_context = GetParam();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&, worker] {
      DecodeContext context;
      Numbers out = zeros(NumberType::kI64, kPageN);
      for (std::size_t i = 0; i < 3 * kPages; ++i) {
        const std::size_t page = (i * 5 + worker) % kPages;
        const Bytes bytes = encoder.page(page).value();
        std::size_t consumed = 0;
        const Status status =
            decoder.decode_page(bytes, kPageN, writable(out), own_context ? &context : nullptr)
                .into(consumed);
        const NumberView expected = part(numbers, page * kPageN, kPageN);
        const bool same = std::memcmp(out.data(), expected.data, kPageN * 8) == 0;
        if (!status.ok() || consumed != bytes.size() || !same) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Contexts, Threads, ::testing::Bool());

TEST(StandaloneThreads, CompressAndDecompressAtOnce) {
  Random random(52);
  const Numbers numbers = make_numbers("decimals", NumberType::kF64, 3000, random);
  const Bytes expected = compressed(numbers);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        Bytes file;
        Numbers out;
        if (!compress(numbers.view()).into(file).ok() || file != expected) ++wrong;
        if (!decompress_any(file).into(out).ok() || !same_numbers(out, numbers)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace numpact::testing
