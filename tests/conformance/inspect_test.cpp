// SPDX-License-Identifier: Apache-2.0
// The sizes that inspect() reports add up to the file.
#include "numpact/inspect.hpp"

#include <gtest/gtest.h>

#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

std::uint64_t round_up(std::uint64_t bits) { return (bits + 7) / 8; }

void expect_bins_sound(const ChunkInfo& chunk, const LatentVariableInfo& variable) {
  EXPECT_LE(variable.bins.size(), std::size_t{1} << variable.ans_size_log);
  std::uint64_t weights = 0;
  for (const BinInfo& bin : variable.bins) {
    weights += bin.weight;
    EXPECT_LE(bin.offset_bits, variable.latent_bits);
    if (variable.latent_bits < 64) {
      EXPECT_EQ(bin.lower >> variable.latent_bits, 0u);
    }
  }
  if (!variable.bins.empty()) {
    EXPECT_EQ(weights, std::uint64_t{1} << variable.ans_size_log);
  }
  if (variable.bins.size() <= 1) {
    EXPECT_EQ(variable.code_bits, 0u);
  }
  EXPECT_LE(variable.stored, chunk.count);
  if (!variable.delta_encoded && variable.variable != LatentVariable::kDelta) {
    if (!variable.bins.empty()) {
      EXPECT_EQ(variable.stored, chunk.count);
    }
  }
}

void expect_chunk_adds_up(const ChunkInfo& chunk) {
  std::uint64_t state_bits = 0;
  std::uint64_t batch_bits = 0;
  std::uint64_t meta_bits = 0;
  for (const LatentVariableInfo& variable : chunk.variables) {
    expect_bins_sound(chunk, variable);
    state_bits += variable.state_bits;
    batch_bits += variable.code_bits + variable.offset_bits;
    meta_bits += variable.meta_bits;
  }
  EXPECT_EQ(chunk.page_bytes, round_up(state_bits) + round_up(batch_bits));
  EXPECT_GE(8 * chunk.meta_bytes, meta_bits + 4);
  if (chunk.mode() == Mode::kClassic && chunk.delta() == Delta::kNone) {
    EXPECT_LE(8 * chunk.meta_bytes, meta_bits + 15);
  }
  const bool has_secondary = chunk.mode() == Mode::kIntMult || chunk.mode() == Mode::kFloatMult ||
                             chunk.mode() == Mode::kFloatQuant;
  const bool has_delta = chunk.delta() == Delta::kLookback;
  EXPECT_EQ(chunk.variables.size(), 1u + (has_secondary ? 1 : 0) + (has_delta ? 1 : 0));
}

void expect_adds_up(ByteSpan file, const Numbers& numbers) {
  const FileInfo info = inspect(file).value();
  std::uint64_t at = info.header.size_bytes;
  std::uint64_t count = 0;
  for (const ChunkInfo& chunk : info.chunks) {
    EXPECT_EQ(chunk.type, numbers.type());
    EXPECT_EQ(chunk.offset, at);
    at += 4 + chunk.meta_bytes + chunk.page_bytes;
    count += chunk.count;
    expect_chunk_adds_up(chunk);
  }
  EXPECT_EQ(info.file_bytes, at + 1);
  EXPECT_EQ(info.file_bytes + info.trailing_bytes, file.size());
  EXPECT_EQ(info.count, count);
  EXPECT_EQ(info.count, numbers.count());
}

TEST(Inspect, GoodFixturesAddUp) {
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    expect_adds_up(fixture.file, fixture.numbers);
  }
}

TEST(Inspect, OwnFilesAddUp) {
  for (const Fixture& fixture : small_files()) {
    SCOPED_TRACE(fixture.name);
    expect_adds_up(fixture.file, fixture.numbers);
  }
}

TEST(Inspect, TypelessEmpty) {
  std::string name(kTypelessEmpty);
  name += ".pco";
  const FileInfo info = inspect(read_file(fixture_path(name))).value();
  EXPECT_TRUE(info.chunks.empty());
  EXPECT_EQ(info.count, 0u);
  EXPECT_EQ(info.file_bytes, 8u);
  EXPECT_EQ(info.header.standalone_version, 2u);
}

TEST(Inspect, TrailingBytesAreNotPartOfTheFile) {
  const FileInfo info = inspect(read_file(fixture_path("made/bytes_after_terminator.pco"))).value();
  EXPECT_GT(info.trailing_bytes, 0u);
}

TEST(Inspect, SoundChunksBeforeAnErrorStay) {
  Bytes file = read_file(fixture_path("v0_4_5_uniform_type.pco"));
  file.resize(file.size() - 2);
  FileInfo info;
  const Status status = inspect_into(file, info);
  EXPECT_KIND(status, kTruncated);
  EXPECT_EQ(status.chunk(), 1u);
  ASSERT_EQ(info.chunks.size(), 1u);
  EXPECT_EQ(info.chunks[0].count, 3u);
  EXPECT_EQ(info.count, 3u);
}

struct Known {
  const char* name;
  unsigned standalone;
  unsigned major;
  unsigned minor;
  const char* mode;
  const char* delta;
};
// Read off the files' bytes, but for what their names say.
constexpr Known kKnown[] = {
    {"v0_0_0_classic", 0, 0, 0, "classic", "none"},
    {"v0_0_0_delta_float_mult", 0, 0, 0, "float-mult=1", "consecutive=1"},
    {"v0_1_0_delta_int_mult", 1, 1, 0, "int-mult=1000", "consecutive=1"},
    {"v0_3_0_f16", 2, 2, 0, "classic", "none"},
    {"v0_3_0_float_quant", 2, 2, 0, "float-quant=13", "none"},
    {"v0_4_0_lookback_delta", 2, 3, 0, "classic", "lookback"},
    {"v1_0_0_dict", 3, 4, 1, "dict", "none"},
    {"made/conv1_all_state", 3, 4, 1, "classic", "conv1=32"},
    {"made/format_0_later_features", 3, 0, 0, "dict", "none"},
    {"made/minor_version_255", 3, 4, 255, "", ""},
    {"made/version_byte_0", 0, 0, 0, "classic", "consecutive=3"},
    {"made/version_byte_1_int_mult", 1, 1, 0, "", ""},
    {"made/secondary_delta_float_mult_f64", 3, 4, 1, "", "consecutive=7"},
    {"made/float_quant_k_52", 3, 4, 1, "float-quant=52", ""},
};

TEST(Inspect, SaysHowFilesAreEncoded) {
  for (const Known& known : kKnown) {
    SCOPED_TRACE(known.name);
    const FileInfo info =
        inspect(read_file(fixture_path(std::string(known.name) + ".pco"))).value();
    EXPECT_EQ(info.header.standalone_version, known.standalone);
    EXPECT_EQ(info.header.format_major, known.major);
    EXPECT_EQ(info.header.format_minor, known.minor);
    ASSERT_FALSE(info.chunks.empty());
    if (*known.mode != '\0') {
      EXPECT_EQ(info.chunks[0].mode_text(), known.mode);
    }
    if (*known.delta != '\0') {
      EXPECT_EQ(info.chunks[0].delta_text(), known.delta);
    }
  }
}

TEST(Inspect, DictEntriesAreOrderedLatents) {
  const FileInfo info = inspect(read_file(fixture_path("v1_0_0_dict.pco"))).value();
  ASSERT_EQ(info.chunks.size(), 1u);
  std::vector<std::uint64_t> entries = std::get<DictInfo>(info.chunks[0].mode_info).entries;
  std::sort(entries.begin(), entries.end());
  const std::vector<std::uint64_t> expected = {8924659283, 9827358920, 234897984367};
  EXPECT_EQ(entries, expected);
}

TEST(Inspect, Conv1Parameters) {
  const FileInfo info = inspect(read_file(fixture_path("made/conv1_order_32_f32.pco"))).value();
  ASSERT_EQ(info.chunks.size(), 1u);
  EXPECT_EQ(info.chunks[0].delta(), Delta::kConv1);
  EXPECT_EQ(std::get<Conv1Info>(info.chunks[0].delta_info).weights.size(), 32u);
}

}  // namespace
}  // namespace numpact::testing
