// SPDX-License-Identifier: Apache-2.0
// EncodeConfig::max_bytes: the same file if it fits, otherwise an error after less work.
#include <gtest/gtest.h>

#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

EncodeConfig paged(std::size_t page_n) {
  EncodeConfig config;
  config.level = 5;
  config.paging = PagingSpec::equal_pages_up_to(page_n);
  return config;
}

// Chunks encoded before the call ends.
std::size_t chunks_encoded(const Numbers& numbers, EncodeConfig config, ErrorKind expected) {
  std::size_t reports = 0;
  config.progress = [&](const Progress&) {
    ++reports;
    return true;
  };
  EXPECT_EQ(compress(numbers.view(), config).status().kind(), expected);
  return reports;
}

TEST(Budget, FilesThatFitAreTheSame) {
  Random random(1101);
  for (const std::string_view name : distribution_names()) {
    const Numbers numbers = make_numbers(name, NumberType::kI32, 20'000, random);
    EncodeConfig config = paged(3000);
    const Bytes file = compressed(numbers, config);
    for (const std::size_t more : {file.size() / 4 + 100, file.size(), std::size_t{1} << 30}) {
      config.max_bytes = file.size() + more;
      EXPECT_TRUE(same_bytes(compressed(numbers, config), file)) << name;
    }
    config.max_bytes = file.size() - 1;
    EXPECT_KIND(compress(numbers.view(), config), kOutputTooSmall) << name;
    config.max_bytes = 0;
    EXPECT_KIND(compress(numbers.view(), config), kOutputTooSmall) << name;
  }
}

TEST(Budget, NoiseEndsBeforeTheFirstChunk) {
  Random random(1102);
  const Numbers noise = make_numbers("uniform", NumberType::kU64, 200'000, random);
  EncodeConfig config = paged(20'000);
  EXPECT_EQ(chunks_encoded(noise, config, ErrorKind::kNone), 10u);
  config.max_bytes = 8 * noise.count();
  EXPECT_EQ(chunks_encoded(noise, config, ErrorKind::kOutputTooSmall), 0u);
  ThreadForEach executor(4);
  config.executor = &executor;
  EXPECT_EQ(chunks_encoded(noise, config, ErrorKind::kOutputTooSmall), 0u);
}

TEST(Budget, NoiseInFrontOfZerosIsEncoded) {
  Random random(1103);
  Numbers numbers = zeros(NumberType::kU64, 200'000);
  const Numbers noise = make_numbers("uniform", NumberType::kU64, 40'000, random);
  std::copy_n(raw(noise).begin(), raw(noise).size(), numbers.storage().begin());
  EncodeConfig config = paged(20'000);
  config.max_bytes = 8 * numbers.count() / 2;
  EXPECT_EQ(chunks_encoded(numbers, config, ErrorKind::kNone), 10u);
}

TEST(Budget, EndsWhereItIsUsedUp) {
  // Zeros hide noise from the sample, so that only the bytes written end the call.
  Random random(1104);
  Numbers numbers = zeros(NumberType::kU64, 200'000);
  const Numbers noise = make_numbers("uniform", NumberType::kU64, 20'000, random);
  std::copy_n(raw(noise).begin(), raw(noise).size(), numbers.storage().begin() + 8 * 100'000);
  EncodeConfig config = paged(20'000);
  config.max_bytes = 8 * 19'000;
  EXPECT_EQ(chunks_encoded(numbers, config, ErrorKind::kOutputTooSmall), 5u);
}

TEST(Budget, SingleChunksEndWithoutBeingEncoded) {
  Random random(1105);
  const Numbers noise = make_numbers("uniform", NumberType::kI64, 50'000, random);
  EncodeConfig config;
  config.max_bytes = 8 * noise.count();
  const Status status = compress(noise.view(), config).status();
  EXPECT_EQ(status.kind(), ErrorKind::kOutputTooSmall);
  EXPECT_EQ(status.needed_bytes(), compress_bound(NumberType::kI64, noise.count(), config));
  std::size_t reports = 0;
  config.progress = [&](const Progress&) {
    ++reports;
    return true;
  };
  config.paging = PagingSpec::equal_pages_up_to(5000);
  EXPECT_KIND(wrapped::ChunkEncoder::create(noise.view(), config).status(), kOutputTooSmall);
  EXPECT_EQ(reports, 2u);  // before and after the choice; not one for each of the ten pages
  config.max_bytes = wrapped::chunk_bound(NumberType::kI64, noise.count());
  EXPECT_OK(wrapped::ChunkEncoder::create(noise.view(), config).status());
  EXPECT_EQ(reports, 14u);
}

TEST(Budget, CapacitiesAreExact) {
  Random random(1106);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 20'000, random);
  const Bytes file = compressed(numbers);
  Bytes out(file.size());
  EXPECT_EQ(compress_into(numbers.view(), out).value(), file.size());
  out.pop_back();
  EXPECT_KIND(compress_into(numbers.view(), out), kOutputTooSmall);
}

TEST(Budget, StreamsEndWhereItIsUsedUp) {
  Random random(1107);
  const Numbers noise = make_numbers("uniform", NumberType::kU32, 10'000, random);
  EncodeConfig config = paged(1000);
  config.max_bytes = 4 * 3500;
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kU32, config);
  const Status written = writer.write(noise.view());
  EXPECT_EQ((written.ok() ? writer.finish() : written).kind(), ErrorKind::kOutputTooSmall);
  EXPECT_LE(file.size(), *config.max_bytes);
  EXPECT_GT(file.size(), 4u * 3000);
}

}  // namespace
}  // namespace numpact::testing
