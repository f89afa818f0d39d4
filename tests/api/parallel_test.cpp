// SPDX-License-Identifier: Apache-2.0
// Results with several threads equal those with one: numbers, counts, errors and their positions.
#include <gtest/gtest.h>

#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

void expect_same(const Status& got, const Status& expected) {
  EXPECT_EQ(got.message(), expected.message());
}

// Guard numbers after the output detect writes past its end.
void expect_same_into(ByteSpan file, NumberType type, std::size_t capacity,
                      const ExecutorCase& executor_case, const DecodeConfig& config,
                      DecodeContext* context) {
  constexpr std::size_t kGuard = 64;
  Bytes expected(capacity * size_of(type) + kGuard, std::byte{0xa5});
  Bytes got = expected;
  std::size_t expected_count = 0;
  std::size_t count = 0;
  const Status in_order =
      count_into(decompress_into(file, MutableNumberView(type, expected.data(), capacity), config),
                 expected_count);
  const Status parallel =
      count_into(decompress_into(file, MutableNumberView(type, got.data(), capacity),
                                 with(executor_case, config), context),
                 count);
  expect_same(parallel, in_order);
  ASSERT_EQ(count, expected_count);
  const std::size_t equal_bytes = count * size_of(type);
  EXPECT_TRUE(same_bytes(ByteSpan(got).first(equal_bytes), ByteSpan(expected).first(equal_bytes)));
  const ByteSpan guard = ByteSpan(got).subspan(capacity * size_of(type));
  EXPECT_TRUE(same_bytes(guard, Bytes(kGuard, std::byte{0xa5})));
}

void expect_same_stream(ByteSpan file, NumberType type, std::size_t capacity,
                        const ExecutorCase& executor_case, std::size_t block, std::size_t asked) {
  Numbers out[2] = {zeros(type, capacity + asked), zeros(type, capacity + asked)};
  std::size_t total[2] = {};
  Status status[2];
  std::uint64_t consumed[2] = {};
  for (int i = 0; i < 2; ++i) {
    MemorySource source(file, block);
    StreamReader reader(source, i == 0 ? DecodeConfig() : with(executor_case));
    std::size_t count = 1;
    while (status[i].ok() && count > 0 && total[i] <= capacity) {
      const MutableNumberView view = writable(out[i]);
      auto* const at = static_cast<std::byte*>(view.data) + total[i] * size_of(type);
      status[i] = count_into(reader.read(MutableNumberView(type, at, asked)), count);
      total[i] += count;
    }
    consumed[i] = reader.bytes_consumed();
  }
  expect_same(status[1], status[0]);
  if (status[0].ok()) {
    EXPECT_EQ(total[1], total[0]);
    EXPECT_EQ(consumed[1], consumed[0]);
  } else {
    // In the chunk with the error the count depends on the read sizes; earlier chunks are complete.
    Numbers whole = zeros(type, capacity);
    std::size_t count = 0;
    EXPECT_FALSE(count_into(decompress_into(file, writable(whole)), count).ok());
    EXPECT_GE(total[0], count);
    EXPECT_GE(total[1], count);
  }
  const std::size_t equal_bytes = std::min(total[0], total[1]) * size_of(type);
  EXPECT_TRUE(same_bytes(raw(out[1]).first(equal_bytes), raw(out[0]).first(equal_bytes)));
}

// All entry points, in order and with every executor.
void expect_same_everywhere(ByteSpan bytes, NumberType type, std::size_t capacity,
                            bool with_streams) {
  const ExactCopy copy(bytes);
  const ByteSpan file = copy.span();
  Numbers all;
  const Status any_status = decompress_any(file).into(all);
  std::uint64_t count = 0;
  const Status count_status = count_numbers(file).into(count);
  ChunkIndex index;
  const Status index_status = ChunkIndex::build(file).into(index);
  for (const ExecutorCase& executor_case : executor_cases()) {
    SCOPED_TRACE(executor_case.name);
    DecodeContext context;
    expect_same_into(file, type, capacity, executor_case, {}, nullptr);
    expect_same_into(file, type, capacity, executor_case, {}, &context);

    Numbers same;
    expect_same(decompress_any(file, with(executor_case), &context).into(same), any_status);
    EXPECT_TRUE(same_numbers(same, all));

    std::uint64_t same_count = 0;
    expect_same(count_numbers(file, with(executor_case), &context).into(same_count), count_status);
    EXPECT_EQ(same_count, count);

    ChunkIndex same_index;
    expect_same(ChunkIndex::build(file, with(executor_case), &context).into(same_index),
                index_status);
    EXPECT_TRUE(std::ranges::equal(same_index.chunks(), index.chunks()));

    if (!with_streams) continue;
    expect_same_stream(file, type, capacity, executor_case, SIZE_MAX, capacity + 1);
    expect_same_stream(file, type, capacity, executor_case, 70000, capacity / 2 + 1);
  }
}

// Chunks of these sizes, with numbers of one distribution.
Bytes file_of(NumberType type, const std::vector<std::size_t>& sizes, std::string_view distribution,
              Random& random, EncodeConfig config = {}) {
  std::size_t n = 0;
  for (const std::size_t size : sizes) n += size;
  config.paging = PagingSpec::exact(sizes);
  config.level = 1;
  return compressed(make_numbers(distribution, type, n, random), config);
}

TEST(Parallel, ChunksOfEveryKind) {
  Random random(301);
  for (const NumberType type : kNumberTypes) {
    const std::size_t chunks = random.between(1, 12);
    std::vector<std::size_t> sizes(chunks, random.between(20000, 40000));
    for (std::size_t i = 0; i < random.below(chunks); ++i) --sizes[chunks - 1 - i];
    EncodeConfig config;
    config.mode = random.pick(mode_specs(type));
    config.delta = random.pick(delta_specs(type));
    const std::string_view distribution = random.pick(distribution_names());
    SCOPED_TRACE(text(name_of(type), " ", distribution, " ", describe(config), " x", chunks));
    const Bytes file = file_of(type, sizes, distribution, random, config);
    std::size_t n = 0;
    for (const std::size_t size : sizes) n += size;
    expect_same_everywhere(file, type, n, true);
  }
}

TEST(Parallel, SizesOfEveryKind) {
  Random random(302);
  const std::vector<std::vector<std::size_t>> cases = {
      {30000, 30000, 30000, 30000, 30000, 11},            // a short last one
      {30000, 30001, 30000, 29999, 30000, 30001},         // one more or less
      {30000, 30000, 30000, 500, 30000, 30000, 30000},    // appended to
      {700, 30000, 30000, 30000, 30000, 30000, 30000},    // an unusual first one
      {40000, 1, 40000, 1, 40000, 1, 40000, 1, 40000},    // alternating
      {90000, 20000, 60000, 20000, 70000, 20000, 90000},  // no usual size
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
      std::vector<std::size_t>(150, 1000),  // many small ones
      std::vector<std::size_t>(3000, 100),  // too small to be detected
      {100000},
      {100000, 100000},
  };
  for (const auto& sizes : cases) {
    for (const char* distribution : {"walk", "constant"}) {
      SCOPED_TRACE(text(sizes[0], ", ", sizes.size() > 1 ? sizes[1] : 0, ", ... x", sizes.size(),
                        " ", distribution));
      const Bytes file = file_of(NumberType::kI32, sizes, distribution, random);
      std::size_t n = 0;
      for (const std::size_t size : sizes) n += size;
      expect_same_everywhere(file, NumberType::kI32, n, distribution[0] == 'w');
    }
  }
}

TEST(Parallel, OutputsThatAreTooSmall) {
  Random random(303);
  const Bytes file = file_of(NumberType::kU16, std::vector<std::size_t>(8, 20000), "walk", random);
  for (const std::size_t capacity : {0u, 1u, 19999u, 20000u, 70000u, 140001u, 159999u}) {
    for (const ExecutorCase& executor_case : executor_cases()) {
      SCOPED_TRACE(text(capacity, " ", executor_case.name));
      expect_same_into(file, NumberType::kU16, capacity, executor_case, {}, nullptr);
    }
  }
  for (const ExecutorCase& executor_case : executor_cases()) {
    expect_same_into(file, NumberType::kI16, 160000, executor_case, {}, nullptr);
  }
}

TEST(Parallel, Limits) {
  Random random(304);
  const Bytes file = file_of(NumberType::kI32, std::vector<std::size_t>(8, 20000), "walk", random);
  for (const std::uint64_t n : {0u, 19999u, 20000u, 70000u, 159999u, 160000u}) {
    for (const ExecutorCase& executor_case : executor_cases()) {
      SCOPED_TRACE(text(n, " ", executor_case.name));
      DecodeConfig config;
      config.limits.max_numbers = n;
      expect_same_into(file, NumberType::kI32, 160000, executor_case, config, nullptr);
      config.limits = {};
      config.limits.max_output_bytes = 4 * n + 3;
      expect_same_into(file, NumberType::kI32, 160000, executor_case, config, nullptr);
      config.limits = {};
      config.limits.max_memory = n;
      expect_same_into(file, NumberType::kI32, 160000, executor_case, config, nullptr);
    }
  }
}

TEST(Parallel, CutOff) {
  Random random(305);
  for (const char* distribution : {"walk", "constant", "uniform"}) {
    const Bytes file =
        file_of(NumberType::kF32, std::vector<std::size_t>(9, 20000), distribution, random);
    for (int i = 0; i < 10; ++i) {
      const std::size_t size = i == 0 ? file.size() - 1 : random.below(file.size());
      SCOPED_TRACE(text(distribution, " ", size, " of ", file.size()));
      expect_same_everywhere(prefix(file, size), NumberType::kF32, 180000, i % 4 == 0);
    }
  }
}

TEST(Parallel, Damaged) {
  Random random(306);
  const NumberType types[] = {NumberType::kU8, NumberType::kI32, NumberType::kF64};
  for (const NumberType type : types) {
    for (const char* distribution : {"walk", "few-values", "constant"}) {
      EncodeConfig config;
      if (random.one_in(2)) config.delta = DeltaSpec::try_lookback();
      const Bytes file =
          file_of(type, std::vector<std::size_t>(7, 20000), distribution, random, config);
      for (int i = 0; i < 25; ++i) {
        Bytes damaged = file;
        for (int k = 0; k <= i % 3; ++k) {
          damaged[random.below(file.size())] = static_cast<std::byte>(random.bits(8));
        }
        SCOPED_TRACE(text(name_of(type), " ", distribution, " ", i, ", seed ", seed()));
        // Damage may make counts as large as possible.
        const ExecutorCase& executor_case = random.pick(executor_cases());
        const ExactCopy copy(damaged);
        expect_same_into(copy.span(), type, 200000, executor_case, {}, nullptr);
        DecodeContext context;
        std::uint64_t count[2] = {};
        expect_same(count_numbers(copy.span(), with(executor_case), &context).into(count[1]),
                    count_numbers(copy.span()).into(count[0]));
        EXPECT_EQ(count[1], count[0]);
        if (i % 4 == 0)
          expect_same_stream(copy.span(), type, 200000, executor_case, 100000, 200000);
      }
    }
  }
}

// u8 numbers whose bytes appear unchanged in the page.
Numbers plain_bytes(std::size_t n, Random& random) {
  Numbers numbers = zeros(NumberType::kU8, n);
  for (std::byte& byte : numbers.storage()) byte = static_cast<std::byte>(random.bits(8));
  return numbers;
}

bool contains(ByteSpan all, ByteSpan part) {
  return std::search(all.begin(), all.end(), part.begin(), part.end()) != all.end();
}

// A valid chunk of n equal numbers, to be stored as numbers in another chunk.
Bytes forged_chunk(std::size_t n) {
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(SIZE_MAX);
  const Bytes file = compressed(zeros(NumberType::kU8, n), config);
  const std::size_t begin = read_header(file).value().size_bytes;
  return to_bytes(ByteSpan(file).subspan(begin, file.size() - 1 - begin));
}

TEST(Parallel, NumbersThatLookLikeChunks) {
  Random random(307);
  constexpr std::size_t kN = 60000;
  const Bytes forged = forged_chunk(kN);
  for (const std::size_t copies : {1u, 50u, 1000u}) {
    for (const bool with_rest : {false, true}) {
      Numbers numbers = plain_bytes(6 * kN, random);
      std::ptrdiff_t at = 5000;
      for (std::size_t i = 0; i < copies; ++i) {
        std::copy(forged.begin(), forged.end(), numbers.storage().begin() + at);
        at += static_cast<std::ptrdiff_t>(forged.size() + (with_rest ? random.below(40) : 0));
      }
      EncodeConfig config;
      config.level = 0;
      config.mode = ModeSpec::classic();
      config.delta = DeltaSpec::none();
      config.paging = PagingSpec::equal_pages_up_to(kN);
      const Bytes file = compressed(numbers, config);
      ASSERT_TRUE(contains(file, forged));
      SCOPED_TRACE(text(copies, with_rest));
      expect_same_everywhere(file, NumberType::kU8, 6 * kN, true);
    }
  }
}

// The guesses are right, so one run passes all chunks.
void expect_shared(ByteSpan file, NumberType type, std::size_t n) {
  OneByOne executor(4);
  DecodeConfig config;
  config.executor = &executor;
  config.trailer = TrailerPolicy::kIgnore;
  std::uint64_t passed = 0;
  config.progress = [&](const Progress& progress) {
    if (executor.is_running) passed = progress.numbers;
    return true;
  };
  Numbers out = zeros(type, n);
  std::size_t count = 0;
  ASSERT_OK(count_into(decompress_into(file, writable(out), config), count));
  EXPECT_EQ(executor.runs, 1);
  EXPECT_EQ(passed, n);
}

// Chunks of varying sizes, as segmentation makes them.
TEST(Parallel, ChunksOfOtherSizesAreShared) {
  Random random(313);
  for (const char* distribution : {"walk", "uniform", "few-values"}) {
    for (const bool has_trailer : {false, true}) {
      std::vector<std::size_t> sizes;
      for (int i = 0; i < 30; ++i) sizes.push_back(1024 * random.between(1, i % 8 == 0 ? 60 : 5));
      sizes.push_back(random.between(256, 3000));
      std::size_t n = 0;
      for (const std::size_t size : sizes) n += size;
      EncodeConfig config;
      if (has_trailer) config.trailer = TrailerSpec::index();
      const Bytes file = file_of(NumberType::kF64, sizes, distribution, random, config);
      SCOPED_TRACE(text(distribution, " ", has_trailer, ", seed ", seed()));
      expect_same_everywhere(file, NumberType::kF64, n, true);
      expect_same_stream(file, NumberType::kF64, n, executor_cases()[0], 997, n + 1);
      expect_shared(file, NumberType::kF64, n);
    }
  }
}

TEST(Parallel, AnyNumberOfThreadsOnSegmentedRuns) {
  Random random(314);
  Numbers numbers = zeros(NumberType::kI64, 400000);
  // Regimes of different widths and steps, so that chunks of their own pay.
  std::uint64_t value = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < numbers.count(); ++i) {
    if (i % 16384 == 0) bits = static_cast<unsigned>(random.between(1, 50));
    value = i / 16384 % 2 == 0 ? random.bits(bits) : value + random.bits(bits / 2);
    set_bits(numbers, i, value);
  }
  EncodeConfig config;
  config.paging = PagingSpec::automatic();
  const Bytes file = compressed(numbers, config);
  const ChunkIndex index = ChunkIndex::build(file).value();
  ASSERT_GE(index.chunks().size(), 8u);
  for (unsigned threads = 2; threads <= 8; ++threads) {
    SCOPED_TRACE(threads);
    DecodeConfig with_threads;
    with_threads.threads = threads;
    Numbers out;
    ASSERT_OK(decompress_any(file, with_threads).into(out));
    EXPECT_TRUE(same_numbers(out, numbers));
    ExecutorCase executor_case{"threads", nullptr, threads};
    expect_same_stream(file, NumberType::kI64, numbers.count(), executor_case, 5000, 150000);
  }
  expect_shared(file, NumberType::kI64, numbers.count());
}

// The cost of a wrong guess must be earned before the next, so runs are few.
TEST(Parallel, ForgedChunksAreGivenUp) {
  Random random(308);
  constexpr std::size_t kN = 60000;
  const Bytes forged = forged_chunk(kN);
  Numbers numbers = plain_bytes(40 * kN, random);
  for (std::size_t at = 100; at + 100 < numbers.count(); at += 60) {
    std::copy(forged.begin(), forged.end(), numbers.storage().begin() + static_cast<long>(at));
  }
  EncodeConfig config;
  config.level = 0;
  config.mode = ModeSpec::classic();
  config.delta = DeltaSpec::none();
  config.paging = PagingSpec::equal_pages_up_to(kN);
  const Bytes file = compressed(numbers, config);
  Numbers out = zeros(NumberType::kU8, numbers.count());
  OneByOne executor(4);
  DecodeConfig one_by_one;
  one_by_one.executor = &executor;
  std::size_t count = 0;
  ASSERT_OK(count_into(decompress_into(file, writable(out), one_by_one), count));
  EXPECT_TRUE(same_numbers(out, numbers));
  EXPECT_LE(executor.runs, 40);
}

// The same with pages whose size cannot be known in advance: three in four numbers take 8 bits,
// whose bytes are adjacent in the page; the others take none.
TEST(Parallel, ForgedChunksInPagesOfAnySizeAreGivenUp) {
  Random random(315);
  constexpr std::size_t kN = 60000;
  for (const std::size_t forged_n : {300u, 60000u, 1u << 20}) {
    Numbers forged_numbers = zeros(NumberType::kU16, forged_n);
    EncodeConfig whole;
    whole.paging = PagingSpec::equal_pages_up_to(SIZE_MAX);
    const Bytes forged_file = compressed(forged_numbers, whole);
    const std::size_t begin = read_header(forged_file).value().size_bytes;
    const ByteSpan forged = ByteSpan(forged_file).subspan(begin, forged_file.size() - 1 - begin);
    Numbers numbers = zeros(NumberType::kU16, 40 * kN);
    std::size_t at = 0;
    for (std::size_t i = 0; i < numbers.count(); ++i) {
      if (random.one_in(4)) continue;
      const std::size_t byte = at++ % 800;
      const std::uint64_t low =
          byte < forged.size() ? std::to_integer<std::uint64_t>(forged[byte]) : random.bits(8);
      set_bits(numbers, i, 0x8000 | low);
    }
    EncodeConfig config;
    config.level = 1;
    config.mode = ModeSpec::classic();
    config.delta = DeltaSpec::none();
    config.paging = PagingSpec::equal_pages_up_to(kN);
    const Bytes file = compressed(numbers, config);
    SCOPED_TRACE(text(forged_n, ", seed ", seed()));
    ASSERT_TRUE(contains(file, forged));
    expect_same_into(file, NumberType::kU16, numbers.count(), executor_cases()[3], {}, nullptr);
    Numbers out = zeros(NumberType::kU16, numbers.count());
    OneByOne executor(4);
    DecodeConfig one_by_one;
    one_by_one.executor = &executor;
    std::size_t count = 0;
    ASSERT_OK(count_into(decompress_into(file, writable(out), one_by_one), count));
    EXPECT_TRUE(same_numbers(out, numbers));
    EXPECT_LE(executor.runs, 20);
  }
}

TEST(Parallel, ConfigsThatAskForNothing) {
  Random random(309);
  const Bytes file = file_of(NumberType::kI64, std::vector<std::size_t>(8, 20000), "walk", random);
  OneByOne none(0);
  OneByOne one(1);
  for (OneByOne* const executor : {&none, &one}) {
    DecodeConfig config;
    config.executor = executor;
    Numbers out;
    ASSERT_OK(decompress_any(file, config).into(out));
    EXPECT_TRUE(same_numbers(out, decompressed(file)));
    EXPECT_EQ(executor->runs, 0);
  }
  OneByOne four(4);
  DecodeConfig config;
  config.executor = &four;
  Numbers out;
  ASSERT_OK(decompress_any(file, config).into(out));
  EXPECT_GT(four.runs, 0);
  config.threads = 7;  // the executor comes first
  Unable unable;
  config.executor = &unable;
  EXPECT_KIND(decompress_any(file, config).into(out), kOutOfMemory);
}

TEST(Parallel, ProgressInOrderOnTheCallingThread) {
  Random random(310);
  const std::vector<std::size_t> sizes(12, 50000);
  const Bytes file = file_of(NumberType::kI32, sizes, "walk", random);
  for (const ExecutorCase& executor_case : executor_cases()) {
    for (const bool is_stream : {false, true}) {
      SCOPED_TRACE(executor_case.name);
      std::vector<Progress> calls;
      const std::thread::id caller = std::this_thread::get_id();
      DecodeConfig config = with(executor_case);
      config.progress = [&](const Progress& progress) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        calls.push_back(progress);
        return true;
      };
      Numbers out = zeros(NumberType::kI32, 600000);
      std::size_t count = 0;
      if (is_stream) {
        MemorySource source(file);
        StreamReader reader(source, config);
        ASSERT_OK(count_into(reader.read(writable(out)), count));
      } else {
        ASSERT_OK(count_into(decompress_into(file, writable(out), config), count));
      }
      ASSERT_FALSE(calls.empty());
      for (std::size_t i = 1; i < calls.size(); ++i) {
        EXPECT_GT(calls[i].numbers, calls[i - 1].numbers);
        EXPECT_GE(calls[i].bytes, calls[i - 1].bytes);
      }
      EXPECT_EQ(calls.back().numbers, 600000u);
      EXPECT_LE(calls.back().bytes, file.size());
    }
  }
}

TEST(Parallel, Cancelled) {
  Random random(311);
  const std::vector<std::size_t> sizes(12, 50000);
  const Bytes file = file_of(NumberType::kI32, sizes, "walk", random);
  const Numbers all = decompressed(file);
  for (const ExecutorCase& executor_case : executor_cases()) {
    for (const std::size_t stop_at : {1u, 2u, 4u}) {
      for (const bool is_stream : {false, true}) {
        SCOPED_TRACE(text(executor_case.name, " ", stop_at));
        std::size_t calls = 0;
        DecodeConfig config = with(executor_case);
        config.progress = [&](const Progress&) { return ++calls < stop_at; };
        Numbers out = zeros(NumberType::kI32, 600000);
        std::size_t count = 0;
        Status status;
        if (is_stream) {
          MemorySource source(file);
          StreamReader reader(source, config);
          status = count_into(reader.read(writable(out)), count);
        } else {
          status = count_into(decompress_into(file, writable(out), config), count);
        }
        // If no task runs on this thread, there are few calls.
        if (calls < stop_at) {
          EXPECT_OK(status);
          continue;
        }
        EXPECT_KIND(status, kCancelled);
        EXPECT_EQ(calls, stop_at);
        out.storage().resize(count * 4);
        EXPECT_TRUE(is_prefix(out, all));
      }
    }
  }
}

// Fails once at a byte; a later read would return more.
class FailingSource final : public ByteSource {
 public:
  FailingSource(ByteSpan bytes, std::size_t fails_at) : bytes_(bytes), fails_at_(fails_at) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    if (at_ == fails_at_ && !failed_) {
      failed_ = true;
      return Status(ErrorKind::kIo, "no more for now");
    }
    const std::size_t end = failed_ ? bytes_.size() : fails_at_;
    const std::size_t got = std::min({out.size(), end - at_, std::size_t{5000}});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), got, out.begin());
    at_ += got;
    return got;
  }

 private:
  ByteSpan bytes_;
  std::size_t fails_at_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

// Reading ahead detects failures early; earlier numbers are still returned.
TEST(Parallel, SourcesThatFail) {
  Random random(312);
  const std::vector<std::size_t> sizes(8, 20000);
  const Bytes file = file_of(NumberType::kF64, sizes, "uniform", random);
  const Numbers all = decompressed(file);
  std::size_t max_reported = 0;
  for (const ExecutorCase& executor_case : executor_cases()) {
    for (int i = 0; i < 10; ++i) {
      const std::size_t fails_at = random.below(file.size());
      SCOPED_TRACE(text(executor_case.name, " ", fails_at));
      std::size_t count[2] = {};
      for (int parallel = 0; parallel < 2; ++parallel) {
        FailingSource source(file, fails_at);
        StreamReader reader(source, parallel != 0 ? with(executor_case) : DecodeConfig());
        Numbers out = zeros(NumberType::kF64, 160000);
        EXPECT_KIND(count_into(reader.read(writable(out)), count[parallel]), kIo);
        std::size_t more = 0;
        EXPECT_KIND(count_into(reader.read(writable(out)), more), kIo);
        out.storage().resize(count[parallel] * sizeof(double));
        EXPECT_TRUE(is_prefix(out, all));
      }
      // All whole chunks, whatever became of the last one.
      EXPECT_GE(count[1], count[0] / 20000 * 20000);
      max_reported = std::max(max_reported, count[1]);
    }
  }
  EXPECT_GE(max_reported, 100000u);
}

TEST(Parallel, FixturesOfOtherWriters) {
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    const ExecutorCase& executor_case = executor_cases()[3];
    expect_same_into(fixture.file, fixture.numbers.type(), fixture.numbers.count(), executor_case,
                     {}, nullptr);
  }
}

}  // namespace
}  // namespace numpact::testing
