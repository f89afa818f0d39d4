// SPDX-License-Identifier: Apache-2.0
// Sources, sinks, memory, executors and progress functions that throw or lie: an error, never the
// end of the program.
#include <gtest/gtest.h>

#include <memory_resource>
#include <stdexcept>

#include "entry_point_samples.hpp"
#include "numpact/cvc.hpp"
#include "numpact/inspect.hpp"
#include "numpact/trailer.hpp"
#include "numpact/wrapped.hpp"

namespace numpact::testing {
namespace {

using wrapped::ChunkDecoder;
using wrapped::ChunkEncoder;

// From the k-th read on claims to have returned more bytes than requested.
class BoastingSource final : public ByteSource {
 public:
  BoastingSource(ByteSpan bytes, int sound_reads) : source_(bytes, 700), left_(sound_reads) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const Result<std::size_t> got = source_.read(out);
    return left_-- <= 0 ? out.size() + 1 : got;
  }

 private:
  MemorySource source_;
  int left_;
};

TEST(CallersFunctions, SourcesThatClaimMoreBytes) {
  const Bytes file = sample_file(TrailerSpec::none());
  for (const unsigned threads : {1u, 2u}) {
    for (const int valid_calls : {0, 1, 3}) {
      BoastingSource source(file, valid_calls);
      DecodeConfig config;
      config.threads = threads;
      StreamReader reader(source, config);
      Numbers out = zeros(NumberType::kI32, 5000);
      std::size_t count = 0;
      EXPECT_KIND(count_into(reader.read(writable(out)), count), kIo);
      EXPECT_KIND(count_into(reader.read(writable(out)), count), kIo);
    }
  }
  BoastingSource source(file, 0);
  Bytes bytes;
  VectorSink sink(bytes);
  EXPECT_KIND(StreamWriter(sink, NumberType::kI32).copy_file(source), kIo);
}

// The exceptions thrown by the caller's functions.
enum class Thrown { kInt, kString, kRuntimeError, kLogicError, kBadAlloc, kSuccess };
constexpr Thrown kAllThrown[] = {Thrown::kInt,        Thrown::kString,   Thrown::kRuntimeError,
                                 Thrown::kLogicError, Thrown::kBadAlloc, Thrown::kSuccess};

[[noreturn]] void throw_it(Thrown thrown) {
  switch (thrown) {
    case Thrown::kInt:
      throw 42;
    case Thrown::kString:
      throw "words";
    case Thrown::kRuntimeError:
      throw std::runtime_error("words");
    case Thrown::kLogicError:
      throw std::out_of_range("words");
    case Thrown::kBadAlloc:
      throw std::bad_alloc();
    case Thrown::kSuccess:
      break;
  }
  throw Error(Status());
}

class ThrowingSource final : public ByteSource {
 public:
  explicit ThrowingSource(Thrown thrown) : thrown_(thrown) {}
  Result<std::size_t> read(std::span<std::byte>) override { throw_it(thrown_); }

 private:
  Thrown thrown_;
};

class ThrowingSink final : public ByteSink {
 public:
  explicit ThrowingSink(Thrown thrown) : thrown_(thrown) {}
  Status write(std::span<const std::byte>) override { throw_it(thrown_); }

 private:
  Thrown thrown_;
};

class ThrowingRanges final : public RangeSource {
 public:
  explicit ThrowingRanges(Thrown thrown) : thrown_(thrown) {}
  std::uint64_t size() const noexcept override { return kUnknownSize; }
  Result<std::size_t> read_at(std::uint64_t, std::span<std::byte>) override { throw_it(thrown_); }

 private:
  Thrown thrown_;
};

// Throws before any task has started.
class ThrowingExecutor final : public Executor {
 public:
  explicit ThrowingExecutor(Thrown thrown) : thrown_(thrown) {}
  unsigned concurrency() const noexcept override { return 4; }
  void run(std::size_t, TaskFunction, void*) override { throw_it(thrown_); }

 private:
  Thrown thrown_;
};

// The k-th request and all later ones throw.
class ThrowingMemory final : public std::pmr::memory_resource {
 public:
  ThrowingMemory(Thrown thrown, int valid_calls) : thrown_(thrown), left_(valid_calls) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    if (left_-- <= 0) throw_it(thrown_);
    return std::pmr::new_delete_resource()->allocate(bytes, align);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  Thrown thrown_;
  int left_;
};

TEST(CallersFunctions, SourcesAndSinksThatThrow) {
  const Numbers numbers = sample_numbers();
  Numbers out = zeros(NumberType::kI32, 5000);
  for (const Thrown thrown : kAllThrown) {
    SCOPED_TRACE(static_cast<int>(thrown));
    for (const unsigned threads : {1u, 2u}) {
      ThrowingSource source(thrown);
      DecodeConfig decode;
      decode.threads = threads;
      StreamReader reader(source, decode);
      std::size_t count = 0;
      EXPECT_FALSE(count_into(reader.read(writable(out)), count).ok());
      ThrowingSink sink(thrown);
      EncodeConfig encode = paged();
      encode.threads = threads;
      StreamWriter writer(sink, NumberType::kI32, encode);
      const Status written = writer.write(numbers.view());
      EXPECT_FALSE(written.ok() && writer.finish().ok());
      Bytes bytes;
      VectorSink good(bytes);
      EXPECT_FALSE(StreamWriter(good, NumberType::kI32).copy_file(source).ok());
    }
    EXPECT_FALSE(cvc::Reader::create(std::make_shared<ThrowingRanges>(thrown)).ok());
  }
}

TEST(CallersFunctions, ExecutorsThatThrow) {
  const Numbers numbers = sample_numbers();
  const Bytes file = sample_file();
  const Bytes plain = sample_file(TrailerSpec::none());
  const Bytes vectors = sample_cvc();
  for (const Thrown thrown : kAllThrown) {
    SCOPED_TRACE(static_cast<int>(thrown));
    ThrowingExecutor executor(thrown);
    EncodeConfig encode = paged();
    encode.executor = &executor;
    Bytes bytes;
    EXPECT_FALSE(compress(numbers.view(), encode).into(bytes).ok());
    VectorSink sink(bytes);
    StreamWriter writer(sink, NumberType::kI32, encode);
    const Status status = writer.write(numbers.view());
    EXPECT_FALSE(status.ok() && writer.finish().ok());
    DecodeConfig decode;
    decode.executor = &executor;
    Numbers out = zeros(NumberType::kI32, 5000);
    for (const Bytes& each : {file, plain}) {
      // An error, or correct numbers because there was nothing worth sharing.
      std::size_t count = 0;
      if (count_into(decompress_into(each, writable(out), decode), count).ok()) {
        EXPECT_TRUE(same_numbers(out, numbers));
      }
      MemorySource source(each);
      StreamReader reader(source, decode);
      if (count_into(reader.read(writable(out)), count).ok()) {
        EXPECT_TRUE(same_numbers(out, numbers));
      }
      EXPECT_FALSE(FileReader::create(each)->read(0, writable(out), decode).ok());
      ChunkIndex index;
      if (ChunkIndex::build(each, decode).into(index).ok()) {
        EXPECT_EQ(index.count(), 5000u);
      }
    }
    EXPECT_FALSE(verify(file, decode).ok());
    cvc::ReadConfig read;
    read.executor = &executor;
    EXPECT_THROW(static_cast<void>(cvc::Reader::create(vectors).value().read_all(read).value()),
                 Error);
    cvc::WriteConfig write;
    write.executor = &executor;
    write.chunk_rows = 10;
    Bytes made;
    cvc::Writer cvc_writer = cvc::Writer::create(made, write).value();
    const std::vector<float> values(600);
    const Status appended = cvc_writer.append(cvc::Rows(std::span<const float>(values), 3));
    EXPECT_FALSE(appended.ok() && cvc_writer.finish().ok());
  }
}

TEST(CallersFunctions, ProgressFunctionsThatThrow) {
  const Numbers numbers = sample_numbers();
  const Bytes file = sample_file();
  const Bytes plain = sample_file(TrailerSpec::none());
  const Bytes vectors = sample_cvc();
  for (const Thrown thrown : kAllThrown) {
    for (const unsigned threads : {1u, 2u}) {
      SCOPED_TRACE(text(static_cast<int>(thrown), " ", threads));
      const ProgressCallback progress = [&](const Progress&) -> bool { throw_it(thrown); };
      EncodeConfig encode = paged();
      encode.threads = threads;
      encode.progress = progress;
      Bytes bytes;
      EXPECT_FALSE(compress(numbers.view(), encode).into(bytes).ok());
      EXPECT_FALSE(ChunkEncoder::create(numbers.view(), encode).ok());
      Explanation explanation;
      EXPECT_FALSE(explain(numbers.view(), encode).into(explanation).ok());
      DecodeConfig decode;
      decode.threads = threads;
      decode.progress = progress;
      Numbers out = zeros(NumberType::kI32, 5000);
      std::size_t count = 0;
      FileInfo info;
      Verification found;
      ChunkIndex index;
      EXPECT_FALSE(count_into(decompress_into(file, writable(out), decode), count).ok());
      EXPECT_FALSE(FileReader::create(file)->read(0, writable(out), decode).ok());
      EXPECT_FALSE(inspect_into(file, info, decode).ok());
      EXPECT_FALSE(verify(file, decode).into(found).ok());
      EXPECT_FALSE(verify(plain, decode).into(found).ok());
      EXPECT_FALSE(ChunkIndex::build(plain, decode).into(index).ok());
      EXPECT_FALSE(Trailer::make(plain, TrailerSpec::index(), decode).ok());
      MemorySource source(file);
      StreamReader reader(source, decode);
      EXPECT_FALSE(count_into(reader.read(writable(out)), count).ok());
      cvc::ReadConfig read;
      read.threads = threads;
      read.progress = progress;
      EXPECT_THROW(static_cast<void>(cvc::Reader::create(vectors).value().read_all(read).value()),
                   Error);
      cvc::VerifyReport report;
      EXPECT_FALSE(cvc::Reader::create(vectors).value().verify(read).into(report).ok());
      cvc::WriteConfig write;
      write.threads = threads;
      write.progress = progress;
      write.chunk_rows = 10;
      cvc::Writer writer = cvc::Writer::create(bytes, write).value();
      const std::vector<float> values(600);
      EXPECT_FALSE(writer.append(cvc::Rows(std::span<const float>(values), 3)).ok());
    }
  }
}

TEST(CallersFunctions, MemoryThatThrows) {
  const Numbers numbers = sample_numbers();
  const Bytes file = sample_file();
  for (const Thrown thrown : kAllThrown) {
    for (const unsigned threads : {1u, 2u}) {
      for (const int valid_calls : {1, 2, 4, 8}) {
        SCOPED_TRACE(text(static_cast<int>(thrown), " ", threads, " ", valid_calls));
        Numbers out = zeros(NumberType::kI32, 5000);
        std::size_t count = 0;
        try {
          ThrowingMemory memory(thrown, valid_calls);
          EncodeContext encode(&memory);
          DecodeContext decode(&memory);
          EncodeConfig encode_config = paged();
          encode_config.threads = threads;
          DecodeConfig decode_config;
          decode_config.threads = threads;
          Bytes bytes;
          const Status made = compress(numbers.view(), encode_config, &encode).into(bytes);
          if (made.ok()) {
            EXPECT_TRUE(same_numbers(decompressed(bytes), numbers));
          }
          if (count_into(decompress_into(file, writable(out), decode_config, &decode), count)
                  .ok()) {
            EXPECT_TRUE(same_numbers(out, numbers));
          }
          ThrowingMemory kept(thrown, valid_calls);
          Result<ChunkEncoder> encoder = ChunkEncoder::create(numbers.view(), paged(), &kept);
          if (encoder) {
            EXPECT_EQ(encoder->page_count(), 8u);
          }
          static_cast<void>(ChunkDecoder::create(file, NumberType::kI32, {4, 1}, {}, &kept));
        } catch (...) {
          // Constructors of contexts may pass on the memory resource's exceptions; the functions do
          // not.
          EXPECT_LE(valid_calls, 4);
        }
      }
    }
  }
}

}  // namespace
}  // namespace numpact::testing
