// SPDX-License-Identifier: Apache-2.0
// Warm contexts allocate nothing; an allocation that fails is an error and harms nothing.
#include <gtest/gtest.h>

#include <memory_resource>
#include <new>

#include "counting_new.hpp"
#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

// Counts what is asked of it; the k-th request from now on can be made to fail.
class CountingMemory final : public std::pmr::memory_resource {
 public:
  ~CountingMemory() override { EXPECT_EQ(bytes_held, 0u); }
  long requests = 0;
  long failing = -1;
  std::size_t bytes_held = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    ++requests;
    if (failing >= 0 && failing-- == 0) throw std::bad_alloc();
    bytes_held += bytes;
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
          try_compress_into(one.numbers.view(), file, written, one.config, &encode);
      const Status decoded = try_decompress_into(std::span(file).first(written), writable(out),
                                                 count, config, &decode);
      const long after = allocations;
      ASSERT_OK(encoded);
      ASSERT_OK(decoded);
      ASSERT_TRUE(same_numbers(out, one.numbers));
      // The first call takes blocks, the second may make them one.
      if (round >= 2) {
        EXPECT_EQ(after, before);
        EXPECT_EQ(memory.requests, requests);
      } else if (round == 0) {
        EXPECT_GT(memory.requests, requests);
      }
    }
  }
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
      memory.failing = k;
      encode = EncodeContext(&memory);
      const Status status =
          try_compress_into(one.numbers.view(), file, written, one.config, &encode);
      if (status.ok()) break;
      ++failures;
      EXPECT_KIND(status, kOutOfMemory);
      memory.failing = -1;
      ASSERT_OK(try_compress_into(one.numbers.view(), file, written, one.config, &encode));
      EXPECT_TRUE(same_bytes(std::span(file).first(written), expected));
    }
    for (long k = 0; k < 50; ++k) {
      memory.failing = k;
      decode = DecodeContext(&memory);
      const Status status = try_decompress_into(expected, writable(out), count, {}, &decode);
      if (status.ok()) break;
      ++failures;
      EXPECT_KIND(status, kOutOfMemory);
      memory.failing = -1;
      ASSERT_OK(try_decompress_into(expected, writable(out), count, {}, &decode));
      EXPECT_TRUE(same_numbers(out, one.numbers));
    }
    memory.failing = -1;
    EXPECT_GE(failures, 2);
  }
}

// Runs f with every allocation failing in turn until it goes through.
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
    // A failure may be survived (a smaller plan), never called anything else.
    if (!status.ok()) {
      EXPECT_KIND(status, kOutOfMemory);
    }
    ++failures;
  }
  FAIL() << "never went through";
}

TEST(FailingMemory, OfEveryDoor) {
  Random random(92);
  const Numbers numbers = make_numbers("few-values", NumberType::kI32, 2000, random);
  EncodeConfig config;
  config.mode = ModeSpec::try_dict();
  config.delta = DeltaSpec::try_lookback();
  config.paging = PagingSpec::equal_pages_up_to(900);
  const Bytes file = compressed(numbers, config);
  expect_survives([&] {
    Bytes out;
    return try_compress(numbers.view(), out, config);
  });
  expect_survives([&] {
    Numbers out;
    return try_decompress_any(file, out);
  });
  expect_survives([&] {
    FileInfo info;
    return try_inspect(file, info);
  });
  expect_survives([&] {
    std::uint64_t count = 0;
    return try_count_numbers(file, count);
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
    const Status status = reader.try_read(writable(out), count);
    if (status.ok()) break;
    EXPECT_KIND(status, kOutOfMemory);
    EXPECT_KIND(reader.try_read(writable(out), count), kOutOfMemory);
  }
  for (long k = 0;; ++k) {
    ASSERT_LT(k, 100);
    CountingMemory memory;
    Bytes out;
    VectorSink sink(out);
    StreamWriter writer(sink, NumberType::kF32, config, 0, &memory);
    memory.failing = k;
    Status status = writer.try_write(numbers.view());
    if (status.ok()) status = writer.try_finish();
    if (status.ok()) break;
    EXPECT_KIND(status, kOutOfMemory);
  }
}

}  // namespace
}  // namespace numpact::testing
