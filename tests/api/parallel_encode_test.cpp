// SPDX-License-Identifier: Apache-2.0
// Files are byte-identical for any number of encoding threads; so are errors and progress.
#include <gtest/gtest.h>

#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

// The observable effects of a call.
struct Outcome {
  Bytes bytes;
  Status status;
  std::vector<Progress> progress;
};

void expect_same(const Outcome& got, const Outcome& expected) {
  EXPECT_EQ(got.status.message(), expected.status.message());
  EXPECT_TRUE(same_bytes(got.bytes, expected.bytes));
  ASSERT_EQ(got.progress.size(), expected.progress.size());
  for (std::size_t i = 0; i < got.progress.size(); ++i) {
    EXPECT_EQ(got.progress[i].numbers, expected.progress[i].numbers);
    EXPECT_EQ(got.progress[i].bytes, expected.progress[i].bytes);
  }
}

// Stops at this progress call, counted from 1.
ProgressCallback recorder(Outcome& outcome, std::size_t stop_at) {
  const std::thread::id caller = std::this_thread::get_id();
  return [&outcome, stop_at, caller](const Progress& progress) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    outcome.progress.push_back(progress);
    return outcome.progress.size() != stop_at;
  };
}

// Guard bytes after the output detect writes past its end.
Outcome compress_into(const NumberView& numbers, std::size_t capacity, EncodeConfig config,
                      EncodeContext* context, std::size_t stop_at = 0) {
  constexpr std::size_t kGuard = 64;
  Outcome outcome;
  Bytes out(capacity + kGuard, std::byte{0xa5});
  std::size_t written = 0;
  config.progress = recorder(outcome, stop_at);
  outcome.status =
      compress_into(numbers, std::span(out).first(capacity), config, context).into(written);
  EXPECT_TRUE(same_bytes(ByteSpan(out).subspan(capacity), Bytes(kGuard, std::byte{0xa5})));
  if (outcome.status.ok()) outcome.bytes = prefix(out, written);
  return outcome;
}

// With outputs that are just sufficient, too small, and ample.
void expect_same_by_all(const NumberView& numbers, const EncodeConfig& config) {
  const std::size_t bound = compress_bound(numbers.type, numbers.count, config);
  const std::size_t size = compress_into(numbers, bound, config, nullptr).bytes.size();
  for (const std::size_t capacity : {bound, size, size - 1, (size + bound) / 2, size / 2}) {
    const Outcome expected = compress_into(numbers, capacity, config, nullptr);
    ASSERT_EQ(expected.status.ok(), capacity >= size);
    for (const ExecutorCase& executor_case : executor_cases()) {
      SCOPED_TRACE(text(executor_case.name, ", capacity ", capacity));
      EncodeContext context;
      expect_same(compress_into(numbers, capacity, with(executor_case, config), nullptr), expected);
      expect_same(compress_into(numbers, capacity, with(executor_case, config), &context),
                  expected);
    }
  }
}

TEST(ParallelEncode, EveryTypeAndPaging) {
  Random random(401);
  for (const NumberType type : kNumberTypes) {
    const std::size_t n = random.between(3000, 6000);
    const Numbers numbers = make_numbers(random.pick(distribution_names()), type, n, random);
    EncodeConfig config;
    config.level = static_cast<unsigned>(random.below(9));
    config.mode = random.pick(mode_specs(type));
    config.delta = random.pick(delta_specs(type));
    SCOPED_TRACE(text(name_of(type), " ", describe(config), ", seed ", seed()));
    const std::size_t first = random.between(1, n - 2);
    for (const PagingSpec& paging :
         {PagingSpec::equal_pages_up_to(random.between(200, 700)),
          PagingSpec::exact({first, 1, n - first - 1}), PagingSpec::equal_pages_up_to(SIZE_MAX)}) {
      config.paging = paging;
      expect_same_by_all(numbers.view(), config);
    }
    config.uniform_type = random.one_in(2);
    config.paging = {};
    expect_same_by_all(part(numbers, 0, 0), config);
  }
}

// More chunks than one group holds, by their numbers and by their count.
std::vector<std::pair<Numbers, std::size_t>> large_cases() {
  Random random(402);
  std::vector<std::pair<Numbers, std::size_t>> cases;
  cases.emplace_back(make_numbers("walk", NumberType::kU16, 700000, random), 30000);
  cases.emplace_back(make_numbers("uniform", NumberType::kF32, 2500, random), 2);
  // Constant chunks are started last.
  std::vector<std::uint32_t> mixed(6 * 70000, 7);
  for (const std::size_t chunk : {1, 3, 4}) {
    for (std::size_t i = 0; i < 70000; ++i) {
      mixed[chunk * 70000 + i] = static_cast<std::uint32_t>(random.bits(12));
    }
  }
  cases.emplace_back(from_values(mixed), 70000);
  return cases;
}

EncodeConfig fast_config(std::size_t page_n) {
  EncodeConfig config;
  config.level = 1;
  config.paging = PagingSpec::equal_pages_up_to(page_n);
  return config;
}

TEST(ParallelEncode, ManyGroups) {
  for (const auto& [numbers, page_n] : large_cases()) {
    expect_same_by_all(numbers.view(), fast_config(page_n));
  }
}

TEST(ParallelEncode, AnyNumberOfThreads) {
  for (const auto& [numbers, page_n] : large_cases()) {
    EncodeConfig config = fast_config(page_n);
    const Bytes expected = compressed(numbers, config);
    EncodeContext context;
    for (const unsigned threads : {1u, 2u, 3u, 8u, 0u}) {
      config.threads = threads;
      Bytes out;
      ASSERT_OK(compress(numbers.view(), config, &context).into(out));
      EXPECT_TRUE(same_bytes(out, expected)) << threads;
    }
  }
}

TEST(ParallelEncode, EveryOutputSize) {
  Random random(403);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 31, random);
  const EncodeConfig config = fast_config(7);
  const std::size_t bound = compress_bound(numbers.type(), numbers.count(), config);
  for (std::size_t capacity = 0; capacity <= bound; ++capacity) {
    const Outcome expected = compress_into(numbers.view(), capacity, config, nullptr);
    for (const ExecutorCase& executor_case : executor_cases()) {
      expect_same(compress_into(numbers.view(), capacity, with(executor_case, config), nullptr),
                  expected);
    }
  }
}

TEST(ParallelEncode, Cancelled) {
  const auto [numbers, page_n] = large_cases()[0];
  const EncodeConfig config = fast_config(page_n);
  const std::size_t bound = compress_bound(numbers.type(), numbers.count(), config);
  for (const std::size_t stop_at : {1u, 2u, 5u, 17u, 24u}) {
    const Outcome expected = compress_into(numbers.view(), bound, config, nullptr, stop_at);
    EXPECT_KIND(expected.status, kCancelled);
    for (const ExecutorCase& executor_case : executor_cases()) {
      SCOPED_TRACE(text(executor_case.name, ", at ", stop_at));
      expect_same(
          compress_into(numbers.view(), bound, with(executor_case, config), nullptr, stop_at),
          expected);
    }
  }
}

TEST(ParallelEncode, ConfigErrorsAreTheSame) {
  const Numbers numbers = zeros(NumberType::kU32, 100);
  std::vector<EncodeConfig> configs(4);
  configs[0].level = 13;
  configs[1].mode = ModeSpec::try_float_quant(3);
  configs[2].paging = PagingSpec::exact({60, 41});
  configs[3].paging = PagingSpec::equal_pages_up_to(0);
  for (const EncodeConfig& config : configs) {
    const Outcome expected = compress_into(numbers.view(), 1000, config, nullptr);
    EXPECT_KIND(expected.status, kInvalidArgument);
    for (const ExecutorCase& executor_case : executor_cases()) {
      expect_same(compress_into(numbers.view(), 1000, with(executor_case, config), nullptr),
                  expected);
    }
  }
}

TEST(ParallelEncode, OneChunkUsesNoExecutor) {
  Random random(404);
  const Numbers numbers = make_numbers("walk", NumberType::kF64, 1000, random);
  OneByOne executor(4);
  EncodeConfig config;
  const Bytes expected = compressed(numbers, config);
  config.executor = &executor;
  EXPECT_TRUE(same_bytes(compressed(numbers, config), expected));
  Bytes out;
  VectorSink sink(out);
  StreamWriter writer(sink, numbers.type(), config, numbers.count());
  ASSERT_OK(writer.write(numbers.view()));
  ASSERT_OK(writer.finish());
  EXPECT_TRUE(same_bytes(out, expected));
  EXPECT_EQ(executor.runs, 0);
}

TEST(ParallelEncode, ExecutorsThatDoNotHelp) {
  Random random(405);
  const Numbers numbers = make_numbers("walk", NumberType::kF64, 1000, random);
  EncodeConfig config = fast_config(100);
  const Bytes expected = compressed(numbers, config);
  OneByOne none(0);
  OneByOne one(1);
  for (OneByOne* const executor : {&none, &one}) {
    config.executor = executor;
    EXPECT_TRUE(same_bytes(compressed(numbers, config), expected));
    EXPECT_EQ(executor->runs, 0);
  }
  Unable unable;
  config.executor = &unable;
  Bytes out;
  EXPECT_KIND(compress(numbers.view(), config).into(out), kOutOfMemory);
  EXPECT_TRUE(out.empty());
}

// ---- streams ----

// Accepts a number of bytes, then fails.
class LimitedSink final : public ByteSink {
 public:
  LimitedSink(Bytes& out, std::size_t capacity) : out_(out), capacity_(capacity) {}
  Status write(std::span<const std::byte> bytes) override {
    if (bytes.size() > capacity_ - out_.size()) {
      return Status(ErrorKind::kIo, "the test's sink is full");
    }
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return {};
  }

 private:
  Bytes& out_;
  std::size_t capacity_;
};

// Blocks of bounded size, chunks ended early at random; determined by the seed.
struct Blocks {
  std::uint64_t stream = 0;
  std::size_t max_n = SIZE_MAX;
  std::size_t one_ends_in = 0;  // 0: none
};

Status write_all(StreamWriter& writer, const Numbers& numbers, const Blocks& blocks) {
  Random random(blocks.stream);
  std::size_t done = 0;
  while (done < numbers.count()) {
    std::size_t n = numbers.count() - done;
    if (blocks.max_n < n) n = std::min<std::size_t>(n, random.below(blocks.max_n + 1));
    // A temporary copy: the writer must keep its own.
    const Bytes copy =
        to_bytes(raw(numbers).subspan(done * size_of(numbers.type()), n * size_of(numbers.type())));
    const Status status = writer.write(NumberView(numbers.type(), copy.data(), n));
    if (!status.ok()) return status;
    done += n;
    if (blocks.one_ends_in == 0 || !random.one_in(blocks.one_ends_in)) continue;
    const Status ended = writer.end_chunk();
    if (!ended.ok()) return ended;
  }
  return writer.finish();
}

Outcome stream(const Numbers& numbers, const Blocks& blocks, EncodeConfig config,
               std::size_t capacity = SIZE_MAX, std::size_t stop_at = 0) {
  Outcome outcome;
  config.progress = recorder(outcome, stop_at);
  LimitedSink sink(outcome.bytes, capacity);
  StreamWriter writer(sink, numbers.type(), config, numbers.count());
  outcome.status = write_all(writer, numbers, blocks);
  EXPECT_EQ(writer.bytes_written(), outcome.bytes.size());
  // The error is permanent; finished output remains.
  EXPECT_EQ(writer.finish().message(), outcome.status.message());
  return outcome;
}

void expect_same_streams(const Numbers& numbers, const Blocks& blocks, const EncodeConfig& config,
                         std::size_t capacity = SIZE_MAX, std::size_t stop_at = 0) {
  const Outcome expected = stream(numbers, blocks, config, capacity, stop_at);
  for (const ExecutorCase& executor_case : executor_cases()) {
    SCOPED_TRACE(executor_case.name);
    expect_same(stream(numbers, blocks, with(executor_case, config), capacity, stop_at), expected);
  }
}

TEST(ParallelStreamWriter, RandomBlocks) {
  Random random(411);
  for (const NumberType type : kNumberTypes) {
    for (int round = 0; round < 4; ++round) {
      const std::size_t n = random.below(6000);
      const Numbers numbers = make_numbers(random.pick(distribution_names()), type, n, random);
      EncodeConfig config = fast_config(random.between(1, 1500));
      config.mode = random.pick(mode_specs(type));
      config.delta = random.pick(delta_specs(type));
      const Blocks blocks{random.bits(), random.between(1, 4000),
                          round % 2 == 0 ? 0 : random.between(1, 9)};
      SCOPED_TRACE(text(name_of(type), " ", describe(config), ", ", n, " numbers, pieces of ",
                        blocks.max_n, ", chunks of ", config.paging.max_page_n(), ", seed ",
                        seed()));
      expect_same_streams(numbers, blocks, config);
    }
  }
}

TEST(ParallelStreamWriter, ManyGroups) {
  Random random(412);
  for (const auto& [numbers, page_n] : large_cases()) {
    const EncodeConfig config = fast_config(page_n);
    for (const std::size_t max_n : {page_n / 2 + 1, 3 * page_n + 1, numbers.count()}) {
      expect_same_streams(numbers, {random.bits(), max_n, 0}, config);
      expect_same_streams(numbers, {random.bits(), max_n, 10}, config);
    }
  }
}

TEST(ParallelStreamWriter, ExactSizes) {
  Random random(413);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 1000, random);
  EncodeConfig config;
  config.level = 1;
  const std::vector<std::vector<std::size_t>> all_sizes = {
      {200, 1, 300, 499}, {1000}, {200, 300, 499}, {200, 300, 501}, {200, 300, 500, 1}, {0, 1000}};
  for (const std::vector<std::size_t>& sizes : all_sizes) {
    config.paging = PagingSpec::exact(sizes);
    for (const std::size_t max_n : {90u, 700u, 1000u}) {
      expect_same_streams(numbers, {random.bits(), max_n, 0}, config);
      expect_same_streams(numbers, {random.bits(), max_n, 2}, config);
    }
  }
}

TEST(ParallelStreamWriter, FirstErrorOfTheSink) {
  Random random(414);
  const Numbers numbers = make_numbers("uniform", NumberType::kU16, 3000, random);
  const EncodeConfig config = fast_config(250);
  const std::size_t size = compressed(numbers, config).size();
  for (std::size_t capacity = 0; capacity < size; capacity += 97) {
    expect_same_streams(numbers, {random.bits(), 800, 0}, config, capacity);
  }
}

TEST(ParallelStreamWriter, Cancelled) {
  const auto [numbers, page_n] = large_cases()[0];
  for (const std::size_t stop_at : {1u, 2u, 11u, 24u}) {
    expect_same_streams(numbers, {1, 100000, 0}, fast_config(page_n), SIZE_MAX, stop_at);
  }
}

// Nothing is written before a group is complete, but end_chunk() writes all.
TEST(ParallelStreamWriter, EndChunkWritesAll) {
  OneByOne executor(4);
  EncodeConfig config = fast_config(100);
  config.executor = &executor;
  Random random(415);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 350, random);
  Bytes out;
  VectorSink sink(out);
  StreamWriter writer(sink, numbers.type(), config);
  ASSERT_OK(writer.write(numbers.view()));
  const std::size_t header = out.size();
  EXPECT_EQ(executor.runs, 0);
  ASSERT_OK(writer.end_chunk());
  EXPECT_EQ(executor.runs, 1);
  out.push_back(std::byte{0});  // the terminator
  EXPECT_GT(out.size(), header + 4);
  EXPECT_TRUE(same_numbers(decompressed(out), numbers));
}

}  // namespace
}  // namespace numpact::testing
