// SPDX-License-Identifier: Apache-2.0
// Values that a compression cannot represent are refused with their location, or counted.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Dtype;
using cvc::Reader;
using cvc::Rows;
using cvc::Version;
using cvc::WriteConfig;
using cvc::Writer;

struct Written {
  Status status;
  std::string place;
  cvc::WriteReport report;
  Bytes file;
};

Written write(const WriteConfig& config, std::span<const Rows> columns, std::uint64_t step = 0) {
  Written done;
  Writer writer = Writer::create(done.file, config).value();
  const std::uint64_t rows = columns[0].count;
  if (step == 0) step = std::max<std::uint64_t>(1, rows);
  for (std::uint64_t first = 0; first < rows && done.status.ok(); first += step) {
    std::vector<Rows> some(columns.begin(), columns.end());
    for (Rows& array : some) {
      const std::size_t bytes = static_cast<std::size_t>(array.dimension) * size_of(array.dtype);
      array.data = static_cast<const std::byte*>(array.data) + first * bytes;
      array.count = std::min(step, rows - first);
    }
    done.status = writer.append(some);
  }
  if (done.status.ok()) done.status = writer.finish().into(done.report);
  done.place = writer.error_place();
  return done;
}

template <cvc::Value T>
Written write(Compression compression, const std::vector<T>& values, std::uint64_t dimension = 1) {
  WriteConfig config;
  config.compression = compression;
  const Rows rows(std::span<const T>(values), dimension);
  return write(config, {&rows, 1});
}

constexpr Compression kExact[] = {Compression::kLossless, Compression::kPco};
constexpr Compression kSteps[] = {Compression::kInt8, Compression::kInt8Row, Compression::kInt8Dim,
                                  Compression::kInt4};

template <class T>
void expect_refused(const std::vector<T>& values, const std::string& type,
                    const std::string& place) {
  for (const Compression compression : kExact) {
    const Written done = write(compression, values);
    EXPECT_EQ(done.status.kind(), ErrorKind::kInvalidArgument) << type;
    EXPECT_NE(std::string(done.status.what()).find(type), std::string::npos) << done.status.what();
    EXPECT_EQ(done.place, place);
    EXPECT_TRUE(done.file.empty());
  }
}

TEST(CvcExactness, FloatsKeepEveryBit) {
  Random random(1);
  std::vector<float> floats;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.bits(32))));
  }
  for (const std::uint32_t bits : {0x7fa12345u, 0xffc00001u, 0x80000000u, 1u, 0x7f800000u}) {
    floats.push_back(std::bit_cast<float>(bits));
  }
  for (const Compression compression : kExact) {
    const Written done = write(compression, floats);
    ASSERT_TRUE(done.status.ok());
    const std::vector<float> back = Reader::create(done.file).value().read_all().value();
    ASSERT_EQ(back.size(), floats.size());
    EXPECT_EQ(std::memcmp(back.data(), floats.data(), 4 * back.size()), 0) << name_of(compression);
  }
}

TEST(CvcExactness, HalvesKeepEveryBit) {
  std::vector<Float16> halves;
  for (std::uint32_t i = 0; i < 65536; ++i) halves.push_back({static_cast<std::uint16_t>(i)});
  for (const Compression compression : kExact) {
    const Written done = write(compression, halves);
    ASSERT_TRUE(done.status.ok());
    const std::vector<Float16> back = Reader::create(done.file).value().read_all<Float16>().value();
    EXPECT_EQ(std::memcmp(back.data(), halves.data(), 2 * halves.size()), 0);
  }
}

TEST(CvcExactness, WiderTypesAreKeptOrRefusedByName) {
  for (const Compression compression : kExact) {
    EXPECT_TRUE(write(compression, std::vector<std::int8_t>{-128, 127}).status.ok());
    EXPECT_TRUE(write(compression, std::vector<std::uint8_t>{0, 255}).status.ok());
    EXPECT_TRUE(write(compression, std::vector<std::int32_t>{1 << 24, -(1 << 30)}).status.ok());
    EXPECT_TRUE(write(compression, std::vector<std::int64_t>{INT64_MIN, 5}).status.ok());
    const std::vector<double> doubles{0.5, -0.0, HUGE_VAL, std::nan(""), 0x1p-149};
    const Written done = write(compression, doubles);
    ASSERT_TRUE(done.status.ok());
    EXPECT_TRUE(std::signbit(Reader::create(done.file).value().read_all().value()[1]));
  }
  expect_refused(std::vector<double>{0.5, 0.1}, "float64", "row 1, dimension 0 (0.1)");
  expect_refused(std::vector<double>{1e300}, "float64", "row 0, dimension 0 (1e+300)");
  expect_refused(std::vector<double>{0x1p-150}, "float64",
                 "row 0, dimension 0 (7.006492321624085e-46)");
  const auto payload = std::bit_cast<double>(std::uint64_t{0x7ff8000000000001});
  expect_refused(std::vector<double>{payload}, "float64", "row 0, dimension 0 (nan)");
  expect_refused(std::vector<std::int32_t>{0, 16777217}, "int32", "row 1, dimension 0 (16777217)");
  expect_refused(std::vector<std::int64_t>{INT64_MAX}, "int64",
                 "row 0, dimension 0 (9223372036854775807)");
}

// A file with rows of 8 values and chunks of 20 rows.
std::vector<float> some_values(std::size_t rows) {
  Random random(2);
  std::vector<float> values(rows * 8);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

TEST(CvcNonfinite, TheFirstOneIsNamed) {
  const std::pair<float, std::string> odd[] = {
      {std::nanf(""), "nan"}, {HUGE_VALF, "inf"}, {-HUGE_VALF, "-inf"}};
  for (const Compression compression : kSteps) {
    for (const auto& [value, word] : odd) {
      std::vector<float> values = some_values(60);
      values[43 * 8 + 5] = value;
      const Rows rows(std::span<const float>(values), 8);
      WriteConfig config;
      config.compression = compression;
      config.chunk_rows = 20;
      const std::string place = "row 43, dimension 5 (" + word + ")";
      for (const unsigned threads : {1u, 3u}) {
        config.threads = threads;
        config.expected_rows.reset();
        EXPECT_EQ(write(config, {&rows, 1}).place, place) << name_of(compression);
        EXPECT_EQ(write(config, {&rows, 1}, 7).place, place) << name_of(compression);
        config.expected_rows = 60;
        const Written planned = write(config, {&rows, 1});
        EXPECT_EQ(planned.place, place) << name_of(compression);
        EXPECT_EQ(planned.status.kind(), ErrorKind::kInvalidArgument);
        EXPECT_EQ(planned.status.chunk(), 2u);
        EXPECT_EQ(planned.status.message().find("::"), std::string::npos);
      }
    }
  }
}

TEST(CvcNonfinite, ColumnsAreNamed) {
  std::vector<float> values = some_values(30);
  std::vector<float> scores(30, 1.0f);
  WriteConfig config;
  config.version = Version::kV20;
  config.columns = {{"text", 8, Dtype::kFloat32, Compression::kInt8Dim},
                    {"score", 1, Dtype::kFloat32, Compression::kInt8}};
  const Rows columns[] = {Rows(std::span<const float>(values), 8),
                          Rows(std::span<const float>(scores), 1)};
  scores[7] = std::nanf("");
  EXPECT_EQ(write(config, columns).place, "column 'score': row 7 (nan)");
  values[3 * 8 + 1] = HUGE_VALF;
  EXPECT_EQ(write(config, columns).place, "column 'text': row 3, dimension 1 (inf)");
  Bytes out;
  Writer writer = Writer::create(out, config).value();
  try {
    Status status = writer.append(columns);
    if (status.ok()) status = writer.finish().status();
    throw_if_error(status, writer.error_place());
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("column 'text': row 3, dimension 1 (inf): "));
  }
}

TEST(CvcNonfinite, RangesThatAreTooWideAreNamedAsFarAsTheyGo) {
  std::vector<float> values(24, 1.0f);
  values[9] = 3e38f;
  values[12] = values[15] =
      -3e38f;  // makes row 1 too wide (dimensions 1 and 4), and dimension 1 (rows 1 and 2)
  values[17] = -3e38f;
  WriteConfig config;
  const Rows rows(std::span<const float>(values), 8);
  const std::pair<Compression, std::string> places[] = {{Compression::kInt8, ""},
                                                        {Compression::kInt8Row, "row 1"},
                                                        {Compression::kInt8Dim, "dimension 1"},
                                                        {Compression::kInt4, "dimension 1"}};
  for (const auto& [compression, place] : places) {
    config.compression = compression;
    const Written done = write(config, {&rows, 1});
    EXPECT_EQ(done.status.kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(done.place, place) << name_of(compression);
  }
}

TEST(CvcNonfinite, WhatIsLostIsCounted) {
  std::vector<float> values = some_values(60);
  values[43 * 8 + 5] = std::nanf("");
  values[43 * 8 + 6] = HUGE_VALF;
  const Rows rows(std::span<const float>(values), 8);
  const std::pair<Compression, std::uint64_t> lost[] = {{Compression::kInt8, 20 * 8 - 2},
                                                        {Compression::kInt8Row, 6},
                                                        {Compression::kInt8Dim, 2 * 19},
                                                        {Compression::kInt4, 2 * 19}};
  for (const auto& [compression, count] : lost) {
    WriteConfig config;
    config.compression = compression;
    config.chunk_rows = 20;
    config.allow_nonfinite = true;
    for (const std::uint64_t step : {0, 7}) {
      const Written done = write(config, {&rows, 1}, step);
      ASSERT_TRUE(done.status.ok());
      EXPECT_EQ(done.report.lost, count) << name_of(compression);
      std::uint64_t missing = 0;
      const std::vector<float> back = Reader::create(done.file).value().read_all().value();
      for (std::size_t i = 0; i < back.size(); ++i) {
        missing += std::isfinite(values[i]) && !std::isfinite(back[i]) ? 1 : 0;
      }
      EXPECT_EQ(missing, count) << name_of(compression);
    }
  }
}

TEST(CvcNonfinite, DoublesBeyondFloatCountAsLost) {
  WriteConfig config;
  config.compression = Compression::kInt8;
  config.allow_nonfinite = true;
  const std::vector<double> values{1, 2, 1e300, HUGE_VAL};
  const Rows rows(std::span<const double>(values), 2);
  EXPECT_EQ(write(config, {&rows, 1}).report.lost, 3u);
}

TEST(CvcHeader, RangesThatAreNotFiniteAreJson) {
  for (const std::vector<float>& values :
       {std::vector<float>{1, std::nanf("")}, std::vector<float>{1, HUGE_VALF},
        std::vector<float>{-HUGE_VALF, 1}, std::vector<float>{-3e38f, 3e38f}}) {
    for (const Version version : {Version::kV01, Version::kV10, Version::kV20}) {
      WriteConfig config;
      config.version = version;
      config.compression = Compression::kInt8;
      config.allow_nonfinite = true;
      if (version == Version::kV20) {
        config.columns = {{"a", 1, Dtype::kFloat32, Compression::kInt8}};
      }
      const Rows rows(std::span<const float>(values), 1);
      const Written done = write(config, {&rows, 1});
      ASSERT_TRUE(done.status.ok());
      const Reader reader = Reader::create(done.file).value();
      EXPECT_TRUE(has_json_header(reader.info())) << *reader.info().header;
      for (const float value : reader.read_all().value()) EXPECT_TRUE(std::isnan(value));
    }
  }
}

// Headers of files that other writers made may not be JSON; those of their copies are.
TEST(CvcHeader, CopiedRangesAreJsonOfTheSameValues) {
  for (const char* const name :
       {"v10_int8_nan", "v10_int8_inf", "v10_int8_neg_inf", "v10_int8_huge_range"}) {
    const Bytes file = cvc_bytes(name);
    const Reader reader = Reader::create(file).value();
    const cvc::Info& info = reader.info();
    EXPECT_FALSE(has_json_header(info));
    WriteConfig config;
    config.dimension = info.columns[0].dimension;
    config.compression = Compression::kInt8;
    Bytes out;
    Writer writer = Writer::create(out, config).value();
    const auto payload = std::span(file).subspan(
        static_cast<std::size_t>(info.chunks[0].offset + info.record_head_bytes()),
        static_cast<std::size_t>(info.chunks[0].payload_bytes));
    throw_if_error(writer.append_encoded({info.chunks[0].rows, info.slices, payload}));
    writer.finish().value();
    const Reader copy = Reader::create(out).value();
    EXPECT_TRUE(has_json_header(copy.info()));
    const std::vector<float> before = reader.read_all().value();
    const std::vector<float> after = copy.read_all().value();
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(before[i] == after[i] || (std::isnan(before[i]) && std::isnan(after[i])));
    }
  }
}

TEST(CvcHeader, MetadataIsJsonOrRefused) {
  const std::vector<float> values(8);
  for (const char* const text : {"NaN", "[Infinity]", "{\"a\":-Infinity}", "1e400", "[-1e400]",
                                 "1e-400", "\"\\ud800\"", "[\"\\udc00\\ud800\"]", "{\"\\ud83d\":1}",
                                 "\"\xff\"", "\"\xed\xa0\x80\"", "{", "", "1 2"}) {
    WriteConfig config;
    config.metadata = text;
    Bytes out;
    if (*text != '\0') {
      EXPECT_EQ(Writer::create(out, config).status().kind(), ErrorKind::kInvalidArgument) << text;
    }
    const auto refuses = [&](const auto& act) {
      Writer writer = Writer::create(out, {}).value();
      EXPECT_EQ(act(writer).kind(), ErrorKind::kInvalidArgument) << text;
    };
    refuses([&](Writer& writer) { return writer.set_chunk(0, {std::nullopt, text}); });
    refuses([&](Writer& writer) { return writer.begin_section(text); });
    refuses([&](Writer& writer) { return writer.add_section({0, 1}, text); });
  }
  for (const char* const text : {"0.0", "-0.0", "0e999", "1e308", "5e-324", "\"\\ud83d\\ude00\"",
                                 "\"NaN\"", "123456789012345678901234567890"}) {
    WriteConfig config;
    config.metadata = text;
    Bytes out;
    EXPECT_TRUE(Writer::create(out, config).ok()) << text;
  }
}

TEST(CvcShapes, VectorsOfOneValueAreNoScalars) {
  const std::vector<std::int32_t> values{1, 2, 3};
  WriteConfig config;
  config.version = Version::kV20;
  config.columns = {{"v", 1, Dtype::kInt32, {}, true}, {"s", 1, Dtype::kInt32, {}}};
  const Rows rows(std::span<const std::int32_t>(values), 1);
  const Rows columns[] = {rows, rows};
  const Written done = write(config, columns);
  ASSERT_TRUE(done.status.ok());
  const Reader reader = Reader::create(done.file).value();
  EXPECT_TRUE(reader.info().columns[0].is_vector);
  EXPECT_FALSE(reader.info().columns[1].is_vector);
  EXPECT_EQ(reader.read_all<std::int32_t>().value(), values);
}

// ---- values that are too small ----

// Pairs of values and what is counted, in the smallest numbers of each type.
TEST(CvcUnderflows, HalvesAndBFloatsThatBecomeZeroAreCounted) {
  const std::vector<float> floats = {0.0f,     -0.0f, 1e-9f,  -1e-9f, 0x1p-25f, 0x1.000002p-25f,
                                     0x1p-24f, 1.0f,  1e-45f, NAN,    INFINITY};
  Written written = write(Compression::kFp16, floats);
  ASSERT_TRUE(written.status.ok());
  EXPECT_EQ(written.report.underflows, 4u);
  EXPECT_EQ(written.report.overflows, 0u);
  const std::vector<float> tiny = {0.0f, 0x1p-134f, 0x1.02p-134f, -1e-45f, 0x1p-133f, 1e-38f};
  EXPECT_EQ(write(Compression::kBFloat16, tiny).report.underflows, 2u);
  const std::vector<double> doubles = {0.0, 1e-300, -1e-8, 0x1p-24, 5e-324, 1e-46, 0.5};
  EXPECT_EQ(write(Compression::kFp16, doubles).report.underflows, 4u);
  EXPECT_EQ(write(Compression::kBFloat16, doubles).report.underflows, 3u);
  const std::vector<std::int32_t> integers = {0, 1, -1, 1 << 30};
  EXPECT_EQ(write(Compression::kBFloat16, integers).report.underflows, 0u);
}

TEST(CvcUnderflows, BlocksOfAnySizeAreCountedExactly) {
  Random random(5);
  for (const std::size_t n : {1, 7, 64, 1000, 5000}) {
    std::vector<float> values(n);
    std::uint64_t halves = 0;
    std::uint64_t brains = 0;
    for (float& value : values) {
      value = std::ldexp(1.5f, static_cast<int>(random.below(170)) - 149);
      if (random.below(5) == 0) value = 0;
      halves += value != 0 && value <= 0x1p-25f ? 1 : 0;
      brains += value != 0 && value <= 0x1p-134f ? 1 : 0;
    }
    EXPECT_EQ(write(Compression::kFp16, values).report.underflows, halves);
    EXPECT_EQ(write(Compression::kBFloat16, values).report.underflows, brains);
    EXPECT_EQ(write(Compression::kPco, values).report.underflows, 0u);
    EXPECT_EQ(write(Compression::kLossless, values).report.underflows, 0u);
  }
}

TEST(CvcUnderflows, RangesThatFloatsCannotDivideAreCounted) {
  for (const Compression compression : kSteps) {
    // The width is less than half of a float's least step, times 255 or 15.
    const std::vector<float> narrow = {0.0f, 1e-45f, 3e-45f, 0.0f};
    const auto columns = [&](const auto& values) {
      return write(compression, values, compression == Compression::kInt8Row ? 4 : 1);
    };
    EXPECT_EQ(columns(narrow).report.underflows, 2u);
    const std::vector<double> doubles = {1e-50, 0.0, -1e-60, 1e-300};
    EXPECT_EQ(columns(doubles).report.underflows, 3u);
    EXPECT_EQ(columns(std::vector<float>(4, 1e-45f)).report.underflows, 0u);
    EXPECT_EQ(columns(std::vector<float>{0.0f, 1.0f, 1e-30f, 0.5f}).report.underflows, 0u);
    EXPECT_EQ(columns(std::vector<double>(4, 0.1)).report.underflows, 0u);
    EXPECT_EQ(columns(std::vector<double>(4, 0.0)).report.underflows, 0u);
  }
}

}  // namespace
}  // namespace numpact::testing
