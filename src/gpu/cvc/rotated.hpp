// SPDX-License-Identifier: Apache-2.0
// The kernel for rot1 to rot4: a block decodes a few rows of one slice, each in shared memory. The
// operations on each value, and so its bits, are those of cvc/compression/rotation_kernel.cpp.
//
// Threads of a block communicate only by team.each(n, f), which calls f(i) for all i below n, in
// any order or at the same time, and returns when all are done.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/internal.hpp"
#include "cvc/compression/rotation.hpp"
#include "gpu/cvc/decode_block.hpp"

namespace numpact::gpu {

// Rows that a block decodes one after the other: they share the words of signs.
inline constexpr std::uint32_t kRotatedRows = 4;
// The threads of a block of a launch: one for each item of a step of the transform.
inline constexpr std::uint32_t kMaxRotatedThreads = 256;
constexpr std::uint32_t rotated_threads(std::uint32_t dimension) {
  const std::uint32_t items = std::bit_floor(dimension) / 8;
  return items < 32 ? 32 : items < kMaxRotatedThreads ? items : kMaxRotatedThreads;
}

// Shared memory has 32 banks of 4 bytes. A gap behind every 32 values gives those that lanes access
// at a time, which lie 8 apart in the last step of a transform, different banks.
constexpr std::uint32_t place_of_value(std::uint32_t i) { return i + i / 32; }

constexpr std::uint32_t sign_words(std::uint32_t dimension) {
  constexpr std::uint32_t kSigns = cvc::kSignsPerWord;
  return (dimension + kSigns - 1) / kSigns;
}

inline constexpr std::uint32_t kMaxLevels = 16;

// Bytes of shared memory that a block needs.
constexpr std::uint32_t rotated_scratch_bytes(std::uint32_t dimension) {
  return 8 * cvc::kRotationRounds * sign_words(dimension) + 4 * kMaxLevels +
         4 * (place_of_value(dimension) + 1);
}
// A launch that asks for nothing special has 48 KiB of shared memory.
static_assert(rotated_scratch_bytes(kMaxRotatedDimension) <= 48 << 10);

// Decodes rows of a task. `shared` has rotated_scratch_bytes() and is aligned to 8 bytes.
template <Out kOut, class Team>
class RotatedRows {
 public:
  NUMPACT_HD RotatedRows(Team& team, const Task& task, std::byte* shared)
      : team_(team),
        task_(task),
        words_(sign_words(task.dimension)),
        signs_(reinterpret_cast<std::uint64_t*>(shared)),
        levels_(reinterpret_cast<float*>(signs_ + cvc::kRotationRounds * words_)),
        values_(levels_ + kMaxLevels) {
    const std::byte* const at = task.mins + std::uint64_t{task.dimension} * 4;
    const std::uint64_t seed =
        load_any<std::uint32_t>(at) | std::uint64_t{load_any<std::uint32_t>(at + 4)} << 32;
    team_.each(cvc::kRotationRounds * words_,
               [&](std::uint32_t k) { signs_[k] = cvc::sign_word(seed, k); });
  }

  NUMPACT_HD void decode(std::uint32_t row) {
    const std::byte* const bytes = task_.input + std::uint64_t{row} * task_.row_bytes;
    unpack(std::bit_cast<float>(load_any<std::uint32_t>(bytes)), bytes + cvc::kScaleBytes);
    transform(0);
    flip_signs(2);
    transform(task_.dimension - task_.part);
    flip_signs(1);
    transform(0);
    auto* const out = static_cast<OutBits<kOut>*>(task_.output) + std::uint64_t{row} * task_.stride;
    team_.each(task_.dimension, [&](std::uint32_t i) {
      const auto mean =
          std::bit_cast<float>(load_any<std::uint32_t>(task_.mins + std::uint64_t{i} * 4));
      const float value = cvc::value_of_rotated(with_sign(values_[place_of_value(i)], i, 0), mean);
      store_one(out + i, out_of<kOut>(std::bit_cast<std::uint32_t>(value)));
    });
  }

 private:
  static_assert(cvc::kRotationRounds == 3);

  // Codes become levels times the scale. A scale that is not finite makes all values NaN.
  NUMPACT_HD void unpack(float scale, const std::byte* codes) {
    const float factor = scale - scale == 0 ? scale : std::bit_cast<float>(0x7fc00000u);
    const std::uint32_t bits = task_.bits;
    team_.each(1u << bits, [&](std::uint32_t q) { levels_[q] = cvc::level_of(bits, q) * factor; });
    const std::uint32_t all_bytes = (task_.dimension * bits + 7) / 8;
    team_.each((task_.dimension + 7) / 8, [&](std::uint32_t group) {
      std::uint32_t word = 0;  // of 8 codes
      for (std::uint32_t k = 0; k < bits && group * bits + k < all_bytes; ++k) {
        word |= load_byte(codes + group * bits + k) << 8 * k;
      }
      for (std::uint32_t k = 0; k < 8 && 8 * group + k < task_.dimension; ++k) {
        const std::uint32_t code = word >> k * bits & ((1u << bits) - 1);
        values_[place_of_value(8 * group + k)] = levels_[code];
      }
    });
  }

  NUMPACT_HD float with_sign(float value, std::uint32_t i, unsigned round) const {
    const std::uint64_t word = signs_[round * words_ + i / cvc::kSignsPerWord];
    const auto sign = static_cast<std::uint32_t>(word >> i % cvc::kSignsPerWord & 1) << 31;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ sign);
  }

  NUMPACT_HD void flip_signs(unsigned round) {
    team_.each(task_.dimension, [&](std::uint32_t i) {
      float& value = values_[place_of_value(i)];
      value = with_sign(value, i, round);
    });
  }

  // The transform of the values from `first` on: three steps at a time, and what is left before.
  NUMPACT_HD void transform(std::uint32_t first) {
    std::uint32_t span = task_.part;  // of values that the next step mixes
    if ((span & 0x92492492u) != 0) {  // 2, 16, 128, ...: one step more than a multiple of three
      steps<1>(first, span);
      span /= 2;
    } else if ((span & 0x24924924u) != 0) {  // two steps more
      steps<2>(first, span);
      span /= 4;
    }
    for (; span > 1; span /= 8) steps<3>(first, span);
  }

  // kLog steps, which mix values `span` / 2 and less apart.
  template <unsigned kLog>
  NUMPACT_HD void steps(std::uint32_t first, std::uint32_t span) {
    constexpr unsigned kN = 1u << kLog;
    const std::uint32_t distance = span / kN;
    const float factor = distance == 1 ? task_.scale : 1;  // the last steps scale too
    team_.each(task_.part / kN, [&](std::uint32_t i) {
      const std::uint32_t low = i & (distance - 1);
      const std::uint32_t at = first + (i - low) * kN + low;
      float v[kN];
      NUMPACT_UNROLL
      for (unsigned k = 0; k < kN; ++k) v[k] = values_[place_of_value(at + k * distance)];
      NUMPACT_UNROLL
      for (unsigned half = kN / 2; half > 0; half /= 2) {
        NUMPACT_UNROLL
        for (unsigned k = 0; k < kN; ++k) {
          if ((k & half) != 0) continue;
          const float a = v[k];
          const float b = v[k + half];
          v[k] = a + b;
          v[k + half] = a - b;
        }
      }
      NUMPACT_UNROLL
      for (unsigned k = 0; k < kN; ++k) {
        values_[place_of_value(at + k * distance)] = v[k] * factor;
      }
    });
  }

  Team& team_;
  const Task& task_;
  std::uint32_t words_;  // of signs, in each round
  std::uint64_t* signs_;
  float* levels_;
  float* values_;
};

// The work of one block. `shared`: as for RotatedRows of the task with the largest dimension.
template <Out kOut, class Team>
NUMPACT_HD void decode_rotated(Team& team, const TaskTable& table, std::uint32_t block,
                               std::byte* shared) {
  const std::uint32_t index = task_of_block(table, block);
  const Task task = table.tasks[index];
  RotatedRows<kOut, Team> rows(team, task, shared);
  const std::uint32_t first = (block - table.first_block[index]) * kRotatedRows;
  for (std::uint32_t row = first; row < first + kRotatedRows && row < task.rows; ++row) {
    rows.decode(row);
  }
}

}  // namespace numpact::gpu
