// SPDX-License-Identifier: Apache-2.0
// Every allocation fails in turn while vectors are written and read, in every compression.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/allocation_entry_points.hpp"
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
  Status status = writer.try_begin_section("{\"part\": 1}");
  if (status.ok()) status = writer.try_append(cvc::Rows(all.first(15 * kDimension), kDimension));
  if (status.ok()) status = writer.try_begin_section("{\"part\": 2}");
  if (status.ok()) status = writer.try_append(cvc::Rows(all.subspan(15 * kDimension), kDimension));
  if (status.ok()) return writer.try_finish();
  // Over, for good.
  return writer.try_finish().kind() == ErrorKind::kInvalidArgument ? status
                                                                   : wrong("it was written on");
}

Status write_vectors(Bytes& out, cvc::Compression compression, const std::vector<float>& values,
                     unsigned threads = 1) {
  cvc::WriteConfig config = vector_config(compression);
  config.threads = threads;
  Result<cvc::Writer> writer = cvc::Writer::create(out, config);
  return writer.ok() ? write_vectors(*writer, values) : writer.status();
}

class VectorDoors : public ::testing::TestWithParam<cvc::Compression> {};

TEST_P(VectorDoors, Writing) {
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

// From memory as it is, handed out by ranges.
class Ranges final : public RangeSource {
 public:
  explicit Ranges(ByteSpan bytes) : bytes_(bytes) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) override {
    const auto start = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes_.size()));
    got = std::min(out.size(), bytes_.size() - start);
    std::copy_n(bytes_.data() + start, got, out.data());
    return {};
  }

 private:
  ByteSpan bytes_;
};

TEST_P(VectorDoors, Reading) {
  const std::vector<float> values = some_rows(50);
  Bytes file;
  ASSERT_OK(write_vectors(file, GetParam(), values));
  const cvc::Reader kept{ByteSpan(file)};
  std::vector<float> out(values.size());
  const cvc::Target target{cvc::MutableRows(std::span<float>(out), kDimension)};
  const std::vector<float> expected = kept.read_all<float>();
  const std::vector<std::uint64_t> picked{3, 49, 3, 22};

  const auto read = [&](const cvc::Reader& reader, unsigned threads) -> Status {
    const cvc::RowRange all{0, reader.rows()};
    cvc::ReadConfig config;
    config.threads = threads;
    config.verify = true;
    std::fill(out.begin(), out.end(), 0.0F);
    const Status status = reader.try_read({&all, 1}, {&target, 1}, config);
    return status.ok() && out != expected ? wrong("other values") : status;
  };
  const auto look = [&](const cvc::Reader& reader) -> Status {
    Status status = reader.try_gather(picked, {&target, 1});
    if (status.ok() && out[kDimension] != expected[49 * kDimension]) return wrong("other values");
    cvc::VerifyReport report;
    if (status.ok()) status = reader.try_verify(report);
    std::vector<cvc::RowRange> found;
    if (status.ok()) status = reader.try_find_sections("part", "2", found);
    if (status.ok() && (found.size() != 1 || !report.bad.empty())) return wrong("not found");
    return status;
  };
  const auto codes = [&](const cvc::Reader& reader) -> Status {
    Bytes room(50 * kDimension * 4);
    std::vector<cvc::CodeRun> runs;
    const Status status = reader.try_read_codes({0, 50}, 0, room, 0, runs);
    return status.kind() == ErrorKind::kTypeMismatch ? Status() : status;
  };
  const auto stored = [&](const cvc::Reader& reader) {
    cvc::StoredSlice slice;
    cvc::ReadConfig config;
    config.verify = true;
    const Status status = reader.try_stored_slice(0, 0, slice, config);
    return status.ok() ? reader.try_stored_slice(0, 0, slice) : status;
  };
  const auto opened = [&](const auto& f) {
    return [&]() -> Status {
      Result<cvc::Reader> reader = cvc::Reader::create(ByteSpan(file));
      return reader.ok() ? f(*reader) : reader.status();
    };
  };
  const auto fetched = [&]() -> Status {
    Result<cvc::Reader> reader = cvc::Reader::create(std::make_shared<Ranges>(file));
    if (!reader.ok()) return reader.status();
    Status status = read(*reader, 1);
    if (status.ok()) status = look(*reader);
    return status.ok() ? stored(*reader) : status;
  };
  const auto read_alone = [&](const cvc::Reader& reader) { return read(reader, 1); };
  const auto read_together = [&](const cvc::Reader& reader) { return read(reader, 3); };
  expect_all_survive({
      {"read", opened(read_alone)},
      {"read with threads", opened(read_together)},
      {"gather, verify, find", opened(look)},
      {"codes", opened(codes)},
      {"stored slices", opened(stored)},
      {"by ranges", fetched},
  });
  for (int i = 0; i < 2; ++i) {
    expect_survives({"a reader kept",
                     [&] {
                       const Status status = read(kept, i == 0 ? 1 : 3);
                       return status.ok() ? look(kept) : status;
                     }},
                    i == 1);
  }
}

INSTANTIATE_TEST_SUITE_P(CvcAllocation, VectorDoors, ::testing::ValuesIn(cvc::kCompressions),
                         [](const auto& chosen) { return std::string(name_of(chosen.param)); });

}  // namespace
}  // namespace numpact::testing
