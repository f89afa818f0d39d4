// SPDX-License-Identifier: Apache-2.0
// Written files can be read again; failed writes leave nothing behind.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "support/fixtures.hpp"
#include "support/random.hpp"
#include "support/system.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Dtype;
using cvc::Reader;
using cvc::Rows;
using cvc::Version;
using cvc::WriteConfig;
using cvc::Writer;

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(system::new_folder("numpact_cvc")) {}
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::vector<float> values(std::size_t n, std::uint64_t stream = 1) {
  Random random(stream);
  std::vector<float> out(n);
  for (float& value : out) value = static_cast<float>(random.normal());
  return out;
}

Rows rows(const std::vector<float>& all, std::uint64_t dimension) {
  return Rows(std::span<const float>(all), dimension);
}

Bytes written(const WriteConfig& config, const Rows& all) {
  Bytes out;
  Writer writer = Writer::create(out, config).value();
  throw_if_error(writer.append(all));
  writer.finish().value();
  return out;
}

ErrorKind kind_of(const WriteConfig& config) {
  Bytes out;
  return Writer::create(out, config).status().kind();
}

TEST(CvcWriter, Configs) {
  const auto with = [](const auto& set) {
    WriteConfig config;
    set(config);
    return kind_of(config);
  };
  constexpr ErrorKind kBad = ErrorKind::kInvalidArgument;
  EXPECT_EQ(with([](WriteConfig&) {}), ErrorKind::kNone);
  EXPECT_EQ(with([](WriteConfig& c) { c.chunk_rows = 0; }), kBad);
  EXPECT_EQ(with([](WriteConfig& c) { c.compression = Compression::kNone; }), kBad);
  EXPECT_EQ(with([](WriteConfig& c) { c.columns = {{"a", 1, Dtype::kInt8, {}}}; }), kBad);
  EXPECT_EQ(with([](WriteConfig& c) { c.metadata = "{"; }), kBad);
  EXPECT_EQ(with([](WriteConfig& c) {
              c.version = Version::kV01;
              c.compression = Compression::kLossless;
            }),
            kBad);
  EXPECT_EQ(with([](WriteConfig& c) {
              c.version = Version::kV01;
              c.paged = true;
            }),
            kBad);
  const auto with_columns = [&](std::vector<cvc::ColumnSpec> columns) {
    return with([&](WriteConfig& c) {
      c.version = Version::kV20;
      c.columns = std::move(columns);
    });
  };
  EXPECT_EQ(with_columns({{"a", 1, Dtype::kInt8, {}}}), ErrorKind::kNone);
  EXPECT_EQ(with_columns({}), kBad);
  EXPECT_EQ(with_columns({{" ", 1, Dtype::kInt8, {}}}), kBad);
  EXPECT_EQ(with_columns({{"\xff", 1, Dtype::kInt8, {}}}), kBad);
  EXPECT_EQ(with_columns({{"a", 1, Dtype::kInt8, {}}, {"a", 2, Dtype::kInt8, {}}}), kBad);
  EXPECT_EQ(with_columns({{"a", 0, Dtype::kInt8, {}}}), kBad);
  EXPECT_EQ(with_columns({{"a", 1, Dtype::kFloat64, {}}}), kBad);
  EXPECT_EQ(with_columns({{"a", 1, Dtype::kFloat32, Compression::kLossless}}), kBad);
}

TEST(CvcWriter, RowsMustFit) {
  const std::vector<float> all = values(24);
  const std::vector<double> doubles(24);
  Bytes out;
  const auto after_first = [&](const Rows& second) {
    Writer writer = Writer::create(out, {}).value();
    throw_if_error(writer.append(rows(all, 4)));
    const ErrorKind kind = writer.append(second).kind();
    if (kind != ErrorKind::kNone) {
      EXPECT_EQ(writer.finish().status().kind(), ErrorKind::kInvalidArgument) << "once it failed";
    }
    return kind;
  };
  EXPECT_EQ(after_first(rows(all, 4)), ErrorKind::kNone);
  EXPECT_EQ(after_first(rows(all, 3)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(after_first(Rows(std::span<const double>(doubles), 4)), ErrorKind::kTypeMismatch);
  EXPECT_EQ(after_first(Rows(Dtype::kFloat32, all.data(), 2, 4, 12)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(after_first(Rows(Dtype::kFloat32, nullptr, 2, 4)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(after_first(Rows(Dtype::kFloat32, nullptr, 0, 4)), ErrorKind::kNone);
  EXPECT_TRUE(out.empty());
  Writer empty = Writer::create(out, {}).value();
  EXPECT_EQ(empty.finish().status().kind(), ErrorKind::kInvalidArgument) << "dimension unknown";
}

TEST(CvcWriter, RoundTrips) {
  const std::vector<float> all = values(211 * 13);
  for (const Version version : {Version::kV01, Version::kV10}) {
    for (const Compression compression :
         {Compression::kFp16, Compression::kInt8, Compression::kLossless}) {
      for (const bool paged : {false, true}) {
        if (version == Version::kV01 && (paged || compression == Compression::kLossless)) continue;
        WriteConfig config;
        config.version = version;
        config.compression = compression;
        config.paged = paged;
        config.chunk_rows = 50;
        const Bytes file = written(config, rows(all, 13));
        const Reader reader = Reader::create(file).value();
        EXPECT_EQ(reader.info().is_paged, paged);
        EXPECT_EQ(reader.info().chunks.size(), 5u);
        const std::vector<float> back = reader.read_all().value();
        ASSERT_EQ(back.size(), all.size());
        const float allowed = compression == Compression::kFp16   ? 0.002f
                              : compression == Compression::kInt8 ? 0.02f
                                                                  : 0.0f;
        for (std::size_t i = 0; i < all.size(); ++i) ASSERT_NEAR(back[i], all[i], allowed);
        for (const cvc::Chunk& chunk : reader.info().chunks) {
          EXPECT_TRUE(!paged || chunk.offset % 4096 == 0);
        }
      }
    }
  }
}

TEST(CvcWriter, RowsWithGapsAndOtherTypes) {
  const std::vector<float> all = values(100 * 10);
  std::vector<float> wide(100 * 16, -99.0f);
  std::vector<double> doubles(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) wide[i / 10 * 16 + i % 10] = all[i];
  for (const Compression compression :
       {Compression::kFp16, Compression::kInt8, Compression::kLossless}) {
    WriteConfig config;
    config.compression = compression;
    config.chunk_rows = 33;
    const Bytes file = written(config, rows(all, 10));
    EXPECT_TRUE(same_bytes(written(config, Rows(Dtype::kFloat32, wide.data(), 100, 10, 64)), file));
    EXPECT_TRUE(same_bytes(written(config, Rows(std::span<const double>(doubles), 10)), file));
    config.threads = 4;
    EXPECT_TRUE(same_bytes(written(config, rows(all, 10)), file));
  }
}

TEST(CvcWriter, NoLossGoesUnnoticed) {
  std::vector<float> all = values(100);
  all[7] = 70000.0f;
  all[8] = -1e10f;
  all[9] = HUGE_VALF;
  Bytes out;
  Writer writer = Writer::create(out, {}).value();
  throw_if_error(writer.append(rows(all, 10)));
  EXPECT_EQ(writer.finish().value().overflows, 2u);
  const std::vector<double> doubles(all.begin(), all.end());
  Writer other = Writer::create(out, {}).value();
  throw_if_error(other.append(Rows(std::span<const double>(doubles), 10)));
  EXPECT_EQ(other.finish().value().overflows, 2u);

  WriteConfig config;
  config.compression = Compression::kInt8;
  Writer third = Writer::create(out, config).value();
  EXPECT_EQ(third.append(rows(all, 10)).kind(),
            ErrorKind::kNone);  // buffered, compressed later
  const Status status = third.finish().status();
  EXPECT_EQ(status.kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(status.chunk(), 0u);
  config.allow_nonfinite = true;
  EXPECT_TRUE(
      std::isnan(Reader::create(written(config, rows(all, 10))).value().read_all().value()[0]));
}

TEST(CvcWriter, RangesPastFloatAreRefusedOrNaN) {
  const std::vector<double> ranges[] = {{-3.2e38, 2.3e38}, {-1e300, 0}, {1, 1e300}, {3e38, 6e38}};
  for (const Version version : {Version::kV01, Version::kV10}) {
    for (const std::vector<double>& all : ranges) {
      const std::vector<float> floats(all.begin(), all.end());
      for (const Rows& two : {Rows(std::span(all), 1), Rows(std::span(floats), 1)}) {
        WriteConfig config;
        config.version = version;
        config.compression = Compression::kInt8;
        Bytes out;
        Writer refused = Writer::create(out, config).value();
        throw_if_error(refused.append(two));
        EXPECT_EQ(refused.finish().status().kind(), ErrorKind::kInvalidArgument) << all[1];
        config.allow_nonfinite = true;
        for (const float value : Reader::create(written(config, two)).value().read_all().value()) {
          EXPECT_TRUE(std::isnan(value)) << all[1];
        }
      }
    }
  }
}

TEST(CvcWriter, ChunksSectionsMetadata) {
  const std::vector<float> all = values(1000);
  WriteConfig config;
  config.metadata = R"({"model": "m", "big": 123456789012345678901234567890})";
  config.chunk_rows = 40;
  Bytes out;
  Writer writer = Writer::create(out, config).value();
  cvc::ChunkOptions options;
  options.metadata = "[1, 2.5]";
  options.compression = Compression::kInt8;
  throw_if_error(writer.set_chunk(1, options));
  throw_if_error(writer.append(Rows(Dtype::kFloat32, all.data(), 10, 10)));
  throw_if_error(writer.begin_section(R"({"part": "first"})"));
  throw_if_error(writer.append(Rows(Dtype::kFloat32, all.data() + 100, 35, 10)));
  throw_if_error(writer.begin_section("null"));
  throw_if_error(writer.begin_section(R"({"part": "second"})"));
  throw_if_error(writer.append(Rows(Dtype::kFloat32, all.data() + 450, 5, 10)));
  throw_if_error(writer.end_chunk());
  throw_if_error(writer.end_chunk());
  throw_if_error(writer.end_section());
  throw_if_error(writer.append(Rows(Dtype::kFloat32, all.data() + 500, 50, 10)));
  EXPECT_EQ(writer.finish().value().chunks, 4u);
  const Reader reader = Reader::create(out).value();
  const cvc::Info& info = reader.info();
  EXPECT_EQ(info.metadata, R"({"big":123456789012345678901234567890,"model":"m"})");
  ASSERT_EQ(info.chunks.size(), 4u);
  EXPECT_EQ(info.chunks[1].metadata, "[1,2.5]");
  EXPECT_FALSE(info.chunks[0].metadata);
  EXPECT_EQ(info.slice(1, 0).compression, Compression::kInt8);
  EXPECT_EQ(info.chunks[1].rows, 10u);
  EXPECT_EQ(info.chunks[2].rows, 40u);
  ASSERT_EQ(info.sections.size(), 3u);
  EXPECT_EQ(info.sections[0].rows, (cvc::RowRange{10, 35}));
  EXPECT_EQ(info.sections[1].rows, (cvc::RowRange{45, 0}));
  EXPECT_EQ(info.sections[2].rows, (cvc::RowRange{45, 5}));
  std::vector<cvc::RowRange> ranges;
  throw_if_error(reader.find_sections("part", "\"second\"").into(ranges));
  EXPECT_EQ(ranges, (std::vector<cvc::RowRange>{{45, 5}}));

  Writer late = Writer::create(out, config).value();
  throw_if_error(late.append(rows(all, 10)));
  EXPECT_EQ(late.set_chunk(1, options).kind(), ErrorKind::kInvalidArgument);
  Writer never = Writer::create(out, config).value();
  throw_if_error(never.set_chunk(99, options));
  throw_if_error(never.append(rows(all, 10)));
  EXPECT_EQ(never.finish().status().kind(), ErrorKind::kInvalidArgument);
}

TEST(CvcWriter, FilesGetTheirNameAtTheEnd) {
  const Folder folder;
  const std::string path = folder.file("a.cvc");
  const std::vector<float> all = values(3000);
  WriteConfig config;
  config.chunk_rows = 17;
  const Bytes expected = written(config, rows(all, 10));
  for (const bool planned : {false, true}) {
    if (planned) config.expected_rows = 300;
    Writer writer = Writer::create(path, config).value();
    throw_if_error(writer.append(rows(all, 10)));
    EXPECT_EQ(fs::exists(path), planned) << "only the one before it is there";
    writer.finish().value();
    EXPECT_TRUE(same_bytes(read_file(path), expected));
    EXPECT_EQ(folder.count(), 1u);
    EXPECT_EQ(writer.append(rows(all, 10)).kind(), ErrorKind::kInvalidArgument);
  }
  if (system::has_modes()) {
    ASSERT_TRUE(system::set_mode(path, 0640));
  }
  {
    Writer unfinished = Writer::create(path, config).value();
    throw_if_error(unfinished.append(rows(all, 10)));
    EXPECT_EQ(folder.count(), 2u);
  }
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_TRUE(same_bytes(read_file(path), expected));
  // Writing through a link keeps the permissions.
  const std::string link = folder.file(system::has_links() ? "link" : "a.cvc");
  if (system::has_links()) fs::create_symlink(path, link);
  config.expected_rows.reset();
  config.compression = Compression::kInt8;
  Writer writer = Writer::create(link, config).value();
  throw_if_error(writer.append(rows(all, 10)));
  writer.finish().value();
  EXPECT_EQ(fs::is_symlink(link), system::has_links());
  EXPECT_EQ(Reader::open(path).value().info().columns[0].compression, Compression::kInt8);
  if (system::has_modes()) {
    EXPECT_EQ(system::mode_of(path), 0640u);
  }
  EXPECT_EQ(Writer::create(folder.file("no/where.cvc"), {}).status().kind(), ErrorKind::kIo);
  EXPECT_EQ(Writer::create(folder.file(""), {}).status().kind(), ErrorKind::kIo);
}

TEST(CvcWriter, AForkedProcessLeavesTheFileAlone) {
  const Folder folder;
  const std::string path = folder.file("a.cvc");
  const std::vector<float> all = values(3000);
  WriteConfig config;
  config.chunk_rows = 17;
  config.threads = 3;
  auto writer = std::make_unique<Writer>(Writer::create(path, config).value());
  throw_if_error(writer->append(rows(all, 10)));
  const std::optional<int> status = system::run_in_copy([&] {
    const bool is_refused = writer->append(rows(all, 10)).kind() == ErrorKind::kInvalidArgument;
    const bool is_closed = writer->finish().ok();
    writer.reset();
    return is_refused && !is_closed ? 0 : 1;
  });
  EXPECT_EQ(status.value_or(0), 0);
  throw_if_error(writer->append(rows(all, 10)));
  EXPECT_EQ(writer->finish().value().rows, 600u);
  EXPECT_EQ(Reader::open(path).value().rows(), 600u);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(CvcWriter, MetadataThatNoReaderTakes) {
  const std::vector<float> all = values(10);
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  // Metadata of the file, a chunk and a section: the deepest that readers accept, and one level
  // more.
  constexpr std::size_t kMaxDepths[] = {511, 509, 507};
  for (std::size_t place = 0; place < 3; ++place) {
    for (const std::size_t more : {0u, 1u, 2u, 600u}) {
      const std::string text = nested(kMaxDepths[place] + more);
      WriteConfig config;
      if (place == 0) config.metadata = text;
      Bytes out;
      Result<Writer> made = Writer::create(out, config);
      Status status = made.status();
      if (status.ok()) {
        cvc::ChunkOptions options;
        options.metadata = text;
        if (place == 1) status = made->set_chunk(0, options);
        if (place == 2) status = made->begin_section(text);
        if (status.ok()) status = made->append(rows(all, 10));
        if (status.ok()) status = made->finish().status();
      }
      EXPECT_EQ(status.ok(), more == 0) << place << " " << more << ": " << status.message();
      EXPECT_TRUE(!status.ok() || Reader::create(out).ok()) << place;
    }
  }
}

TEST(CvcWriter, WrongRowCountsAreCorrected) {
  const std::vector<float> all = values(2000);
  for (const bool paged : {false, true}) {
    WriteConfig config;
    config.chunk_rows = 3;
    config.paged = paged;
    config.compression = Compression::kInt8;
    const Folder folder;
    const auto write = [&](std::uint64_t expected, std::uint64_t first) {
      config.expected_rows = expected;
      Writer writer = Writer::create(folder.file("a"), config).value();
      throw_if_error(writer.append(Rows(Dtype::kFloat32, all.data(), first, 10)));
      throw_if_error(
          writer.append(Rows(Dtype::kFloat32, all.data() + 10 * first, 198 - first, 10)));
      writer.finish().value();
      return read_file(folder.file("a"));
    };
    const Bytes expected = write(0, 198);
    EXPECT_TRUE(same_bytes(write(99, 99), expected));
    EXPECT_TRUE(same_bytes(write(198, 99), expected));
    EXPECT_TRUE(same_bytes(write(198, 198), expected));
    EXPECT_EQ(Reader::create(expected).value().read_all().value().size(), 1980u);
  }
}

TEST(CvcWriter, PagesDoNotOverrun) {
  // Chunks and metadata that make the header grow past several pages because of its offsets.
  const std::vector<float> all = values(600);
  for (std::uint64_t n = 40; n <= 300; n += 7) {
    WriteConfig config;
    config.paged = true;
    config.chunk_rows = 1;
    const Bytes file = written(config, Rows(Dtype::kFloat32, all.data(), n, 2));
    const Reader reader = Reader::create(file).value();
    ASSERT_GE(reader.info().chunks[0].offset, reader.info().header_bytes);
    ASSERT_EQ(reader.read_all().value().size(), 2 * n);
  }
}

TEST(CvcWriter, Columns) {
  const std::vector<float> text = values(300);
  std::vector<std::int64_t> ids(100);
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = (std::int64_t{1} << 53) + 1 + static_cast<std::int64_t>(i);
  std::vector<std::uint8_t> bytes(200, 7);
  WriteConfig config;
  config.version = Version::kV20;
  config.chunk_rows = 30;
  config.columns = {{"text", 3, Dtype::kFloat32, Compression::kInt8},
                    {"id", 1, Dtype::kInt64, {}},
                    {"exact", 3, Dtype::kFloat32, Compression::kNone},
                    {"flags", 2, Dtype::kUInt8, {}}};
  Bytes out;
  Writer writer = Writer::create(out, config).value();
  const Rows columns[] = {rows(text, 3), Rows(std::span<const std::int64_t>(ids), 1), rows(text, 3),
                          Rows(std::span<const std::uint8_t>(bytes), 2)};
  EXPECT_TRUE(writer.append(columns).ok());
  writer.finish().value();
  const Reader reader = Reader::create(out).value();
  EXPECT_EQ(reader.info().major, 2u);
  EXPECT_EQ(reader.read_all<std::int64_t>({}, 1).value(), ids);
  EXPECT_EQ(reader.read_all({}, 2).value(), text);
  EXPECT_EQ(reader.read_all<std::uint8_t>({}, 3).value(), bytes);
  EXPECT_EQ(reader.info().slice(0, 3).compression, Compression::kNone);

  Writer wrong = Writer::create(out, config).value();
  const Rows uneven[] = {rows(text, 3), Rows(Dtype::kInt64, ids.data(), 99, 1), rows(text, 3),
                         Rows(std::span<const std::uint8_t>(bytes), 2)};
  EXPECT_EQ(wrong.append(uneven).kind(), ErrorKind::kInvalidArgument);
  Writer few = Writer::create(out, config).value();
  EXPECT_EQ(few.append(rows(text, 3)).kind(), ErrorKind::kInvalidArgument);
  Writer none = Writer::create(out, config).value();
  EXPECT_TRUE(none.finish().ok());
  const Reader nothing = Reader::create(out).value();
  EXPECT_EQ(nothing.rows(), 0u);
  EXPECT_EQ(nothing.info().columns.size(), 4u);
  EXPECT_TRUE(nothing.read_all<std::int64_t>({}, 1).value().empty());
}

TEST(CvcWriter, ProgressAndCancelling) {
  const std::vector<float> all = values(1000);
  WriteConfig config;
  config.chunk_rows = 10;
  int calls = 0;
  config.progress = [&](const Progress&) { return ++calls < 4; };
  Bytes out;
  Writer writer = Writer::create(out, config).value();
  EXPECT_EQ(writer.append(rows(all, 10)).kind(), ErrorKind::kCancelled);
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace numpact::testing
