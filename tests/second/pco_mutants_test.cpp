// SPDX-License-Identifier: Apache-2.0
// Compressed files that were modified: the library and the second decoder agree whether to refuse
// them, and read the same numbers.
#include <gtest/gtest.h>

#include <cstdlib>

#include "numpact/inspect.hpp"
#include "second/compare.hpp"
#include "support/distributions.hpp"
#include "support/mutants.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kMaxNumbers = 20000;  // larger files are not decoded

int effort() { return std::getenv("NUMPACT_FULL") != nullptr ? 20 : 1; }

EncodeConfig random_config(NumberType type, Random& random) {
  EncodeConfig config;
  config.mode = random.pick(mode_specs(type));
  config.delta = random.pick(delta_specs(type));
  config.level = static_cast<unsigned>(random.below(kMaxLevel + 1));
  config.uniform_type = !random.one_in(4);
  if (random.one_in(4)) config.paging = PagingSpec::equal_pages_up_to(random.between(1, 300));
  return config;
}

Bytes random_file(Random& random) {
  const NumberType type = random.pick(kNumberTypes);
  const std::size_t n = random.one_in(8) ? random.between(600, 3000) : random.between(0, 600);
  const Numbers numbers = make_numbers(random.pick(distribution_names()), type, n, random);
  return compressed(numbers, random_config(type, random));
}

// Makes one to four changes, most of them near the front, where they have the most effect.
void patch(Bytes& file, Random& random) {
  for (std::uint64_t k = random.between(1, 4); k > 0; --k) {
    const std::size_t reach =
        random.one_in(3) ? file.size() : std::min<std::size_t>(80, file.size());
    std::byte& byte = file[random.below(reach)];
    if (random.one_in(4)) {
      byte = static_cast<std::byte>(random.bits(8));
    } else {
      byte ^= static_cast<std::byte>(1 << random.below(8));
    }
  }
  if (random.one_in(20)) file.resize(random.below(file.size()));
  if (random.one_in(20)) file.push_back(static_cast<std::byte>(random.bits(8)));
}

struct Tally {
  long accepted = 0;
  long refused = 0;
  void count(const Comparison& comparison) {
    accepted += comparison.accepted ? 1 : 0;
    refused += !comparison.accepted && !comparison.limited ? 1 : 0;
  }
};

TEST(PcoMutants, OfOwnFiles) {
  Random random(701);
  Tally tally;
  for (int i = 0; i < 2500 * effort(); ++i) {
    const Bytes valid = random_file(random);
    ASSERT_EQ(compare_pco(valid, kMaxNumbers).difference, "");
    for (int k = 0; k < 20; ++k) {
      Bytes file = valid;
      patch(file, random);
      const ExactCopy copy(file);
      const Comparison comparison = compare_pco(copy.span(), kMaxNumbers);
      tally.count(comparison);
      ASSERT_EQ(comparison.difference, "")
          << "file " << i << ", mutant " << k << ", seed " << seed();
    }
  }
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, 5000);
}

TEST(PcoMutants, OfFixtures) {
  Random random(702);
  Tally tally;
  const std::vector<Fixture> files = good_fixtures();
  for (int i = 0; i < 20000 * effort(); ++i) {
    const Fixture& fixture = random.pick(files);
    Bytes file = fixture.file;
    patch(file, random);
    const ExactCopy copy(file);
    const Comparison comparison = compare_pco(copy.span(), kMaxNumbers);
    tally.count(comparison);
    ASSERT_EQ(comparison.difference, "") << fixture.name << ", mutant " << i << ", seed " << seed();
  }
  EXPECT_GT(tally.accepted, 500);
  EXPECT_GT(tally.refused, 1000);
}

// Changes each byte at the front of files that releases of the reference wrote; compares a tenth of
// the mutants, or all of them.
TEST(PcoMutants, OfSingleBytesOfReleases) {
  Random random(704);
  Tally tally;
  for (const std::string& name : conformance_names()) {
    const Bytes file = read_file(fixture_path(name + ".pco"));
    for_each_mutant(file, 1500, [&](std::size_t at, std::byte value, ByteSpan mutant) {
      if (HasFailure() || (effort() == 1 && !random.one_in(10))) return;
      const Comparison comparison = compare_pco(mutant, std::uint64_t{1} << 20);
      tally.count(comparison);
      EXPECT_EQ(comparison.difference, "")
          << name << ", byte " << at << " set to " << std::to_integer<int>(value);
    });
  }
  EXPECT_GT(tally.accepted, 5000);
  EXPECT_GT(tally.refused, 600);
}

TEST(PcoMutants, EveryTruncation) {
  std::vector<Bytes> files;
  for (const Fixture& fixture : small_files()) files.push_back(fixture.file);
  EXPECT_GE(files.size(), 60u);
  for (const std::string& name : conformance_names()) {
    files.push_back(read_file(fixture_path(name + ".pco")));
  }
  for (const Bytes& file : files) {
    const std::size_t end = second::decode_pco(file).used;
    ASSERT_GT(end, 0u);
    for (std::size_t n = 0; n < end; ++n) {
      ASSERT_EQ(second::decode_pco(ByteSpan(file).first(n)).refusal.outcome,
                second::Outcome::kTruncated);
    }
  }
}

// Pages that are read with another count, type or version.
TEST(PcoMutants, OfWrappedPages) {
  Random random(703);
  Tally tally;
  for (int i = 0; i < 2500 * effort(); ++i) {
    const Bytes valid = random_file(random);
    const FileInfo info = inspect(valid).value();
    if (info.chunks.empty()) continue;
    const ChunkInfo& first = info.chunks[0];
    const ByteSpan rest = ByteSpan(valid).subspan(first.offset + 4);
    for (int k = 0; k < 4; ++k) {
      Bytes meta = prefix(rest, first.meta_bytes);
      Bytes page = prefix(rest.subspan(first.meta_bytes), first.page_bytes);
      if (random.one_in(2)) patch(meta, random);
      if (random.one_in(2) && !page.empty()) patch(page, random);
      const ExactCopy meta_copy(meta);
      const ExactCopy page_copy(page);
      WrappedPage wrapped{first.type, {4, 1}, meta_copy.span(), page_copy.span(), first.count};
      if (random.one_in(3)) wrapped.n = random.between(1, 2 * first.count);
      if (random.one_in(8)) wrapped.type = random.pick(kNumberTypes);
      if (random.one_in(8)) wrapped.version = {static_cast<unsigned>(random.below(5)), 0};
      const Comparison comparison = compare_wrapped(wrapped);
      tally.count(comparison);
      ASSERT_EQ(comparison.difference, "")
          << "file " << i << ", mutant " << k << ", seed " << seed();
    }
  }
  EXPECT_GT(tally.accepted, 500);
  EXPECT_GT(tally.refused, 1000);
}

}  // namespace
}  // namespace numpact::testing
