// SPDX-License-Identifier: Apache-2.0
// Compares Pco files that a GPU decodes with the numbers that the CPU decodes. Skipped without a
// GPU; pco_emulation_test.cpp tests what is possible without one.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "base/load.hpp"
#include "gpu/pco_files.hpp"
#include "numpact/cuda.hpp"
#include "support/distributions.hpp"
#include "support/fixtures.hpp"
#include "support/small_files.hpp"
#ifdef NUMPACT_LAZY_RUNTIME
#include "gpu/lazy_runtime.hpp"
#endif

namespace numpact::testing {
namespace {

#ifdef NUMPACT_LAZY_RUNTIME
constexpr bool kIsEmulated = true;  // slow, so tests are smaller
#else
constexpr bool kIsEmulated = false;
#endif

// Device memory for numbers, filled with a pattern, with a guard behind it.
class DeviceArray {
 public:
  DeviceArray(NumberType type, std::size_t n) : type_(type), n_(n) {
    // Decoding must not write to the guard.
    EXPECT_EQ(cudaMalloc(&data_, bytes() + kGuard), cudaSuccess);
    EXPECT_EQ(cudaMemset(data_, 0xa5, bytes() + kGuard), cudaSuccess);
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  cuda::DeviceNumbers numbers() const { return {type_, data_, n_}; }
  Numbers fetched() const {
    Numbers numbers = zeros(type_, n_);
    Bytes guard(kGuard);
    EXPECT_EQ(cudaMemcpy(numbers.storage().data(), data_, bytes(), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(cudaMemcpy(guard.data(), static_cast<std::byte*>(data_) + bytes(), kGuard,
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    for (const std::byte byte : guard) EXPECT_EQ(byte, std::byte{0xa5});
    return numbers;
  }

 private:
  static constexpr std::size_t kGuard = 256;
  std::size_t bytes() const { return n_ * size_of(type_); }

  NumberType type_;
  std::size_t n_;
  void* data_ = nullptr;
};

class PcoDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    const Status status = cuda::device_count().into(count);
    if (!status.ok()) GTEST_SKIP() << "no GPU: " << status.message();
    if (count == 0) GTEST_SKIP() << "no GPU";
  }

  struct Decoded {
    Status status;
    Numbers numbers;
  };
  Decoded decoded(ByteSpan file, NumberType type, DecodeConfig config = {}) {
    config.threads = calls_++ % 2 == 0 ? 1 : 3;
    ChunkIndex index;
    Decoded result;
    result.status = ChunkIndex::build(file, config).into(index);
    if (!result.status.ok()) return result;
    const DeviceArray out(type, index.count());
    result.status = decoder_.decompress_into(file, index, out.numbers(), nullptr, config);
    result.numbers = out.fetched();
    return result;
  }

  void expect_decodes(ByteSpan file, const Numbers& numbers) {
    const Decoded got = decoded(file, numbers.type());
    ASSERT_OK(got.status);
    ASSERT_TRUE(same_numbers(got.numbers, numbers));
    expect_decodes_loaded(file, numbers);
  }

  void expect_decodes_loaded(ByteSpan file, const Numbers& numbers) {
    ChunkIndex index;
    ASSERT_OK(ChunkIndex::build(file).into(index));
    cuda::LoadedPco loaded;
    ASSERT_OK(cuda::LoadedPco::load(file, index, 0).into(loaded));
    ASSERT_EQ(loaded.count(), numbers.count());
    for (int round = 0; round < 2; ++round) {
      const DeviceArray out(numbers.type(), numbers.count());
      ASSERT_OK(loaded.decode(out.numbers()));
      ASSERT_OK(loaded.wait());
      ASSERT_TRUE(same_numbers(out.fetched(), numbers));
    }
  }

  // Small parts, so that most files have several.
  cuda::PcoDecoder decoder_{0, std::uint64_t{1} << 14};
  unsigned calls_ = 0;
};

TEST_F(PcoDevice, FilesOfReleasesAndMadeOnes) {
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    expect_decodes(fixture.file, fixture.numbers);
    expect_decodes(with_restarts(fixture.file, 8), fixture.numbers);
  }
}

TEST_F(PcoDevice, EveryTypeModeDeltaAndCount) {
  Random random(4200);
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        for (const std::size_t n : {1, 33, 257, 1536, kIsEmulated ? 700 : 40'000}) {
          EncodeConfig config;
          config.mode = mode;
          config.delta = delta;
          config.level = random.one_in(3) ? 12 : 3;
          config.paging = PagingSpec::equal_pages_up_to(random.one_in(2) ? 12'345 : 1 << 18);
          if (!random.one_in(3)) config.trailer = TrailerSpec::restarts(random.one_in(2) ? 8 : 11);
          const Numbers numbers = make_numbers(random.pick(distribution_names()), type, n, random);
          const Decoded got = decoded(compressed(numbers, config), type);
          ASSERT_OK(got.status) << name_of(type) << " " << describe(config) << " " << n;
          ASSERT_TRUE(same_numbers(got.numbers, numbers)) << name_of(type) << " " << n;
        }
      }
    }
  }
}

TEST_F(PcoDevice, Millions) {
  Random random(4300);
  for (const NumberType type : {NumberType::kI64, NumberType::kF64, NumberType::kU32}) {
    for (const unsigned log : {10u, 12u, 14u}) {
      EncodeConfig config;
      config.level = 4;
      config.delta = DeltaSpec::try_consecutive(1);
      config.trailer = TrailerSpec::restarts(log);
      const Numbers numbers = make_numbers("walk", type, kIsEmulated ? 20'000 : 3'000'000, random);
      const Bytes file = compressed(numbers, config);
      expect_decodes_loaded(file, numbers);
      expect_decodes(file, numbers);
    }
  }
}

// Enough tasks for a warp to decode several.
TEST_F(PcoDevice, GroupsOfTasks) {
  Random random(4400);
  const std::size_t n = kIsEmulated ? 4'500 : 2'100'000;
  for (const NumberType type : {NumberType::kI32, NumberType::kF64}) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        if (kIsEmulated && !random.one_in(4)) continue;  // pco_emulation_test has all
        EncodeConfig config;
        config.level = 2;
        config.mode = mode;
        config.delta = delta;
        config.trailer = TrailerSpec::restarts(8);
        const Numbers numbers = make_numbers(random.pick(distribution_names()), type, n, random);
        SCOPED_TRACE(describe(config));
        expect_decodes_loaded(compressed(numbers, config), numbers);
      }
    }
  }
}

TEST_F(PcoDevice, FilesThatAreRefused) {
  for (const std::string& name : names_in("made/refused")) {
    SCOPED_TRACE(name);
    const Bytes file = read_file(fixture_path("made/refused/" + name + ".pco"));
    FileHeader header;
    (void)read_header(file).into(header).ok();
    Numbers numbers;
    const Status expected = decompress_any(file).into(numbers);
    const Status got = decoded(file, header.number_type.value_or(NumberType::kU32)).status;
    EXPECT_STREQ(to_string(got.kind()), to_string(expected.kind())) << got.message();
  }
}

TEST_F(PcoDevice, MutantsAreReadLikeByTheCpu) {
  Random random(4400);
  for (const std::string& name : conformance_names()) {
    const Bytes file = read_file(fixture_path(name + ".pco"));
    for (int round = 0; round < (kIsEmulated ? 10 : 200); ++round) {
      Bytes mutant = file;
      mutant[random.below(mutant.size())] ^= static_cast<std::byte>(1 + random.below(255));
      Numbers numbers;
      DecodeConfig config;
      config.limits.max_numbers = 1'000'000;
      const Status expected = decompress_any(mutant, config).into(numbers);
      FileHeader header;
      if (!read_header(mutant).into(header).ok() || !header.number_type) continue;
      const Decoded got = decoded(mutant, *header.number_type, config);
      ASSERT_EQ(got.status.ok(), expected.ok())
          << name << " round " << round << ": " << got.status.message();
      if (expected.ok()) {
        ASSERT_TRUE(same_numbers(got.numbers, numbers));
      }
    }
  }
}

TEST_F(PcoDevice, RestartPointThatLiesIsFound) {
  Random random(4500);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 5'000, random);
  EncodeConfig config;
  config.delta = DeltaSpec::try_consecutive(1);
  config.trailer = TrailerSpec::restarts(8);
  Bytes file = compressed(numbers, config);
  // Change the last byte of the last point, then correct the checksums.
  std::byte* const footer = file.data() + file.size() - 24;
  footer[-2] ^= std::byte{1};
  const auto begin = load_le<std::uint64_t>(footer);
  store_le(footer + 8, crc32({file.data() + begin, footer}));
  store_le(footer + 12, crc32({footer, footer + 12}));
  const Status status = decoded(file, NumberType::kI32).status;
  EXPECT_KIND(status, kCorrupt);
  EXPECT_EQ(status.chunk(), 0u);
}

TEST_F(PcoDevice, ArgumentsAreChecked) {
  const Numbers numbers = from_values(std::vector<float>{1, 2, 3});
  const Bytes file = compressed(numbers);
  const DeviceArray out(NumberType::kF32, 3);
  cuda::DeviceNumbers wrong = out.numbers();
  wrong.type = NumberType::kI32;
  EXPECT_KIND(decoder_.decompress_into(file, wrong), kTypeMismatch);
  wrong = out.numbers();
  wrong.count = 2;
  EXPECT_KIND(decoder_.decompress_into(file, wrong), kOutputTooSmall);
  wrong = out.numbers();
  wrong.data = static_cast<std::byte*>(wrong.data) + 1;
  EXPECT_KIND(decoder_.decompress_into(file, wrong), kInvalidArgument);
  EXPECT_EQ(decoder_.decompress_into(file, out.numbers()).value(), 3u);
}

// Columns of several types and lengths, and their device memory.
struct DeviceColumns {
  explicit DeviceColumns(std::size_t n) {
    Random random(4600 + n);
    for (std::size_t i = 0; i < n; ++i) {
      const NumberType type = kNumberTypes[random.below(std::size(kNumberTypes))];
      EncodeConfig config;
      config.level = 3;
      if (!random.one_in(3)) config.trailer = TrailerSpec::restarts(8);
      const std::size_t count = random.below(random.one_in(5) ? 9'000 : 500);
      numbers.push_back(make_numbers(random.pick(distribution_names()), type, count, random));
      files.push_back(compressed(numbers[i], config));
      indices.push_back(ChunkIndex::build(files[i]).value());
      outputs.push_back(std::make_unique<DeviceArray>(type, count));
    }
  }
  std::vector<cuda::PcoFile> jobs() const {
    std::vector<cuda::PcoFile> all;
    for (std::size_t i = 0; i < files.size(); ++i) {
      all.push_back({files[i], &indices[i], outputs[i]->numbers(), {}});
    }
    return all;
  }
  bool is_decoded(std::size_t i) const { return same_numbers(outputs[i]->fetched(), numbers[i]); }

  std::vector<Numbers> numbers;
  std::vector<Bytes> files;
  std::vector<ChunkIndex> indices;
  std::vector<std::unique_ptr<DeviceArray>> outputs;
};

TEST_F(PcoDevice, ManyFilesInOneCall) {
  for (const std::size_t n : {0, 1, 7, 100}) {
    for (const unsigned threads : {1, 4}) {
      const DeviceColumns columns(n);
      std::vector<cuda::PcoFile> jobs = columns.jobs();
      DecodeConfig config;
      config.threads = threads;
      ASSERT_OK(decoder_.decompress_many(jobs, nullptr, config));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_OK(jobs[i].status);
        ASSERT_TRUE(columns.is_decoded(i)) << i;
      }
    }
  }
}

TEST_F(PcoDevice, FilesWithErrorsDoNotStopTheOthers) {
  const DeviceColumns columns(30);
  std::vector<cuda::PcoFile> jobs = columns.jobs();
  const auto last_with = [&](std::size_t min_count) {
    std::size_t i = jobs.size() - 1;
    while (columns.numbers[i].count() < min_count) --i;
    return i;
  };
  const std::size_t damaged = last_with(300);
  const Bytes cut =
      prefix(columns.files[damaged], columns.indices[damaged].chunks()[0].page_offset + 1);
  jobs[damaged].bytes = cut;
  jobs[2].index = nullptr;
  jobs[5].out.type = jobs[5].out.type == NumberType::kU8 ? NumberType::kI8 : NumberType::kU8;
  EXPECT_KIND(decoder_.decompress_many(jobs), kInvalidArgument);
  EXPECT_KIND(jobs[2].status, kInvalidArgument);
  EXPECT_EQ(jobs[5].status.ok(), columns.numbers[5].count() == 0);
  EXPECT_FALSE(jobs[damaged].status.ok());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i == 2 || i == 5 || i == damaged) continue;
    ASSERT_OK(jobs[i].status);
    ASSERT_TRUE(columns.is_decoded(i)) << i;
  }
}

// From page-locked memory, in which a file may begin anywhere, together with files in other memory.
TEST_F(PcoDevice, FilesInRegisteredMemory) {
  const DeviceColumns columns(12);
  for (const std::size_t gap : {0, 1, 4095}) {
    const auto is_registered = [](std::size_t i) { return i % 3 != 2; };
    Bytes together;
    for (std::size_t i = 0; i < columns.files.size(); ++i) {
      if (!is_registered(i)) continue;
      together.resize(together.size() + gap);
      together.insert(together.end(), columns.files[i].begin(), columns.files[i].end());
    }
    std::vector<cuda::PcoFile> jobs = columns.jobs();
    std::size_t at = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!is_registered(i)) continue;
      jobs[i].bytes = ByteSpan(together).subspan(at + gap, jobs[i].bytes.size());
      at += gap + jobs[i].bytes.size();
    }
    cuda::RegisteredMemory registered;
    const Status status = cuda::RegisteredMemory::take(together).into(registered);
    if (!status.ok()) GTEST_SKIP() << "the driver does not take it: " << status.message();
    ASSERT_OK(decoder_.decompress_many(jobs));
    registered = {};  // nothing is copied from it any more
    std::fill(together.begin(), together.end(), std::byte{0});
    for (std::size_t i = 0; i < jobs.size(); ++i) ASSERT_TRUE(columns.is_decoded(i)) << i;
  }
}

TEST_F(PcoDevice, DamageInRegisteredMemoryIsFound) {
  Random random(4600);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(9'000);
  config.trailer = TrailerSpec::restarts(10);
  const Numbers numbers = make_numbers("uniform", NumberType::kU32, 45'000, random);
  Bytes file = compressed(numbers, config);
  const ChunkIndex index = ChunkIndex::build(file).value();
  ASSERT_GE(index.chunk_count(), 4u);
  const DeviceArray out(NumberType::kU32, numbers.count());
  cuda::RegisteredMemory registered;
  const Status status = cuda::RegisteredMemory::take(file).into(registered);
  if (!status.ok()) GTEST_SKIP() << "the driver does not take it: " << status.message();
  for (const std::size_t chunk : {0, 1, 3}) {
    const auto at = static_cast<std::size_t>(index.chunks()[chunk].page_offset) + 9'001;
    file[at] ^= std::byte{4};
    const Status failed = decoder_.decompress_into(file, index, out.numbers());
    EXPECT_KIND(failed, kChecksum);
    EXPECT_EQ(failed.chunk(), chunk);
    file[at] ^= std::byte{4};
  }
  ASSERT_OK(decoder_.decompress_into(file, index, out.numbers()));
  ASSERT_TRUE(same_numbers(out.fetched(), numbers));
}

#ifdef NUMPACT_LAZY_RUNTIME
// The ring is not needed: only tables go through it.
TEST_F(PcoDevice, RegisteredMemoryNeedsLittlePinnedMemory) {
  Random random(4650);
  const Numbers numbers = make_numbers("uniform", NumberType::kU64, 40'000, random);
  const Bytes file = compressed(numbers);
  const DeviceArray out(NumberType::kU64, numbers.count());
  LazyMemory& lazy = lazy_registered_memory();
  {
    const cuda::RegisteredMemory registered = cuda::RegisteredMemory::take(file).value();
    lazy_pinned_memory().peak = lazy_pinned_memory().used;
    const std::size_t used = lazy_pinned_memory().used;
    cuda::PcoDecoder decoder;
    EXPECT_EQ(decoder.decompress_into(file, out.numbers()).value(), numbers.count());
    EXPECT_LT(lazy_pinned_memory().peak - used, file.size() / 2);
  }
  EXPECT_EQ(lazy.used, 0u);
  lazy.limit = 100;
  EXPECT_KIND(cuda::RegisteredMemory::take(file).status(), kDevice);
  lazy.limit = ~std::size_t{0};
}

TEST_F(PcoDevice, MemoryThatRunsOutIsAnError) {
  Random random(4700);
  const Numbers numbers = make_numbers("uniform", NumberType::kU64, 40'000, random);
  const Bytes file = compressed(numbers);
  const DeviceArray out(NumberType::kU64, numbers.count());
  for (LazyMemory* memory : {&lazy_device_memory(), &lazy_pinned_memory()}) {
    for (const std::size_t more : {0, 1'000, 10'000, 60'000}) {
      memory->limit = memory->used + more;
      cuda::PcoDecoder decoder(0, std::uint64_t{1} << 14);
      EXPECT_KIND(decoder.decompress_into(file, out.numbers()), kOutOfMemory);
      memory->limit = ~std::size_t{0};
      EXPECT_EQ(decoder.decompress_into(file, out.numbers()).value(), numbers.count());
      ASSERT_TRUE(same_numbers(out.fetched(), numbers));
    }
  }
}

TEST_F(PcoDevice, PinnedMemoryIsBounded) {
  Random random(4800);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(30'000);
  config.trailer = TrailerSpec::restarts(12);
  const Numbers numbers = make_numbers("uniform", NumberType::kU64, 90'000, random);
  const Bytes file = compressed(numbers, config);
  const DeviceArray out(NumberType::kU64, numbers.count());
  const std::size_t used = lazy_pinned_memory().used;
  lazy_pinned_memory().peak = used;
  cuda::PcoDecoder decoder(0, 8'192);  // far less than a chunk
  EXPECT_EQ(decoder.decompress_into(file, out.numbers()).value(), numbers.count());
  ASSERT_TRUE(same_numbers(out.fetched(), numbers));
  EXPECT_LE(lazy_pinned_memory().peak - used, 5u * 8'192 + 1'024);
}
#endif

TEST(PcoDeviceAbsent, IsAnErrorThatSaysWhy) {
  int count = 0;
  const Status status = cuda::device_count().into(count);
  if (status.ok() && count > 0) GTEST_SKIP() << "there is a GPU";
  const Bytes file = compressed(from_values(std::vector<float>{1, 2, 3}));
  float output[3];
  cuda::PcoDecoder decoder;
  const Status failed = decoder.decompress_into(file, {NumberType::kF32, output, 3}).status();
  EXPECT_KIND(failed, kUnavailable);
  EXPECT_GT(std::string(failed.what()).size(), 5u);
  cuda::LoadedPco loaded;
  EXPECT_KIND(cuda::LoadedPco::load(file, ChunkIndex::build(file).value(), 0).into(loaded),
              kUnavailable);
  EXPECT_KIND(loaded.decode({}), kInvalidArgument);
  EXPECT_KIND(cuda::wait({}), kUnavailable);
}

}  // namespace
}  // namespace numpact::testing
