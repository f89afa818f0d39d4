// SPDX-License-Identifier: Apache-2.0
// Many readers of one file, in threads of several processes, while a writer replaces it repeatedly:
// each sees one complete version while it has the file open.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "numpact/cvc.hpp"
#include "numpact/file_access.hpp"
#include "numpact/random_access.hpp"
#include "support/numbers.hpp"

namespace numpact::testing {
namespace {

constexpr int kProcesses = 4;
constexpr int kThreads = 16;  // per process
constexpr int kReplacements = 300;

// Shared by all processes.
struct Shared {
  std::atomic<bool> is_over{false};
  std::atomic<int> reads[kProcesses * kThreads] = {};
  std::atomic<int> versions_seen{0};
  std::atomic<int> failures{0};
};

// Reports whether it saw a complete version, and which.
using Look = std::function<bool(int& version)>;
// Makes the reader's function; whatever it opens stays open.
using MakeLook = std::function<Look()>;

void read_on(Shared& shared, int place, const MakeLook& make) {
  int last = -1;
  while (!shared.is_over || shared.reads[place] == 0) {
    const Look look = make();
    for (int again = 0; again < 3; ++again) {  // the second read may follow a replacement
      int version = -1;
      if (!look(version) || version < last) ++shared.failures;
      if (version != last) ++shared.versions_seen;
      last = version;
      std::this_thread::yield();
    }
    ++shared.reads[place];
  }
}

void run_with_readers(const MakeLook& make, const std::function<void()>& replace_all) {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto& shared = *new (memory) Shared;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] { read_on(shared, p * kThreads + t, make); });
      }
      for (std::thread& thread : threads) thread.join();
      ::_exit(0);
    }
    children.push_back(child);
  }
  replace_all();
  shared.is_over = true;
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "a reader crashed";
  }
  EXPECT_EQ(shared.failures, 0);
  EXPECT_GT(shared.versions_seen, kProcesses * kThreads);
  for (const auto& reads : shared.reads) EXPECT_GT(reads, 0);
  ::munmap(memory, sizeof(Shared));
}

std::string path_of(const char* name) {
  return ::testing::TempDir() + "numpact_" + std::to_string(::getpid()) + name;
}

constexpr std::size_t kStep = 500;  // numbers appended per version

TEST(ReplacedFile, OfNumbers) {
  const std::string path = path_of(".pco");
  const auto numbers_from = [](std::size_t first) {
    std::vector<std::int64_t> numbers(kStep);
    for (std::size_t i = 0; i < kStep; ++i) {
      numbers[i] = static_cast<std::int64_t>((first + i) * (first + i));
    }
    return numbers;
  };
  const auto write_first = [&] {
    const std::vector<std::int64_t> numbers = numbers_from(0);
    const Bytes bytes = compress(numbers).value();
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  };
  write_first();
  // Opened once; the last chunk and the count identify the version.
  const auto make = [&]() -> Look {
    auto file = std::make_shared<MappedFile>();
    const Status opened = MappedFile::open(path).into(*file);
    return [=](int& version) {
      if (!opened.ok()) return false;
      Result<FileReader> reader = FileReader::create(file->bytes());
      if (!reader.ok() || reader->count() % kStep != 0) return false;
      version = static_cast<int>(reader->count() / kStep);
      for (const std::size_t first : {std::size_t{0}, reader->count() - kStep}) {
        std::vector<std::int64_t> got(kStep);
        if (!reader->read(first, MutableNumberView(std::span(got))).ok()) return false;
        if (got != numbers_from(first)) return false;
      }
      return true;
    };
  };
  run_with_readers(make, [&] {
    std::size_t count = kStep;
    for (int i = 0; i < kReplacements; ++i, count += kStep) {
      const std::vector<std::int64_t> more = numbers_from(count);
      ASSERT_OK(append_to_file(path, NumberView(std::span<const std::int64_t>(more))));
    }
  });
  std::remove(path.c_str());
}

TEST(ReplacedFile, OfVectors) {
  const std::string path = path_of(".cvc");
  // The lengths vary, so that record offsets change.
  const auto values_of = [](int version) {
    return std::vector<float>(static_cast<std::size_t>(8 * (30 + version % 50)),
                              static_cast<float>(version));
  };
  const auto write = [&](int version) {
    cvc::WriteConfig config;
    config.compression = cvc::Compression::kLossless;
    config.chunk_rows = 10;
    config.sync = false;
    const std::vector<float> values = values_of(version);
    cvc::Writer writer = cvc::Writer::create(path, config).value();
    throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), 8)));
    writer.finish().value();
  };
  write(0);
  const auto make = [&]() -> Look {
    auto mapped = std::make_shared<Result<cvc::Reader>>(cvc::Reader::open(path));
    auto fetched = std::make_shared<Result<cvc::Reader>>(cvc::Reader::create(
        std::make_shared<FileRangeSource>(FileRangeSource::open(path).value())));
    // The one opened last identifies the version.
    return [=](int& version) {
      for (const auto& reader : {mapped, fetched}) {
        if (!reader->ok()) return false;
        cvc::ReadConfig config;
        config.verify = true;
        const std::vector<float> values = (*reader)->read_all<float>(config).value();
        version = static_cast<int>(values.at(0));
        if (values != values_of(version)) return false;
      }
      return true;
    };
  };
  run_with_readers(make, [&] {
    for (int version = 1; version <= kReplacements; ++version) write(version);
  });
  std::remove(path.c_str());
}

}  // namespace
}  // namespace numpact::testing
