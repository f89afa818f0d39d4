// SPDX-License-Identifier: Apache-2.0
// Every allocation fails in turn while vectors are written and read, in every compression.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/allocation_entry_points.hpp"
#include "base/internal.hpp"
#include "numpact/cvc.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kDimension = 24;

std::vector<float> some_rows(std::size_t rows) {
  Random random(97);
  std::vector<float> values(rows * kDimension);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

cvc::WriteConfig vector_config(cvc::Compression compression) {
  cvc::WriteConfig config;
  config.chunk_rows = 20;
  config.metadata = "{\"from\": \"a test\"}";
  const bool is_column = compression == cvc::Compression::kNone;
  if (is_column) {
    config.version = cvc::Version::kV20;
    config.columns = {{"x", kDimension, cvc::Dtype::kFloat32, compression}};
  } else {
    config.compression = compression;
  }
  return config;
}

Status write_vectors(cvc::Writer& writer, const std::vector<float>& values) {
  const std::span<const float> all(values);
  Status status = writer.begin_section("{\"part\": 1}");
  if (status.ok()) status = writer.append(cvc::Rows(all.first(15 * kDimension), kDimension));
  if (status.ok()) status = writer.begin_section("{\"part\": 2}");
  if (status.ok()) status = writer.append(cvc::Rows(all.subspan(15 * kDimension), kDimension));
  if (status.ok()) return writer.finish().status();
  // The writer has failed for good.
  return writer.finish().status().kind() == ErrorKind::kInvalidArgument
             ? status
             : wrong("it was written on");
}

Status write_vectors(Bytes& out, cvc::Compression compression, const std::vector<float>& values,
                     unsigned threads = 1) {
  cvc::WriteConfig config = vector_config(compression);
  config.threads = threads;
  Result<cvc::Writer> writer = cvc::Writer::create(out, config);
  return writer.ok() ? write_vectors(*writer, values) : writer.status();
}

class VectorCalls : public ::testing::TestWithParam<cvc::Compression> {};

TEST_P(VectorCalls, Writing) {
  const std::vector<float> values = some_rows(50);
  Bytes expected;
  ASSERT_OK(write_vectors(expected, GetParam(), values));
  const auto write = [&](unsigned threads) {
    Bytes out{std::byte{1}};
    const Status status = write_vectors(out, GetParam(), values, threads);
    const bool is_whole = status.ok() ? same_bytes(out, expected) : out.size() == 1;
    return is_whole ? status : wrong("half a file");
  };
  const Folder folder;
  const std::string path = folder.file("a.cvc");
  put(path, Bytes(3));
  const auto to_file = [&]() -> Status {
    Status status;
    {
      cvc::WriteConfig config = vector_config(GetParam());
      config.sync = false;
      Result<cvc::Writer> writer = cvc::Writer::create(path, config);
      status = writer.ok() ? write_vectors(*writer, values) : writer.status();
    }
    const long after = fail_in.exchange(-1);
    const bool is_whole = same_bytes(get(path), status.ok() ? expected : Bytes(3));
    const bool is_alone = folder.entries() == 1;
    put(path, Bytes(3));
    fail_in = after;
    return is_whole && is_alone ? status : wrong("half a file");
  };
  expect_all_survive({{"to memory", [&] { return write(1); }},
                      {"with threads", [&] { return write(3); }},
                      {"to a file", to_file}});
}

// A source of ranges in memory.
class Ranges final : public RangeSource {
 public:
  explicit Ranges(ByteSpan bytes) : bytes_(bytes) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    const auto start = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes_.size()));
    const std::size_t got = std::min(out.size(), bytes_.size() - start);
    std::copy_n(bytes_.data() + start, got, out.data());
    return got;
  }

 private:
  ByteSpan bytes_;
};

// Calls of a Reader, with the values that they must give.
class CheckedReads {
 public:
  explicit CheckedReads(const std::vector<float>& expected)
      : expected_(expected), out_(expected.size()) {}

  Status read(const cvc::Reader& reader, unsigned threads) {
    const cvc::RowRange all{0, reader.rows()};
    cvc::ReadConfig config;
    config.threads = threads;
    config.verify = true;
    std::fill(out_.begin(), out_.end(), 0.0F);
    const cvc::Target target = this->target();
    const Status status = reader.read({&all, 1}, {&target, 1}, config).status();
    return status.ok() && out_ != expected_ ? wrong("other values") : status;
  }

  Status gather_verify_find(const cvc::Reader& reader) {
    const cvc::Target target = this->target();
    Status status = reader.gather(picked_, {&target, 1});
    if (status.ok() && out_[kDimension] != expected_[49 * kDimension]) return wrong("other values");
    cvc::VerifyReport report;
    if (status.ok()) status = reader.verify().into(report);
    std::vector<cvc::RowRange> found;
    if (status.ok()) status = reader.find_sections("part", "2").into(found);
    if (status.ok() && (found.size() != 1 || !report.bad.empty())) return wrong("not found");
    return status;
  }

  static Status codes(const cvc::Reader& reader) {
    Bytes buffer(50 * kDimension * 4);
    std::vector<cvc::CodeRun> runs;
    const Status status = reader.read_codes({0, 50}, 0, buffer, 0).into(runs);
    return status.kind() == ErrorKind::kTypeMismatch ? Status() : status;
  }

  static Status stored(const cvc::Reader& reader) {
    cvc::StoredSlice slice;
    cvc::ReadConfig config;
    config.verify = true;
    const Status status = reader.stored_slice(0, 0, config).into(slice);
    return status.ok() ? reader.stored_slice(0, 0).into(slice) : status;
  }

 private:
  cvc::Target target() { return {cvc::MutableRows(std::span<float>(out_), kDimension)}; }

  const std::vector<float>& expected_;
  std::vector<float> out_;
  const std::vector<std::uint64_t> picked_{3, 49, 3, 22};
};

TEST_P(VectorCalls, Reading) {
  Bytes file;
  ASSERT_OK(write_vectors(file, GetParam(), some_rows(50)));
  const cvc::Reader kept = cvc::Reader::create(ByteSpan(file)).value();
  const std::vector<float> expected = kept.read_all<float>().value();
  CheckedReads reads(expected);
  const auto opened = [&](const auto& f) {
    return [&file, f]() -> Status {
      Result<cvc::Reader> reader = cvc::Reader::create(ByteSpan(file));
      return reader.ok() ? f(*reader) : reader.status();
    };
  };
  const auto by_ranges = [&]() -> Status {
    Result<cvc::Reader> reader = cvc::Reader::create(std::make_shared<Ranges>(file));
    if (!reader.ok()) return reader.status();
    Status status = reads.read(*reader, 1);
    if (status.ok()) status = reads.gather_verify_find(*reader);
    return status.ok() ? CheckedReads::stored(*reader) : status;
  };
  const auto read = [&](const cvc::Reader& reader) { return reads.read(reader, 1); };
  const auto read_by_threads = [&](const cvc::Reader& reader) { return reads.read(reader, 3); };
  const auto others = [&](const cvc::Reader& reader) { return reads.gather_verify_find(reader); };
  expect_all_survive({
      {"read", opened(read)},
      {"read with threads", opened(read_by_threads)},
      {"gather, verify, find", opened(others)},
      {"codes", opened(CheckedReads::codes)},
      {"stored slices", opened(CheckedReads::stored)},
      {"by ranges", by_ranges},
  });
  for (int i = 0; i < 2; ++i) {
    expect_survives({"a reader kept",
                     [&] {
                       const Status status = reads.read(kept, i == 0 ? 1 : 3);
                       return status.ok() ? reads.gather_verify_find(kept) : status;
                     }},
                    i == 1);
  }
}

INSTANTIATE_TEST_SUITE_P(CvcAllocation, VectorCalls, ::testing::ValuesIn(cvc::kCompressions),
                         [](const auto& chosen) { return std::string(name_of(chosen.param)); });

}  // namespace
}  // namespace numpact::testing
