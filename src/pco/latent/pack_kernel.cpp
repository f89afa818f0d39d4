// SPDX-License-Identifier: Apache-2.0
// Packs bit fields. The code is scalar; it is compiled per target for BMI shifts. Appending a field
// to the buffer depends on the field before, so up to four fields are first merged independently of
// the buffer.
#include "pco/latent/pack_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/latent/pack_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if NUMPACT_SCALAR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

// A copy of BitCursor in registers. Compilers would keep the members of the original in memory,
// since the stores may alias them.
struct Packer {
  std::byte* HWY_RESTRICT at;
  std::uint64_t buffer;
  std::uint64_t filled;

  HWY_INLINE void add(std::uint64_t value, std::uint64_t bits) {
    buffer |= value << filled;
    filled += bits;
    flush_bytes();
  }
  HWY_INLINE void flush_bytes() {
    store_le64(at, buffer);
    at += filled >> 3;
    buffer >>= filled & 0x38;
    filled &= 7;
  }
};

// A value and its width.
struct Field {
  std::uint64_t value;
  std::uint64_t bits;
};
HWY_INLINE Field Join(Field low, Field high) {
  return {low.value | high.value << low.bits, low.bits + high.bits};
}

// Packs field(0) to field(n - 1), kMerged fields per step.
template <std::size_t kMerged, class F>
HWY_INLINE void PackFields(std::size_t n, const F& field, Packer& packer) {
  std::size_t i = 0;
  for (; i + kMerged <= n; i += kMerged) {
    Field merged;
    if constexpr (kMerged == 4) {
      merged = Join(Join(field(i), field(i + 1)), Join(field(i + 2), field(i + 3)));
    } else if constexpr (kMerged == 2) {
      merged = Join(field(i), field(i + 1));
    } else {
      merged = field(i);
    }
    packer.add(merged.value, merged.bits);
  }
  for (; i < n; ++i) {
    const Field one = field(i);
    packer.add(one.value, one.bits);
  }
}

// Fields of more than 56 bits are packed in two steps.
template <class F>
HWY_INLINE void PackWideFields(std::size_t n, const F& field, Packer& packer) {
  for (std::size_t i = 0; i < n; ++i) {
    const Field one = field(i);
    const std::uint64_t low_bits = one.bits < 32 ? one.bits : 32;
    packer.add(one.value & 0xffffffffu, low_bits);
    packer.add(one.value >> 32, one.bits - low_bits);
  }
}

template <class F>
HWY_INLINE void PackUpTo(unsigned max_bits, std::size_t n, const F& field, BitCursor& cursor) {
  Packer packer{cursor.at, cursor.buffer, cursor.filled};
  packer.flush_bytes();
  if (max_bits <= 14) {
    PackFields<4>(n, field, packer);
  } else if (max_bits <= 28) {
    PackFields<2>(n, field, packer);
  } else if (max_bits <= 56) {
    PackFields<1>(n, field, packer);
  } else {
    PackWideFields(n, field, packer);
  }
  cursor = {packer.at, packer.buffer, static_cast<unsigned>(packer.filled)};
}

void PackCodes(const AnsCodes* HWY_RESTRICT codes, std::size_t n, BitCursor& cursor) {
  const auto field = [=](std::size_t i) HWY_ATTR {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kAnsCodesBits) - 1;
    return Field{codes[i] & kMask, codes[i] >> kAnsCodesBits};
  };
  PackUpTo(kAnsCodesBits, n, field, cursor);
}

template <class L>
HWY_INLINE Field OffsetOf(L latent, OffsetBin<L> bin) {
  return {static_cast<L>(latent - bin.lower), bin.bits};
}

// Bytes that FindUnequal may write behind the last position.
constexpr std::size_t kPositionsSlackBytes = 32;

// Stores the positions in a batch whose symbol differs from `symbol`. Returns their count.
HWY_INLINE std::size_t FindUnequal(const std::uint16_t* HWY_RESTRICT symbols, std::size_t n,
                                   std::uint16_t symbol, std::uint8_t* HWY_RESTRICT positions) {
  std::size_t found = 0;
  std::size_t i = 0;
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  const __m512i broadcast = _mm512_set1_epi16(static_cast<short>(symbol));
  const __m256i lanes =
      _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                       22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  for (; i + 32 <= n; i += 32) {
    const std::uint32_t unequal =
        _mm512_cmpneq_epu16_mask(_mm512_loadu_si512(symbols + i), broadcast);
    const __m256i block_positions = _mm256_add_epi8(lanes, _mm256_set1_epi8(static_cast<char>(i)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(positions + found),
                        _mm256_maskz_compress_epi8(unequal, block_positions));
    found += hwy::PopCount(std::uint64_t{unequal});
  }
#endif
  for (; i < n; ++i) {
    positions[found] = static_cast<std::uint8_t>(i);
    found += symbols[i] != symbol ? 1 : 0;
  }
  return found;
}

template <class L>
void PackOffsets(const OffsetTable& table, const L* HWY_RESTRICT latents,
                 const std::uint16_t* HWY_RESTRICT symbols, std::size_t n, BitCursor& cursor) {
  const OffsetBin<L>* HWY_RESTRICT bins = table.as<L>();
  if (table.bin_n == 1) {
    const OffsetBin<L> bin = bins[0];
    const auto field = [=](std::size_t i) HWY_ATTR { return OffsetOf(latents[i], bin); };
    PackUpTo(table.max_bits, n, field, cursor);
    return;
  }
  if (table.majority_symbol != OffsetTable::kNoSymbol) {
    static_assert(kBatchN <= 256);
    std::uint8_t positions[kBatchN + kPositionsSlackBytes];
    const std::size_t unequal_n =
        FindUnequal(symbols, n, static_cast<std::uint16_t>(table.majority_symbol), positions);
    const auto field = [=, &positions](std::size_t k) HWY_ATTR {
      const std::size_t i = positions[k];
      return OffsetOf(latents[i], bins[symbols[i]]);
    };
    PackUpTo(table.max_bits, unequal_n, field, cursor);
    return;
  }
  const auto field = [=](std::size_t i) HWY_ATTR { return OffsetOf(latents[i], bins[symbols[i]]); };
  PackUpTo(table.max_bits, n, field, cursor);
}

#define NUMPACT_KERNEL(L, S)                                                                    \
  void PackOffsets##S(const OffsetTable& table, const L* latents, const std::uint16_t* symbols, \
                      std::size_t n, BitCursor& cursor) {                                       \
    PackOffsets(table, latents, symbols, n, cursor);                                            \
  }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_SCALAR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_SCALAR(PackCodes);

void pack_codes(const AnsCodes* codes, std::size_t n, BitCursor& cursor) {
  NUMPACT_DISPATCH(PackCodes)(codes, n, cursor);
}

#define NUMPACT_ENTRY(L, S)                                                                      \
  NUMPACT_EXPORT_SCALAR(PackOffsets##S);                                                         \
  template <>                                                                                    \
  void pack_offsets<L>(const OffsetTable& table, const L* latents, const std::uint16_t* symbols, \
                       std::size_t n, BitCursor& cursor) {                                       \
    NUMPACT_DISPATCH(PackOffsets##S)(table, latents, symbols, n, cursor);                        \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
