// SPDX-License-Identifier: Apache-2.0
// Damaged files: an error or some numbers, never a crash or a read outside the file. Small files,
// every byte: each bit flipped, all zeros, all ones; every truncation; random changes of several.
#include <gtest/gtest.h>

#include <cstdlib>

#include "numpact/inspect.hpp"
#include "support/mutants.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

// More than this many numbers are not waited for.
constexpr std::uint64_t kMaxNumbers = 20000;

DecodeConfig limited() {
  DecodeConfig config;
  config.limits.max_numbers = kMaxNumbers;
  config.limits.max_memory = std::uint64_t{64} << 20;
  return config;
}

// The results of the functions that read, for one file.
struct Outcome {
  Status any;
  Status into;
  Status stream;
  Status inspect;
  Status explain;
  Numbers numbers;
};

class EntryPoints {
 public:
  explicit EntryPoints(NumberType type) : buffer_(zeros(type, kMaxNumbers)) {}

  Outcome open(ByteSpan file) {
    Outcome outcome;
    outcome.any = decompress_any(file, limited()).into(outcome.numbers);
    std::size_t count = 0;
    outcome.into =
        count_into(decompress_into(file, writable(buffer_), limited(), &context_), count);
    EXPECT_LE(count, buffer_.count());
    outcome.stream = read_stream(file);
    // Walking a chunk that claims 2^24 numbers takes a while: some of them are enough.
    if (outcome.any.kind() != ErrorKind::kLimitExceeded || ++large_ % 32 == 0) {
      FileInfo info;
      outcome.inspect = inspect_into(file, info);
    } else {
      outcome.inspect = outcome.any;
    }
    Explanation explanation;
    outcome.explain = explain_file(file, limited()).into(explanation);
    return outcome;
  }

 private:
  Status read_stream(ByteSpan file) {
    MemorySource source(file, 100);
    StreamReader reader(source, limited());
    std::size_t count = 0;
    const Status status = count_into(reader.read(writable(buffer_)), count);
    // The buffer may be full at the end of the numbers: the bytes that follow are read too.
    if (!status.ok() || count < buffer_.count()) return status;
    return count_into(reader.read(writable(buffer_)), count);
  }

  Numbers buffer_;
  DecodeContext context_;
  int large_ = 0;
};

// Functions that read all of a file must agree on whether it is intact.
void expect_agreement(const Outcome& outcome, NumberType type) {
  const bool same_type = outcome.any.ok() && outcome.numbers.type() == type;
  if (same_type) {
    EXPECT_OK(outcome.into);
    EXPECT_OK(outcome.stream);
  }
  if (outcome.any.ok()) {
    EXPECT_OK(outcome.inspect);
    EXPECT_OK(outcome.explain);
  }
  if (outcome.any.kind() == ErrorKind::kTruncated) {
    EXPECT_FALSE(outcome.inspect.ok());
    EXPECT_FALSE(outcome.explain.ok());
    EXPECT_FALSE(outcome.into.ok());
    EXPECT_FALSE(outcome.stream.ok());
  }
}

std::vector<Fixture> short_fixtures() {
  std::vector<Fixture> files = good_fixtures();
  std::erase_if(files, [](const Fixture& file) { return file.file.size() >= 1500; });
  return files;
}

std::vector<Fixture> subjects() {
  std::vector<Fixture> files = short_fixtures();
  for (Fixture& file : small_files()) files.push_back(std::move(file));
  return files;
}

// The other releases' files that are longer: some of their bytes.
std::vector<Fixture> long_subjects() {
  std::vector<Fixture> files = good_fixtures();
  std::erase_if(files, [](const Fixture& file) { return file.file.size() < 1500; });
  return files;
}

void change_every_byte(const Fixture& fixture, std::size_t stride) {
  SCOPED_TRACE(fixture.name);
  EntryPoints entry_points(fixture.numbers.type());
  ExactCopy copy(fixture.file);
  long refused = 0;
  for (std::size_t at = 0; at < fixture.file.size(); at += stride) {
    for (const std::byte value : changed_bytes(fixture.file[at])) {
      copy.writable()[at] = value;
      const Outcome outcome = entry_points.open(copy.span());
      expect_agreement(outcome, fixture.numbers.type());
      if (!outcome.any.ok()) ++refused;
      if (::testing::Test::HasFailure()) {
        FAIL() << "byte " << at << " set to " << std::to_integer<int>(value);
      }
    }
    copy.writable()[at] = fixture.file[at];
  }
  EXPECT_GT(refused, 0);
}

TEST(Corruption, EveryByteOfFixturesChanged) {
  for (const Fixture& fixture : short_fixtures()) {
    change_every_byte(fixture, 1);
    if (HasFailure()) return;
  }
}

TEST(Corruption, EveryByteOfOwnFilesChanged) {
  for (const Fixture& fixture : small_files()) {
    change_every_byte(fixture, 1);
    if (HasFailure()) return;
  }
}

TEST(Corruption, BytesOfLongFilesChanged) {
  for (const Fixture& fixture : long_subjects()) {
    change_every_byte(fixture, fixture.file.size() / 150 + 1);
    if (HasFailure()) return;
  }
}

TEST(Corruption, EveryTruncation) {
  std::vector<Fixture> files = subjects();
  for (Fixture& file : long_subjects()) files.push_back(std::move(file));
  for (const Fixture& fixture : files) {
    SCOPED_TRACE(fixture.name);
    EntryPoints entry_points(fixture.numbers.type());
    const auto end = static_cast<std::size_t>(inspect(fixture.file).value().file_bytes);
    // Files of releases are short enough for every length.
    const std::size_t step = fixture.name.starts_with("made/") ? 1 + end / 2000 : 1;
    for (std::size_t n = 0; n < end; n += step) {
      const ExactCopy cut(ByteSpan(fixture.file).first(n));
      const Outcome outcome = entry_points.open(cut.span());
      EXPECT_KIND(outcome.any, kTruncated) << n;
      EXPECT_KIND(outcome.into, kTruncated) << n;
      EXPECT_KIND(outcome.stream, kTruncated) << n;
      EXPECT_KIND(outcome.inspect, kTruncated) << n;
      EXPECT_TRUE(is_prefix(outcome.numbers, fixture.numbers) || outcome.numbers.count() == 0);
      if (HasFailure()) return;
    }
  }
}

TEST(Corruption, EveryTruncationOfATypelessEmptyFile) {
  const Bytes file = read_file(fixture_path(text(kTypelessEmpty, ".pco")));
  EntryPoints entry_points(NumberType::kU8);
  for (std::size_t n = 0; n < file.size(); ++n) {
    const ExactCopy cut(ByteSpan(file).first(n));
    const Outcome outcome = entry_points.open(cut.span());
    EXPECT_KIND(outcome.any, kTruncated) << n;
    EXPECT_KIND(outcome.inspect, kTruncated) << n;
  }
}

// The same in memory that ends where the file ends, in every build.
TEST(Corruption, NothingBehindTheFileIsRead) {
  Random random(101);
  GuardedBuffer buffer(1 << 16);
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    EntryPoints entry_points(fixture.numbers.type());
    const Outcome whole = entry_points.open(buffer.copy(fixture.file));
    EXPECT_TRUE(same_numbers(whole.numbers, fixture.numbers));
    for (int i = 0; i < 300; ++i) {
      Bytes file = fixture.file;
      file.resize(random.between(0, file.size()));
      for (std::uint64_t changes = random.below(3); changes > 0 && !file.empty(); --changes) {
        file[random.below(file.size())] = static_cast<std::byte>(random.bits(8));
      }
      expect_agreement(entry_points.open(buffer.copy(file)), fixture.numbers.type());
      if (HasFailure()) return;
    }
  }
}

TEST(Corruption, OutputsEndWhereTheNumbersEnd) {
  GuardedBuffer buffer(1 << 16);
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    const NumberType type = fixture.numbers.type();
    const std::span<std::byte> out = buffer.last(raw(fixture.numbers).size());
    std::size_t count = 0;
    ASSERT_OK(count_into(
        decompress_into(fixture.file, MutableNumberView(type, out.data(), fixture.numbers.count())),
        count));
    EXPECT_TRUE(same_bytes(out, raw(fixture.numbers)));
    const ByteSpan in = buffer.copy(raw(fixture.numbers));
    Bytes file;
    ASSERT_OK(compress(NumberView(type, in.data(), fixture.numbers.count())).into(file));
    EXPECT_TRUE(same_numbers(decompressed(file), fixture.numbers));
  }
}

TEST(Corruption, RandomChangesOfSeveralBytes) {
  Random random(102);
  const std::vector<Fixture> files = subjects();
  long refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const Fixture& fixture = random.pick(files);
    Bytes file = fixture.file;
    for (std::uint64_t changes = random.between(2, 6); changes > 0; --changes) {
      file[random.below(file.size())] = static_cast<std::byte>(random.bits(8));
    }
    if (random.one_in(4)) {
      const Bytes& other = random.pick(files).file;
      const std::size_t at = random.below(file.size());
      file.resize(at);
      file.insert(file.end(), other.begin(),
                  other.begin() + static_cast<std::ptrdiff_t>(random.below(other.size())));
    }
    const ExactCopy copy(file);
    EntryPoints entry_points(fixture.numbers.type());
    const Outcome outcome = entry_points.open(copy.span());
    expect_agreement(outcome, fixture.numbers.type());
    if (!outcome.any.ok()) ++refused;
    if (HasFailure()) FAIL() << fixture.name << ", round " << i << ", seed " << seed();
  }
  EXPECT_GT(refused, 10000);
}

TEST(Corruption, NoiseIsRefused) {
  Random random(103);
  EntryPoints entry_points(NumberType::kU32);
  for (int i = 0; i < 5000; ++i) {
    Bytes file(random.below(200));
    for (std::byte& byte : file) byte = static_cast<std::byte>(random.bits(8));
    // With a sound front the noise gets as far as the metadata.
    const Bytes front = compressed(zeros(NumberType::kU32, 0));
    const bool sound_front = random.one_in(2);
    if (sound_front) file.insert(file.begin(), front.begin(), front.end() - 1);
    const ExactCopy copy(file);
    const Outcome outcome = entry_points.open(copy.span());
    if (!sound_front) {
      EXPECT_FALSE(outcome.any.ok());
    }
    expect_agreement(outcome, NumberType::kU32);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace numpact::testing
