// SPDX-License-Identifier: Apache-2.0
// Columns of Arrow's C data interface: they come back with their nulls from the frame around them,
// and frames that are damaged or lie give a column or an error.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/crc.hpp"
#include "common/guarded_buffer.hpp"
#include "common/numbers.hpp"
#include "common/patch.hpp"
#include "common/target.hpp"
#include "numpact/numpact.h"

namespace numpact::fuzz::arrow {
namespace {

constexpr std::size_t kMaxRows = 3000;
constexpr std::size_t kMaxOffset = 70;  // more than a word of a bitmap
constexpr std::size_t kHeadBytes = 40;
constexpr std::size_t kCheckBytes = 4;
// Rows that a frame may claim, enough to get everywhere and little enough to be quick.
constexpr std::uint64_t kMaxDecodedRows = 1 << 15;
constexpr std::uint64_t kMaxScratchBytes = 1 << 22;

struct Format {
  const char* text;
  NumberType type;
};

// Bits first.
constexpr Format kFormats[] = {
    {"b", NumberType::kU8},    {"c", NumberType::kI8},     {"C", NumberType::kU8},
    {"s", NumberType::kI16},   {"S", NumberType::kU16},    {"i", NumberType::kI32},
    {"I", NumberType::kU32},   {"l", NumberType::kI64},    {"L", NumberType::kU64},
    {"e", NumberType::kF16},   {"f", NumberType::kF32},    {"g", NumberType::kF64},
    {"tdD", NumberType::kI32}, {"tdm", NumberType::kI64},  {"ttm", NumberType::kI32},
    {"ttn", NumberType::kI64}, {"tss:", NumberType::kI64}, {"tsu:Europe/Berlin", NumberType::kI64},
    {"tDn", NumberType::kI64},
};

bool bit_at(const void* bits, std::size_t at) {
  return (static_cast<const std::uint8_t*>(bits)[at / 8] >> at % 8 & 1) != 0;
}

void put_bit(Bytes& bits, std::size_t at, bool bit) {
  const auto mask = static_cast<std::byte>(1U << at % 8);
  bits[at / 8] = bit ? bits[at / 8] | mask : bits[at / 8] & ~mask;
}

// Limits, so that a few bytes do not claim a column of any length.
class Context {
 public:
  Context() {
    numpact_context_options options;
    numpact_context_options_init(&options);
    options.max_numbers = kMaxDecodedRows;
    options.max_memory = kMaxScratchBytes;
    NUMPACT_REQUIRE(numpact_context_create(&options, &context_, nullptr) == NUMPACT_OK);
  }
  ~Context() { numpact_context_destroy(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  numpact_context* get() const { return context_; }

 private:
  numpact_context* context_ = nullptr;
};

// A column that the library gave.
class Decoded {
 public:
  Decoded(ByteSpan frame, const Context& context) {
    status_ = numpact_decompress_arrow(context.get(), frame.data(), frame.size(), &schema_, &array_,
                                       nullptr);
    const bool is_given = status_ == NUMPACT_OK;
    NUMPACT_REQUIRE((schema_.release != nullptr) == is_given);
    NUMPACT_REQUIRE((array_.release != nullptr) == is_given);
    NUMPACT_REQUIRE(status_ != NUMPACT_OUT_OF_MEMORY && status_ != NUMPACT_INVALID_ARGUMENT);
    if (is_given) check();
  }
  ~Decoded() {
    if (schema_.release != nullptr) schema_.release(&schema_);
    if (array_.release != nullptr) array_.release(&array_);
  }
  Decoded(const Decoded&) = delete;
  Decoded& operator=(const Decoded&) = delete;

  numpact_status status() const { return status_; }
  const ArrowSchema& schema() const { return schema_; }
  const ArrowArray& array() const { return array_; }
  std::size_t rows() const { return static_cast<std::size_t>(array_.length); }
  bool is_valid(std::size_t row) const {
    return array_.buffers[0] == nullptr || bit_at(array_.buffers[0], row);
  }
  const std::byte* values() const { return static_cast<const std::byte*>(array_.buffers[1]); }

 private:
  void check() const {
    NUMPACT_REQUIRE(array_.length >= 0 && array_.offset == 0 && array_.n_buffers == 2);
    NUMPACT_REQUIRE(rows() <= kMaxDecodedRows);
    std::int64_t nulls = 0;
    for (std::size_t row = 0; row < rows(); ++row) nulls += is_valid(row) ? 0 : 1;
    NUMPACT_REQUIRE(array_.null_count == nulls);
    NUMPACT_REQUIRE((array_.buffers[0] != nullptr) == (nulls > 0));
  }

  numpact_status status_ = NUMPACT_OK;
  ArrowSchema schema_ = {};
  ArrowArray array_ = {};
};

Bytes compressed(const ArrowSchema& schema, const ArrowArray& array,
                 const numpact_encode_options* options) {
  const std::size_t bound = numpact_compress_arrow_bound(&schema, &array, options);
  const std::span<std::byte> out = guarded_output(bound);
  std::size_t size = 0;
  NUMPACT_REQUIRE(numpact_compress_arrow(nullptr, &schema, &array, options, out.data(), out.size(),
                                         &size, nullptr) == NUMPACT_OK);
  NUMPACT_REQUIRE(size <= bound);
  return testing::to_bytes(out.first(size));
}

// The bytes of the numbers of two decoded columns, and which rows are null.
void require_same(const Decoded& a, const Decoded& b) {
  NUMPACT_REQUIRE(a.status() == NUMPACT_OK && b.status() == NUMPACT_OK);
  NUMPACT_REQUIRE(std::strcmp(a.schema().format, b.schema().format) == 0);
  NUMPACT_REQUIRE(a.rows() == b.rows());
  const std::string_view format = a.schema().format;
  std::size_t size = 8;
  for (const Format& known : kFormats) {
    if (format == known.text) size = size_of(known.type);
  }
  if (format == "tts") size = 4;
  for (std::size_t row = 0; row < a.rows(); ++row) {
    NUMPACT_REQUIRE(a.is_valid(row) == b.is_valid(row));
    if (format == "b") {
      NUMPACT_REQUIRE(bit_at(a.values(), row) == bit_at(b.values(), row));
    } else {
      NUMPACT_REQUIRE(std::memcmp(a.values() + row * size, b.values() + row * size, size) == 0);
    }
  }
}

// Columns that can be read can be written again.
void check_frame(ByteSpan frame) {
  const Context context;
  const Decoded read(guarded(frame), context);
  if (read.status() != NUMPACT_OK) return;
  const Bytes again = compressed(read.schema(), read.array(), nullptr);
  require_same(read, Decoded(guarded(again, Slot::kSecondFile), context));
}

// A column in buffers that end where its rows end.
struct Column {
  const Format* format = nullptr;
  NumberArray numbers;
  std::vector<bool> valid;
  ArrowSchema schema = {};
  ArrowArray array = {};
  const void* buffers[2] = {nullptr, nullptr};
  Bytes values;
  Bytes bitmap;

  explicit Column(Draw& draw) {
    format = &draw.pick(kFormats);
    numbers = draw_numbers(draw, format->type, kMaxRows);
    const std::size_t rows = numbers.count();
    const auto offset = static_cast<std::size_t>(draw.below(kMaxOffset));
    draw_nulls(draw, rows);
    fill(offset);
    schema.format = format->text;
    schema.release = [](ArrowSchema*) {};
    array.length = static_cast<std::int64_t>(rows);
    array.offset = static_cast<std::int64_t>(offset);
    array.n_buffers = 2;
    array.buffers = buffers;
    array.release = [](ArrowArray*) {};
    buffers[0] = draw.flag() || has_nulls() ? guarded(bitmap, Slot::kSecondFile).data() : nullptr;
    buffers[1] = guarded(values).data();
    array.null_count = buffers[0] == nullptr ? 0 : draw.flag() ? -1 : count_nulls();
  }

  bool is_bits() const { return format == &kFormats[0]; }
  std::int64_t count_nulls() const {
    return static_cast<std::int64_t>(std::count(valid.begin(), valid.end(), false));
  }
  bool has_nulls() const { return count_nulls() > 0; }

 private:
  void draw_nulls(Draw& draw, std::size_t rows) {
    const std::uint64_t kind = draw.below(4);
    Sequence random(draw.bits(2));
    valid.assign(rows, kind != 1);
    if (kind < 2) return;
    // Single nulls, or runs of up to 200 rows.
    const std::uint64_t longest = kind == 2 ? 2 : 200;
    for (std::size_t row = 0; row < rows;) {
      row += static_cast<std::size_t>(random.below(longest));
      const std::size_t end = row + static_cast<std::size_t>(random.below(longest));
      for (; row < std::min(end, rows); ++row) valid[row] = false;
      row += row < end ? 0 : 1;
    }
  }

  void fill(std::size_t offset) {
    const std::size_t rows = numbers.count();
    const std::size_t size = size_of(format->type);
    bitmap.assign((offset + rows + 7) / 8, std::byte{0x55});
    for (std::size_t row = 0; row < rows; ++row) put_bit(bitmap, offset + row, valid[row]);
    if (!is_bits()) {
      values.assign(offset * size, std::byte{0xaa});
      const ByteSpan bytes = bytes_of(numbers.view());
      values.insert(values.end(), bytes.begin(), bytes.end());
      return;
    }
    values.assign((offset + rows + 7) / 8, std::byte{0xaa});
    for (std::size_t row = 0; row < rows; ++row) {
      numbers.storage()[row] &= std::byte{1};
      put_bit(values, offset + row, numbers.storage()[row] != std::byte{0});
    }
  }
};

numpact_encode_options draw_options(Draw& draw, NumberType type) {
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.level = static_cast<unsigned>(draw.below(NUMPACT_MAX_LEVEL + 1));
  // Older formats lack the narrow types.
  const bool is_in_all = size_of(type) >= 4;
  if (is_in_all && draw.one_in(4)) options.format = static_cast<std::int32_t>(draw.below(5));
  if (draw.one_in(4)) options.max_page_count = 100 + static_cast<std::size_t>(draw.below(3000));
  return options;
}

void check_round_trip(const Column& column, const Bytes& frame) {
  const Context context;
  const Decoded found(guarded(frame), context);
  NUMPACT_REQUIRE(found.status() == NUMPACT_OK);
  NUMPACT_REQUIRE(std::string_view(found.schema().format) == column.format->text);
  NUMPACT_REQUIRE(found.rows() == column.valid.size());
  const std::size_t size = size_of(column.format->type);
  const std::byte zero[8] = {};
  for (std::size_t row = 0; row < found.rows(); ++row) {
    NUMPACT_REQUIRE(found.is_valid(row) == column.valid[row]);
    const std::byte* const stored = bytes_of(column.numbers.view()).data() + row * size;
    const std::byte* const expected = column.valid[row] ? stored : zero;
    if (column.is_bits()) {
      NUMPACT_REQUIRE(bit_at(found.values(), row) == (*expected != std::byte{0}));
    } else {
      NUMPACT_REQUIRE(std::memcmp(found.values() + row * size, expected, size) == 0);
    }
  }
}

// With less memory the result is the same, or there is none.
void check_budget(const Column& column, const numpact_encode_options& options, const Bytes& frame,
                  Draw& draw) {
  const std::span<std::byte> out = guarded_output(draw.below(frame.size() + 2));
  std::size_t size = 0;
  const numpact_status status = numpact_compress_arrow(
      nullptr, &column.schema, &column.array, &options, out.data(), out.size(), &size, nullptr);
  if (out.size() < frame.size()) {
    NUMPACT_REQUIRE(status == NUMPACT_DOES_NOT_FIT);
  } else if (status == NUMPACT_OK) {
    NUMPACT_REQUIRE(testing::same_bytes(out.first(size), frame));
  } else {
    NUMPACT_REQUIRE(status == NUMPACT_DOES_NOT_FIT);
  }
}

void repair(Bytes& frame) {
  if (frame.size() < kHeadBytes + kCheckBytes) return;
  const std::size_t end = frame.size() - kCheckBytes;
  const std::uint32_t crc = internal::crc32(ByteSpan(frame).first(end));
  for (std::size_t i = 0; i < kCheckBytes; ++i) {
    frame[end + i] = static_cast<std::byte>(crc >> (8 * i));
  }
}

// Changes a field of the head to something near, or to anything.
void lie(Draw& draw, Bytes& frame) {
  constexpr std::size_t kFields[] = {6, 8, 16, 24, 32};
  const std::size_t at = draw.pick(kFields);
  const std::size_t bytes = at == 6 ? 2 : 8;
  std::uint64_t value = 0;
  std::memcpy(&value, frame.data() + at, bytes);
  value = draw.flag() ? value + draw.below(5) - 2 : draw.bits(static_cast<unsigned>(bytes));
  std::memcpy(frame.data() + at, &value, bytes);
}

void run_arrow_frame(ByteSpan input) {
  Draw draw(input);
  const std::uint64_t kind = draw.below(4);
  if (kind == 1) return check_frame(draw.rest());
  const Column column(draw);
  const numpact_encode_options options = draw_options(draw, column.format->type);
  Bytes frame = compressed(column.schema, column.array, &options);
  if (kind == 0) {
    check_budget(column, options, frame, draw);
    return check_round_trip(column, frame);
  }
  if (kind == 2) {
    patch(draw, frame, 6);
  } else {
    for (std::uint64_t n = draw.between(1, 3); n > 0; --n) lie(draw, frame);
  }
  if (!draw.one_in(4)) repair(frame);
  check_frame(frame);
}

NUMPACT_FUZZ_TARGET(arrow_frame, run_arrow_frame)

}  // namespace
}  // namespace numpact::fuzz::arrow
