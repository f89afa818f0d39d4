// SPDX-License-Identifier: Apache-2.0
// Compares CVC rows that a GPU decodes with those of the Reader. Without a GPU most tests are
// skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "cvc/range_sources.hpp"
#include "gpu/cvc_cases.hpp"
#include "numpact/cuda.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cuda::CvcConfig;
using cuda::CvcDecoder;
using cuda::DeviceRows;
using cuda::Queue;
using cvc::Dtype;
using cvc::Reader;
using cvc::RowRange;

Status device_status() {
  int count = 0;
  const Status status = cuda::device_count().into(count);
  if (status.ok() && count == 0) return Status(ErrorKind::kUnavailable, "no device");
  return status;
}

#define SKIP_WITHOUT_DEVICE() \
  if (!device_status().ok()) GTEST_SKIP() << "skipped: no device: " << device_status().message()

void expect_cuda(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

// Owns device memory.
class OnDevice {
 public:
  explicit OnDevice(ByteSpan bytes) {
    expect_cuda(cudaMalloc(&data_, bytes.size() + 1));
    expect_cuda(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }
  ~OnDevice() { (void)cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  void get(std::span<std::byte> bytes) const {
    expect_cuda(cudaDeviceSynchronize());
    expect_cuda(cudaMemcpy(bytes.data(), data_, bytes.size(), cudaMemcpyDeviceToHost));
  }

 private:
  void* data_ = nullptr;
};

// Poisoned rows with a copy on the device that has the same alignment modulo 16.
struct DeviceOutput {
  DeviceOutput(Dtype type, std::uint64_t count, std::uint64_t dimension, std::uint64_t gap,
               std::uint64_t lead)
      : got(type, count, dimension, dimension + gap, lead), memory(all()) {}

  std::span<std::byte> all() {
    std::byte* const first = got.data() - got.lead * got.size;
    return {first, got.bytes.size() - static_cast<std::size_t>(first - got.bytes.data())};
  }
  DeviceRows rows() {
    return {got.dtype, memory.data() + got.lead * got.size, got.count, got.dimension, got.stride};
  }
  void fetch() { memory.get(all()); }

  PoisonedRows got;
  OnDevice memory;
};

std::uint64_t sum_of(std::span<const RowRange> ranges) {
  std::uint64_t count = 0;
  for (const RowRange& range : ranges) count += range.count;
  return count;
}

void expect_same(const Reader& reader, std::span<const RowRange> ranges, std::size_t column,
                 DeviceOutput& output, const std::string& what) {
  output.fetch();
  PoisonedRows expected(output.got.dtype, output.got.count, output.got.dimension, output.got.stride,
                        output.got.lead);
  const cvc::Target target{expected.rows(), column};
  throw_if_error(reader.read(ranges, {&target, 1}).status());
  ASSERT_TRUE(same_rows(output.got, expected)) << what << " to " << name_of(output.got.dtype);
}

void check_read(CvcDecoder& decoder, const Reader& reader, std::span<const RowRange> ranges,
                std::size_t column, Dtype dtype, std::uint64_t gap, std::uint64_t lead,
                const std::string& what, const CvcConfig& config = {}) {
  const std::uint64_t dimension = reader.info().columns[column].dimension;
  DeviceOutput output(dtype, sum_of(ranges), dimension, gap, lead);
  const Status status = decoder.read(reader, ranges, column, output.rows(), Queue{}, config);
  ASSERT_TRUE(status.ok()) << what << ": " << status.message();
  expect_same(reader, ranges, column, output, what);
}

struct Size {
  std::uint64_t rows, dimension, chunk_rows;
};
constexpr Size kSizes[] = {{1, 1, 1},   {5, 3, 2},    {37, 7, 20},     {61, 12, 25},    {9, 33, 4},
                           {17, 64, 9}, {2, 4101, 2}, {700, 768, 300}, {3000, 96, 1000}};

std::string description(const Stored& stored, const Size& size) {
  return name_of(stored) + " " + std::to_string(size.rows) + " x " + std::to_string(size.dimension);
}

TEST(CvcDevice, EveryCompressionAndOutputIsThatOfTheReader) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder;
  CvcDecoder narrow(0, 1);
  for (const Stored& stored : kStored) {
    for (const Size& size : kSizes) {
      const Bytes file = some_cvc_file(stored, size.rows, size.dimension, size.chunk_rows);
      const Reader reader = Reader::create(file).value();
      const RowRange all[] = {{0, size.rows}};
      const RowRange some[] = {{size.rows / 2, size.rows - size.rows / 2}, {0, size.rows / 3 + 1}};
      for (const Dtype dtype : kOutputs) {
        check_read(decoder, reader, all, 0, dtype, 0, 0, description(stored, size));
        check_read(decoder, reader, some, 0, dtype, 0, 3, description(stored, size));
        check_read(decoder, reader, some, 0, dtype, 8, 0, description(stored, size));
        check_read(decoder, reader, all, 0, dtype, 1, 1, description(stored, size));
        check_read(narrow, reader, some, 0, dtype, 0, 1, description(stored, size) + " narrow");
      }
    }
  }
}

TEST(CvcDevice, ThreadsChecksumsAndStreams) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder(0, 1 << 20);
  const Bytes file = some_cvc_file({}, 20000, 96, 5000);
  const Reader reader = Reader::create(file).value();
  const RowRange all[] = {{0, 20000}};
  CvcConfig config;
  config.threads = 3;
  config.verify = true;
  cudaStream_t stream = nullptr;
  expect_cuda(cudaStreamCreate(&stream));
  DeviceOutput output(Dtype::kFloat32, 20000, 96, 0, 0);
  throw_if_error(decoder.read(reader, all, 0, output.rows(), Queue{0, stream}, config));
  expect_same(reader, all, 0, output, "threads");
  expect_cuda(cudaStreamDestroy(stream));

  Bytes damaged = file;
  damaged[damaged.size() - 1] ^= std::byte{1};
  const Status status =
      decoder.read(Reader::create(damaged).value(), all, 0, output.rows(), Queue{}, config);
  EXPECT_EQ(status.kind(), ErrorKind::kChecksum);
  EXPECT_EQ(status.chunk(), 3u);
}

TEST(CvcDevice, BytesStraightFromMappedMemory) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder(0, 1 << 16);
  CvcConfig config;
  config.transfer = cuda::Transfer::kMapped;
  for (const Stored& stored : kStored) {
    const Bytes file = some_cvc_file(stored, 700, 96, 300);
    const Reader reader = Reader::create(file).value();
    const RowRange some[] = {{10, 650}, {3, 2}};
    DeviceOutput output(Dtype::kFloat32, 652, 96, 0, 0);
    const Status status = decoder.read(reader, some, 0, output.rows(), Queue{}, config);
    if (!status.ok()) GTEST_SKIP() << "the driver does not take it: " << status.message();
    expect_same(reader, some, 0, output, name_of(stored));
    // Memory that is registered already cannot be registered again.
    const cuda::RegisteredMemory registered = cuda::RegisteredMemory::take(file).value();
    throw_if_error(decoder.read(reader, some, 0, output.rows(), Queue{}, config));
    expect_same(reader, some, 0, output, name_of(stored));
  }
}

TEST(CvcDevice, FetchedBytesLiveAsLongAsTheyAreNeeded) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder;
  for (const Stored& stored : kStored) {
    const Bytes file = some_cvc_file(stored, 700, 96, 100);
    const Reader reader = Reader::create(std::make_shared<RecordingSource>(file)).value();
    const RowRange some[] = {{10, 650}, {3, 2}};
    CvcConfig config;
    check_read(decoder, reader, some, 0, Dtype::kFloat32, 0, 0, name_of(stored), config);
    config.transfer = cuda::Transfer::kMapped;
    check_read(decoder, reader, some, 0, Dtype::kFloat32, 0, 0, name_of(stored), config);
  }
}

TEST(CvcDevice, SlicesInMemoryAndOnTheDevice) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder(0, 1 << 18);
  for (const Stored& stored : kStored) {
    const Size size{900, 40, 250};
    const Bytes file = some_cvc_file(stored, size.rows, size.dimension, size.chunk_rows);
    const Reader reader = Reader::create(file).value();
    for (const std::size_t shift : {0u, 16u, 5u}) {
      std::vector<std::unique_ptr<cvc::StoredSlice>> slices;
      std::vector<std::unique_ptr<OnDevice>> memory;
      std::vector<cuda::SliceRows> here;
      std::vector<cuda::ResidentRows> there;
      for (std::size_t i = 0; i < reader.info().chunks.size(); ++i) {
        auto& slice = *slices.emplace_back(std::make_unique<cvc::StoredSlice>());
        throw_if_error(reader.stored_slice(i, 0).into(slice));
        Bytes bytes(shift + slice.bytes.size() + 16);
        std::copy(slice.bytes.begin(), slice.bytes.end(), bytes.data() + shift);
        memory.push_back(std::make_unique<OnDevice>(bytes));
        const RowRange rows{0, slice.rows};
        here.push_back({&slice, rows, slice.first_row});
        there.push_back({&slice, memory.back()->data() + shift, rows, slice.first_row});
      }
      const RowRange all[] = {{0, size.rows}};
      for (const Dtype dtype : kOutputs) {
        DeviceOutput a(dtype, size.rows, size.dimension, 0, 0);
        throw_if_error(decoder.decode(here, a.rows(), Queue{}));
        expect_same(reader, all, 0, a, description(stored, size));
        DeviceOutput b(dtype, size.rows, size.dimension, 0, 0);
        throw_if_error(decoder.decode_resident(there, b.rows(), Queue{}));
        throw_if_error(decoder.finish());
        expect_same(reader, all, 0, b, description(stored, size) + " resident");
      }
    }
  }
}

TEST(CvcDevice, EveryCodeOfOddRanges) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double ranges[][2] = {
      {-1.25, 0.0123}, {0, 1e-45},      {3e38, 1e36},    {kNan, kNan},
      {0, kNan},       {kNan, 1},       {-1, kInfinity}, {-kInfinity, kInfinity},
      {1e-40, 1e-42},  {0.1, 0.1 / 255}};
  const RowRange all[] = {{0, 8}};
  for (const auto& [min, scale] : ranges) {
    const Bytes file = cvc_file_of_codes(min, scale);
    for (const Dtype dtype : kOutputs) {
      check_read(decoder, Reader::create(file).value(), all, 0, dtype, 0, 0,
                 std::to_string(min) + " " + std::to_string(scale));
    }
  }
}

TEST(CvcDevice, CodesPastTheirDictionaryNameTheChunk) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder;
  const Bytes file = cvc_file_past_dictionary();
  const Reader reader = Reader::create(file).value();
  DeviceOutput output(Dtype::kFloat32, 6, 8, 0, 0);
  const RowRange all[] = {{0, 6}};
  const Status status = decoder.read(reader, all, 0, output.rows(), Queue{});
  EXPECT_EQ(status.kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(status.chunk(), 0u);
  const RowRange before[] = {{0, 5}};
  EXPECT_TRUE(decoder.read(reader, before, 0, output.rows(), Queue{}).ok());
}

TEST(CvcDevice, FilesOfOtherWriters) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder;
  std::size_t columns = 0;
  for (const std::string& name : cvc_names("")) {
    const Bytes file = cvc_bytes(name);
    Result<Reader> reader = Reader::create(file);
    if (!reader.ok() || reader->rows() == 0) continue;
    const RowRange all[] = {{0, reader->rows()}};
    for (std::size_t c = 0; c < reader->info().columns.size(); ++c) {
      for (const Dtype dtype : cvc::kDtypes) {
        const std::uint64_t dimension = reader->info().columns[c].dimension;
        PoisonedRows rows(dtype, reader->rows(), dimension, dimension, 0);
        const cvc::Target target{rows.rows(), c};
        if (!reader->read(all, {&target, 1}).ok()) continue;
        ++columns;
        check_read(decoder, *reader, all, c, dtype, 0, 0, name);
      }
    }
  }
  EXPECT_GT(columns, 120u);
}

// Pages have 4,096 rows.
TEST(CvcDevice, PcoIsDecodedThere) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder(0, 1 << 16);
  const Bytes tall = some_cvc_file({cvc::Compression::kPco}, 9'500, 3, 5'000);
  const RowRange parts[] = {{4'000, 3'000}, {0, 9'500}, {4'999, 2}};
  check_read(decoder, Reader::create(tall).value(), parts, 0, Dtype::kFloat32, 0, 0, "pco");
  const Bytes file = some_cvc_file({cvc::Compression::kPco}, 3000, 24, 1700);
  const RowRange some[] = {{100, 2800}, {0, 30}};
  for (const Dtype dtype : kOutputs) {
    check_read(decoder, Reader::create(file).value(), some, 0, dtype, 0, 0, "pco");
    check_read(decoder, Reader::create(file).value(), some, 0, dtype, 3, 1, "pco");
  }
}

TEST(CvcDevice, SlicesOfPco) {
  SKIP_WITHOUT_DEVICE();
  CvcDecoder decoder(0, 1 << 16);
  const Bytes file = some_cvc_file({cvc::Compression::kPco}, 3000, 24, 3000);
  const Reader reader = Reader::create(file).value();
  cvc::StoredSlice slice;
  throw_if_error(reader.stored_slice(0, 0).into(slice));
  const cuda::SliceRows rows[] = {{&slice, {100, 2500}, 0}};
  DeviceOutput output(Dtype::kFloat16, 2500, 24, 0, 0);
  throw_if_error(decoder.decode(rows, output.rows(), Queue{}));
  const RowRange some[] = {{100, 2500}};
  expect_same(reader, some, 0, output, "pco");
}

// Arguments are checked without a device.
TEST(CvcDevice, ArgumentsAreChecked) {
  const Bytes file = some_cvc_file({}, 10, 8, 4);
  const Reader reader = Reader::create(file).value();
  CvcDecoder decoder;
  std::byte none[64];
  const RowRange all[] = {{0, 10}};
  const auto kind = [&](const DeviceRows& out, std::span<const RowRange> ranges, std::size_t column,
                        const Queue& queue) {
    return decoder.read(reader, ranges, column, out, queue).kind();
  };
  const DeviceRows good{Dtype::kFloat32, none, 10, 8, 0};
  EXPECT_EQ(kind(good, all, 1, {}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(good, all, 0, {3, nullptr}), ErrorKind::kInvalidArgument);
  const RowRange past[] = {{4, 7}};
  EXPECT_EQ(kind(good, past, 0, {}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind({Dtype::kFloat32, none, 9, 8, 0}, all, 0, {}), ErrorKind::kOutputTooSmall);
  EXPECT_EQ(kind({Dtype::kFloat32, none, 10, 9, 0}, all, 0, {}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind({Dtype::kFloat32, none, 10, 8, 7}, all, 0, {}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind({Dtype::kFloat32, none + 1, 10, 8, 0}, all, 0, {}), ErrorKind::kInvalidArgument);
  const RowRange nothing[] = {{2, 0}};
  EXPECT_EQ(kind(good, nothing, 0, {}), ErrorKind::kNone);

  cvc::StoredSlice slice;
  throw_if_error(reader.stored_slice(0, 0).into(slice));
  const cuda::SliceRows rows{&slice, {1, 4}, 0};
  EXPECT_EQ(decoder.decode({&rows, 1}, good, {}).kind(), ErrorKind::kInvalidArgument);
  const cuda::ResidentRows late{&slice, none, {0, 4}, 7};
  EXPECT_EQ(decoder.decode_resident({&late, 1}, good, {}).kind(), ErrorKind::kOutputTooSmall);
}

TEST(CvcDevice, WithoutADeviceItSaysSo) {
  if (device_status().ok()) GTEST_SKIP() << "there is one";
  const Bytes file = some_cvc_file({}, 10, 8, 4);
  std::byte none[16];
  const RowRange all[] = {{0, 10}};
  CvcDecoder decoder;
  const DeviceRows out{Dtype::kFloat32, none, 10, 8, 0};
  const Status status = decoder.read(Reader::create(file).value(), all, 0, out, Queue{});
  EXPECT_EQ(status.kind(), ErrorKind::kUnavailable) << status.message();
  EXPECT_EQ(decoder.finish().kind(), ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace numpact::testing
