// SPDX-License-Identifier: Apache-2.0
// CRC-32 of chunks on a device, for files of which the host reads no bytes but metadata.
//
// A checksum is a sum over GF(2): of each word of 4 bytes, times a power of x for what follows it.
// So a warp adds up a block of a chunk: each lane takes every 32nd word, counted from the end, and
// moves what it has by 128 bytes for the next one, with four tables. Products with what follows
// come last; words before the block are 0 and add nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/crc_polynomial.hpp"
#include "base/internal.hpp"
#include "gpu/cvc/access.hpp"
#include "gpu/host_device.hpp"
#include "gpu/plan/device_plan.hpp"

namespace numpact::gpu {

inline constexpr std::uint32_t kSumLanes = 32;
inline constexpr std::uint32_t kSumRowBytes = 4 * kSumLanes;
// Bytes of a block: 256 rows. The products at the end take about as long as 100 rows, but larger
// blocks do not fill a device: a part of 16 MiB has 512 of these.
inline constexpr std::uint32_t kSumBlockBytes = std::uint32_t{1} << 15;

// A block of a chunk.
struct SumBlock {
  std::uint64_t begin = 0;   // in the input
  std::uint64_t behind = 0;  // bytes of the chunk behind it
  std::uint32_t bytes = 0;
  std::uint32_t sum = 0;  // index of the chunk's sum
};

// At first what the blocks of the chunk must add up to; 0 after they are added.
struct ChunkSum {
  std::uint32_t left = 0;
  std::uint32_t task = 0;  // of the plan: the first one of the chunk
};

struct SumTables {
  std::array<std::array<std::uint32_t, 256>, 4> moved;  // [k][b]: byte k of a sum, moved by a row
  std::array<std::uint32_t, 64> powers;                 // [k]: x^(8 2^k)
};

constexpr SumTables make_sum_tables() {
  SumTables tables{};
  for (std::uint32_t k = 0; k < 4; ++k) {
    // The table of a bit is linear in it: first the powers of two, then their sums.
    for (std::uint32_t byte = 1; byte < 256; ++byte) {
      const std::uint32_t low = byte & (0 - byte);
      tables.moved[k][byte] = low == byte ? crc_before_zeros(byte << 8 * k, kSumRowBytes)
                                          : tables.moved[k][low] ^ tables.moved[k][byte - low];
    }
  }
  tables.powers[0] = kCrcOne >> 8;
  for (std::size_t k = 1; k < tables.powers.size(); ++k) {
    tables.powers[k] = crc_product(tables.powers[k - 1], tables.powers[k - 1]);
  }
  return tables;
}

// crc_before_zeros() by the table.
NUMPACT_HD std::uint32_t before_zeros(const SumTables& tables, std::uint32_t sum,
                                      std::uint64_t bytes) {
  for (std::uint32_t k = 0; bytes != 0; ++k, bytes >>= 1) {
    if ((bytes & 1) != 0) sum = crc_product(sum, tables.powers[k]);
  }
  return sum;
}

NUMPACT_HD std::uint32_t moved_by_row(const SumTables& tables, std::uint32_t sum) {
  return tables.moved[0][sum & 255] ^ tables.moved[1][sum >> 8 & 255] ^
         tables.moved[2][sum >> 16 & 255] ^ tables.moved[3][sum >> 24];
}

// What a lane adds to the sum of the block's chunk.
NUMPACT_HD std::uint32_t sum_of_lane(const SumTables& tables, const std::byte* input,
                                     const SumBlock& block, std::uint32_t lane) {
  const std::uint32_t rows = (block.bytes + kSumRowBytes - 1) / kSumRowBytes;
  const std::byte* const end = input + block.begin + block.bytes;
  std::uint32_t sum = 0;
  for (std::uint32_t row = rows; row > 0; --row) {
    const std::uint32_t from_end = row * kSumRowBytes - 4 * lane;  // of the word's first byte
    std::uint32_t word = 0;
    if (from_end <= block.bytes) {
      word = load_any<std::uint32_t>(end - from_end);
    } else {
      for (std::uint32_t k = 0; k < 4; ++k) {
        if (from_end - k <= block.bytes) word |= load_byte(end - from_end + k) << 8 * k;
      }
    }
    sum = moved_by_row(tables, sum) ^ word;
  }
  return before_zeros(tables, sum, kSumRowBytes - 4 * lane + block.behind);
}

// The blocks and sums of a plan with checks.
struct PlannedSums {
  explicit PlannedSums(const DevicePlan& plan) {
    for (const PlannedCheck& check : plan.checks) {
      for (std::uint64_t at = 0; at < check.bytes; at += kSumBlockBytes) {
        const std::uint64_t left = check.bytes - at;
        const auto bytes =
            static_cast<std::uint32_t>(left < kSumBlockBytes ? left : kSumBlockBytes);
        blocks.push_back(
            {check.begin + at, left - bytes, bytes, static_cast<std::uint32_t>(sums.size())});
      }
      // A checksum begins and ends with an inversion.
      sums.push_back({~check.crc ^ crc_before_zeros(~std::uint32_t{0}, check.bytes), 0});
    }
    for (auto i = static_cast<std::uint32_t>(plan.tasks.size()); i-- > 0;) {
      if (!sums.empty()) sums[plan.tasks[i].chunk].task = i;
    }
  }

  std::vector<SumBlock> blocks;
  std::vector<ChunkSum> sums;
};

}  // namespace numpact::gpu
