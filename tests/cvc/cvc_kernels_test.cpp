// SPDX-License-Identifier: Apache-2.0
// Compares kernels with their scalar definitions on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "base/load.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/compression/planes.hpp"
#include "cvc/compression/steps.hpp"
#include "cvc/compression/tiles.hpp"
#include "support/half.hpp"
#include "support/random.hpp"
#include "unit/targets.hpp"

namespace numpact::cvc {
namespace {

using numpact::testing::for_each_target;
using numpact::testing::Random;

constexpr std::size_t kLengths[] = {0, 1, 2, 7, 8, 15, 16, 17, 31, 63, 64, 65, 100, 257, 1000};

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// Values of all bit patterns, special values among them.
std::vector<float> any_floats(std::size_t n, Random& random, bool finite) {
  std::vector<float> values(n);
  for (float& value : values) {
    value = random.one_in(40) ? std::bit_cast<float>(static_cast<std::uint32_t>(random.bits(32)))
                              : static_cast<float>(random.normal());
    if (finite && !std::isfinite(value)) value = 0;
  }
  return values;
}

TEST(CvcKernels, EveryHalf) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  for_each_target([&] {
    for (const bool streams : {false, true}) {
      std::vector<float> values(halves.size());
      halves_to_floats(reinterpret_cast<const std::byte*>(halves.data()), halves.size(),
                       values.data(), streams);
      for (std::size_t i = 0; i < halves.size(); ++i) {
        ASSERT_EQ(bits(values[i]), half_to_float_bits(halves[i])) << i;
        ASSERT_EQ(half_of(values[i]), halves[i]) << "there and back";
      }
      std::vector<std::uint16_t> back(halves.size());
      EXPECT_EQ(floats_to_halves(values.data(), values.size(), back.data()), 0u);
      EXPECT_EQ(back, halves);
    }
  });
}

// Floats whose bits go through memory alone: i386 returns them in a unit that quiets them.
template <class Float, class Bits>
std::vector<Float> floats_of(const std::vector<Bits>& bits) {
  static_assert(sizeof(Float) == sizeof(Bits));
  std::vector<Float> values(bits.size());
  std::memcpy(values.data(), bits.data(), bits.size() * sizeof(Bits));
  return values;
}

TEST(CvcKernels, SignallingNansStay) {
  const std::vector<float> values =
      floats_of<float>(std::vector<std::uint32_t>{0x7fa12345u, 0x7f800001u, 0xff800001u});
  for_each_target([&] {
    std::vector<std::uint16_t> found(values.size());
    EXPECT_EQ(floats_to_halves(values.data(), values.size(), found.data()), 0u);
    EXPECT_EQ(found, (std::vector<std::uint16_t>{0x7d09, 0x7c01, 0xfc01}));
    EXPECT_EQ(floats_to_bfloats(values.data(), values.size(), found.data()), 0u);
    EXPECT_EQ(found, (std::vector<std::uint16_t>{0x7fa1, 0x7f81, 0xff81}));
  });
  EXPECT_EQ(half_to_float_bits(0x7d00), 0x7fa00000u);
  const std::vector<double> doubles =
      floats_of<double>(std::vector<std::uint64_t>{0x7ff4000000000000u});
  EXPECT_EQ(half_of(doubles[0]), 0x7d00);
}

TEST(CvcKernels, FloatsToHalves) {
  Random random(1);
  std::vector<float> values = any_floats(5000, random, false);
  for (const float edge : {65519.99f, 65520.0f, -65520.0f, 65504.0f, 1e30f, 6.1e-5f, 5.96e-8f,
                           2.98e-8f, 2.99e-8f, -0.0f, HUGE_VALF}) {
    values.push_back(edge);
  }
  std::size_t overflows = 0;
  for (const float value : values) {
    overflows += std::isfinite(value) && std::fabs(value) >= 65520 ? 1 : 0;
  }
  for_each_target([&] {
    std::vector<std::uint16_t> halves(values.size());
    EXPECT_EQ(floats_to_halves(values.data(), values.size(), halves.data()), overflows);
    std::vector<std::uint16_t> brains(values.size());
    floats_to_bfloats(values.data(), values.size(), brains.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(halves[i], half_of(values[i])) << values[i];
      ASSERT_EQ(brains[i], bfloat_of(values[i])) << values[i];
      if (std::isnan(values[i])) continue;
      ASSERT_EQ(halves[i], numpact::testing::half_bits(values[i])) << values[i];
    }
  });
}

TEST(CvcKernels, DoublesToHalvesRoundOnce) {
  Random random(2);
  for (int i = 0; i < 200000; ++i) {
    const double value = std::ldexp(random.normal(), static_cast<int>(random.below(50)) - 30);
    ASSERT_EQ(half_of(value), numpact::testing::half_bits(value)) << value;
  }
  // Above a tie of halves by less than the precision of a float.
  const double value = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(half_of(value), 0x3c01);
  EXPECT_EQ(half_of(static_cast<float>(value)), 0x3c00);
}

TEST(CvcKernels, Codes) {
  Random random(3);
  for_each_target([&] {
    for (const std::size_t n : kLengths) {
      const std::vector<float> values = any_floats(n, random, true);
      if (n == 0) continue;
      const ValueRange range = range_of(values.data(), n);
      ValueRange expected{values[0], values[0], false};
      for (const float value : values) {
        expected.low = std::min(expected.low, value);
        expected.high = std::max(expected.high, value);
      }
      ASSERT_EQ(range.low, expected.low);
      ASSERT_EQ(range.high, expected.high);
      ASSERT_FALSE(range.has_nan);
      const float scale = (range.high - range.low) / 255.0f;
      if (!std::isfinite(scale) || scale == 0) continue;
      std::vector<std::uint8_t> codes(n);
      values_to_codes(values.data(), n, range.low, scale, codes.data());
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(codes[i], code_of_value(values[i], range.low, scale)) << values[i];
      }
      for (const bool streams : {false, true}) {
        std::vector<float> back(n + 1);
        codes_to_values(reinterpret_cast<const std::byte*>(codes.data()), n, range.low, scale,
                        back.data() + 1, streams);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(bits(back[i + 1]), bits(value_of_code(codes[i], range.low, scale)));
        }
      }
    }
  });
}

TEST(CvcKernels, HalfwayGoesToEven) {
  std::vector<float> values(510);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.5f;
  for_each_target([&] {
    std::vector<std::uint8_t> codes(values.size());
    values_to_codes(values.data(), values.size(), 0, 1, codes.data());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      ASSERT_EQ(codes[i], static_cast<int>(std::nearbyint(values[i])));
    }
    // Values past the range, which float32 parameters of a float64 range can cause, get the last
    // code.
    std::vector<float> far(64, 1e30f);
    codes.assign(64, 0);
    values_to_codes(far.data(), far.size(), 0, 1, codes.data());
    EXPECT_EQ(codes, std::vector<std::uint8_t>(64, 255));
  });
}

TEST(CvcKernels, NearHalvesAreDivided) {
  Random random(14);
  for_each_target([&] {
    for (int i = 0; i < 200; ++i) {
      const float min = static_cast<float>(random.normal());
      const auto scale = static_cast<float>(std::exp2(random.normal() * 20));
      std::vector<float> values;
      for (int code = 0; code < 255; ++code) {
        float value = (static_cast<float>(code) + 0.5f) * scale + min;
        for (std::uint64_t steps = random.below(3); steps > 0; --steps) {
          value = std::nextafter(value, random.one_in(2) ? HUGE_VALF : -HUGE_VALF);
        }
        values.push_back(value);
      }
      std::vector<std::uint8_t> codes(values.size());
      values_to_codes(values.data(), values.size(), min, scale, codes.data());
      for (std::size_t k = 0; k < values.size(); ++k) {
        ASSERT_EQ(codes[k], code_of_value(values[k], min, scale)) << k << " " << scale;
      }
    }
    // Scales whose reciprocal is infinite.
    const float tiny = 0x1p-140f;
    std::vector<float> values(40);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k) * tiny;
    std::vector<std::uint8_t> codes(values.size());
    values_to_codes(values.data(), values.size(), 0, tiny, codes.data());
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(codes[k], k);
  });
}

TEST(CvcKernels, RangeSeesNansAnywhere) {
  for_each_target([&] {
    for (std::size_t at = 0; at < 100; ++at) {
      std::vector<float> values(100, 1.5f);
      values[at] = std::numeric_limits<float>::quiet_NaN();
      ASSERT_TRUE(range_of(values.data(), values.size()).has_nan) << at;
    }
  });
}

TEST(CvcKernels, PackedCodes) {
  Random random(4);
  DecodeTable table;
  table.fill(kNoEntry);
  EncodeTable codes{};
  for (unsigned i = 0; i < 256; ++i) codes[i] = static_cast<std::uint8_t>(255 - i);
  for_each_target([&] {
    for (unsigned width = 1; width <= 8; ++width) {
      const unsigned entries = 1u << width;
      for (unsigned i = 0; i < entries; ++i) table[i] = static_cast<std::uint16_t>(255 - i);
      for (const std::size_t n : kLengths) {
        std::vector<std::uint8_t> bytes(n);
        for (std::uint8_t& byte : bytes) {
          byte = static_cast<std::uint8_t>(255 - random.below(entries));
        }
        std::vector<std::byte> packed(n + 8);
        const std::size_t size = pack_codes(bytes.data(), n, width, codes, packed.data());
        ASSERT_EQ(size, (n * width + 7) / 8);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(code_at(packed.data(), i, width), codes[bytes[i]]);
        }
        const std::vector<std::byte> exact(packed.begin(),
                                           packed.begin() + static_cast<std::ptrdiff_t>(size));
        for (std::size_t first = 0; first <= n; first += 1 + n / 9) {
          std::vector<std::uint8_t> back(n - first);
          ASSERT_TRUE(
              unpack_codes(exact.data(), size, first, n - first, width, table, back.data()));
          ASSERT_TRUE(std::equal(back.begin(), back.end(),
                                 bytes.begin() + static_cast<std::ptrdiff_t>(first)));
        }
      }
      std::fill(table.begin() + entries / 2, table.end(), kNoEntry);
      const std::vector<std::byte> ones(64, std::byte{0xff});
      std::vector<std::uint8_t> out(64);
      EXPECT_FALSE(unpack_codes(ones.data(), 64, 3, 40, width, table, out.data()));
    }
  });
}

TEST(CvcKernels, Planes) {
  Random random(5);
  for_each_target([&] {
    for (const std::size_t n : kLengths) {
      const std::vector<float> values = any_floats(n, random, false);
      std::vector<std::uint8_t> bytes[kPlanes];
      const std::uint8_t* planes[kPlanes];
      for (std::size_t k = 0; k < kPlanes; ++k) {
        bytes[k].resize(n);
        take_plane(values.data(), n, k, bytes[k].data());
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(bytes[k][i], bits(values[i]) >> (8 * k) & 0xff);
        }
        planes[k] = bytes[k].data();
      }
      std::vector<float> back(n);
      join_planes(planes, n, back.data());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bits(back[i]), bits(values[i]));
    }
  });
}

TEST(CvcCrc, OfPartsAndWhole) {
  const char text[] = "123456789";
  const auto bytes = std::as_bytes(std::span(text, 9));
  EXPECT_EQ(crc32(bytes), 0xcbf43926u);
  EXPECT_EQ(crc32({}), 0u);
  for (std::size_t boundary = 0; boundary <= 9; ++boundary) {
    const std::uint32_t a = crc32(bytes.first(boundary));
    EXPECT_EQ(crc32(bytes.subspan(boundary), a), 0xcbf43926u);
    EXPECT_EQ(join_crc32(a, crc32(bytes.subspan(boundary)), 9 - boundary), 0xcbf43926u);
  }
}

TEST(CvcKernels, BFloats) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  Random random(11);
  for_each_target([&] {
    for (const bool streams : {false, true}) {
      std::vector<float> values(all.size());
      bfloats_to_floats(reinterpret_cast<const std::byte*>(all.data()), all.size(), values.data(),
                        streams);
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(bits(values[i]), static_cast<std::uint32_t>(i) << 16);
      }
    }
    for (const std::size_t n : kLengths) {
      const std::vector<float> values = any_floats(n, random, false);
      std::vector<std::uint16_t> out(n);
      std::size_t overflows = 0;
      for (const float value : values) {
        overflows += std::isfinite(value) && (bfloat_of(value) & 0x7fff) == 0x7f80 ? 1 : 0;
      }
      EXPECT_EQ(floats_to_bfloats(values.data(), n, out.data()), overflows);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], bfloat_of(values[i]));
    }
  });
}

TEST(CvcKernels, RangesOfDimensions) {
  Random random(12);
  for_each_target([&] {
    for (const std::size_t n : kLengths) {
      const std::vector<float> values = any_floats(n, random, true);
      std::vector<float> mins(n);
      std::vector<float> scales(n);
      std::vector<std::byte> bytes(n + 1);
      for (std::size_t i = 0; i < n; ++i) {
        mins[i] = static_cast<float>(random.normal());
        scales[i] = random.one_in(20) ? HUGE_VALF : static_cast<float>(random.unit() + 0.01);
        bytes[i] = static_cast<std::byte>(random.bits(8));
      }
      // At an address that is not a multiple of 4.
      std::vector<std::byte> ranges(8 * n + 1);
      for (std::size_t i = 0; i < n; ++i) {
        store_le(&ranges[1 + 4 * i], mins[i]);
        store_le(&ranges[1 + 4 * (n + i)], scales[i]);
      }
      std::vector<float> decoded(n);
      dim_codes_to_values(bytes.data(), n, &ranges[1], &ranges[1] + 4 * n, decoded.data());
      for (std::size_t i = 0; i < n; ++i) {
        const float value = value_of_code(static_cast<std::uint8_t>(bytes[i]), mins[i], scales[i]);
        ASSERT_TRUE(bits(decoded[i]) == bits(value) ||
                    (std::isnan(value) && std::isnan(decoded[i])));
      }
      dim_nibbles_to_values(bytes.data(), n, &ranges[1], &ranges[1] + 4 * n, decoded.data());
      for (std::size_t i = 0; i < n; ++i) {
        const auto byte = static_cast<unsigned>(bytes[i / 2]);
        const auto code = static_cast<std::uint8_t>(i % 2 == 0 ? byte & 15 : byte >> 4);
        const float value = value_of_code(code, mins[i], scales[i]);
        ASSERT_TRUE(bits(decoded[i]) == bits(value) ||
                    (std::isnan(value) && std::isnan(decoded[i])));
      }
      for (const float max_code : {15.0f, 255.0f}) {
        std::vector<std::uint8_t> codes(n);
        dim_values_to_codes(values.data(), n, mins.data(), scales.data(), max_code, codes.data());
        for (std::size_t i = 0; i < n; ++i) {
          // Past 2^31 the results of the conversion instructions differ between processors.
          const float steps = (values[i] - mins[i]) / scales[i];
          if (std::fabs(steps) > 1e9f) continue;
          ASSERT_EQ(codes[i], code_of_value(values[i], mins[i], scales[i], max_code));
        }
      }
      std::vector<float> low(n, HUGE_VALF);
      std::vector<float> high(n, -HUGE_VALF);
      std::vector<float> poison(n);
      std::vector<float> odd = values;
      if (n > 0) odd[n / 2] = random.one_in(2) ? HUGE_VALF : std::nanf("");
      widen_ranges(values.data(), n, {low.data(), high.data(), poison.data()});
      EXPECT_EQ(low, values);
      EXPECT_EQ(high, values);
      EXPECT_EQ(poison, std::vector<float>(n));
      widen_ranges(odd.data(), n, {low.data(), high.data(), poison.data()});
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(std::isnan(poison[i]), i == n / 2);
    }
  });
}

TEST(CvcKernels, Interleaving) {
  Random random(13);
  for_each_target([&] {
    for (const std::size_t size : {1u, 2u, 4u, 8u}) {
      for (const std::size_t columns : {1u, 3u, 16u, 17u, 40u}) {
        for (const std::size_t rows : {0u, 1u, 15u, 64u, 65u, 200u}) {
          const std::size_t step = (rows + 3) * size;
          const std::size_t stride = (columns + 2) * size;
          std::vector<std::byte> from(step * columns);
          for (std::byte& byte : from) byte = static_cast<std::byte>(random.bits(8));
          std::vector<std::byte> out(stride * rows);
          std::vector<std::byte> expected(stride * rows);
          for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
              std::memcpy(&expected[r * stride + c * size], &from[c * step + r * size], size);
            }
          }
          interleave(from.data(), step, columns, rows, size, out.data(), stride);
          ASSERT_EQ(out, expected) << size << " " << columns << " " << rows;
          // Rows as long as cache lines, at every offset within a line.
          const std::size_t wide = (columns + 31) / 16 * 16 * size;
          for (std::size_t shift = 0; shift < 16 * size; shift += size) {
            std::vector<std::byte> lines(wide * (rows + 2));
            interleave(from.data(), step, columns, rows, size, &lines[shift], wide, true);
            for (std::size_t r = 0; r < rows; ++r) {
              ASSERT_EQ(
                  std::memcmp(&lines[shift + r * wide], &expected[r * stride], columns * size), 0);
            }
          }
          std::vector<std::byte> back(from.size());
          deinterleave(out.data(), stride, columns, rows, size, back.data(), step);
          for (std::size_t c = 0; c < columns && rows > 0; ++c) {
            ASSERT_EQ(std::memcmp(&back[c * step], &from[c * step], rows * size), 0);
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace numpact::cvc
