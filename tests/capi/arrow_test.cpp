// SPDX-License-Identifier: Apache-2.0
// Columns of Arrow's C data interface: round trips of every type, structures that are refused, and
// frames that are damaged or lie. tests/engines/test_arrow_c.py compares with pyarrow.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/crc.hpp"
#include "base/load.hpp"
#include "numpact/numpact.h"
#include "support/distributions.hpp"
#include "support/mutants.hpp"

namespace numpact::testing {
namespace {

struct Format {
  const char* text;
  NumberType type;
  bool is_bits = false;
};

// Every format of docs/format/arrow-column.md.
constexpr Format kFormats[] = {
    {"b", NumberType::kU8, true},
    {"c", NumberType::kI8},
    {"C", NumberType::kU8},
    {"s", NumberType::kI16},
    {"S", NumberType::kU16},
    {"i", NumberType::kI32},
    {"I", NumberType::kU32},
    {"l", NumberType::kI64},
    {"L", NumberType::kU64},
    {"e", NumberType::kF16},
    {"f", NumberType::kF32},
    {"g", NumberType::kF64},
    {"tdD", NumberType::kI32},
    {"tdm", NumberType::kI64},
    {"tts", NumberType::kI32},
    {"ttm", NumberType::kI32},
    {"ttu", NumberType::kI64},
    {"ttn", NumberType::kI64},
    {"tss:", NumberType::kI64},
    {"tsm:UTC", NumberType::kI64},
    {"tsu:Europe/Z\xc3\xbcrich", NumberType::kI64},
    {"tsn:+02:00", NumberType::kI64},
    {"tDs", NumberType::kI64},
    {"tDm", NumberType::kI64},
    {"tDu", NumberType::kI64},
    {"tDn", NumberType::kI64},
};

// A producer's array. Bits before `offset` and behind the rows are random.
struct Column {
  ArrowSchema schema = {};
  ArrowArray array = {};
  std::vector<bool> valid;
  Numbers numbers;  // one for each row; 0 or 1 for bits
  Bytes values;
  Bytes bitmap;
  const void* buffers[2] = {nullptr, nullptr};

  Column(const Format& format, std::size_t rows, unsigned one_null_in, std::size_t offset,
         Random& random)
      : numbers(make_numbers("walk", format.type, rows, random)) {
    schema.format = format.text;
    schema.release = [](ArrowSchema* self) { self->release = nullptr; };
    for (std::size_t i = 0; i < rows; ++i) {
      valid.push_back(one_null_in == 0 || !random.one_in(one_null_in));
    }
    const std::size_t size = size_of(format.type);
    bitmap = random_bytes((offset + rows) / 8 + 1, random);
    values = random_bytes((offset + rows + 1) * size, random);
    for (std::size_t i = 0; i < rows; ++i) {
      put_bit(bitmap, offset + i, valid[i]);
      if (!format.is_bits) continue;
      numbers.storage()[i] &= std::byte{1};
      put_bit(values, offset + i, numbers.storage()[i] != std::byte{0});
    }
    if (!format.is_bits && rows > 0) {
      std::memcpy(values.data() + offset * size, numbers.data(), rows * size);
    }
    buffers[0] = one_null_in > 0 ? bitmap.data() : nullptr;
    buffers[1] = values.data();
    array.length = static_cast<std::int64_t>(rows);
    array.null_count = one_null_in > 0 ? -1 : 0;
    array.offset = static_cast<std::int64_t>(offset);
    array.n_buffers = 2;
    array.buffers = buffers;
    array.release = [](ArrowArray* self) { self->release = nullptr; };
  }

  static Bytes random_bytes(std::size_t count, Random& random) {
    Bytes bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits(8));
    return bytes;
  }
  static void put_bit(Bytes& bits, std::size_t at, bool bit) {
    const auto mask = static_cast<std::byte>(1U << at % 8);
    bits[at / 8] = bit ? bits[at / 8] | mask : bits[at / 8] & ~mask;
  }
};

bool bit(const void* bits, std::size_t at) {
  return (static_cast<const std::uint8_t*>(bits)[at / 8] >> at % 8 & 1) != 0;
}

Bytes packed(const Column& column, numpact_context* context = nullptr,
             const numpact_encode_options* options = nullptr) {
  Bytes out(numpact_compress_arrow_bound(&column.schema, &column.array, options));
  EXPECT_FALSE(out.empty());
  std::size_t size = 0;
  EXPECT_EQ(numpact_compress_arrow(context, &column.schema, &column.array, options, out.data(),
                                   out.size(), &size, nullptr),
            NUMPACT_OK);
  out.resize(size);
  return out;
}

// A result, released with this.
struct Unpacked {
  ArrowSchema schema = {};
  ArrowArray array = {};
  numpact_error error = {};
  numpact_status status;

  explicit Unpacked(ByteSpan bytes, numpact_context* context = nullptr) {
    numpact_error_init(&error);
    status = numpact_decompress_arrow(context, bytes.data(), bytes.size(), &schema, &array, &error);
    if (status != NUMPACT_OK) {
      EXPECT_EQ(schema.release, nullptr);
      EXPECT_EQ(array.release, nullptr);
    }
  }
  ~Unpacked() {
    if (schema.release != nullptr) schema.release(&schema);
    if (array.release != nullptr) array.release(&array);
    EXPECT_EQ(schema.release, nullptr);
    EXPECT_EQ(array.release, nullptr);
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
};

void expect_same(const Unpacked& found, const Column& column, const Format& format) {
  ASSERT_EQ(found.status, NUMPACT_OK) << found.error.text;
  EXPECT_STREQ(found.schema.format, format.text);
  const std::size_t rows = column.valid.size();
  ASSERT_EQ(found.array.length, static_cast<std::int64_t>(rows));
  EXPECT_EQ(found.array.offset, 0);
  ASSERT_EQ(found.array.n_buffers, 2);
  const auto nulls = std::count(column.valid.begin(), column.valid.end(), false);
  EXPECT_EQ(found.array.null_count, nulls);
  EXPECT_EQ(found.schema.flags, nulls > 0 ? ARROW_FLAG_NULLABLE : 0);
  const void* const bitmap = found.array.buffers[0];
  EXPECT_EQ(bitmap != nullptr, nulls > 0);
  const auto* const values = static_cast<const std::byte*>(found.array.buffers[1]);
  ASSERT_NE(values, nullptr);
  const std::size_t size = size_of(format.type);
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_EQ(bitmap == nullptr || bit(bitmap, i), column.valid[i]) << i;
    const std::uint64_t expected = column.valid[i] ? bits_at(column.numbers, i) : 0;
    std::uint64_t got = 0;
    if (format.is_bits) {
      got = bit(values, i) ? 1 : 0;
    } else {
      Numbers one = zeros(format.type, 1);
      std::memcpy(one.storage().data(), values + i * size, size);
      got = bits_at(one, 0);
    }
    ASSERT_EQ(got, expected) << i;
  }
}

TEST(ArrowColumns, RoundTripsOfEveryType) {
  Random random(940);
  for (const Format& format : kFormats) {
    SCOPED_TRACE(format.text);
    for (const std::size_t rows : {0u, 1u, 7u, 200u, 3001u}) {
      for (const unsigned one_null_in : {0u, 1u, 2u, 90u}) {
        const Column column(format, rows, one_null_in, random.below(80), random);
        const Bytes frame = packed(column);
        expect_same(Unpacked(frame), column, format);
      }
    }
  }
}

TEST(ArrowColumns, CountsOfNullsAreThoseOfTheBitmap) {
  Random random(941);
  Column column({"l", NumberType::kI64}, 500, 3, 5, random);
  const Bytes frame = packed(column);
  column.array.null_count = std::count(column.valid.begin(), column.valid.end(), false);
  EXPECT_TRUE(same_bytes(packed(column), frame));
  // A bitmap is not read where the array says that it has no nulls.
  column.array.null_count = 0;
  column.valid.assign(500, true);
  const Bytes whole = packed(column);
  expect_same(Unpacked(whole), column, {"l", NumberType::kI64});
  column.buffers[0] = nullptr;
  column.array.null_count = -1;
  EXPECT_TRUE(same_bytes(packed(column), whole));
}

TEST(ArrowColumns, LongRunsOfNullsTakeNoMemory) {
  Random random(942);
  Column column({"d", NumberType::kU8}, 2'000'000, 0, 0, random);
  column.schema.format = "C";
  column.bitmap.assign(250'000, std::byte{0});
  Column::put_bit(column.bitmap, 1'234'567, true);
  column.buffers[0] = column.bitmap.data();
  column.array.null_count = -1;
  column.valid.assign(2'000'000, false);
  column.valid[1'234'567] = true;
  const Bytes frame = packed(column);
  EXPECT_LT(frame.size(), 200u);
  expect_same(Unpacked(frame), column, {"C", NumberType::kU8});
}

TEST(ArrowColumns, BudgetsAndOptions) {
  Random random(943);
  const Column column({"g", NumberType::kF64}, 4000, 4, 1, random);
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.level = 2;
  options.max_page_count = 500;
  const Bytes frame = packed(column, nullptr, &options);
  numpact_error error;
  numpact_error_init(&error);
  Bytes out(frame.size());
  std::size_t size = 77;
  const auto compress = [&](std::size_t capacity) {
    return numpact_compress_arrow(nullptr, &column.schema, &column.array, &options, out.data(),
                                  capacity, &size, &error);
  };
  for (const std::size_t capacity :
       {std::size_t{0}, std::size_t{30}, std::size_t{60}, frame.size() / 2, frame.size() - 1}) {
    EXPECT_EQ(compress(capacity), NUMPACT_DOES_NOT_FIT);
    EXPECT_EQ(error.needed, numpact_compress_arrow_bound(&column.schema, &column.array, &options));
    EXPECT_EQ(size, 77u);
  }
  EXPECT_EQ(compress(frame.size()), NUMPACT_OK);
  EXPECT_TRUE(same_bytes(out, frame));
  options.trailer = NUMPACT_TRAILER_INDEX;
  EXPECT_EQ(compress(frame.size()), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_compress_arrow_bound(&column.schema, &column.array, &options), 0u);
}

// A file without numbers has no type in formats before 4.0.
TEST(ArrowColumns, ColumnsWithoutNumbersOfOldFormats) {
  Random random(937);
  const Format format = {"l", NumberType::kI64};
  for (const int version : {NUMPACT_FORMAT_1, NUMPACT_FORMAT_3, NUMPACT_FORMAT_4_1}) {
    numpact_encode_options options;
    numpact_encode_options_init(&options);
    options.format = version;
    for (const std::size_t rows : {0u, 20u}) {
      const Column column(format, rows, 1, 0, random);  // all are null
      expect_same(Unpacked(packed(column, nullptr, &options)), column, format);
    }
    const Column some(format, 20, 3, 0, random);
    expect_same(Unpacked(packed(some, nullptr, &options)), some, format);
  }
}

TEST(ArrowColumns, StructuresThatAreRefused) {
  Random random(944);
  std::byte out[4096];
  std::size_t size = 0;
  ArrowSchema dictionary = {};
  ArrowArray values = {};
  const auto status_after = [&](auto&& change) {
    Column column({"i", NumberType::kI32}, 20, 2, 0, random);
    change(column);
    EXPECT_EQ(numpact_compress_arrow_bound(&column.schema, &column.array, nullptr), 0u);
    return numpact_compress_arrow(nullptr, &column.schema, &column.array, nullptr, out, sizeof out,
                                  &size, nullptr);
  };
  for (const char* const format :
       {"", "u", "z", "d:10,2", "+s", "+l", "tdX", "tsx:", "tss", "tD", "tDnn", "ii", "w:4", "n"}) {
    EXPECT_EQ(status_after([&](Column& c) { c.schema.format = format; }), NUMPACT_TYPE_MISMATCH);
  }
  EXPECT_EQ(status_after([&](Column& c) { c.schema.dictionary = &dictionary; }),
            NUMPACT_TYPE_MISMATCH);
  const auto refused = [&](auto&& change) {
    EXPECT_EQ(status_after(change), NUMPACT_INVALID_ARGUMENT);
  };
  const std::string long_zone = "tss:" + std::string(70'000, 'x');
  refused([](Column& c) { c.schema.release = nullptr; });
  refused([](Column& c) { c.array.release = nullptr; });
  refused([](Column& c) { c.schema.format = nullptr; });
  refused([](Column& c) { c.schema.format = "tss:\xff"; });
  refused([&](Column& c) { c.schema.format = long_zone.c_str(); });
  refused([](Column& c) { c.array.length = -1; });
  refused([](Column& c) { c.array.offset = -1; });
  refused([](Column& c) { c.array.length = INT64_MAX; });
  refused([](Column& c) { c.array.offset = INT64_MAX; });
  refused([](Column& c) { c.array.n_buffers = 3; });
  refused([](Column& c) { c.array.n_children = 1; });
  refused([](Column& c) { c.array.buffers = nullptr; });
  refused([&](Column& c) { c.array.dictionary = &values; });
  refused([](Column& c) { c.buffers[1] = nullptr; });
  refused([](Column& c) {
    c.array.null_count = 1;
    c.buffers[0] = nullptr;
  });
  const Column sound({"i", NumberType::kI32}, 20, 2, 0, random);
  const auto compress = [&](const ArrowSchema* schema, const ArrowArray* array) {
    return numpact_compress_arrow(nullptr, schema, array, nullptr, out, sizeof out, &size, nullptr);
  };
  EXPECT_EQ(compress(&sound.schema, &sound.array), NUMPACT_OK);
  EXPECT_EQ(compress(nullptr, &sound.array), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(compress(&sound.schema, nullptr), NUMPACT_INVALID_ARGUMENT);
  ArrowSchema schema;
  EXPECT_EQ(numpact_decompress_arrow(nullptr, out, 99, &schema, nullptr, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(schema.release, nullptr);
}

TEST(ArrowColumns, PlainFilesHaveNoNulls) {
  Random random(945);
  for (const Format& format : kFormats) {
    if (format.is_bits || std::strlen(format.text) > 1) continue;
    for (const std::size_t rows : {0u, 100u}) {
      const Column column(format, rows, 0, 0, random);
      expect_same(Unpacked(compressed(column.numbers)), column, format);
    }
  }
  EXPECT_EQ(Unpacked(Bytes()).status, NUMPACT_TRUNCATED);
}

TEST(ArrowColumns, LimitsCountNulls) {
  Random random(946);
  const Column column({"i", NumberType::kI32}, 1000, 2, 0, random);
  const Bytes frame = packed(column);
  const auto status = [&](std::uint64_t numbers, std::uint64_t bytes, std::uint64_t memory) {
    numpact_context_options options;
    numpact_context_options_init(&options);
    options.max_numbers = numbers;
    options.max_output_bytes = bytes;
    options.max_memory = memory;
    numpact_context* context = nullptr;
    EXPECT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
    const numpact_status result = Unpacked(frame, context).status;
    numpact_context_destroy(context);
    return result;
  };
  EXPECT_EQ(status(1000, 4000, NUMPACT_UNKNOWN), NUMPACT_OK);
  EXPECT_EQ(status(999, 4000, NUMPACT_UNKNOWN), NUMPACT_LIMIT_EXCEEDED);
  EXPECT_EQ(status(1000, 3999, NUMPACT_UNKNOWN), NUMPACT_LIMIT_EXCEEDED);
  EXPECT_EQ(status(1000, 4000, 10), NUMPACT_LIMIT_EXCEEDED);
}

// ---- frames ----

void fix_check(Bytes& frame) {
  const std::size_t end = frame.size() - 4;
  internal::store_le(frame.data() + end, internal::crc32(ByteSpan(frame).first(end)));
}

Bytes small_frame() {
  Random random(947);
  return packed(Column({"tss:UTC", NumberType::kI64}, 40, 3, 2, random));
}

TEST(ArrowColumns, TheExampleOfTheFormat) {
  // [5, 6, null, 7, null] of int64: docs/format/arrow-column.md.
  static const char kText[] =
      "6e706163010001000500000000000000020000000000000 01d000000000000001c00000000000000 6c"
      "70636f210302020104010203000000100008000000000000000800010 0"
      "70636f210304c10401040200000010002800000000000000140024 00107c79b4";
  Bytes frame;
  std::string digits;
  for (const char c : std::string(kText)) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    frame.push_back(static_cast<std::byte>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  const Unpacked found(frame);
  ASSERT_EQ(found.status, NUMPACT_OK) << found.error.text;
  EXPECT_STREQ(found.schema.format, "l");
  const std::int64_t expected[] = {5, 6, 0, 7, 0};
  ASSERT_EQ(found.array.length, 5);
  EXPECT_EQ(std::memcmp(found.array.buffers[1], expected, sizeof expected), 0);
  EXPECT_EQ(*static_cast<const std::uint8_t*>(found.array.buffers[0]), 0b01011);
}

TEST(ArrowColumns, EveryTruncationAndEveryChangedByteIsAnError) {
  const Bytes frame = small_frame();
  for (std::size_t size = 4; size < frame.size(); ++size) {
    const ExactCopy copy(ByteSpan(frame).first(size));
    EXPECT_EQ(Unpacked(copy.span()).status, NUMPACT_TRUNCATED);
  }
  Bytes longer = frame;
  longer.push_back(std::byte{0});
  EXPECT_EQ(Unpacked(longer).status, NUMPACT_CORRUPT);
  for_each_mutant(frame, frame.size(), [](std::size_t at, std::byte, ByteSpan mutant) {
    EXPECT_NE(Unpacked(mutant).status, NUMPACT_OK) << at;
  });
}

TEST(ArrowColumns, ChangedBytesUnderAChecksumThatMatches) {
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.max_output_bytes = 1 << 20;
  numpact_context* context = nullptr;
  ASSERT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
  const Bytes frame = small_frame();
  std::map<numpact_status, int> counts;
  for_each_mutant(frame, frame.size() - 4, [&](std::size_t, std::byte, ByteSpan mutant) {
    Bytes forged(mutant.begin(), mutant.end());
    fix_check(forged);
    const Unpacked found(forged, context);
    ++counts[found.status];
    if (found.status != NUMPACT_OK) return;
    EXPECT_LE(found.array.null_count, found.array.length);
    std::int64_t sum = 0;  // every byte of the result can be read
    for (std::int64_t i = 0; i < found.array.length; ++i) {
      sum += bit(found.array.buffers[1], static_cast<std::size_t>(i));
    }
    EXPECT_LE(sum, found.array.length);
  });
  EXPECT_GT(counts[NUMPACT_OK], 0);  // other numbers, or another time zone
  EXPECT_GT(counts[NUMPACT_CORRUPT], 0);
  EXPECT_GT(counts[NUMPACT_LIMIT_EXCEEDED], 0);
  numpact_context_destroy(context);
}

TEST(ArrowColumns, HeadsThatLie) {
  const Bytes frame = small_frame();
  const auto with = [&](std::size_t at, auto value) {
    Bytes forged = frame;
    internal::store_le(forged.data() + at, value);
    fix_check(forged);
    return Unpacked(forged).status;
  };
  const auto length = internal::load_le<std::uint64_t>(frame.data() + 8);
  const auto nulls = internal::load_le<std::uint64_t>(frame.data() + 16);
  EXPECT_EQ(with(4, std::uint8_t{2}), NUMPACT_UNSUPPORTED_VERSION);
  EXPECT_EQ(with(5, std::uint8_t{1}), NUMPACT_CORRUPT);
  EXPECT_EQ(with(8, length - 1), NUMPACT_CORRUPT);
  EXPECT_EQ(with(8, length + 1), NUMPACT_CORRUPT);
  EXPECT_EQ(with(8, nulls - 1), NUMPACT_CORRUPT);
  EXPECT_EQ(with(8, std::uint64_t{1} << 40),
            sizeof(std::size_t) < 8 ? NUMPACT_OUT_OF_MEMORY : NUMPACT_CORRUPT);
  EXPECT_EQ(with(8, UINT64_MAX), NUMPACT_OUT_OF_MEMORY);
  EXPECT_EQ(with(16, std::uint64_t{0}), NUMPACT_CORRUPT);
  EXPECT_EQ(with(16, nulls + 1), NUMPACT_CORRUPT);
  EXPECT_EQ(with(24, UINT64_MAX), NUMPACT_TRUNCATED);
  EXPECT_EQ(with(24, std::uint64_t{0}), NUMPACT_CORRUPT);
  EXPECT_EQ(with(32, UINT64_MAX), NUMPACT_TRUNCATED);
  EXPECT_EQ(with(40, std::uint8_t{'x'}), NUMPACT_CORRUPT);
  EXPECT_EQ(with(44, std::uint8_t{0}), NUMPACT_CORRUPT);
  EXPECT_EQ(with(44, std::uint8_t{0xff}), NUMPACT_CORRUPT);
}

TEST(ArrowColumns, AllocatorsThatFail) {
  struct Memory {
    std::size_t made = 0;
    std::size_t fails_at = 0;
    std::size_t live = 0;
  };
  Random random(948);
  const Format format = {"b", NumberType::kU8, true};
  const Column column(format, 600, 3, 3, random);
  const Bytes sound = packed(column);
  int errors = 0;
  bool has_succeeded = false;
  for (std::size_t k = 0; !has_succeeded; ++k) {
    ASSERT_LT(k, 1000u);
    Memory memory;
    memory.fails_at = k;
    const numpact_allocator allocator = {
        sizeof allocator, &memory,
        [](void* opaque, std::size_t size, std::size_t alignment) -> void* {
          auto& self = *static_cast<Memory*>(opaque);
          if (self.made++ == self.fails_at) return nullptr;
          ++self.live;
          return ::operator new(size, std::align_val_t(alignment));
        },
        [](void* opaque, void* memory_of_it, std::size_t, std::size_t alignment) {
          --static_cast<Memory*>(opaque)->live;
          ::operator delete(memory_of_it, std::align_val_t(alignment));
        }};
    numpact_context_options options;
    numpact_context_options_init(&options);
    options.allocator = &allocator;
    numpact_context* context = nullptr;
    const numpact_status created = numpact_context_create(&options, &context, nullptr);
    if (created != NUMPACT_OK) {
      EXPECT_EQ(created, NUMPACT_OUT_OF_MEMORY);
      EXPECT_EQ(memory.live, 0u);
      ++errors;
      continue;
    }
    Bytes out(sound.size());
    std::size_t size = 0;
    numpact_status status = numpact_compress_arrow(context, &column.schema, &column.array, nullptr,
                                                   out.data(), out.size(), &size, nullptr);
    if (status == NUMPACT_OK) {
      EXPECT_TRUE(same_bytes(out, sound));
      const Unpacked found(out, context);
      status = found.status;
      if (status == NUMPACT_OK) expect_same(found, column, format);
    }
    numpact_context_destroy(context);
    EXPECT_EQ(memory.live, 0u);
    has_succeeded = memory.made <= k;
    // Some scratch memory can be done without.
    if (status == NUMPACT_OK) continue;
    EXPECT_FALSE(has_succeeded);
    EXPECT_EQ(status, NUMPACT_OUT_OF_MEMORY) << k;
    ++errors;
  }
  EXPECT_GT(errors, 3);
}

}  // namespace
}  // namespace numpact::testing
