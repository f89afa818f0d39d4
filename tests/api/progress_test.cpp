// SPDX-License-Identifier: Apache-2.0
// Progress is reported in order and to the end; returning false stops the call.
#include <gtest/gtest.h>

#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kN = 300000;

class Recorder {
 public:
  ProgressCallback callback(std::size_t stop_at = SIZE_MAX) {
    return [this, stop_at](const Progress& progress) {
      calls_.push_back(progress);
      return calls_.size() < stop_at;
    };
  }
  std::size_t calls() const { return calls_.size(); }
  void expect_in_order(std::uint64_t numbers, std::uint64_t max_bytes) const {
    ASSERT_FALSE(calls_.empty());
    for (std::size_t i = 1; i < calls_.size(); ++i) {
      EXPECT_GT(calls_[i].numbers, calls_[i - 1].numbers);
      EXPECT_GE(calls_[i].bytes, calls_[i - 1].bytes);
      EXPECT_LE(calls_[i].numbers - calls_[i - 1].numbers, std::uint64_t{1} << 19);
    }
    EXPECT_EQ(calls_.back().numbers, numbers);
    EXPECT_LE(calls_.back().bytes, max_bytes);
    EXPECT_GT(calls_.back().bytes, 0u);
  }

 private:
  std::vector<Progress> calls_;
};

class ProgressTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(81);
    numbers_ = make_numbers("walk", NumberType::kI32, kN, random);
    config_.level = 1;
    config_.paging = PagingSpec::equal_pages_up_to(50000);
    file_ = compressed(numbers_, config_);
  }
  Numbers numbers_;
  EncodeConfig config_;
  Bytes file_;
};

TEST_F(ProgressTest, Compress) {
  Recorder recorder;
  config_.progress = recorder.callback();
  EXPECT_EQ(compressed(numbers_, config_), file_);
  EXPECT_EQ(recorder.calls(), 6u);
  recorder.expect_in_order(kN, file_.size());
}

TEST_F(ProgressTest, CompressCancelled) {
  for (const std::size_t stop_at : {1u, 3u, 6u}) {
    Recorder recorder;
    config_.progress = recorder.callback(stop_at);
    Bytes out;
    EXPECT_KIND(compress(numbers_.view(), config_).into(out), kCancelled);
    EXPECT_EQ(recorder.calls(), stop_at);
  }
}

TEST_F(ProgressTest, Decompress) {
  Recorder recorder;
  DecodeConfig config;
  config.progress = recorder.callback();
  Numbers out;
  ASSERT_OK(decompress_any(file_, config).into(out));
  EXPECT_TRUE(same_numbers(out, numbers_));
  recorder.expect_in_order(kN, file_.size());
}

TEST_F(ProgressTest, OneLargeChunkIsReportedInParts) {
  config_.paging = PagingSpec::equal_pages_up_to(SIZE_MAX);
  Random random(82);
  const Numbers numbers = make_numbers("walk", NumberType::kU8, 1000000, random);
  const Bytes file = compressed(numbers, config_);
  Recorder recorder;
  DecodeConfig config;
  config.progress = recorder.callback();
  Numbers out;
  ASSERT_OK(decompress_any(file, config).into(out));
  EXPECT_TRUE(same_numbers(out, numbers));
  EXPECT_GE(recorder.calls(), 3u);
  recorder.expect_in_order(1000000, file.size());

  Recorder fixed;
  config.progress = fixed.callback();
  std::size_t count = 0;
  ASSERT_OK(count_into(decompress_into(file, writable(out), config), count));
  fixed.expect_in_order(1000000, file.size());
}

TEST_F(ProgressTest, DecompressCancelled) {
  for (const std::size_t stop_at : {1u, 2u}) {
    Recorder recorder;
    DecodeConfig config;
    config.progress = recorder.callback(stop_at);
    Numbers out = zeros(NumberType::kI32, kN);
    std::size_t count = 0;
    EXPECT_KIND(count_into(decompress_into(file_, writable(out), config), count), kCancelled);
    EXPECT_EQ(recorder.calls(), stop_at);
    EXPECT_LT(count, kN);
    out.storage().resize(count * 4);
    EXPECT_TRUE(is_prefix(out, numbers_));
  }
}

TEST_F(ProgressTest, StreamReader) {
  for (const std::size_t stop_at : {SIZE_MAX, std::size_t{2}}) {
    Recorder recorder;
    DecodeConfig config;
    config.progress = recorder.callback(stop_at);
    MemorySource source(file_, 10000);
    StreamReader reader(source, config);
    Numbers out = zeros(NumberType::kI32, kN + 1);
    std::size_t count = 0;
    const Status status = count_into(reader.read(writable(out)), count);
    if (stop_at == SIZE_MAX) {
      ASSERT_OK(status);
      EXPECT_EQ(count, kN);
      recorder.expect_in_order(kN, file_.size());
    } else {
      EXPECT_KIND(status, kCancelled);
      EXPECT_EQ(recorder.calls(), 2u);
      EXPECT_KIND(count_into(reader.read(writable(out)), count), kCancelled);
    }
  }
}

TEST_F(ProgressTest, StreamWriter) {
  for (const std::size_t stop_at : {SIZE_MAX, std::size_t{2}}) {
    Recorder recorder;
    config_.progress = recorder.callback(stop_at);
    Bytes out;
    VectorSink sink(out);
    StreamWriter writer(sink, NumberType::kI32, config_);
    Status status = writer.write(numbers_.view());
    if (status.ok()) status = writer.finish();
    if (stop_at == SIZE_MAX) {
      ASSERT_OK(status);
      recorder.expect_in_order(kN, out.size());
    } else {
      EXPECT_KIND(status, kCancelled);
      EXPECT_EQ(recorder.calls(), 2u);
      EXPECT_KIND(writer.finish(), kCancelled);
    }
  }
}

}  // namespace
}  // namespace numpact::testing
