// SPDX-License-Identifier: Apache-2.0
// Files for readers of older format versions contain only that version's features, after its
// header.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>

#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

struct Version {
  Compatibility compatibility;
  std::string_view name;
  unsigned major;
  unsigned minor;
  std::vector<std::uint8_t> header;  // of an empty file of f32
};

const std::vector<Version>& versions() {
  static const std::vector<Version> all = {
      {Compatibility::kV1, "1", 1, 0, {'p', 'c', 'o', '!', 2, 0, 1}},
      {Compatibility::kV2, "2", 2, 0, {'p', 'c', 'o', '!', 2, 0, 2}},
      {Compatibility::kV3, "3", 3, 0, {'p', 'c', 'o', '!', 2, 0, 3}},
      {Compatibility::kV4_0, "4.0", 4, 0, {'p', 'c', 'o', '!', 3, 5, 0, 4, 0}},
      {Compatibility::kV4_1, "4.1", 4, 1, {'p', 'c', 'o', '!', 3, 5, 0, 4, 1}}};
  return all;
}

bool holds(const Version& version, NumberType type) {
  const std::size_t size = size_of(type);
  if (size == 1) return version.compatibility >= Compatibility::kV4_1;
  return size != 2 || version.compatibility >= Compatibility::kV2;
}
bool holds(const Version& version, Mode mode) {
  if (mode == Mode::kDict) return version.compatibility >= Compatibility::kV4_1;
  return mode != Mode::kFloatQuant || version.compatibility >= Compatibility::kV2;
}
bool holds(const Version& version, Delta delta) {
  if (delta == Delta::kConv1) return version.compatibility >= Compatibility::kV4_1;
  return delta != Delta::kLookback || version.compatibility >= Compatibility::kV3;
}

void expect_nothing_newer(const Version& version, ByteSpan file) {
  const FileInfo info = inspect(file).value();
  EXPECT_EQ(info.header.format_major, version.major);
  EXPECT_EQ(info.header.format_minor, version.minor);
  for (const ChunkInfo& chunk : info.chunks) {
    EXPECT_TRUE(holds(version, chunk.mode())) << chunk.mode_text();
    EXPECT_TRUE(holds(version, chunk.delta())) << chunk.delta_text();
    for (const LatentVariableInfo& variable : chunk.variables) {
      if (version.major < 3 && variable.variable == LatentVariable::kSecondary) {
        EXPECT_FALSE(variable.delta_encoded);
      }
    }
  }
}

// Data for which each newer feature would be chosen.
Numbers oscillations(std::size_t n, Random& random) {  // Conv1
  std::vector<std::int16_t> numbers(n);
  double before = 0;
  double last = 0;
  for (std::int16_t& number : numbers) {
    const double next = 1.6 * last - 0.9 * before + 40 * random.normal();
    before = last;
    last = next;
    number = static_cast<std::int16_t>(std::lround(next));
  }
  return from_values(numbers);
}
Numbers rounded_floats(std::size_t n, Random& random) {  // FloatQuant
  std::vector<double> numbers(n);
  // All magnitudes; otherwise multiples of the last digit of the large ones would do better.
  for (double& number : numbers) number = static_cast<float>(std::exp(4 * random.normal()));
  return from_values(numbers);
}
Numbers scattered_values(std::size_t n, Random& random) {  // Dict
  std::vector<std::uint64_t> values(2000);
  for (auto& value : values) value = random.bits();
  std::sort(values.begin(), values.end());
  std::vector<std::uint64_t> numbers(n);
  std::size_t at = 1000;
  for (auto& number : numbers) {
    at = std::min<std::size_t>(1999, std::max<std::size_t>(3, at + random.below(7)) - 3);
    number = values[at];
  }
  return from_values(numbers);
}
Numbers periodic(std::size_t n, Random& random) {  // Lookback
  std::vector<std::uint32_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_fresh = i < 300 || random.one_in(50);
    numbers[i] = is_fresh ? static_cast<std::uint32_t>(random.bits(24)) : numbers[i - 300];
  }
  return from_values(numbers);
}

TEST(Compatibility, Names) {
  for (const Version& version : versions()) {
    EXPECT_EQ(compatibility_of_name(version.name), version.compatibility);
  }
  for (const std::string_view name : {"", "0", "4", "5", "4.2", "v1", " 1", "4.10"}) {
    EXPECT_EQ(compatibility_of_name(name), std::nullopt) << name;
  }
}

TEST(Compatibility, Headers) {
  for (const Version& version : versions()) {
    EncodeConfig config;
    config.compatibility = version.compatibility;
    const Bytes file = compressed(zeros(NumberType::kF32, 0), config);
    ASSERT_EQ(file.size(), version.header.size() + 1) << version.name;
    EXPECT_EQ(std::memcmp(file.data(), version.header.data(), version.header.size()), 0);
    EXPECT_EQ(file.back(), std::byte{0});
    Bytes streamed;
    VectorSink sink(streamed);
    StreamWriter writer(sink, NumberType::kF32, config);
    ASSERT_OK(writer.finish());
    EXPECT_TRUE(same_bytes(streamed, file));
  }
}

TEST(Compatibility, EveryTypeRoundTripsOrIsRejected) {
  Random random(601);
  for (const Version& version : versions()) {
    for (const NumberType type : kNumberTypes) {
      for (const unsigned level : {0u, 3u, 8u, 12u}) {
        EncodeConfig config;
        config.compatibility = version.compatibility;
        config.level = level;
        config.uniform_type = random.one_in(2);
        const Numbers numbers =
            make_numbers(random.pick(distribution_names()), type, random.below(3000), random);
        SCOPED_TRACE(text(version.name, " ", name_of(type), " ", level, ", seed ", seed()));
        Bytes file;
        const Status status = compress(numbers.view(), config).into(file);
        if (!holds(version, type)) {
          EXPECT_KIND(status, kInvalidArgument);
          continue;
        }
        ASSERT_OK(status);
        EXPECT_LE(file.size(), compress_bound(type, numbers.count(), config));
        expect_nothing_newer(version, file);
        if (numbers.count() > 0) {
          EXPECT_TRUE(same_numbers(decompressed(file), numbers));
        }
      }
    }
  }
}

TEST(Compatibility, ChosenFeaturesExistInTheVersion) {
  Random random(602);
  constexpr std::size_t kN = 40'000;
  const struct {
    Numbers numbers;
    bool (*is_newest)(const ChunkInfo&);
  } cases[] = {
      {oscillations(kN, random),
       [](const ChunkInfo& chunk) { return chunk.delta() == Delta::kConv1; }},
      {rounded_floats(kN, random),
       [](const ChunkInfo& chunk) { return chunk.mode() == Mode::kFloatQuant; }},
      {scattered_values(kN, random),
       [](const ChunkInfo& chunk) { return chunk.mode() == Mode::kDict; }},
      {periodic(kN, random),
       [](const ChunkInfo& chunk) { return chunk.delta() == Delta::kLookback; }},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(i);
    for (const Version& version : versions()) {
      if (!holds(version, cases[i].numbers.type())) continue;
      EncodeConfig config;
      config.compatibility = version.compatibility;
      const Bytes file = compressed(cases[i].numbers, config);
      expect_nothing_newer(version, file);
      EXPECT_TRUE(same_numbers(decompressed(file), cases[i].numbers));
      // Otherwise the case proves nothing.
      if (version.compatibility == Compatibility::kV4_1) {
        EXPECT_TRUE(cases[i].is_newest(inspect(file).value().chunks[0]))
            << inspect(file).value().chunks[0].mode_text() << " "
            << inspect(file).value().chunks[0].delta_text();
      }
    }
  }
}

TEST(Compatibility, RequestsAreFulfilledOrRejected) {
  Random random(603);
  for (const Version& version : versions()) {
    for (const NumberType type : {NumberType::kU32, NumberType::kF64, NumberType::kI16}) {
      if (!holds(version, type)) continue;
      const Numbers numbers = make_numbers("decimals", type, 1200, random);
      for (const ModeSpec& mode : mode_specs(type)) {
        for (const DeltaSpec& delta : delta_specs(type)) {
          EncodeConfig config;
          config.compatibility = version.compatibility;
          config.mode = mode;
          config.delta = delta;
          SCOPED_TRACE(text(version.name, " ", name_of(type), " ", describe(config)));
          const bool is_held = (!mode.mode() || holds(version, *mode.mode())) &&
                               (!delta.delta() || holds(version, *delta.delta()));
          Bytes file;
          const Status status = compress(numbers.view(), config).into(file);
          if (!is_held) {
            EXPECT_KIND(status, kInvalidArgument);
            EXPECT_KIND(wrapped::ChunkEncoder::create(numbers.view(), config).status(),
                        kInvalidArgument);
            continue;
          }
          ASSERT_OK(status);
          expect_nothing_newer(version, file);
          EXPECT_TRUE(same_numbers(decompressed(file), numbers));
        }
      }
    }
  }
}

TEST(Compatibility, OfWrappedChunks) {
  Random random(604);
  for (const Version& version : versions()) {
    EncodeConfig config;
    config.compatibility = version.compatibility;
    config.paging = PagingSpec::equal_pages_up_to(700);
    const Numbers numbers = make_numbers("walk", NumberType::kI64, 2000, random);
    const Bytes header = wrapped::encode_file_header(version.compatibility);
    wrapped::DecodedHeader decoded;
    ASSERT_OK(wrapped::decode_file_header(header).into(decoded));
    const wrapped::FormatVersion read = decoded.version;
    EXPECT_EQ(decoded.size, header.size());
    EXPECT_EQ(read.major, version.major);
    EXPECT_EQ(read.minor, version.minor);
    const auto encoder = wrapped::ChunkEncoder::create(numbers.view(), config).value();
    const auto decoder =
        wrapped::ChunkDecoder::create(encoder.meta().value(), NumberType::kI64, read).value();
    std::size_t first = 0;
    for (std::size_t page = 0; page < encoder.page_count(); ++page) {
      std::vector<std::int64_t> out(encoder.page_n(page));
      decoder.decode_page(encoder.page(page).value(), out.size(), out).value();
      EXPECT_EQ(std::memcmp(out.data(), part(numbers, first, out.size()).data, 8 * out.size()), 0);
      first += out.size();
    }
  }
  EXPECT_EQ(wrapped::encode_file_header(), wrapped::encode_file_header(Compatibility::kV4_1));
}

class CompatibleAppend : public ::testing::Test {
 protected:
  void SetUp() override { path_ = ::testing::TempDir() + "numpact_compatible_append.pco"; }
  void TearDown() override { std::filesystem::remove(path_); }

  void put(ByteSpan bytes) const {
    std::ofstream stream(path_, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
  }
  std::string path_;
};

TEST_F(CompatibleAppend, KeepsTheVersionOfTheFile) {
  Random random(605);
  const Numbers numbers = oscillations(20'000, random);
  EncodeConfig old;
  old.compatibility = Compatibility::kV4_0;
  put(compressed(numbers, old));
  ASSERT_OK(append_to_file(path_, numbers.view()));
  const Bytes file = read_file(path_);
  expect_nothing_newer(versions()[3], file);
  EXPECT_EQ(decompressed(file).count(), 40'000u);
  EncodeConfig conv = old;
  conv.delta = DeltaSpec::try_conv1(2);
  EXPECT_KIND(append_to_file(path_, numbers.view(), conv), kInvalidArgument);
  EXPECT_TRUE(same_bytes(read_file(path_), file));
}

TEST_F(CompatibleAppend, NotToANewerFile) {
  Random random(606);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 1000, random);
  const Bytes file = compressed(numbers);
  put(file);
  for (const Version& version : versions()) {
    if (version.compatibility == Compatibility::kV4_1) continue;
    EncodeConfig config;
    config.compatibility = version.compatibility;
    EXPECT_KIND(append_to_file(path_, numbers.view(), config), kInvalidArgument);
    EXPECT_TRUE(same_bytes(read_file(path_), file));
  }
}

}  // namespace
}  // namespace numpact::testing
