// SPDX-License-Identifier: Apache-2.0
// Memory that the library allocates for damaged files. A program of its own: it replaces the global
// operator new.
#include <gtest/gtest.h>

#include "api/counting_new.hpp"
#include "base/internal.hpp"
#include "numpact/inspect.hpp"
#include "support/mutants.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kReach = 1500;
constexpr std::uint64_t kMaxNumbers = std::uint64_t{1} << 20;
constexpr std::size_t kAllowed = std::size_t{4} << 20;

template <class Call>
std::size_t peak_of(const Call& call) {
  const std::size_t before = bytes_held;
  peak_bytes_held = before;
  call();
  return peak_bytes_held - before;
}

struct Peaks {
  std::size_t any = 0;   // beyond what the output takes
  std::size_t into = 0;  // there the output is the caller's
  std::size_t stream = 0;
  std::size_t inspect = 0;
  long files = 0;
};

class HeapOfMutants {
 public:
  explicit HeapOfMutants(NumberType type) : buffer_(zeros(type, kCapacity)) {
    config_.limits.max_numbers = kMaxNumbers;
  }

  void open(ByteSpan file, Peaks& peaks) {
    const std::size_t allowed = kAllowed + 2 * file.size();
    Numbers numbers;
    const std::size_t any = peak_of([&] { status_ = decompress_any(file, config_).into(numbers); });
    const std::size_t output = numbers.storage().size();
    const std::size_t into = peak_of([&] {
      std::size_t count = 0;
      status_ = count_into(decompress_into(file, writable(buffer_), config_), count);
    });
    const std::size_t stream = peak_of([&] {
      MemorySource source(file, 100);
      StreamReader reader(source, config_);
      std::size_t count = 0;
      status_ = count_into(reader.read(writable(buffer_)), count);
    });
    const std::size_t inspected = peak_of([&] {
      FileInfo info;
      status_ = inspect_into(file, info);
    });
    EXPECT_LE(any, allowed + output);
    EXPECT_LE(into, allowed);
    EXPECT_LE(stream, allowed);
    EXPECT_LE(inspected, allowed);
    ++peaks.files;
    peaks.any = std::max(peaks.any, any - std::min(any, output));
    peaks.into = std::max(peaks.into, into);
    peaks.stream = std::max(peaks.stream, stream);
    peaks.inspect = std::max(peaks.inspect, inspected);
  }

 private:
  static constexpr std::size_t kCapacity = 20000;
  DecodeConfig config_;
  Numbers buffer_;
  Status status_;
};

void check(const std::vector<Fixture>& files) {
  Peaks peaks;
  for (const Fixture& fixture : files) {
    SCOPED_TRACE(fixture.name);
    HeapOfMutants heap(fixture.numbers.type());
    for_each_mutant(fixture.file, kReach, [&](std::size_t at, std::byte value, ByteSpan mutant) {
      if (::testing::Test::HasFailure()) return;
      heap.open(mutant, peaks);
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "byte " << at << " set to " << std::to_integer<int>(value);
      }
    });
    if (::testing::Test::HasFailure()) return;
  }
  std::printf(
      "%ld mutants; most bytes: decompress_any %zu, decompress_into %zu, stream %zu, "
      "inspect %zu\n",
      peaks.files, peaks.any, peaks.into, peaks.stream, peaks.inspect);
}

TEST(MutantsHeap, OfReleases) {
  std::vector<Fixture> files;
  for (const std::string& name : conformance_names()) {
    Numbers numbers = name == kTypelessEmpty ? Numbers(NumberType::kU8) : conformance_numbers(name);
    files.push_back({name, read_file(fixture_path(name + ".pco")), std::move(numbers)});
  }
  check(files);
}

TEST(MutantsHeap, OfOwnFiles) { check(small_files()); }

}  // namespace
}  // namespace numpact::testing
