// SPDX-License-Identifier: Apache-2.0
// Warm contexts allocate nothing; a failed allocation is an error without side effects.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory_resource>
#include <new>

#include "counting_new.hpp"
#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

// Counts requests; the k-th request from now on can be made to fail.
class CountingMemory final : public std::pmr::memory_resource {
 public:
  ~CountingMemory() override { EXPECT_EQ(bytes_held, 0u); }
  long requests = 0;
  long failing = -1;
  std::size_t bytes_held = 0;
  std::size_t peak_bytes_held = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    ++requests;
    if (failing >= 0 && failing-- == 0) throw std::bad_alloc();
    bytes_held += bytes;
    peak_bytes_held = std::max(peak_bytes_held, bytes_held);
    return std::pmr::new_delete_resource()->allocate(bytes, align);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override {
    bytes_held -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

struct Case {
  Numbers numbers;
  EncodeConfig config;
};

std::vector<Case> cases() {
  Random random(91);
  std::vector<Case> result;
  for (const NumberType type : {NumberType::kU8, NumberType::kI32, NumberType::kF64}) {
    for (const ModeSpec& mode : mode_specs(type)) {
      Case one;
      one.numbers = make_numbers(random.pick(distribution_names()), type, 1500, random);
      one.config.mode = mode;
      one.config.delta = random.pick(delta_specs(type));
      one.config.paging = PagingSpec::equal_pages_up_to(600);
      result.push_back(std::move(one));
    }
  }
  return result;
}

TEST(WarmContexts, AllocateNothing) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(text(describe(one.config), ", seed ", seed()));
    CountingMemory memory;
    EncodeContext encode(&memory);
    DecodeContext decode(&memory);
    Bytes file(compress_bound(one.numbers.type(), one.numbers.count(), one.config));
    Numbers out = zeros(one.numbers.type(), one.numbers.count());
    std::size_t written = 0;
    std::size_t count = 0;
    const DecodeConfig config;
    for (int round = 0; round < 4; ++round) {
      const long before = allocations;
      const long requests = memory.requests;
      const Status encoded =
          compress_into(one.numbers.view(), file, one.config, &encode).into(written);
      const Status decoded = count_into(
          decompress_into(std::span(file).first(written), writable(out), config, &decode), count);
      const long after = allocations;
      ASSERT_OK(encoded);
      ASSERT_OK(decoded);
      ASSERT_TRUE(same_numbers(out, one.numbers));
      // The first call allocates blocks, the second may merge them.
      if (round >= 2) {
        EXPECT_EQ(after, before);
        EXPECT_EQ(memory.requests, requests);
      } else if (round == 0) {
        EXPECT_GT(memory.requests, requests);
      }
    }
  }
}

// Enough chunks for several threads.
Case parallel_case(NumberType type, std::size_t n = 160000) {
  Random random(94);
  Case one;
  one.numbers = make_numbers("walk", type, n, random);
  one.config.level = 1;
  one.config.paging = PagingSpec::equal_pages_up_to(20000);
  return one;
}

// Allocations of each of several equal calls. Which thread of a pool takes which chunk varies: a
// thread that gets its first one, or a larger one than before, makes its arena grow, on a busy
// machine at any time. So some calls of a pool may allocate much, but not all.
class Calls {
 public:
  void add(long allocated, long requested) {
    smallest_ = std::min(smallest_, std::max(allocated, requested));
    largest_ = std::max({largest_, allocated, requested});
  }
  void check(bool is_pool) const {
    constexpr long kThreads = 8;  // what the start of the threads of a pool may take
    EXPECT_LE(is_pool ? smallest_ : largest_, is_pool ? kThreads : 0);
  }

 private:
  long smallest_ = std::numeric_limits<long>::max();
  long largest_ = 0;
};

TEST(WarmContexts, AllocateNothingWithThreads) {
  const Case one = parallel_case(NumberType::kF32);
  const Bytes file = compressed(one.numbers, one.config);
  OneByOne executor(4);
  for (Executor* const given :
       {static_cast<Executor*>(nullptr), static_cast<Executor*>(&executor)}) {
    CountingMemory memory;
    DecodeContext context(&memory);
    Numbers out = zeros(one.numbers.type(), one.numbers.count());
    std::size_t count = 0;
    DecodeConfig config;
    config.threads = 3;
    config.executor = given;
    Calls calls;
    for (int round = 0; round < 12; ++round) {
      const long before = allocations;
      const long requests = memory.requests;
      const Status status =
          count_into(decompress_into(file, writable(out), config, &context), count);
      const long after = allocations;
      ASSERT_OK(status);
      EXPECT_TRUE(same_numbers(out, one.numbers));
      if (round >= 2) calls.add(after - before, memory.requests - requests);
    }
    calls.check(given == nullptr);
  }
}

TEST(WarmContexts, AllocateNothingWhenEncodingWithThreads) {
  Case one = parallel_case(NumberType::kF32);
  const Bytes expected = compressed(one.numbers, one.config);
  OneByOne executor(4);
  for (Executor* const given :
       {static_cast<Executor*>(nullptr), static_cast<Executor*>(&executor)}) {
    CountingMemory memory;
    EncodeContext context(&memory);
    // With enough output for the worst case and without.
    Bytes outputs[2] = {Bytes(compress_bound(one.numbers.type(), one.numbers.count(), one.config)),
                        Bytes(expected.size())};
    std::size_t written = 0;
    one.config.threads = 3;
    one.config.executor = given;
    Calls calls;
    for (int round = 0; round < 12; ++round) {
      const long before = allocations;
      const long requests = memory.requests;
      for (Bytes& output : outputs) {
        const Status status =
            compress_into(one.numbers.view(), output, one.config, &context).into(written);
        if (!status.ok()) FAIL() << status.message();
      }
      if (round < 2) continue;
      calls.add(allocations - before, memory.requests - requests);
      EXPECT_TRUE(same_bytes(outputs[1], expected));
    }
    calls.check(given == nullptr);
  }
}

// Scratch memory is bounded by the tasks, not by the chunks, and in total by the limit.
TEST(ParallelMemory, IsBounded) {
  const Case one = parallel_case(NumberType::kF64);
  const Bytes file = compressed(one.numbers, one.config);
  Numbers out = zeros(one.numbers.type(), one.numbers.count());
  std::size_t count = 0;
  const auto held_by = [&](unsigned tasks, std::uint64_t limit) {
    OneByOne executor(tasks);
    CountingMemory memory;
    DecodeConfig config;
    config.executor = &executor;
    config.limits.max_memory = limit;
    DecodeContext context(&memory);
    EXPECT_OK(count_into(decompress_into(file, writable(out), config, &context), count));
    return memory.peak_bytes_held;
  };
  const std::size_t alone = held_by(1, DecodeLimits::kUnlimited);
  const std::size_t four = held_by(4, DecodeLimits::kUnlimited);
  EXPECT_LE(four, 5 * alone + 100000);
  // In addition to scratch: a list of blocks per arena, and of segments.
  EXPECT_LE(held_by(4, alone), alone + 40000);
  EXPECT_LE(held_by(4, 2 * alone), 2 * alone + 40000);
}

TEST(ParallelMemory, OfEncodingIsBounded) {
  // With a tight output, the bytes of some chunks are buffered in scratch memory.
  const auto held_by = [&](unsigned tasks, std::size_t n, bool is_tight) {
    Case one = parallel_case(NumberType::kF64, n);
    Bytes out = compressed(one.numbers, one.config);
    if (!is_tight) out.resize(compress_bound(NumberType::kF64, n, one.config));
    OneByOne executor(tasks);
    CountingMemory memory;
    one.config.executor = &executor;
    EncodeContext context(&memory);
    std::size_t written = 0;
    EXPECT_OK(compress_into(one.numbers.view(), out, one.config, &context).into(written));
    return memory.peak_bytes_held;
  };
  const std::size_t alone = held_by(1, 160000, false);
  EXPECT_LE(held_by(2, 160000, false), 3 * alone + 100000);
  EXPECT_LE(held_by(4, 160000, false), 5 * alone + 100000);
  const std::size_t tight = held_by(2, 320000, true);
  EXPECT_LE(held_by(2, 1280000, true), tight + tight / 10);
}

// For the longest run.
TEST(EncodeMemory, OfALongRunIsBounded) {
  constexpr std::size_t kN = std::size_t{1} << 20;
  // Ten times the size of the numbers plus the first, small blocks; max_allocations runs need less.
  constexpr std::size_t kMaxBytes = 10 * sizeof(double) * kN + (std::size_t{1} << 16);
  Random random(95);
  for (const NumberType type : {NumberType::kU64, NumberType::kF64}) {
    for (const std::string_view name : {"uniform", "walk", "decimals", "repeats", "segments"}) {
      const Numbers numbers = make_numbers(name, type, kN, random);
      Bytes out(compress_bound(type, kN));
      CountingMemory memory;
      EncodeContext context(&memory);
      std::size_t written = 0;
      ASSERT_OK(compress_into(numbers.view(), out, {}, &context).into(written));
      EXPECT_LE(memory.peak_bytes_held, kMaxBytes) << name_of(type) << " " << name;
    }
  }
}

// Runs f with every allocation failing in turn until none fails.
template <class F>
void expect_survives(const F& f) {
  int failures = 0;
  for (long k = 0; k < 1000; ++k) {
    fail_in = k;
    const Status status = f();
    const bool reached = fail_in < 0;
    fail_in = -1;
    if (!reached) {
      EXPECT_OK(status);
      EXPECT_GT(failures, 0);
      return;
    }
    // A failure may be handled (by a smaller plan) but must not be reported as another error.
    if (!status.ok()) {
      EXPECT_KIND(status, kOutOfMemory);
    }
    ++failures;
  }
  FAIL() << "never went through";
}

TEST(FailingMemory, WhenEncodingWithThreads) {
  const Case one = parallel_case(NumberType::kI32);
  const Bytes expected = compressed(one.numbers, one.config);
  Bytes out(expected.size());
  for (const bool is_pool : {false, true}) {
    OneByOne executor(3);
    EncodeConfig config = one.config;
    config.threads = 3;
    if (!is_pool) config.executor = &executor;
    expect_survives([&] {
      std::size_t written = 0;
      const Status status = compress_into(one.numbers.view(), out, config).into(written);
      EXPECT_TRUE(!status.ok() || same_bytes(out, expected));
      return status;
    });
    expect_survives([&] {
      Bytes file;
      VectorSink sink(file);
      try {
        StreamWriter writer(sink, NumberType::kI32, config, one.numbers.count());
        Status status = writer.write(part(one.numbers, 0, 70000));
        if (status.ok()) status = writer.write(part(one.numbers, 70000, 90000));
        if (status.ok()) status = writer.finish();
        EXPECT_TRUE(!status.ok() || same_bytes(file, expected));
        return status;
      } catch (const std::bad_alloc&) {  // of the constructor
        return Status(ErrorKind::kOutOfMemory, "");
      }
    });
  }
}

TEST(FailingMemory, WithThreads) {
  const Case one = parallel_case(NumberType::kI32);
  const Bytes file = compressed(one.numbers, one.config);
  Numbers out = zeros(one.numbers.type(), one.numbers.count());
  std::size_t count = 0;
  for (const bool is_pool : {false, true}) {
    OneByOne executor(3);
    for (long k = 0;; ++k) {
      ASSERT_LT(k, 300);
      fail_in = k;
      DecodeConfig config;
      config.threads = 3;
      if (!is_pool) config.executor = &executor;
      const Status status = count_into(decompress_into(file, writable(out), config), count);
      const bool reached = fail_in < 0;
      fail_in = -1;
      if (status.ok()) {
        EXPECT_TRUE(same_numbers(out, one.numbers));
      } else {
        EXPECT_KIND(status, kOutOfMemory);
      }
      if (!reached) break;
    }
    for (long k = 0;; ++k) {
      ASSERT_LT(k, 300);
      fail_in = k;
      DecodeConfig config;
      config.threads = 3;
      if (!is_pool) config.executor = &executor;
      ChunkIndex index;
      const Status status = ChunkIndex::build(file, config).into(index);
      const bool reached = fail_in < 0;
      fail_in = -1;
      if (status.ok()) {
        EXPECT_EQ(index.count(), one.numbers.count());
        EXPECT_EQ(index.chunks().size(), 8u);
      } else {
        EXPECT_KIND(status, kOutOfMemory);
      }
      if (!reached) break;
    }
  }
}

// A few bytes that claim many numbers.
TEST(ParallelMemory, OutputDoesNotGrowByClaims) {
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(SIZE_MAX);
  const Numbers numbers = zeros(NumberType::kF64, 1 << 20);
  Bytes file = compressed(numbers, config);
  const std::size_t begin = read_header(file).value().size_bytes;
  const Bytes chunk = to_bytes(ByteSpan(file).subspan(begin, file.size() - 1 - begin));
  ASSERT_LT(chunk.size(), 100u);
  file.resize(begin);
  for (int i = 0; i < 40; ++i) file.insert(file.end(), chunk.begin(), chunk.end());
  // The first chunk is valid; the others have a page that ends early, with bins that take bits.
  const std::size_t second = begin + chunk.size();
  for (std::size_t at = second; at < file.size(); ++at) file[at] ^= std::byte{0x01};
  OneByOne executor(4);
  DecodeConfig parallel;
  parallel.executor = &executor;
  Numbers in_order;
  Numbers out;
  const Status expected = decompress_any(file).into(in_order);
  EXPECT_EQ(decompress_any(file, parallel).into(out).message(), expected.message());
  EXPECT_LE(out.storage().capacity(), in_order.storage().capacity() * 2);
}

TEST(FailingMemory, OfContexts) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(text(describe(one.config), ", seed ", seed()));
    CountingMemory memory;
    const Bytes expected = compressed(one.numbers, one.config);
    Bytes file(compress_bound(one.numbers.type(), one.numbers.count(), one.config));
    std::size_t written = 0;
    Numbers out = zeros(one.numbers.type(), one.numbers.count());
    std::size_t count = 0;
    EncodeContext encode(&memory);
    DecodeContext decode(&memory);
    int failures = 0;
    for (long k = 0; k < 50; ++k) {
      memory.failing = -1;
      encode = EncodeContext(&memory);
      memory.failing = k;
      const Status status =
          compress_into(one.numbers.view(), file, one.config, &encode).into(written);
      if (status.ok()) break;
      ++failures;
      EXPECT_KIND(status, kOutOfMemory);
      memory.failing = -1;
      ASSERT_OK(compress_into(one.numbers.view(), file, one.config, &encode).into(written));
      EXPECT_TRUE(same_bytes(std::span(file).first(written), expected));
    }
    for (long k = 0; k < 50; ++k) {
      memory.failing = -1;
      decode = DecodeContext(&memory);
      memory.failing = k;
      const Status status =
          count_into(decompress_into(expected, writable(out), {}, &decode), count);
      if (status.ok()) break;
      ++failures;
      EXPECT_KIND(status, kOutOfMemory);
      memory.failing = -1;
      ASSERT_OK(count_into(decompress_into(expected, writable(out), {}, &decode), count));
      EXPECT_TRUE(same_numbers(out, one.numbers));
    }
    memory.failing = -1;
    EXPECT_GE(failures, 2);
  }
}

TEST(FailingMemory, OfEveryEntryPoint) {
  Random random(92);
  const Numbers numbers = make_numbers("few-values", NumberType::kI32, 2000, random);
  EncodeConfig config;
  config.mode = ModeSpec::try_dict();
  config.delta = DeltaSpec::try_lookback();
  config.paging = PagingSpec::equal_pages_up_to(900);
  const Bytes file = compressed(numbers, config);
  expect_survives([&] {
    Bytes out;
    return compress(numbers.view(), config).into(out);
  });
  expect_survives([&] {
    Numbers out;
    return decompress_any(file).into(out);
  });
  expect_survives([&] {
    FileInfo info;
    return inspect_into(file, info);
  });
  expect_survives([&] {
    std::uint64_t count = 0;
    return count_numbers(file).into(count);
  });
  expect_survives([&] { return wrapped::ChunkEncoder::create(numbers.view(), config).status(); });
}

TEST(FailingMemory, OfStreams) {
  Random random(93);
  const Numbers numbers = make_numbers("walk", NumberType::kF32, 2000, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(900);
  const Bytes file = compressed(numbers, config);
  for (long k = 0;; ++k) {
    ASSERT_LT(k, 100);
    CountingMemory memory;
    MemorySource source(file, 1000);
    StreamReader reader(source, {}, &memory);
    memory.failing = k;
    Numbers out = zeros(NumberType::kF32, 2001);
    std::size_t count = 0;
    const Status status = count_into(reader.read(writable(out)), count);
    if (status.ok()) break;
    EXPECT_KIND(status, kOutOfMemory);
    EXPECT_KIND(count_into(reader.read(writable(out)), count), kOutOfMemory);
  }
  for (long k = 0;; ++k) {
    ASSERT_LT(k, 100);
    CountingMemory memory;
    Bytes out;
    VectorSink sink(out);
    StreamWriter writer(sink, NumberType::kF32, config, 0, &memory);
    memory.failing = k;
    Status status = writer.write(numbers.view());
    if (status.ok()) status = writer.finish();
    if (status.ok()) break;
    EXPECT_KIND(status, kOutOfMemory);
  }
}

}  // namespace
}  // namespace numpact::testing
