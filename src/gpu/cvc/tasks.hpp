// SPDX-License-Identifier: Apache-2.0
// The work of one launch: tasks, each of which decodes rows of a slice, in a table in device
// memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/internal.hpp"
#include "cvc/compression/planes.hpp"

namespace numpact::gpu {

// How values are stored.
enum class Form : std::uint8_t {
  kHalf,
  kBFloat,
  kFloat,
  kSteps,       // codes of 8 bits; one range for all
  kRowSteps,    // a range for each row
  kDimSteps,    // a range for each dimension
  kDimNibbles,  // the same, codes of 4 bits
  kPlanes,      // byte planes
  kRotated,     // rot1 to rot4, in launches of their own
};

enum class Out : std::uint8_t { kFloat, kHalf, kBFloat };

// Vectors of values with accesses of up to 16 bytes, or single values at any address.
enum class Path : std::uint8_t { kVector, kScalar };

// A step decodes a vector or a single value. Each thread of a block takes kUnroll steps: more steps
// have more loads in flight, but need more registers.
inline constexpr std::uint32_t kThreads = 256;  // threads of a block
inline constexpr std::uint32_t kUnroll = 4;
inline constexpr std::uint32_t kBlockSteps = kThreads * kUnroll;
// Maximum values of a task: bit positions of lossless codes, up to 8 bits each, fit 32 bits.
inline constexpr std::uint32_t kMaxTaskValues = 1u << 28;
// Maximum dimension of rotated rows: they are decoded in the shared memory of a block.
inline constexpr std::uint32_t kMaxRotatedDimension = 8192;

// Codes of one byte plane, from the first requested one on. Words are read in pairs, up to 7 bytes
// behind the last code.
struct PlaneCodes {
  const std::byte* words = nullptr;  // a multiple of 4
  std::uint32_t first_bit = 0;       // counted from the most significant one of each byte
  std::uint16_t entries = 0;         // size of the dictionary
  std::uint8_t width = 8;
  std::uint8_t is_plain = 0;  // codes are the bytes themselves
  std::byte dictionary[256] = {};
};

struct Planes {
  PlaneCodes plane[cvc::kPlanes];
};

// Division of numbers below 2^28 by a constant from 1 to 2^28, as a multiplication. The factor is
// 2^(28 + shift) / divisor, rounded up; the rounding error is too small to change a quotient.
struct Divisor {
  std::uint32_t factor = 0;  // 0: all quotients are 0
  std::uint32_t shift = 0;

  constexpr std::uint32_t quotient(std::uint32_t of) const {
    return static_cast<std::uint32_t>(std::uint64_t{of} * factor >> 28) >> shift;
  }
};

constexpr Divisor divisor_of(std::uint32_t number) {
  const auto shift = static_cast<std::uint32_t>(std::bit_width(number - 1));
  const std::uint64_t power = std::uint64_t{1} << (28 + shift);
  return {static_cast<std::uint32_t>((power + number - 1) / number), shift};
}

// Decodes rows of one slice. Rows without gaps in the output and without own ranges are treated as
// a single row.
struct Task {
  const std::byte* input = nullptr;  // codes of its first row
  void* output = nullptr;            // output of its first value
  const std::byte* mins = nullptr;   // float32, of its first row or of dimension 0;
                                     // kRotated: the mean, and behind it the seed
  const std::byte* scales = nullptr;
  std::uint32_t stride = 0;     // values from row to row of the output
  std::uint32_t values = 0;     // values of all rows
  std::uint32_t dimension = 1;  // values of a row
  Divisor by_dimension;
  std::uint32_t row_bytes = 0;  // bytes from row to row of the input
  std::uint32_t head = 0;       // kVector: values before the first vector
  float min = 0;                // kSteps
  float scale = 0;              // kSteps; kRotated: 1 over the root of `part`
  std::uint32_t planes = 0;     // kPlanes: index of its Planes
  std::uint32_t rows = 0;       // kRotated
  std::uint32_t part = 1;       // kRotated: values that a round transforms, a power of two
  std::uint8_t bits = 0;        // kRotated: of a code
  Form form = Form::kFloat;
  Path path = Path::kScalar;
};

struct TaskTable {
  const Task* tasks = nullptr;
  const Planes* planes = nullptr;
  // Block b works on the task i with first_block[i] <= b < first_block[i + 1].
  const std::uint32_t* first_block = nullptr;
  std::uint32_t count = 0;
  std::uint32_t typical_blocks = 1;  // blocks of the first task, and of most others
  // If all tasks are kRotated, the largest of their dimensions; 0: none is.
  std::uint32_t rotated_dimension = 0;
};

constexpr unsigned in_bits(Form form) {
  switch (form) {
    case Form::kHalf:
    case Form::kBFloat:
      return 16;
    case Form::kFloat:
    case Form::kPlanes:  // upper bound
      return 32;
    case Form::kDimNibbles:
      return 4;
    default:
      return 8;
  }
}

constexpr unsigned out_bytes(Out out) { return out == Out::kFloat ? 4 : 2; }

// Values of a vector: as many as take 16 bytes in the wider of input and output.
constexpr unsigned vector_values(Form form, Out out) {
  const unsigned in = in_bits(form);
  const unsigned wider = in > 8 * out_bytes(out) ? in : 8 * out_bytes(out);
  return 128 / wider;
}

constexpr bool has_codes(Form form) {
  return form == Form::kSteps || form == Form::kRowSteps || form == Form::kDimSteps ||
         form == Form::kDimNibbles;
}

constexpr bool has_ranges_of_rows_or_dims(Form form) {
  return form == Form::kRowSteps || form == Form::kDimSteps || form == Form::kDimNibbles;
}

}  // namespace numpact::gpu
