// SPDX-License-Identifier: Apache-2.0
// Prefaulting of outputs: which pages are populated, and that values do not change.
#include <gtest/gtest.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <vector>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "cvc/file/prefault.hpp"
#include "platform/pages.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kRows = 3000;
constexpr std::uint64_t kDimension = 1024;
constexpr std::size_t kBytes = kRows * kDimension * sizeof(float);

Bytes file_of(cvc::Compression compression) {
  Bytes file;
  cvc::WriteConfig config;
  config.compression = compression;
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  std::vector<float> values(kRows * kDimension);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 251);
  throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), kDimension)));
  writer.finish().value();
  return file;
}

cvc::Target target_of(std::byte* data) {
  return {{cvc::Dtype::kFloat32, data, kRows, kDimension, kDimension * sizeof(float)}, 0};
}

#ifdef __linux__

// Memory that was never written, with a query for its resident pages.
class FreshMemory {
 public:
  FreshMemory()
      : data_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  }
  ~FreshMemory() { ::munmap(data_, kBytes); }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;

  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), kBytes}; }
  std::size_t pages_there() const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> there((kBytes + page - 1) / page);
    EXPECT_EQ(::mincore(data_, kBytes, there.data()), 0);
    std::size_t n = 0;
    for (const unsigned char one : there) n += one & 1u;
    return n;
  }

 private:
  void* data_;
};

bool can_populate() {
  const FreshMemory memory;
  platform::populate_pages(platform::whole_pages(memory.bytes()));
  return memory.pages_there() > 0;
}

TEST(CvcPrefault, PagesAreResidentIfRequested) {
  if (!can_populate()) GTEST_SKIP() << "this system has no MADV_POPULATE_WRITE";
  for (const unsigned threads : {1u, 3u}) {
    const FreshMemory memory;
    cvc::ReadConfig config;
    config.threads = threads;
    cvc::prefault_bytes(memory.bytes(), config);
    EXPECT_EQ(memory.pages_there(), 0u);
    config.prefault = true;
    cvc::prefault_bytes(memory.bytes().first(1 << 20), config);
    EXPECT_EQ(memory.pages_there(), 0u) << "small outputs";
    cvc::prefault_bytes(memory.bytes(), config);
    EXPECT_EQ(memory.pages_there(), platform::whole_pages(memory.bytes()).size() /
                                        static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  }
}

// Rows past the end, and values that the file's bytes cannot encode, take no memory.
TEST(CvcPrefault, OnlyWhatTheFileCanFill) {
  cvc::ReadConfig config;
  config.prefault = true;
  const Bytes file = file_of(cvc::Compression::kInt8);
  const cvc::Reader reader = cvc::Reader::create(file).value();
  const FreshMemory memory;
  const cvc::Target target = target_of(memory.bytes().data());
  const cvc::RowRange past{1, kRows};
  EXPECT_EQ(reader.read({&past, 1}, {&target, 1}, config).status().kind(),
            ErrorKind::kInvalidArgument);
  cvc::Info info = reader.info();
  info.slices[0].size = kRows * kDimension / 20;
  cvc::prefault_targets(info, {&target, 1}, kRows, config);
  info.slices[0].size = cvc::Chunk::kUnknown;
  cvc::prefault_targets(info, {&target, 1}, kRows, config);
  EXPECT_EQ(memory.pages_there(), 0u);
  cvc::prefault_targets(reader.info(), {&target, 1}, kRows, config);
  EXPECT_EQ(memory.pages_there() > 0, can_populate());
}

#endif

TEST(CvcPrefault, ValuesAreTheSame) {
  const Bytes file = file_of(cvc::Compression::kInt8);
  const cvc::Reader reader = cvc::Reader::create(file).value();
  const std::vector<float> expected = reader.read_all().value();
  cvc::ReadConfig config;
  config.prefault = true;
  config.threads = 2;
  std::vector<float> got(expected.size(), -1.0f);
  const cvc::Target target = target_of(reinterpret_cast<std::byte*>(got.data()));
  const cvc::RowRange all{0, kRows};
  ASSERT_TRUE(reader.read({&all, 1}, {&target, 1}, config).ok());
  EXPECT_EQ(got, expected);

  std::vector<std::uint64_t> rows(kRows);
  for (std::uint64_t i = 0; i < kRows; ++i) rows[i] = kRows - 1 - i;
  EXPECT_EQ(reader.gather(rows, config).value(), reader.gather(rows).value());
  // Existing contents are kept.
  std::vector<float> kept(expected);
  cvc::prefault_bytes(std::as_writable_bytes(std::span(kept)), config);
  EXPECT_EQ(kept, expected);
}

}  // namespace
}  // namespace numpact::testing
