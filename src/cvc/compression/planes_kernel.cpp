// SPDX-License-Identifier: Apache-2.0
// Loops of the lossless compression, compiled for every target.
#include "base/internal.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/planes_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "base/load.hpp"
#include "cvc/compression/planes.hpp"
#include "platform/compiler.hpp"
#include "simd/has_vectors-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using numpact::internal::HWY_NAMESPACE::kHasVectors;

// Eight codes take `kWidth` bytes, so the loop loads a big-endian word per eight codes and takes
// these from its top. Example with kWidth 3:
//   word = c0 c1 c2 c3 c4 c5 c6 c7 (24 bits) | 40 bits of the next codes
//   c_k  = word >> (64 - 3 * (k + 1)) & 7
// Codes before the first multiple of 8 and codes near the end, where 8 bytes cannot be read, are
// decoded one by one. `seen` collects the entries: kNoEntry has a bit that no byte has.
template <unsigned kWidth>
bool UnpackCodes(const std::byte* packed, std::uint64_t size, std::uint64_t first, std::size_t n,
                 const DecodeTable& table, std::uint8_t* HWY_RESTRICT out) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kWidth) - 1;
  unsigned seen = 0;
  std::size_t i = 0;
  const auto scalar_until = [&](std::size_t end) {
    for (; i < end; ++i) {
      const unsigned entry = table[code_at(packed, first + i, kWidth)];
      seen |= entry;
      out[i] = static_cast<std::uint8_t>(entry);
    }
  };
  scalar_until(std::min<std::size_t>(n, (8 - first % 8) % 8));
  std::uint64_t at = (first + i) / 8 * kWidth;
  for (; i + 8 <= n && at + 8 <= size; i += 8, at += kWidth) {
    const std::uint64_t word = platform::swapped_bytes(load_le64(packed + at));
    for (unsigned k = 0; k < 8; ++k) {
      const unsigned entry = table[word >> (64 - kWidth * (k + 1)) & kMask];
      seen |= entry;
      out[i + k] = static_cast<std::uint8_t>(entry);
    }
  }
  scalar_until(n);
  return seen < kNoEntry;
}

template <unsigned kWidth>
std::size_t PackCodes(const std::uint8_t* HWY_RESTRICT bytes, std::size_t n,
                      const EncodeTable& table, std::byte* out) {
  std::byte* const begin = out;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8, out += kWidth) {
    std::uint64_t word = 0;
    for (unsigned k = 0; k < 8; ++k) {
      word |= std::uint64_t{table[bytes[i + k]]} << (64 - kWidth * (k + 1));
    }
    store_le64(out, platform::swapped_bytes(word));
  }
  if (i < n) {
    std::uint64_t word = 0;
    for (unsigned k = 0; i + k < n; ++k) {
      word |= std::uint64_t{table[bytes[i + k]]} << (64 - kWidth * (k + 1));
    }
    store_le64(out, platform::swapped_bytes(word));
    out += ((n - i) * kWidth + 7) / 8;
  }
  return static_cast<std::size_t>(out - begin);
}

bool Unpack(const std::byte* packed, std::uint64_t size, std::uint64_t first, std::size_t n,
            unsigned width, const DecodeTable& table, std::uint8_t* out) {
  constexpr decltype(&UnpackCodes<1>) kByWidth[] = {UnpackCodes<1>, UnpackCodes<2>, UnpackCodes<3>,
                                                    UnpackCodes<4>, UnpackCodes<5>, UnpackCodes<6>,
                                                    UnpackCodes<7>, UnpackCodes<8>};
  return kByWidth[width - 1](packed, size, first, n, table, out);
}

std::size_t Pack(const std::uint8_t* bytes, std::size_t n, unsigned width, const EncodeTable& table,
                 std::byte* out) {
  constexpr decltype(&PackCodes<1>) kByWidth[] = {PackCodes<1>, PackCodes<2>, PackCodes<3>,
                                                  PackCodes<4>, PackCodes<5>, PackCodes<6>,
                                                  PackCodes<7>, PackCodes<8>};
  return kByWidth[width - 1](bytes, n, table, out);
}

void JoinPlanes(const std::uint8_t* const* planes, std::size_t n, float* values) {
  auto* const out = reinterpret_cast<std::uint8_t*>(values);
  std::size_t i = 0;
  if constexpr (kHasVectors && !kIsBigEndian) {
    const hn::ScalableTag<std::uint8_t> d;
    const std::size_t lanes = hn::Lanes(d);
    for (; i + lanes <= n; i += lanes) {
      hn::StoreInterleaved4(hn::LoadU(d, planes[0] + i), hn::LoadU(d, planes[1] + i),
                            hn::LoadU(d, planes[2] + i), hn::LoadU(d, planes[3] + i), d,
                            out + 4 * i);
    }
  }
  for (; i < n; ++i) {
    for (std::size_t k = 0; k < kPlanes; ++k) {
      out[4 * i + (kIsBigEndian ? kPlanes - 1 - k : k)] = planes[k][i];
    }
  }
}

void TakePlane(const float* HWY_RESTRICT values, std::size_t n, std::size_t plane,
               std::uint8_t* HWY_RESTRICT out) {
  const unsigned shift = static_cast<unsigned>(8 * plane);
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    const hn::ScalableTag<std::uint32_t> d;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const std::size_t lanes = hn::Lanes(d);
    const auto mask = hn::Set(d, 0xffu);
    for (; i + lanes <= n; i += lanes) {
      const auto bits = hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(values) + i);
      const auto byte = hn::And(hn::ShiftRightSame(bits, static_cast<int>(shift)), mask);
      hn::StoreU(hn::U8FromU32(byte), d8, out + i);
    }
  }
  for (; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(values[i]) >> shift);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc::internal {

NUMPACT_EXPORT_VECTOR(Unpack);
NUMPACT_EXPORT_VECTOR(Pack);
NUMPACT_EXPORT_VECTOR(JoinPlanes);
NUMPACT_EXPORT_VECTOR(TakePlane);

bool unpack_codes(const std::byte* packed, std::uint64_t size, std::uint64_t first, std::size_t n,
                  unsigned width, const DecodeTable& table, std::uint8_t* out) {
  return NUMPACT_DISPATCH(Unpack)(packed, size, first, n, width, table, out);
}

std::size_t pack_codes(const std::uint8_t* bytes, std::size_t n, unsigned width,
                       const EncodeTable& table, std::byte* out) {
  return NUMPACT_DISPATCH(Pack)(bytes, n, width, table, out);
}

void join_planes(const std::uint8_t* const planes[kPlanes], std::size_t n, float* values) {
  NUMPACT_DISPATCH(JoinPlanes)(planes, n, values);
}

void take_plane(const float* values, std::size_t n, std::size_t plane, std::uint8_t* out) {
  NUMPACT_DISPATCH(TakePlane)(values, n, plane, out);
}

}  // namespace numpact::cvc::internal

#endif
