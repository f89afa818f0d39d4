// SPDX-License-Identifier: Apache-2.0
// Intact trailers that say of a file what is not so: readers of the whole file report them.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "numpact/inspect.hpp"
#include "numpact/numpact.h"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "pco/trailer/layout.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

// Enough numbers for several threads, which then decode by the trailer.
constexpr std::size_t kChunkN = 50'000;
constexpr std::size_t kChunks = 4;
constexpr std::size_t kAllN = kChunks * kChunkN;

// The contents of a trailer, before it is written.
struct Said {
  NumberType type = NumberType::kI32;
  FormatVersion format;
  std::size_t header_bytes = 0;
  std::vector<trailer::ChunkRecord> records;
};

struct Lie {
  const char* name;
  std::function<void(Said&)> tell;
  bool changes_count = false;  // of all numbers
};

const std::vector<Lie>& lies() {
  static const std::vector<Lie> all = {
      {"one number more", [](Said& said) { ++said.records[1].n; }, true},
      {"one number fewer", [](Said& said) { --said.records[3].n; }, true},
      {"very many more", [](Said& said) { said.records[3].n = 1U << 24; }, true},
      {"a number in another chunk",
       [](Said& said) {
         ++said.records[1].n;
         --said.records[2].n;
       }},
      {"another type", [](Said& said) { said.type = NumberType::kU32; }},
      {"another version", [](Said& said) { said.format.minor = 0; }},
      {"a shorter header",
       [](Said& said) {
         --said.header_bytes;
         --said.records[0].offset;
       }},
      {"a chunk that ends elsewhere", [](Said& said) { --said.records[2].offset; }},
      {"two chunks as one",
       [](Said& said) {
         said.records[1].n += said.records[2].n;
         said.records.erase(said.records.begin() + 2);
       }},
      {"a chunk as two",
       [](Said& said) {
         trailer::ChunkRecord second = said.records[1];
         said.records[1].n -= 100;
         second.n = 100;
         second.offset += 1000;
         said.records.insert(said.records.begin() + 2, second);
       }},
  };
  return all;
}

class Contradictions : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(791);
    numbers_ = make_numbers("walk", NumberType::kI32, kAllN, random);
    EncodeConfig config;
    config.level = 1;
    config.paging = PagingSpec::equal_pages_up_to(kChunkN);
    config.trailer = TrailerSpec::index();
    file_ = compressed(numbers_, config);
  }

  // The file with a trailer whose own checksums, and those of what it takes for chunks, are right.
  Bytes with(const Lie& lie) const {
    trailer::View view;
    EXPECT_OK(trailer::parse({file_}, view));
    const ByteSpan plain = ByteSpan(file_).first(static_cast<std::size_t>(view.file_bytes));
    Said said{*view.front.type, view.front.format, view.front.header_bytes, {}};
    for (std::size_t i = 0; i < kChunks; ++i) said.records.push_back(view.record(i));
    lie.tell(said);
    trailer::Builder builder(plain.first(said.header_bytes), said.format, std::nullopt);
    for (std::size_t i = 0; i < said.records.size(); ++i) {
      trailer::ChunkRecord& record = said.records[i];
      const auto begin = static_cast<std::size_t>(record.offset);
      const auto end = i + 1 < said.records.size()
                           ? static_cast<std::size_t>(said.records[i + 1].offset)
                           : plain.size() - 1;
      record.crc = crc32(plain.subspan(begin, end - begin));
      builder.add(said.type, record, {});
    }
    Bytes made = to_bytes(plain);
    const std::vector<std::byte> bytes = builder.finish(plain.size());
    made.insert(made.end(), bytes.begin(), bytes.end());
    std::optional<Trailer> read;
    EXPECT_OK(Trailer::read(made).into(read));
    return made;
  }

  // Decoded numbers before an error are those of the file.
  void expect_refused(const Status& status, const Numbers& out) const {
    EXPECT_KIND(status, kCorrupt);
    const std::size_t good = static_cast<std::size_t>(status.good_numbers());
    ASSERT_LE(good, kAllN);
    EXPECT_TRUE(same_bytes(raw(out).first(4 * good), raw(numbers_).first(4 * good)));
  }

  Numbers numbers_;
  Bytes file_;
};

TEST_F(Contradictions, AreReportedByDecoding) {
  for (const Lie& lie : lies()) {
    const Bytes file = with(lie);
    for (const unsigned threads : {1U, 3U}) {
      SCOPED_TRACE(std::string(lie.name) + ", threads " + std::to_string(threads));
      DecodeConfig config;
      config.threads = threads;
      Numbers out = zeros(NumberType::kI32, kAllN);
      expect_refused(decompress_into(file, writable(out), config).status(), out);
      expect_refused(decompress_front(file, writable(out), config).status(), out);
      EXPECT_KIND(decompress_any(file, config).status(), kCorrupt);
      config.trailer = TrailerPolicy::kIgnore;
      EXPECT_OK(decompress_into(file, writable(out), config).status());
      EXPECT_TRUE(same_numbers(out, numbers_));
    }
    SCOPED_TRACE(lie.name);
    EXPECT_FALSE(verify(file).value().is_sound());
    EXPECT_KIND(Trailer::make(file, TrailerSpec::index()).status(), kCorrupt);
    if (lie.changes_count) {
      EXPECT_EQ(count_numbers(file).value(), kAllN);  // counts the chunks' numbers
      EXPECT_EQ(inspect(file).value().trailer, TrailerState::kDamaged);
    }
  }
  EXPECT_OK(decompress_any(file_).status());
  EXPECT_EQ(inspect(file_).value().trailer, TrailerState::kSound);
}

TEST_F(Contradictions, AreReportedByStreams) {
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    const Bytes file = with(lie);
    MemorySource source(file);
    StreamReader reader(source);
    Numbers out = zeros(NumberType::kI32, kAllN + 1);
    EXPECT_EQ(reader.read(writable(out)).value(), kAllN);
    EXPECT_KIND(reader.check_trailer().status(), kCorrupt);
  }
}

TEST_F(Contradictions, AreReportedByTheCInterface) {
  std::vector<std::int32_t> out(kAllN);
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    const Bytes file = with(lie);
    std::size_t count = 0;
    EXPECT_EQ(numpact_decompress(nullptr, file.data(), file.size(), NUMPACT_I32, out.data(),
                                 4 * out.size(), &count, nullptr),
              NUMPACT_CORRUPT);
    EXPECT_EQ(numpact_decompress_exact(nullptr, file.data(), file.size(), NUMPACT_I32, out.data(),
                                       out.size(), nullptr),
              NUMPACT_CORRUPT);
    EXPECT_EQ(numpact_decompress_front(nullptr, file.data(), file.size(), NUMPACT_I32, out.data(),
                                       4 * out.size(), &count, nullptr, nullptr),
              NUMPACT_CORRUPT);
    struct Source {
      ByteSpan rest;
    } source{file};
    const numpact_read_function read = [](void* opaque, void* to, std::size_t capacity,
                                          std::size_t* size) {
      auto& from = static_cast<Source*>(opaque)->rest;
      *size = std::min(capacity, from.size());
      std::memcpy(to, from.data(), *size);
      from = from.subspan(*size);
      return 0;
    };
    numpact_stream_reader* reader = nullptr;
    ASSERT_EQ(numpact_stream_reader_create(nullptr, read, &source, &reader, nullptr), NUMPACT_OK);
    std::int32_t state = -1;
    std::int32_t one = 0;
    EXPECT_EQ(numpact_stream_reader_read(reader, NUMPACT_I32, out.data(), 4 * out.size(), &count,
                                         nullptr),
              NUMPACT_OK);
    EXPECT_EQ(numpact_stream_reader_read(reader, NUMPACT_I32, &one, sizeof one, &count, nullptr),
              NUMPACT_OK);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(numpact_stream_reader_check_trailer(reader, &state, nullptr), NUMPACT_CORRUPT);
    numpact_stream_reader_destroy(reader);
  }
}

// The count of the C interface sizes memory of its callers: no trailer is believed.
TEST_F(Contradictions, CountsComeFromTheChunks) {
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    const Bytes file = with(lie);
    std::uint64_t count = 0;
    ASSERT_EQ(numpact_count(nullptr, file.data(), file.size(), &count, nullptr), NUMPACT_OK);
    EXPECT_EQ(count, kAllN);
  }
}

}  // namespace
}  // namespace numpact::testing
