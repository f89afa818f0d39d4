// SPDX-License-Identifier: Apache-2.0
// Rows of texts that repeat, as buffers of Arrow.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "errors.hpp"
#include "gil.hpp"

namespace numpact::python {
namespace {

// Texts of at most this many bytes are copied by one copy of this size, which is faster than one of
// their own length.
constexpr std::size_t kFixedBytes = 16;

struct Texts {
  std::span<const std::uint64_t> offsets;
  std::span<const std::byte> bytes;
  std::size_t count() const { return offsets.size() - 1; }
  std::size_t size(std::size_t i) const {
    return static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
  }
};

// The offsets of the rows, one more than there are. `valid`: bits, null for rows without nulls.
// False: a code is no place of a text, or the texts take more than offsets of this type can say.
template <class Code, class Offset>
bool sum_sizes(std::span<const Code> codes, const std::uint8_t* valid,
               std::span<const std::uint32_t> sizes, Offset* offsets) {
  constexpr std::uint64_t kMaxSum = ~std::uint64_t{0} >> (65 - 8 * sizeof(Offset));
  std::uint64_t sum = 0;
  std::size_t largest = 0;
  bool has_texts = false;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    offsets[i] = static_cast<Offset>(sum);
    const std::size_t code = codes[i];
    largest = std::max(largest, code);
    const bool has_text = valid == nullptr || (valid[i / 8] >> (i % 8) & 1) != 0;
    has_texts = has_texts || has_text;
    sum += has_text && code < sizes.size() ? sizes[code] : 0;
  }
  offsets[codes.size()] = static_cast<Offset>(sum);
  const bool are_places = sizes.empty() ? !has_texts : codes.empty() || largest < sizes.size();
  return are_places && sum <= kMaxSum;
}

// Copies the texts; `out` has kFixedBytes more than they take.
template <class Code, class Offset>
void copy_texts(std::span<const Code> codes, const Texts& texts, std::size_t max_size,
                const Offset* offsets, std::byte* out) {
  if (texts.count() == 0) return;  // all rows are null
  if (max_size > kFixedBytes) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
      if (size == 0) continue;
      std::memcpy(out + offsets[i], texts.bytes.data() + texts.offsets[codes[i]], size);
    }
    return;
  }
  std::vector<std::byte> fixed(texts.count() * kFixedBytes);
  for (std::size_t i = 0; i < texts.count(); ++i) {
    if (texts.size(i) == 0) continue;
    std::memcpy(fixed.data() + i * kFixedBytes, texts.bytes.data() + texts.offsets[i],
                texts.size(i));
  }
  // What is behind a text is overwritten by the next one.
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::memcpy(out + offsets[i], fixed.data() + codes[i] * kFixedBytes, kFixedBytes);
  }
}

template <class Code, class Offset>
nb::tuple rows_of(std::span<const Code> codes, const std::uint8_t* valid, const Texts& texts,
                  NumberType offset_type) {
  NewArray offsets(offset_type, codes.size() + 1);
  auto* const ends = static_cast<Offset*>(offsets.view().data);
  std::vector<std::uint32_t> sizes(texts.count());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = static_cast<std::uint32_t>(texts.size(i));
  }
  bool fits = false;
  {
    GilRelease release;
    fits = sum_sizes<Code, Offset>(codes, valid, sizes, ends);
  }
  if (!fits) throw nb::value_error("a number is no place of a text, or the texts are too long");
  const auto total = static_cast<std::size_t>(ends[codes.size()]);
  NewArray bytes(NumberType::kU8, total + kFixedBytes);
  {
    GilRelease release;
    const std::uint32_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
    copy_texts<Code, Offset>(codes, texts, largest, ends,
                             static_cast<std::byte*>(bytes.view().data));
  }
  return nb::make_tuple(offsets.release(codes.size() + 1), bytes.release(total));
}

template <class Code>
nb::tuple rows_of(const NumberView& codes, const std::uint8_t* valid, const Texts& texts,
                  bool is_large) {
  const std::span<const Code> given(static_cast<const Code*>(codes.data), codes.count);
  return is_large ? rows_of<Code, std::int64_t>(given, valid, texts, NumberType::kI64)
                  : rows_of<Code, std::int32_t>(given, valid, texts, NumberType::kI32);
}

nb::tuple text_rows(const ConstArray& codes, std::optional<ConstArray> valid,
                    const ConstArray& offsets, nb::handle content, bool is_large) {
  const Bytes bytes(content);
  const NumberView ends = numbers_of(offsets);
  const NumberView numbers = numbers_of(codes);
  const Texts texts{{static_cast<const std::uint64_t*>(ends.data), ends.count}, bytes.span()};
  const bool is_sound = ends.type == NumberType::kU64 && ends.count > 0 &&
                        std::is_sorted(texts.offsets.begin(), texts.offsets.end()) &&
                        texts.offsets.back() <= texts.bytes.size() && texts.bytes.size() >> 32 == 0;
  const std::uint8_t* bits = nullptr;
  if (valid) {
    const NumberView given = numbers_of(*valid);
    if (given.count * size_of(given.type) < (numbers.count + 7) / 8) {
      throw nb::value_error("there are not as many bits for nulls as rows");
    }
    bits = static_cast<const std::uint8_t*>(given.data);
  }
  if (!is_sound) throw nb::value_error("the offsets are not those of texts");
  switch (numbers.type) {
    case NumberType::kU8:
      return rows_of<std::uint8_t>(numbers, bits, texts, is_large);
    case NumberType::kU16:
      return rows_of<std::uint16_t>(numbers, bits, texts, is_large);
    case NumberType::kU32:
      return rows_of<std::uint32_t>(numbers, bits, texts, is_large);
    default:
      throw nb::value_error("codes are numbers of 8, 16 or 32 bits without sign");
  }
}

// Of Arrow: the length of a text, and its bytes or its place.
struct TextView {
  std::uint64_t words[2];
};

// False: a code is no place of a view. Without any, all rows are null.
template <class Code>
bool copy_views(const NumberView& codes, const std::byte* views, std::size_t count,
                std::byte* out) {
  const auto* const given = static_cast<const Code*>(codes.data);
  Code largest = 0;
  for (std::size_t i = 0; i < codes.count; ++i) largest = std::max(largest, given[i]);
  if (count == 0) std::memset(out, 0, codes.count * sizeof(TextView));
  if (codes.count == 0 || count == 0) return largest == 0;
  if (largest >= count) return false;
  for (std::size_t i = 0; i < codes.count; ++i) {
    std::memcpy(out + i * sizeof(TextView), views + given[i] * sizeof(TextView), sizeof(TextView));
  }
  return true;
}

// The views of rows: (2 * rows,) of uint64.
nb::object text_views(const ConstArray& codes, nb::handle content) {
  const Bytes bytes(content);
  const NumberView numbers = numbers_of(codes);
  const std::byte* const views = bytes.span().data();
  const std::size_t count = bytes.span().size() / sizeof(TextView);
  NewArray made(NumberType::kU64, 2 * numbers.count);
  auto* const out = static_cast<std::byte*>(made.view().data);
  bool are_places = false;
  {
    GilRelease release;
    are_places =
        numbers.type == NumberType::kU8    ? copy_views<std::uint8_t>(numbers, views, count, out)
        : numbers.type == NumberType::kU16 ? copy_views<std::uint16_t>(numbers, views, count, out)
        : numbers.type == NumberType::kU32 ? copy_views<std::uint32_t>(numbers, views, count, out)
                                           : false;
  }
  if (!are_places) throw nb::value_error("a number is no place of a text");
  return made.release(2 * numbers.count);
}

}  // namespace

void bind_text_rows(nb::module_& m) {
  m.def("text_rows", &text_rows, nb::arg("codes"), nb::arg("valid").none(), nb::arg("offsets"),
        nb::arg("content"), nb::arg("is_large"));
  m.def("text_views", &text_views, nb::arg("codes"), nb::arg("views"));
}

}  // namespace numpact::python
