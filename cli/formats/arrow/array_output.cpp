// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/array_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow/column_type.hpp"
#include "failure.hpp"
#include "io/kept_memory.hpp"

namespace numpact::cli {
namespace {

using table::TextType;

// Of buffers: blocks of rows have the same sizes again and again. It is never destroyed, since
// Python may release arrays last.
KeptMemory& kept_memory() {
  static KeptMemory& memory = *new KeptMemory;
  return memory;
}

constexpr std::size_t kAlignBytes = 64;  // as Arrow recommends

struct Free {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const { kept_memory().deallocate(memory, bytes, kAlignBytes); }
};
using Buffer = std::unique_ptr<std::byte[], Free>;

Buffer allocated(std::size_t bytes) {
  bytes = std::max<std::size_t>(1, bytes);  // Arrow wants an address where there are no rows, too
  return {static_cast<std::byte*>(kept_memory().allocate(bytes, kAlignBytes)), Free{bytes}};
}

Buffer zeros(std::size_t bytes) {
  Buffer made = allocated(bytes);
  std::memset(made.get(), 0, bytes);
  return made;
}

// What a structure refers to, which release() frees: T is the structure.
template <class T>
struct Parts {
  std::string format;  // of a type
  std::vector<Buffer> buffers;
  std::vector<const void*> addresses;  // of the buffers
  T inner{};                           // the only child, or the dictionary
  T* child = &inner;
};

template <class T>
void release(T* released) {
  const std::unique_ptr<Parts<T>> parts(static_cast<Parts<T>*>(released->private_data));
  if (parts->inner.release != nullptr) parts->inner.release(&parts->inner);
  released->release = nullptr;
}

// ---- types ----

ArrowSchema type_of(std::string format) {
  auto parts = std::make_unique<Parts<ArrowSchema>>();
  parts->format = std::move(format);
  ArrowSchema made{};
  made.format = parts->format.c_str();
  made.name = "";
  made.flags = ARROW_FLAG_NULLABLE;
  made.release = &release<ArrowSchema>;
  made.private_data = parts.release();
  return made;
}

ArrowSchema& inner_of(ArrowSchema& outer) {
  return static_cast<Parts<ArrowSchema>*>(outer.private_data)->inner;
}

std::string text_format(TextType type) {
  constexpr const char* kFormats[] = {"u", "U", "z", "Z", "vu", "vz"};
  return kFormats[static_cast<std::size_t>(type)];
}

std::string number_format(NumberType type, const LogicalType& logical = {}) {
  const char unit = "smun"[static_cast<std::size_t>(logical.unit)];
  switch (logical.kind) {
    case LogicalKind::kBool:
      return "b";
    case LogicalKind::kDate32:
      return "tdD";
    case LogicalKind::kDate64:
      return "tdm";
    case LogicalKind::kTime32:
    case LogicalKind::kTime64:
      return fmt::format("tt{}", unit);
    case LogicalKind::kTimestamp:
      return fmt::format("ts{}:{}", unit, logical.timezone);
    case LogicalKind::kDuration:
      return fmt::format("tD{}", unit);
    case LogicalKind::kDecimal:
      return fmt::format("d:{},{},{}", logical.decimal.precision, logical.decimal.scale,
                         logical.decimal.bits);
    default:
      return {internal::arrow::letter_of(type)};
  }
}

ArrowSchema text_type(const table::TextFile& text) {
  if (!text.index_type) return type_of(text_format(text.type));
  ArrowSchema made = type_of(number_format(*text.index_type));
  inner_of(made) = type_of(text_format(text.type));
  made.dictionary = &inner_of(made);
  if (text.is_ordered) made.flags |= ARROW_FLAG_DICTIONARY_ORDERED;
  return made;
}

ArrowSchema list_type(const Column& column) {
  ArrowSchema made = type_of(fmt::format("+w:{}", column.dimension));
  inner_of(made) = type_of(number_format(column.type));
  inner_of(made).name = "item";
  made.n_children = 1;
  made.children = &static_cast<Parts<ArrowSchema>*>(made.private_data)->child;
  return made;
}

ArrowSchema made_type(const Column& column) {
  if (column.is_list) return list_type(column);
  if (column.logical.kind == LogicalKind::kText) return text_type(column.text[0]);
  return type_of(number_format(column.type, column.logical));
}

// ---- arrays ----

Buffer copied(std::span<const std::byte> bytes) {
  Buffer made = allocated(bytes.size());
  if (!bytes.empty()) std::memcpy(made.get(), bytes.data(), bytes.size());
  return made;
}

// Bits that are set where a byte is not 0.
Buffer packed(std::span<const std::uint8_t> bytes) {
  Buffer bits = zeros((bytes.size() + 7) / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) bits[i / 8] |= std::byte{1} << (i % 8);
  }
  return bits;
}

// An array of validity, which may be empty, and of other buffers.
ArrowArray array_of(std::size_t rows, std::span<const std::uint8_t> valid,
                    std::initializer_list<Buffer*> buffers) {
  auto parts = std::make_unique<Parts<ArrowArray>>();
  parts->buffers.push_back(valid.empty() ? nullptr : packed(valid));
  for (Buffer* buffer : buffers) parts->buffers.push_back(std::move(*buffer));
  for (const Buffer& buffer : parts->buffers) parts->addresses.push_back(buffer.get());
  ArrowArray made{};
  made.length = static_cast<std::int64_t>(rows);
  made.null_count = valid.empty() ? 0 : -1;  // unknown
  made.n_buffers = static_cast<std::int64_t>(parts->addresses.size());
  made.buffers = parts->addresses.data();
  made.release = &release<ArrowArray>;
  made.private_data = parts.release();
  return made;
}

// Numbers as decimals, which take more bytes: the sign fills them.
Buffer widened(const NumberView& numbers, unsigned bits, const std::string& place) {
  const std::size_t size = bits / 8;
  Buffer made = allocated(numbers.count * size);
  const auto* const values = static_cast<const std::int64_t*>(numbers.data);
  std::byte* to = made.get();
  for (std::size_t i = 0; i < numbers.count; ++i, to += size) {
    const std::int64_t value = values[i];
    const std::size_t low = std::min(size, sizeof value);
    if (low < sizeof value && value != static_cast<std::int32_t>(value)) {
      fail_corrupt(place, "corrupt: a decimal has too many digits");
    }
    std::memcpy(to, &value, low);
    std::memset(to + low, value < 0 ? 255 : 0, size - low);
  }
  return made;
}

Buffer bits_of(const NumberView& booleans, const std::string& place) {
  const std::span values(static_cast<const std::uint8_t*>(booleans.data), booleans.count);
  if (std::ranges::any_of(values, [](std::uint8_t value) { return value > 1; })) {
    fail_corrupt(place, "corrupt: a boolean is neither 0 nor 1");
  }
  return packed(values);
}

ArrowArray lists_of(const Column& column, const NumberView& numbers) {
  Buffer values = copied(bytes_of(numbers));
  ArrowArray made = array_of(numbers.count / column.dimension, {}, {});
  auto& parts = *static_cast<Parts<ArrowArray>*>(made.private_data);
  parts.inner = array_of(numbers.count, {}, {&values});
  made.n_children = 1;
  made.children = &parts.child;
  return made;
}

// ---- texts ----

// Texts, each of which ends at its number.
struct TextSpan {
  std::string_view bytes;
  std::span<const std::uint64_t> ends;
  std::span<const std::uint8_t> valid;
};

template <class Offset>
Buffer offsets_of(const TextSpan& texts) {
  Buffer made = allocated((texts.ends.size() + 1) * sizeof(Offset));
  auto* const out = reinterpret_cast<Offset*>(made.get());
  out[0] = 0;
  for (std::size_t i = 0; i < texts.ends.size(); ++i) {
    out[i + 1] = static_cast<Offset>(texts.ends[i]);
  }
  return made;
}

// A length, and then up to 12 bytes in place, or 4 of them, the only buffer and a position in it.
Buffer views_of(const TextSpan& texts) {
  constexpr std::size_t kViewBytes = 16;
  constexpr std::size_t kInPlace = 12;
  constexpr std::size_t kPrefix = 4;
  Buffer made = zeros(texts.ends.size() * kViewBytes);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < texts.ends.size(); begin = texts.ends[i++]) {
    if (!texts.valid.empty() && texts.valid[i] == 0) continue;
    std::byte* const view = made.get() + i * kViewBytes;
    const std::string_view text = texts.bytes.substr(
        static_cast<std::size_t>(begin), static_cast<std::size_t>(texts.ends[i] - begin));
    const auto length = static_cast<std::int32_t>(text.size());
    std::memcpy(view, &length, sizeof length);
    if (text.size() <= kInPlace) {
      if (!text.empty()) std::memcpy(view + sizeof length, text.data(), text.size());
      continue;
    }
    std::memcpy(view + sizeof length, text.data(), kPrefix);
    const auto position = static_cast<std::int32_t>(begin);
    std::memcpy(view + kInPlace, &position, sizeof position);
  }
  return made;
}

ArrowArray texts_of(const TextSpan& texts, TextType type, const std::string& place) {
  const bool is_large = type == TextType::kLargeString || type == TextType::kLargeBinary;
  const std::uint64_t bytes = texts.bytes.size();
  if (!is_large && bytes > std::numeric_limits<std::int32_t>::max()) {
    fail(place, "{} rows have {} bytes, which type {} cannot number", texts.ends.size(), bytes,
         table::to_string(type));
  }
  Buffer content = copied(std::as_bytes(std::span(texts.bytes)));
  if (type == TextType::kStringView || type == TextType::kBinaryView) {
    Buffer views = views_of(texts);
    const auto size = static_cast<std::int64_t>(bytes);
    Buffer sizes = copied(std::as_bytes(std::span(&size, 1)));  // of the buffers before
    return array_of(texts.ends.size(), texts.valid, {&views, &content, &sizes});
  }
  Buffer offsets = is_large ? offsets_of<std::int64_t>(texts) : offsets_of<std::int32_t>(texts);
  return array_of(texts.ends.size(), texts.valid, {&offsets, &content});
}

// The places of rows among categories, which all of them are among; any for nulls.
template <class Index>
Buffer places_of(const TextBlock& block, const table::TextValues& categories) {
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t i = 0; i < categories.size(); ++i) place_of.emplace(categories[i], i);
  Buffer made = allocated(block.rows() * sizeof(Index));
  auto* const out = reinterpret_cast<Index*>(made.get());
  for (std::size_t row = 0; row < block.rows(); ++row) {
    out[row] = block.is_null(row) ? Index{0} : static_cast<Index>(place_of.at(block.text(row)));
  }
  return made;
}

// The rows as indices of categories, of which there are no more than the type of these numbers.
ArrowArray coded(const TextBlock& block, const table::TextFile& text,
                 const table::TextValues& categories, const std::string& place) {
  const std::size_t size = size_of(*text.index_type);
  Buffer indices = size == 1   ? places_of<std::uint8_t>(block, categories)
                   : size == 2 ? places_of<std::uint16_t>(block, categories)
                   : size == 4 ? places_of<std::uint32_t>(block, categories)
                               : places_of<std::uint64_t>(block, categories);
  const ArrowArray values =
      texts_of({categories.bytes(), categories.offsets().subspan(1), {}}, text.type, place);
  ArrowArray made = array_of(block.rows(), block.valid, {&indices});
  made.dictionary = &static_cast<Parts<ArrowArray>*>(made.private_data)->inner;
  *made.dictionary = values;
  return made;
}

ArrowArray made_array(const Column& column, const ColumnBlock& block, const std::string& place) {
  if (block.texts != nullptr) {
    const TextBlock& texts = *block.texts;
    if (column.categories != nullptr) {
      return coded(texts, column.text[0], *column.categories, place);
    }
    return texts_of({texts.bytes, texts.ends, texts.valid}, column.text[0].type, place);
  }
  if (column.is_list) return lists_of(column, block.numbers);
  Buffer values = column.logical.kind == LogicalKind::kBool ? bits_of(block.numbers, place)
                  : column.logical.kind == LogicalKind::kDecimal
                      ? widened(block.numbers, column.logical.decimal.bits, place)
                      : copied(bytes_of(block.numbers));
  return array_of(static_cast<std::size_t>(block.rows), block.valid, {&values});
}

}  // namespace

Owned<ArrowSchema> export_type(const Column& column) { return Owned(made_type(column)); }

Owned<ArrowArray> export_rows(const Column& column, const ColumnBlock& block,
                              const std::string& place) {
  return Owned(made_array(column, block, place));
}

Owned<ArrowArray> export_texts(const TextBlock& block, TextType type, const std::string& place) {
  return Owned(texts_of({block.bytes, block.ends, block.valid}, type, place));
}

}  // namespace numpact::cli
