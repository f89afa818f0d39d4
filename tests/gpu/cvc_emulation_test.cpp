// SPDX-License-Identifier: Apache-2.0
// Compares the kernel for CVC slices, run on the CPU with the tables for a GPU, with the Reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "gpu/cvc/decode_block.hpp"
#include "gpu/cvc/slice_tasks.hpp"
#include "gpu/cvc_cases.hpp"
#include "gpu/emulation/cvc_emulation.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Dtype;
using cvc::Reader;
using cvc::RowRange;

// Stands for device memory: begins at a multiple of 256 and ends at the end of an allocation, so
// that AddressSanitizer finds accesses behind it.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) : size_(size), bytes_(size + 256) {}
  std::byte* data() {
    const auto past = reinterpret_cast<std::uintptr_t>(bytes_.data() + bytes_.size() - size_) % 256;
    return bytes_.data() + bytes_.size() - size_ - past;
  }

 private:
  std::size_t size_;
  Bytes bytes_;
};

enum class Where { kCopied, kResident };

gpu::Out out_of(Dtype dtype) {
  return dtype == Dtype::kFloat32   ? gpu::Out::kFloat
         : dtype == Dtype::kFloat16 ? gpu::Out::kHalf
                                    : gpu::Out::kBFloat;
}

struct Emulated {
  std::uint64_t buffer_bytes = std::uint64_t{1} << 20;
  Where where = Where::kCopied;
  std::size_t shift = 0;  // kResident: offset of a slice's bytes from the alignment

  // Returns the reported task, or ~0.
  std::uint32_t read(const Reader& reader, std::span<const RowRange> ranges, std::size_t column,
                     PoisonedRows& out) const {
    gpu::TaskList list;
    std::vector<std::unique_ptr<cvc::StoredSlice>> slices;
    std::vector<DeviceBytes> memory;
    memory.reserve(1000);
    std::vector<std::vector<gpu::Copy>> copies;
    std::uint64_t row = 0;
    for (RowRange range : ranges) {
      while (range.count > 0) {
        const std::size_t chunk = reader.chunk_of(range.first);
        auto& slice = *slices.emplace_back(std::make_unique<cvc::StoredSlice>());
        throw_if_error(reader.stored_slice(chunk, column).into(slice));
        const std::uint64_t skipped = range.first - slice.first_row;
        const std::uint64_t count = std::min(
            {range.count, slice.rows - skipped, gpu::TaskList::rows_that_fit(slice, buffer_bytes)});
        EXPECT_GT(count, 0u);
        const gpu::OutputPlace place{out.data() + row * out.stride * out.size, out_of(out.dtype),
                                     out.stride};
        const gpu::RowsOfSlice rows{&slice, {skipped, count}, chunk};
        if (where == Where::kResident) {
          std::byte* const data = memory.emplace_back(shift + slice.bytes.size() + 16).data();
          std::copy(slice.bytes.begin(), slice.bytes.end(), data + shift);
          list.add_resident(rows, place, data + shift);
        } else {
          const std::uint64_t max_bytes = gpu::TaskList::max_buffer_bytes(slice, count);
          std::byte* const base = memory.emplace_back(max_bytes).data();
          std::vector<gpu::Copy> parts;
          std::uint64_t used = 0;
          list.add(rows, place, base, used, parts);
          EXPECT_LE(used, max_bytes);
          for (const gpu::Copy& copy : parts) {
            std::copy(copy.from.begin(), copy.from.end(), base + copy.to);
          }
        }
        row += count;
        range.first += count;
        range.count -= count;
      }
    }
    DeviceBytes table(list.table_bytes());
    list.write_table(table.data());
    return gpu::emulate_tasks(list.table_at(table.data()), list.blocks(), out_of(out.dtype));
  }
};

PoisonedRows expected(const Reader& reader, std::span<const RowRange> ranges, std::size_t column,
                      const PoisonedRows& shape) {
  PoisonedRows rows(shape.dtype, shape.count, shape.dimension, shape.stride, shape.lead);
  const cvc::Target target{rows.rows(), column};
  throw_if_error(reader.read(ranges, {&target, 1}).status());
  return rows;
}

void expect_same(const Emulated& emulated, const Reader& reader, std::span<const RowRange> ranges,
                 std::size_t column, Dtype dtype, std::uint64_t gap, std::uint64_t lead,
                 const std::string& what) {
  std::uint64_t count = 0;
  for (const RowRange& range : ranges) count += range.count;
  const std::uint64_t dimension = reader.info().columns[column].dimension;
  PoisonedRows got(dtype, count, dimension, dimension + gap, lead);
  ASSERT_EQ(emulated.read(reader, ranges, column, got), ~0u) << what;
  PoisonedRows expected_rows = expected(reader, ranges, column, got);
  ASSERT_TRUE(same_rows(got, expected_rows))
      << what << " to " << name_of(dtype) << ", gap " << gap << ", lead " << lead;
}

struct Size {
  std::uint64_t rows, dimension, chunk_rows;
};
constexpr Size kSizes[] = {{1, 1, 1},  {5, 3, 2},   {37, 7, 20},  {61, 12, 25},
                           {9, 33, 4}, {17, 64, 9}, {2, 4101, 2}, {23, 768, 12}};

TEST(CvcEmulation, EveryCompressionAndOutputIsThatOfTheReader) {
  for (const Stored& stored : kStored) {
    for (const Size& size : kSizes) {
      const Bytes file = some_cvc_file(stored, size.rows, size.dimension, size.chunk_rows);
      const Reader reader = Reader::create(file).value();
      const RowRange all[] = {{0, size.rows}};
      const RowRange some[] = {{size.rows / 2, size.rows - size.rows / 2}, {0, size.rows / 3 + 1}};
      const std::string what = name_of(stored) + " " + std::to_string(size.rows) + " x " +
                               std::to_string(size.dimension);
      for (const Dtype dtype : kOutputs) {
        const Emulated copied;
        expect_same(copied, reader, all, 0, dtype, 0, 0, what);
        expect_same(copied, reader, some, 0, dtype, 0, 3, what + " ranges");
        expect_same(copied, reader, some, 0, dtype, 8, 0, what + " ranges");
        expect_same(copied, reader, all, 0, dtype, 1, 1, what);
        const Emulated resident{.where = Where::kResident};
        expect_same(resident, reader, some, 0, dtype, 0, 0, what + " resident");
        const Emulated shifted{.where = Where::kResident, .shift = 5};
        expect_same(shifted, reader, some, 0, dtype, 0, 1, what + " shifted");
      }
    }
  }
}

TEST(CvcEmulation, SlicesAreDividedForSmallBuffers) {
  for (const Stored& stored : kStored) {
    const Bytes file = some_cvc_file(stored, 50, 19, 40);
    const Reader reader = Reader::create(file).value();
    const RowRange range{3, 46};
    const Emulated narrow{.buffer_bytes = 900};
    expect_same(narrow, reader, {&range, 1}, 0, Dtype::kFloat32, 0, 1, name_of(stored));
    expect_same(narrow, reader, {&range, 1}, 0, Dtype::kFloat16, 2, 0, name_of(stored));
  }
}

TEST(CvcEmulation, EveryHalfAndEveryUpperHalf) {
  for (const cvc::Compression compression :
       {cvc::Compression::kFp16, cvc::Compression::kBFloat16}) {
    std::vector<std::uint16_t> bits(65536);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
    cvc::WriteConfig config;
    config.compression = compression;
    Bytes file;
    cvc::Writer writer = cvc::Writer::create(file, config).value();
    const Dtype dtype = compression == cvc::Compression::kFp16 ? Dtype::kFloat16 : Dtype::kBFloat16;
    throw_if_error(writer.append(cvc::Rows(dtype, bits.data(), 64, 1024)));
    writer.finish().value();
    const RowRange all{0, 64};
    for (const Dtype out : kOutputs) {
      expect_same({}, Reader::create(file).value(), {&all, 1}, 0, out, 0, 0,
                  std::string(name_of(compression)));
    }
  }
}

// Includes NaNs, which a GPU's arithmetic would replace by one canonical NaN.
TEST(CvcEmulation, EveryCodeOfOddRanges) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double ranges[][2] = {
      {-1.25, 0.0123}, {0, 1e-45},     {3e38, 1e36},     {kNan, kNan},
      {0, kNan},       {kNan, 1},      {-1, kInfinity},  {kInfinity, -kInfinity},
      {-0.0, 0},       {1e-40, 1e-42}, {0.1, 0.1 / 255}, {65500, 0.5}};
  for (const auto& [min, scale] : ranges) {
    const Bytes file = cvc_file_of_codes(min, scale);
    const RowRange all{0, 8};
    for (const Dtype out : kOutputs) {
      expect_same({}, Reader::create(file).value(), {&all, 1}, 0, out, 0, 0,
                  std::to_string(min) + " " + std::to_string(scale));
    }
  }
}

// Sums overflow, and are NaN; dimensions with one step of the transform or all, with a part of all
// values or about half, up to the largest.
TEST(CvcEmulation, RotationsOfOddScalesAndMeans) {
  for (const Stored& stored : kStored) {
    if (!is_rotated(stored)) continue;
    for (const std::uint64_t dimension :
         {1u,  2u,   3u,   4u,   7u,   8u,   9u,    16u,   33u,   63u,  64u,
          65u, 127u, 128u, 300u, 511u, 512u, 1000u, 2048u, 4095u, 8192u}) {
      const Bytes file = cvc_file_of_odd_rotations(stored.compression, dimension);
      const RowRange all{0, 40};
      for (const Dtype out : kOutputs) {
        expect_same({}, Reader::create(file).value(), {&all, 1}, 0, out, 0, 0,
                    name_of(stored) + " " + std::to_string(dimension));
      }
    }
  }
}

// Longer rows are not decoded by tasks; rotated rows and others are not decoded by one launch.
TEST(CvcEmulation, RotatedSlicesHaveTheirOwnLaunches) {
  const auto slice_of = [](const Bytes& file) {
    cvc::StoredSlice slice;
    throw_if_error(Reader::create(file).value().stored_slice(0, 0).into(slice));
    return slice;
  };
  const Bytes files[] = {some_cvc_file({cvc::Compression::kRot2}, 2, 9000, 2),
                         some_cvc_file({cvc::Compression::kRot4}, 9, 40, 9),
                         some_cvc_file({cvc::Compression::kInt8}, 9, 40, 9)};
  EXPECT_FALSE(gpu::has_tasks(slice_of(files[0])));
  const cvc::StoredSlice rotated = slice_of(files[1]);
  const cvc::StoredSlice other = slice_of(files[2]);
  gpu::TaskList list;
  const auto add = [&](const cvc::StoredSlice& slice) {
    alignas(16) static std::byte out[16];
    list.clear();
    EXPECT_TRUE(list.takes(rotated) && list.takes(other));
    list.add_resident({&slice, {0, 9}, 0}, {out, gpu::Out::kFloat, 40}, slice.bytes.data());
  };
  add(rotated);
  EXPECT_EQ(list.blocks(), 3u);
  EXPECT_TRUE(list.takes(rotated) && !list.takes(other));
  add(other);
  EXPECT_TRUE(list.takes(other) && !list.takes(rotated));
}

TEST(CvcEmulation, CodesPastTheirDictionaryAreReported) {
  const Bytes file = cvc_file_past_dictionary();
  const Reader reader = Reader::create(file).value();
  const RowRange all[] = {{0, 2}, {0, 6}};
  PoisonedRows rows(Dtype::kFloat32, 8, 8, 8, 0);
  EXPECT_EQ(Emulated{}.read(reader, all, 0, rows), 1u);
  const RowRange before{0, 5};
  EXPECT_EQ(Emulated{}.read(reader, {&before, 1}, 0, rows), ~0u);
  EXPECT_EQ(Emulated{.where = Where::kResident}.read(reader, all, 0, rows), 1u);
}

TEST(CvcEmulation, FilesOfOtherWriters) {
  std::size_t columns = 0;
  for (const std::string& name : cvc_names("")) {
    const Bytes file = cvc_bytes(name);
    const Result<Reader> reader = Reader::create(file);
    if (!reader.ok() || const_cast<Result<Reader>&>(reader)->rows() == 0) continue;
    const Reader& whole = *const_cast<Result<Reader>&>(reader);
    for (std::size_t c = 0; c < whole.info().columns.size(); ++c) {
      bool has_tasks = true;
      for (std::size_t i = 0; i < whole.info().chunks.size() && has_tasks; ++i) {
        cvc::StoredSlice slice;
        has_tasks = whole.stored_slice(i, c).into(slice).ok() && gpu::has_tasks(slice);
      }
      if (!has_tasks) continue;
      ++columns;
      const RowRange all{0, whole.rows()};
      for (const Dtype out : kOutputs) expect_same({}, whole, {&all, 1}, c, out, 0, 0, name);
    }
  }
  EXPECT_GT(columns, 40u);
}

// Typical rows are not decoded value by value.
TEST(CvcEmulation, AlignedRowsAreDecodedByVectors) {
  for (const Stored& stored : kStored) {
    if (is_rotated(stored)) continue;
    const Bytes file = some_cvc_file(stored, 40, 96, 40);
    cvc::StoredSlice slice;
    throw_if_error(Reader::create(file).value().stored_slice(0, 0).into(slice));
    for (const gpu::Out type : {gpu::Out::kFloat, gpu::Out::kHalf, gpu::Out::kBFloat}) {
      alignas(16) std::byte out[16];
      for (const std::uint64_t stride : {96u, 104u}) {
        gpu::TaskList list;
        std::vector<gpu::Copy> copies;
        std::uint64_t used = 0;
        DeviceBytes base(16);
        list.add({&slice, {3, 20}, 0}, {out, type, stride}, base.data(), used, copies);
        ASSERT_EQ(list.table_bytes() % 16, 0u);
        DeviceBytes table(list.table_bytes());
        list.write_table(table.data());
        EXPECT_EQ(list.table_at(table.data()).tasks[0].path, gpu::Path::kVector)
            << name_of(stored) << " " << stride;
      }
    }
  }
}

TEST(CvcEmulation, QuotientsAreThoseOfDivision) {
  Random random(12);
  for (int i = 0; i < 200000; ++i) {
    const auto by = static_cast<std::uint32_t>(1 + random.bits(1 + static_cast<unsigned>(i % 28)) %
                                                       gpu::kMaxTaskValues);
    const gpu::Divisor divisor = gpu::divisor_of(by);
    const auto some = static_cast<std::uint32_t>(random.below(gpu::kMaxTaskValues));
    const std::uint32_t multiple = gpu::kMaxTaskValues / by * by;
    for (const std::uint32_t dividend :
         {some, some / by * by, multiple - 1, gpu::kMaxTaskValues - 1}) {
      ASSERT_EQ(divisor.quotient(dividend), dividend / by) << dividend << " / " << by;
    }
  }
}

TEST(CvcEmulation, BlocksFindTheirTasks) {
  std::vector<std::uint32_t> first = {0, 3, 6, 9, 10, 30, 33, 34};
  gpu::TaskTable table;
  table.first_block = first.data();
  table.count = 7;
  table.typical_blocks = 3;
  for (std::uint32_t block = 0; block < 34; ++block) {
    const auto after = std::upper_bound(first.begin(), first.end(), block);
    EXPECT_EQ(gpu::task_of_block(table, block),
              static_cast<std::uint32_t>(after - first.begin()) - 1);
  }
}

}  // namespace
}  // namespace numpact::testing
