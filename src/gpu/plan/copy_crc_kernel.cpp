// SPDX-License-Identifier: Apache-2.0
// CRC-32 by folding: carry-less products move each 128 bits of a sum over the bytes of one step and
// add the bytes found there, which are stored to the copy at the same time. What remains is a
// short message with the CRC of the whole.
#include "gpu/plan/copy_crc_kernel.hpp"

#include <cstring>

#include "base/crc.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gpu/plan/copy_crc_kernel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Targets whose carry-less product is an instruction: those with AES, in Highway's terms. Of Arm
// newer releases of Highway have a target without it.
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4 && !defined(HWY_DISABLE_PCLMUL_AES)) || \
    (HWY_ARCH_ARM_A64 && HWY_TARGET <= HWY_NEON &&                                  \
     (defined(HWY_NEON_WITHOUT_AES) || defined(__ARM_FEATURE_AES)))

// 128 bits have a product on all of them. VPCLMULQDQ comes with AVX3_DL; for wider vectors of other
// targets Highway would take them apart and put them together again.
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
using FoldTag = hn::ScalableTag<std::uint64_t>;
#else
using FoldTag = hn::FixedTag<std::uint64_t, 2>;
#endif

// `to` must be aligned to 64 bytes.
void FoldCopy(const std::byte* HWY_RESTRICT from, std::byte* HWY_RESTRICT to, std::size_t n,
              std::uint32_t crc, Folded& folded) {
  const FoldTag d;
  const hn::Repartition<std::uint8_t, FoldTag> bytes;
  constexpr std::size_t kVectorBytes = sizeof(std::uint64_t) * hn::MaxLanes(FoldTag());
  constexpr std::size_t kStepBytes = kFoldVectors * kVectorBytes;
  // A product of two mirrored factors is mirrored in 127 bits, which multiplies it by x. The lower
  // half of 128 bits precedes the upper one, so it moves 64 bits further. The constants have fewer
  // than 32 bits, which are the upper ones of a mirrored factor.
  constexpr std::uint64_t kLower = power_of_x(8 * kStepBytes + 63) << 32;
  constexpr std::uint64_t kUpper = power_of_x(8 * kStepBytes - 1) << 32;
  alignas(16) constexpr std::uint64_t kFactors[2] = {kLower, kUpper};
  const auto factors = hn::LoadDup128(d, kFactors);
  hn::Vec<FoldTag> sums[kFoldVectors];
  std::byte first[kStepBytes];
  std::memcpy(first, from, kStepBytes);
  std::uint32_t start;
  std::memcpy(&start, first, sizeof start);
  start ^= crc;
  std::memcpy(first, &start, sizeof start);
  for (std::size_t j = 0; j < kFoldVectors; ++j) {
    const std::size_t at = j * kVectorBytes;
    sums[j] = hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(first) + at));
    hn::Stream(hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from) + at), bytes,
               reinterpret_cast<std::uint8_t*>(to) + at);
  }
  std::size_t i = kStepBytes;
  for (; i + kStepBytes <= n; i += kStepBytes) {
    // The processor's own prefetching stops at each page. 1 KiB: about 100 ns ahead.
    hwy::Prefetch(from + i + 1024);
    for (std::size_t j = 0; j < kFoldVectors; ++j) {
      const std::size_t at = i + j * kVectorBytes;
      const auto next = hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from) + at);
      const auto moved =
          hn::Xor(hn::CLMulLower(sums[j], factors), hn::CLMulUpper(sums[j], factors));
      sums[j] = hn::Xor(moved, hn::BitCast(d, next));
      hn::Stream(next, bytes, reinterpret_cast<std::uint8_t*>(to) + at);
    }
  }
  for (std::size_t j = 0; j < kFoldVectors; ++j) {
    hn::StoreU(hn::BitCast(bytes, sums[j]), bytes,
               reinterpret_cast<std::uint8_t*>(folded.sums) + j * kVectorBytes);
  }
  hwy::FlushStream();
  folded.copied = i;
  folded.sum_bytes = kStepBytes;
}

#else

void FoldCopy(const std::byte*, std::byte*, std::size_t, std::uint32_t, Folded&) {}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT(FoldCopy);

namespace {

constexpr std::size_t kAlignmentOfStores = 64;  // bytes, of the widest vectors

// Shorter copies gain nothing from folding: its last step costs as much as 1 KiB.
constexpr std::size_t kMinFoldedBytes = 8 * kMaxFoldBytes;

// Without folding bytes are read twice, so they are copied in blocks that stay in the L1 cache.
constexpr std::size_t kBlockBytes = std::size_t{1} << 14;

std::uint32_t copy_by_blocks(std::span<const std::byte> from, std::byte* to, std::uint32_t crc) {
  for (std::size_t i = 0; i < from.size(); i += kBlockBytes) {
    const auto block = from.subspan(i, std::min(kBlockBytes, from.size() - i));
    crc = crc32(block, crc);
    std::memcpy(to + i, block.data(), block.size());
  }
  return crc;
}

}  // namespace

std::uint32_t copy_crc32(std::span<const std::byte> from, std::byte* to, std::uint32_t before) {
  if (from.size() < kMinFoldedBytes) return copy_by_blocks(from, to, before);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % kAlignmentOfStores;
  const std::size_t before_n = past == 0 ? 0 : kAlignmentOfStores - past;
  std::uint32_t crc = copy_by_blocks(from.first(before_n), to, before);
  Folded folded;
  NUMPACT_DISPATCH(FoldCopy)
  (from.data() + before_n, to + before_n, from.size() - before_n, ~crc, folded);
  // crc32() starts from the inverted `before`: here from 0.
  if (folded.copied > 0) crc = crc32({folded.sums, folded.sum_bytes}, ~std::uint32_t{0});
  const std::size_t done = before_n + folded.copied;
  return copy_by_blocks(from.subspan(done), to + done, crc);
}

}  // namespace numpact::internal
#endif
