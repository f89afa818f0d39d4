// SPDX-License-Identifier: Apache-2.0
#include "cvc/widener.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

#include "failure.hpp"

namespace numpact::cli {
namespace {

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

}  // namespace

std::span<const std::byte> Widener::widen(std::span<const std::byte> bytes) {
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
          fail(place_, "an integer past the range of int64");
        }
        return static_cast<std::int64_t>(x);
      });
    default:
      return bytes;
  }
}

}  // namespace numpact::cli
