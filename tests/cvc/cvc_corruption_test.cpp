// SPDX-License-Identifier: Apache-2.0
// Files that are truncated, modified, or crafted to consume much time or memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "cvc/range_sources.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Reader;

constexpr const char* kSome[] = {"v01_fp16",
                                 "v01_int8_shifted",
                                 "v10_int8_all_codes",
                                 "v10_mmap_metadata",
                                 "v10_lossless_narrow",
                                 "v10_sections_int8",
                                 "v20_mixed",
                                 "v20_names",
                                 "made_v10_mixed",
                                 "made_v10_lossless_odd",
                                 "own_int4",
                                 "own_int8_row",
                                 "own_pco_by_row",
                                 "own_pco_by_dimension",
                                 "own_pco_columns"};

// Calls every kind of read on a file; they only have to return.
void read_by_all_functions(const Reader& reader, const DecodeLimits& limits) {
  const cvc::Info& info = reader.info();
  if (info.rows > 100000) return;
  for (std::size_t c = 0; c < info.columns.size(); ++c) {
    const std::uint64_t dimension = info.columns[c].dimension;
    if (dimension > 1000) continue;
    for (const cvc::OnCorruption policy : {cvc::OnCorruption::kRaise, cvc::OnCorruption::kDrop}) {
      Bytes out(info.rows * dimension * 8);
      cvc::ReadConfig config;
      config.limits = limits;
      config.on_corruption = policy;
      const bool is_kept = keeps_integers(info.columns[c].compression);
      const cvc::Dtype dtype = is_kept ? info.columns[c].dtype : cvc::Dtype::kFloat32;
      const cvc::Target target{{dtype, out.data(), info.rows, dimension}, c};
      const cvc::RowRange all{0, info.rows};
      (void)reader.read({&all, 1}, {&target, 1}, config).status();
      const std::vector<std::uint64_t> rows(info.rows > 0 ? 5 : 0, info.rows - 1);
      (void)reader.gather(rows, {&target, 1}, {});
    }
  }
  cvc::VerifyReport report;
  EXPECT_TRUE(reader.verify().into(report).ok());
  std::vector<cvc::RowRange> ranges;
  EXPECT_TRUE(reader.find_sections("source", "\"wiki\"").into(ranges).ok());
}

void read_by_all_functions(ByteSpan bytes) {
  DecodeLimits limits;
  limits.max_memory = 1 << 22;
  limits.max_numbers = 1 << 20;
  for (const bool is_fetched : {false, true}) {
    Result<Reader> reader = is_fetched
                                ? Reader::create(std::make_shared<RecordingSource>(bytes), limits)
                                : Reader::create(bytes, limits);
    if (reader.ok()) {
      read_by_all_functions(*reader, limits);
    } else {
      EXPECT_STRNE(reader.status().what(), "");
    }
  }
}

TEST(CvcCorruption, EveryPrefixIsRefused) {
  for (const std::string name : kSome) {
    const Bytes file = cvc_bytes(name);
    // Truncation within the zeros between records loses nothing.
    const std::size_t step = file.size() > 4000 ? 7 : 1;
    for (std::size_t n = 0; n < file.size(); n += step) {
      const ExactCopy truncated(prefix(file, n));
      const Result<Reader> reader = Reader::create(truncated.span());
      ASSERT_FALSE(reader.ok()) << name << " of " << n << " bytes";
      const ErrorKind kind = reader.status().kind();
      ASSERT_TRUE(kind == ErrorKind::kTruncated || kind == ErrorKind::kCorrupt) << name << n;
    }
  }
}

TEST(CvcCorruption, ChangedBytes) {
  Random random(1);
  for (const std::string name : kSome) {
    const Bytes file = cvc_bytes(name);
    for (int i = 0; i < 3000; ++i) {
      ExactCopy copy(file);
      const std::size_t at = random.below(std::min<std::size_t>(file.size(), 5000));
      copy.writable()[at] = static_cast<std::byte>(random.bits(8));
      if (random.one_in(3)) {
        copy.writable()[random.below(file.size())] ^= static_cast<std::byte>(random.bits(8));
      }
      read_by_all_functions(copy.span());
    }
  }
}

TEST(CvcCorruption, ChangedDigits) {
  // Change digits of header numbers to other digits.
  Random random(2);
  for (const std::string name : kSome) {
    const Bytes file = cvc_bytes(name);
    std::vector<std::size_t> digits;
    for (std::size_t i = 0; i < std::min<std::size_t>(file.size(), 3000); ++i) {
      const auto c = static_cast<char>(file[i]);
      if (c >= '0' && c <= '9') digits.push_back(i);
    }
    for (int i = 0; i < 1000; ++i) {
      ExactCopy copy(file);
      for (std::uint64_t k = random.between(1, 3); k > 0; --k) {
        copy.writable()[random.pick(digits)] = static_cast<std::byte>('0' + random.below(10));
      }
      read_by_all_functions(copy.span());
    }
  }
}

Bytes with_header(const std::string& json, std::size_t tail = 0) {
  Bytes file;
  for (const char c : {'C', 'V', 'C', 'F', '\1', '\0', '\0', '\0'}) {
    file.push_back(static_cast<std::byte>(c));
  }
  for (unsigned i = 0; i < 4; ++i) file.push_back(static_cast<std::byte>(json.size() >> (8 * i)));
  for (const char c : json) file.push_back(static_cast<std::byte>(c));
  file.resize(file.size() + tail);
  return file;
}

ErrorKind kind_of_header(const std::string& json, const DecodeLimits& limits = {}) {
  return Reader::create(with_header(json, 8), limits).status().kind();
}

TEST(CvcCorruption, LargeClaimsTakeNoMemory) {
  EXPECT_EQ(kind_of_header(R"({"num_vectors":4611686018427387904,"dimension":0,"compression":"fp16",
      "chunks":[{"rows":4611686018427387904}]})"),
            ErrorKind::kNone);
  EXPECT_EQ(kind_of_header(R"({"num_vectors":9223372036854775807,"dimension":1,"compression":"fp16",
      "chunks":[{"rows":9223372036854775807}]})"),
            ErrorKind::kCorrupt);
  EXPECT_EQ(kind_of_header(R"({"num_vectors":2,"dimension":1073741824,"compression":"fp16",
      "chunks":[{"rows":1},{"rows":1}]})"),
            ErrorKind::kTruncated);
  EXPECT_EQ(kind_of_header(R"({"num_vectors":4,"dimension":1073741824,"compression":"fp16",
      "chunks":[{"rows":4}]})"),
            ErrorKind::kCorrupt);
  // All rows are present, and none of them has a value.
  const Bytes file = with_header(R"({"num_vectors":4611686018427387904,"dimension":0,
      "compression":"fp16","chunks":[{"rows":4611686018427387904}]})",
                                 8);
  const Reader reader = Reader::create(file).value();
  EXPECT_TRUE(reader.read_all().value().empty());
  cvc::ReadConfig config;
  config.limits.max_numbers = 0;
  EXPECT_TRUE(reader.read_all(config).value().empty());
}

TEST(CvcCorruption, OfRepeatedColumnsTheLastCounts) {
  const auto kind = [](const std::string& first, const std::string& second) {
    return kind_of_header(R"({"format_type":"columnar","num_vectors":0,
        "columns":[{"name":"a","dimension":1,"dtype":"float32","compression":"fp16"}],
        "chunks":[{"rows":0,"columns":{"a":)" +
                          first + R"(,"a":)" + second + "}}]}");
  };
  const std::string good = R"({"offset":0,"size":0})";
  const std::string bad = R"({"offset":7,"size":9})";
  EXPECT_EQ(kind(bad, good), ErrorKind::kNone);
  EXPECT_EQ(kind(good, bad), ErrorKind::kCorrupt);
}

TEST(CvcCorruption, BlanksAreNoHeader) {
  const Bytes file = with_header(std::string(1000, ' '));
  EXPECT_EQ(Reader::create(file).status().kind(), ErrorKind::kCorrupt);
  // A prefix is not enough to decide; the whole file is.
  std::uint64_t needed = 0;
  EXPECT_TRUE(cvc::header_bytes(ByteSpan(file).first(100), file.size()).into(needed).ok());
  EXPECT_EQ(needed, 200u);
  EXPECT_FALSE(cvc::header_bytes(file, file.size()).into(needed).ok());
}

TEST(CvcCorruption, MemoryOfHeaders) {
  std::string json = R"({"num_vectors":0,"dimension":1,"compression":"fp16","chunks":[)";
  for (int i = 0; i < 10000; ++i) json += R"({"rows":0},)";
  json += R"({"rows":0}]})";
  DecodeLimits limits;
  limits.max_memory = 100000;
  EXPECT_EQ(kind_of_header(json, limits), ErrorKind::kLimitExceeded);
  limits.max_memory = sizeof(void*) << 17;  // what chunks take is mostly pointers and sizes
  EXPECT_EQ(kind_of_header(json, limits), ErrorKind::kLimitExceeded);
}

TEST(CvcCorruption, ErrorsNameTheField) {
  const auto what = [](const std::string& json) {
    return std::string(Reader::create(with_header(json)).status().what());
  };
  EXPECT_EQ(what(R"({"num_vectors":0,"dimension":1.5,"chunks":[]})"),
            "header: `dimension` is not an integer from 0 to 2^63 - 1");
  EXPECT_EQ(what(R"({"num_vectors":0,"dimension":1,"chunks":[],"sections":[{"start_index":0}]})"),
            "header: `end_index` is missing");
  EXPECT_EQ(what(R"({"num_vectors":1,"dimension":1,"chunks":[{"rows":1}]})"),
            "header: `compression` is missing");
  EXPECT_EQ(what(R"({"num_vectors":1,"dimension":1,"compression":"int8",
      "chunks":[{"rows":1,"min":0,"scale":null}]})"),
            "header: `scale` is not a number");
}

}  // namespace
}  // namespace numpact::testing
