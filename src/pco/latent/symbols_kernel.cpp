// SPDX-License-Identifier: Apache-2.0
// Table lookup of bytes, 64 at a time by VBMI permutes of the table in four registers.
#include "pco/latent/symbols_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/latent/symbols_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

void LookUpBytes(const std::uint8_t* HWY_RESTRICT table, const std::uint8_t* HWY_RESTRICT latents,
                 std::size_t n, std::uint16_t* HWY_RESTRICT symbols) {
  std::size_t i = 0;
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  __m512i quarters[4];
  for (std::size_t q = 0; q < 4; ++q) quarters[q] = _mm512_loadu_si512(table + 64 * q);
  for (; i + 64 <= n; i += 64) {
    const __m512i block = _mm512_loadu_si512(latents + i);
    // Two lookups by the lower seven bits, then a selection by the top bit.
    const __m512i low = _mm512_permutex2var_epi8(quarters[0], block, quarters[1]);
    const __m512i high = _mm512_permutex2var_epi8(quarters[2], block, quarters[3]);
    const __m512i found = _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(block), high);
    const __m256i halves[2] = {_mm512_castsi512_si256(found), _mm512_extracti64x4_epi64(found, 1)};
    _mm512_storeu_si512(symbols + i, _mm512_cvtepu8_epi16(halves[0]));
    _mm512_storeu_si512(symbols + i + 32, _mm512_cvtepu8_epi16(halves[1]));
  }
#endif
  for (; i < n; ++i) symbols[i] = table[latents[i]];
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT(LookUpBytes);

void look_up_bytes(const ByteSymbols& table, std::span<const std::uint8_t> latents,
                   std::uint16_t* symbols) {
  NUMPACT_DISPATCH(LookUpBytes)(table.data(), latents.data(), latents.size(), symbols);
}

}  // namespace numpact::internal
#endif
