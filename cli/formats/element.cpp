// SPDX-License-Identifier: Apache-2.0
#include "cvc/element.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

using cvc::Dtype;

// Converts an array of one type to a wider type.
template <class From, class To, class F>
std::span<const std::byte> each(std::span<const std::byte> bytes, std::vector<std::byte>& out,
                                const F& f) {
  const std::size_t n = bytes.size() / sizeof(From);
  out.resize(n * sizeof(To));
  for (std::size_t i = 0; i < n; ++i) {
    From from;
    std::memcpy(&from, bytes.data() + i * sizeof(From), sizeof(From));
    const To to = f(from);
    std::memcpy(out.data() + i * sizeof(To), &to, sizeof(To));
  }
  return out;
}

void reverse_each(std::span<std::byte> bytes, std::size_t size) {
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    std::reverse(bytes.data() + i, bytes.data() + i + size);
  }
}

}  // namespace

std::optional<Element> element_of_name(std::string_view name) {
  if (name == "bf16" || name == "bfloat16") return Element{NumberType::kU16, true};
  const std::optional<NumberType> type = number_type_of_name(name);
  return type ? std::optional(Element{*type, false}) : std::nullopt;
}

Element element_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return {NumberType::kF32};
    case Dtype::kFloat16:
      return {NumberType::kF16};
    case Dtype::kBFloat16:
      return {NumberType::kU16, true};
    case Dtype::kFloat64:
      return {NumberType::kF64};
    case Dtype::kInt32:
      return {NumberType::kI32};
    case Dtype::kInt64:
      return {NumberType::kI64};
    case Dtype::kInt8:
      return {NumberType::kI8};
    case Dtype::kUInt8:
      break;
  }
  return {NumberType::kU8};
}

Dtype dtype_read_as(const Element& element) {
  if (element.is_bfloat16) return Dtype::kFloat32;
  switch (element.type) {
    case NumberType::kU8:
      return Dtype::kUInt8;
    case NumberType::kI8:
      return Dtype::kInt8;
    case NumberType::kF16:
      return Dtype::kFloat16;
    case NumberType::kU16:
    case NumberType::kI16:
    case NumberType::kI32:
      return Dtype::kInt32;
    case NumberType::kF32:
      return Dtype::kFloat32;
    case NumberType::kU32:
    case NumberType::kU64:
    case NumberType::kI64:
      return Dtype::kInt64;
    case NumberType::kF64:
      break;
  }
  return Dtype::kFloat64;
}

Widener::Widener(const Element& element, bool swap_bytes, std::string place)
    : element_(element),
      swap_bytes_(swap_bytes && size_of(element) > 1),
      place_(std::move(place)) {}

std::span<const std::byte> Widener::widen(std::span<std::byte> bytes) {
  if (swap_bytes_) reverse_each(bytes, size_of(element_));
  return convert(bytes);
}

std::span<const std::byte> Widener::widen(std::span<const std::byte> bytes) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % size_of(element_) == 0;
  if (!swap_bytes_ && is_aligned) return convert(bytes);
  swapped_.assign(bytes.begin(), bytes.end());
  return widen(std::span(swapped_));
}

std::span<const std::byte> Widener::convert(std::span<const std::byte> bytes) {
  if (element_.is_bfloat16) {
    return each<std::uint16_t, std::uint32_t>(
        bytes, buffer_, [](std::uint16_t bits) { return std::uint32_t{bits} << 16; });
  }
  switch (element_.type) {
    case NumberType::kU16:
      return each<std::uint16_t, std::int32_t>(bytes, buffer_, [](auto x) { return x; });
    case NumberType::kI16:
      return each<std::int16_t, std::int32_t>(bytes, buffer_, [](auto x) { return x; });
    case NumberType::kU32:
      return each<std::uint32_t, std::int64_t>(bytes, buffer_, [](auto x) { return x; });
    case NumberType::kU64:
      return each<std::uint64_t, std::int64_t>(bytes, buffer_, [this](std::uint64_t x) {
        if (x > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
          throw Failure(ExitCode::kFailure, place_, "an integer past the range of int64");
        }
        return static_cast<std::int64_t>(x);
      });
    default:
      return bytes;
  }
}

}  // namespace numpact::cli
