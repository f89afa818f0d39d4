// SPDX-License-Identifier: Apache-2.0
// Threads share a chunk by its restart points, also while progress is reported.
#include <gtest/gtest.h>

#include <functional>

#include "support/distributions.hpp"
#include "support/executors.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kN = std::size_t{1} << 19;
constexpr std::uint64_t kPartN = std::uint64_t{1} << 16;

struct Reader {
  const char* name;
  std::function<Status(ByteSpan, const DecodeConfig&, Numbers&)> read;
};

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"decompress_into",
       [](ByteSpan file, const DecodeConfig& config, Numbers& out) {
         out = zeros(NumberType::kI64, kN);
         std::size_t count = 0;
         return count_into(decompress_into(file, writable(out), config), count);
       }},
      {"decompress_any", [](ByteSpan file, const DecodeConfig& config, Numbers& out) {
         return decompress_any(file, config).into(out);
       }}};
  return all;
}

class RestartThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(83);
    numbers_ = make_numbers("walk", NumberType::kI64, kN, random);
    EncodeConfig config;
    config.level = 1;
    config.trailer = TrailerSpec::restarts(14);
    config.paging = PagingSpec::exact({kN});
    file_ = compressed(numbers_, config);
    ASSERT_EQ(Trailer::read(file_).value()->chunks().size(), 1u);
  }

  // Records the calls and stops at one of them.
  ProgressCallback recorder(std::size_t stop_at = SIZE_MAX) {
    calls_.clear();
    return [this, stop_at](const Progress& progress) {
      calls_.push_back(progress);
      return calls_.size() < stop_at;
    };
  }

  void expect_that_progress_never_falls() const {
    for (std::size_t i = 1; i < calls_.size(); ++i) {
      EXPECT_GE(calls_[i].numbers, calls_[i - 1].numbers);
      EXPECT_GE(calls_[i].bytes, calls_[i - 1].bytes);
    }
  }

  Numbers numbers_;
  Bytes file_;
  std::vector<Progress> calls_;
};

TEST_F(RestartThreads, ShareAChunkAndReportProgress) {
  for (const Reader& reader : readers()) {
    for (const bool reports : {false, true}) {
      SCOPED_TRACE(text(reader.name, " ", reports));
      OneByOne executor(4);
      DecodeConfig config;
      config.executor = &executor;
      if (reports) config.progress = recorder();
      Numbers out;
      ASSERT_OK(reader.read(file_, config, out));
      EXPECT_TRUE(same_numbers(out, numbers_));
      EXPECT_EQ(executor.runs, 1);
      if (!reports) continue;
      EXPECT_EQ(calls_.size(), kN / kPartN);
      EXPECT_EQ(calls_.back().numbers, kN);
      EXPECT_LE(calls_.back().bytes, file_.size());
      expect_that_progress_never_falls();
    }
  }
}

// An output that grows at most doubles with each step.
TEST_F(RestartThreads, GrowOutputsInSteps) {
  Random random(84);
  constexpr std::size_t kStepsN = 5 * kN;
  const Numbers numbers = make_numbers("walk", NumberType::kU16, kStepsN, random);
  EncodeConfig encode;
  encode.level = 1;
  encode.trailer = TrailerSpec::restarts(14);
  encode.paging = PagingSpec::exact({kStepsN});
  const Bytes file = compressed(numbers, encode);
  OneByOne executor(4);
  DecodeConfig config;
  config.executor = &executor;
  config.progress = recorder();
  Numbers out;
  ASSERT_OK(decompress_any(file, config).into(out));
  EXPECT_TRUE(same_numbers(out, numbers));
  EXPECT_EQ(executor.runs, 3);  // 2^20, as many again, and the rest
  expect_that_progress_never_falls();
  EXPECT_EQ(calls_.back().numbers, kStepsN);
  EXPECT_LE(calls_.back().bytes, file.size());
}

TEST_F(RestartThreads, StopWhenTheCallerSaysSo) {
  for (const Reader& reader : readers()) {
    for (const ExecutorCase& executor_case : executor_cases()) {
      SCOPED_TRACE(text(reader.name, " ", executor_case.name));
      DecodeConfig config = with(executor_case);
      config.progress = recorder(2);
      Numbers out;
      const Status status = reader.read(file_, config, out);
      // If no task runs on this thread, there are few calls.
      if (calls_.size() < 2) {
        EXPECT_OK(status);
      } else {
        EXPECT_KIND(status, kCancelled);
        EXPECT_EQ(calls_.size(), 2u);
      }
    }
  }
}

// What the trailer says is given up, and the file is decoded in order.
TEST_F(RestartThreads, ReportTheSameErrorsAndProgressThatNeverFalls) {
  const std::size_t page_end = static_cast<std::size_t>(Trailer::read(file_).value()->file_bytes());
  for (const std::size_t at : {page_end / 5, page_end - 100}) {
    Bytes bad = file_;
    bad[at] ^= std::byte{0x10};
    for (const Reader& reader : readers()) {
      Numbers out;
      const Status expected = reader.read(bad, {}, out);
      ASSERT_FALSE(expected.ok());
      for (const ExecutorCase& executor_case : executor_cases()) {
        SCOPED_TRACE(text(reader.name, " ", executor_case.name, " ", at));
        DecodeConfig config = with(executor_case);
        config.progress = recorder();
        EXPECT_EQ(reader.read(bad, config, out).message(), expected.message());
        expect_that_progress_never_falls();
      }
    }
  }
}

TEST_F(RestartThreads, KeepTheLimits) {
  for (const Reader& reader : readers()) {
    for (const ExecutorCase& executor_case : executor_cases()) {
      SCOPED_TRACE(text(reader.name, " ", executor_case.name));
      DecodeConfig config = with(executor_case);
      Numbers out;
      config.limits.max_numbers = kN - 1;
      EXPECT_KIND(reader.read(file_, config, out), kLimitExceeded);
      config.limits.max_numbers = kN;
      config.limits.max_output_bytes = 8 * kN - 1;
      EXPECT_KIND(reader.read(file_, config, out), kLimitExceeded);
      config.limits.max_output_bytes = 8 * kN;
      EXPECT_OK(reader.read(file_, config, out));
      EXPECT_TRUE(same_numbers(out, numbers_));
    }
  }
}

}  // namespace
}  // namespace numpact::testing
