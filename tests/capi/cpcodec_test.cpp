// SPDX-License-Identifier: Apache-2.0
// libcpcodec: the names, signatures and results of the reference's C binding.
#include <gtest/gtest.h>

#include <cstring>

#include "../api/counting_new.hpp"
#include "integrations/cpcodec/cpcodec.h"
#include "numpact/pco.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

unsigned char dtype_of(NumberType type) { return static_cast<unsigned char>(type); }

Bytes packed(const Numbers& numbers, const PcoChunkConfig* config = nullptr) {
  const unsigned char dtype = dtype_of(numbers.type());
  Bytes out(pco_standalone_guarantee_file_size(numbers.count(), dtype));
  std::size_t size = 0;
  EXPECT_EQ(pco_standalone_simple_compress_into(numbers.data(), numbers.count(), dtype, config,
                                                out.data(), out.size(), &size),
            PcoSuccess);
  out.resize(size);
  return out;
}

TEST(Cpcodec, RoundTripsOfEveryType) {
  Random random(921);
  for (const NumberType type : kNumberTypes) {
    for (const std::size_t n : {0u, 1u, 21u, 3000u}) {
      const Numbers numbers = make_numbers("walk", type, n, random);
      const Bytes file = packed(numbers);
      Numbers out = zeros(type, n);
      std::size_t count = 77;
      ASSERT_EQ(pco_standalone_simple_decompress_into(file.data(), file.size(), dtype_of(type),
                                                      out.storage().data(), n, &count),
                PcoSuccess);
      EXPECT_EQ(count, n);
      EXPECT_TRUE(same_bytes(raw(out), raw(numbers)));
    }
  }
}

TEST(Cpcodec, BoundsHoldForEveryPageSize) {
  Random random(922);
  for (const NumberType type : kNumberTypes) {
    for (const std::size_t n : {1u, 21u, 300u}) {
      const Numbers numbers = make_numbers("uniform", type, n, random);
      for (const std::size_t page_n : {1u, 2u, 3u, 7u, 100u, 0u}) {
        const PcoChunkConfig config = {8, page_n};
        const std::size_t size = packed(numbers, &config).size();
        EXPECT_LE(size, pco_standalone_guarantee_file_size_with_config(n, dtype_of(type), &config));
      }
    }
  }
  EXPECT_EQ(pco_standalone_guarantee_file_size(10, 0), 0u);
  EXPECT_EQ(pco_standalone_guarantee_file_size(10, 12), 0u);
}

TEST(Cpcodec, ErrorsOfCompression) {
  const std::int32_t numbers[] = {1, 2, 3};
  Bytes out(200);
  std::size_t size = 77;
  const auto compress = [&](unsigned char dtype, PcoChunkConfig config, std::size_t capacity) {
    return pco_standalone_simple_compress_into(numbers, 3, dtype, &config, out.data(), capacity,
                                               &size);
  };
  EXPECT_EQ(compress(0, {8, 0}, 200), PcoInvalidType);
  EXPECT_EQ(compress(PCO_TYPE_I32, {13, 0}, 200), PcoCompressionError);
  EXPECT_EQ(compress(PCO_TYPE_I32, {8, 0}, 5), PcoCompressionError);
  EXPECT_EQ(size, 77u);
  EXPECT_EQ(compress(PCO_TYPE_I32, {12, 0}, 200), PcoSuccess);
}

TEST(Cpcodec, ErrorsOfDecompressionLeaveTheOutput) {
  Random random(923);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 500, random);
  Bytes file = packed(numbers);
  const Bytes untouched(8 * 500, std::byte{0x5a});
  Bytes out = untouched;
  std::size_t count = 77;
  const auto decompress = [&](unsigned char dtype, std::size_t bytes, std::size_t capacity) {
    return pco_standalone_simple_decompress_into(file.data(), bytes, dtype, out.data(), capacity,
                                                 &count);
  };
  EXPECT_EQ(decompress(0, file.size(), 500), PcoInvalidType);
  EXPECT_EQ(decompress(PCO_TYPE_U64, file.size(), 500), PcoDecompressionError);
  EXPECT_EQ(decompress(PCO_TYPE_I64, file.size(), 499), PcoDecompressionError);
  for (std::size_t size = 0; size < file.size(); size += 7) {
    EXPECT_EQ(decompress(PCO_TYPE_I64, size, 500), PcoDecompressionError);
  }
  EXPECT_TRUE(same_bytes(out, untouched));
  EXPECT_EQ(count, 77u);
  file.push_back(std::byte{1});  // bytes behind the terminator are ignored
  EXPECT_EQ(decompress(PCO_TYPE_I64, file.size(), 500), PcoSuccess);
  EXPECT_TRUE(same_bytes(out, raw(numbers)));
  EXPECT_EQ(pco_standalone_simple_decompress_into_bytes(file.data(), file.size(), PCO_TYPE_I64,
                                                        out.data(), 8 * 500 - 1, &count),
            PcoDecompressionError);
  EXPECT_EQ(pco_standalone_simple_decompress_into_bytes(file.data(), file.size(), PCO_TYPE_I64,
                                                        out.data(), 8 * 500, &count),
            PcoSuccess);
}

// 2^24 zeros take 289 bytes: 17 for each chunk of 2^20.
TEST(Cpcodec, AFileClaimsMoreThanTheOutputHolds) {
  Bytes file = compressed(zeros(NumberType::kF64, 1 << 24));
  const std::uint64_t begin = read_header(file)->size_bytes;
  const Bytes chunk(file.begin() + static_cast<std::ptrdiff_t>(begin), file.end() - 1);
  ASSERT_LT(chunk.size(), 400u);
  file.pop_back();
  for (int more = 0; more < 100; ++more) file.insert(file.end(), chunk.begin(), chunk.end());
  file.push_back(std::byte{0});
  ASSERT_LT(file.size(), 40000u);
  std::vector<double> out(1000, 7.0);
  for (const std::size_t room : {std::size_t{0}, std::size_t{10}, out.size()}) {
    const std::size_t before = bytes_held;
    peak_bytes_held = before;
    std::size_t count = 77;
    EXPECT_EQ(pco_standalone_simple_decompress_into(file.data(), file.size(), PCO_TYPE_F64,
                                                    out.data(), room, &count),
              PcoDecompressionError);
    EXPECT_EQ(pco_standalone_simple_decompress_into_bytes(file.data(), file.size(), PCO_TYPE_F64,
                                                          out.data(), 8 * room, &count),
              PcoDecompressionError);
    // Far below the numbers of one chunk, 128 MiB.
    EXPECT_LT(peak_bytes_held - before, std::size_t{1} << 20);
    EXPECT_EQ(count, 77u);
  }
  EXPECT_EQ(out, std::vector<double>(1000, 7.0));
}

TEST(Cpcodec, EmptyFilesHaveNoNumbers) {
  EncodeConfig config;
  config.uniform_type = false;
  const Bytes file = compressed(zeros(NumberType::kF32, 0), config);
  std::size_t count = 77;
  EXPECT_EQ(pco_standalone_simple_decompress_into(file.data(), file.size(), PCO_TYPE_U16, nullptr,
                                                  0, &count),
            PcoSuccess);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace numpact::testing
