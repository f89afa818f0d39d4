// SPDX-License-Identifier: Apache-2.0
// The kernel for CVC slices: the work of one thread of a block. Threads do not communicate, so the
// emulation calls it for all of them one after the other.
//
// A launch has a table of tasks, each of which decodes rows of one slice. Block b works on one
// task, in steps of one vector (up to 16 bytes) or one value. Thread t of a block has the steps
//   first + t, first + t + kThreads, first + t + 2 kThreads, ...   (kUnroll of them)
// so that the threads of a warp access neighbouring memory at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/internal.hpp"
#include "gpu/cvc/access.hpp"
#include "gpu/cvc/elements.hpp"
#include "gpu/cvc/tasks.hpp"
#include "gpu/host_device.hpp"

namespace numpact::gpu {

NUMPACT_HD std::uint32_t task_of_block(const TaskTable& table, std::uint32_t block) {
  // If tasks have equal numbers of blocks, as most chunks do, a division finds the task.
  const std::uint32_t guess = block / table.typical_blocks;
  if (guess < table.count && table.first_block[guess] <= block &&
      block < table.first_block[guess + 1]) {
    return guess;
  }
  std::uint32_t low = 0;
  std::uint32_t high = table.count;  // first_block[low] <= block < first_block[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (table.first_block[middle] <= block) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The row and column of a value of a task.
struct Position {
  std::uint32_t row;
  std::uint32_t column;
};

NUMPACT_HD Position place_of(const Task& task, std::uint32_t i) {
  const std::uint32_t row = task.by_dimension.quotient(i);
  return {row, i - row * task.dimension};
}

template <Out kOut>
NUMPACT_HD OutBits<kOut>* output_of(const Task& task, const Position& place) {
  return static_cast<OutBits<kOut>*>(task.output) + std::uint64_t{place.row} * task.stride +
         place.column;
}

// Decodes value i of a task, at any address.
template <Form kForm, Out kOut>
NUMPACT_HD void decode_one(const Task& task, const Planes* planes, std::uint32_t i, bool& is_bad) {
  const Position place = place_of(task, i);
  const std::byte* const row = task.input + std::uint64_t{place.row} * task.row_bytes;
  OutBits<kOut> value;
  if constexpr (kForm == Form::kHalf || kForm == Form::kBFloat) {
    value =
        out_of_stored<kForm, kOut>(load_any<std::uint16_t>(row + std::uint64_t{place.column} * 2));
  } else if constexpr (kForm == Form::kFloat) {
    value =
        out_of_stored<kForm, kOut>(load_any<std::uint32_t>(row + std::uint64_t{place.column} * 4));
  } else if constexpr (kForm == Form::kPlanes) {
    value = out_of<kOut>(one_of_planes(planes[task.planes], i, is_bad));
  } else {
    float min = task.min;
    float scale = task.scale;
    if constexpr (kForm != Form::kSteps) {
      const std::uint64_t at =
          4 * std::uint64_t{kForm == Form::kRowSteps ? place.row : place.column};
      min = std::bit_cast<float>(load_any<std::uint32_t>(task.mins + at));
      scale = std::bit_cast<float>(load_any<std::uint32_t>(task.scales + at));
    }
    std::uint32_t code = load_byte(row + place.column / (kForm == Form::kDimNibbles ? 2 : 1));
    if constexpr (kForm == Form::kDimNibbles) {
      code = place.column % 2 == 0 ? code & 15u : code >> 4;
    }
    const std::uint32_t codes[1] = {code};
    const float mins[1] = {min};
    const float scales[1] = {scale};
    OutBits<kOut> values[1];
    out_of_codes<kOut>(codes, mins, scales, values);
    value = values[0];
  }
  store_one(output_of<kOut>(task, place), value);
}

// The input of a vector. Several are loaded before the first is decoded, to hide the latency of
// memory.
template <Form kForm, Out kOut>
struct Loaded {
  static constexpr unsigned kN = vector_values(kForm, kOut);
  static constexpr unsigned kBytes = kN * in_bits(kForm) / 8;
  Words<kBytes> words;

  NUMPACT_HD void load(const Task& task, const Position& place) {
    const std::uint64_t byte = std::uint64_t{place.column} * in_bits(kForm) / 8;
    words = load_words<kBytes>(task.input + std::uint64_t{place.row} * task.row_bytes + byte);
  }
  NUMPACT_HD std::uint32_t code(unsigned k) const {
    constexpr unsigned kBits = in_bits(kForm);
    constexpr unsigned kEach = 32 / kBits;
    constexpr std::uint32_t kMask = static_cast<std::uint32_t>((std::uint64_t{1} << kBits) - 1);
    return words.word[k / kEach] >> (k % kEach * kBits) & kMask;
  }
};

template <Form kForm, Out kOut>
NUMPACT_HD void decode_vector(const Task& task, const Loaded<kForm, kOut>& loaded,
                              const Position& place) {
  constexpr unsigned kN = Loaded<kForm, kOut>::kN;
  OutBits<kOut> values[kN];
  if constexpr (has_codes(kForm)) {
    std::uint32_t codes[kN];
    float mins[kN];
    float scales[kN];
    NUMPACT_UNROLL
    for (unsigned k = 0; k < kN; ++k) codes[k] = loaded.code(k);
    if constexpr (kForm == Form::kDimSteps || kForm == Form::kDimNibbles) {
      load_floats(task.mins + std::uint64_t{place.column} * 4, mins);
      load_floats(task.scales + std::uint64_t{place.column} * 4, scales);
    } else {
      float min = task.min;
      float scale = task.scale;
      if constexpr (kForm == Form::kRowSteps) {
        min = std::bit_cast<float>(load_word(task.mins + std::uint64_t{place.row} * 4));
        scale = std::bit_cast<float>(load_word(task.scales + std::uint64_t{place.row} * 4));
      }
      NUMPACT_UNROLL
      for (unsigned k = 0; k < kN; ++k) mins[k] = min;
      NUMPACT_UNROLL
      for (unsigned k = 0; k < kN; ++k) scales[k] = scale;
    }
    out_of_codes<kOut>(codes, mins, scales, values);
  } else {
    NUMPACT_UNROLL
    for (unsigned k = 0; k < kN; ++k) values[k] = out_of_stored<kForm, kOut>(loaded.code(k));
  }
  store_vector(output_of<kOut>(task, place), values);
}

// Vectors that are loaded before the first is decoded. More hide more latency and need more
// registers, of which forms with a range for each dimension already need many.
template <Form kForm>
inline constexpr unsigned kVectorsInFlight =
    kForm == Form::kDimSteps || kForm == Form::kDimNibbles ? 2 : kUnroll;

template <Form kForm, Out kOut>
NUMPACT_HD void decode_vectors(const Task& task, std::uint32_t first, std::uint32_t vectors) {
  constexpr unsigned kN = Loaded<kForm, kOut>::kN;
  Loaded<kForm, kOut> loaded[kVectorsInFlight<kForm>];
  Position places[kVectorsInFlight<kForm>];
  NUMPACT_UNROLL
  for (unsigned j = 0; j < kVectorsInFlight<kForm>; ++j) {
    // Indices behind the end load the last vector again, so that no branch separates the loads.
    const std::uint32_t index_of_vector = first + j * kThreads;
    const std::uint32_t v = index_of_vector < vectors ? index_of_vector : vectors - 1;
    places[j] = place_of(task, task.head + v * kN);
    loaded[j].load(task, places[j]);
  }
  NUMPACT_UNROLL
  for (unsigned j = 0; j < kVectorsInFlight<kForm>; ++j) {
    if (first + j * kThreads < vectors) decode_vector<kForm, kOut>(task, loaded[j], places[j]);
  }
}

// Decodes vectors of four values of byte planes.
template <Out kOut>
NUMPACT_HD void decode_planes(const Task& task, const Planes& planes, std::uint32_t first,
                              std::uint32_t thread, std::uint32_t vectors, bool& is_bad) {
  NUMPACT_LOOP
  for (unsigned j = 0; j < kUnroll; ++j) {
    const std::uint32_t v = first + j * kThreads + thread;
    if (v >= vectors) return;
    const std::uint32_t i = task.head + v * 4;
    std::uint32_t bits[4];
    four_of_planes(planes, i, bits, is_bad);
    OutBits<kOut> values[4];
    NUMPACT_UNROLL
    for (unsigned k = 0; k < 4; ++k) values[k] = out_of<kOut>(bits[k]);
    store_vector(output_of<kOut>(task, place_of(task, i)), values);
  }
}

template <Form kForm, Out kOut>
NUMPACT_HD void decode_form(const Task& task, const Planes* planes, std::uint32_t first,
                            std::uint32_t thread, bool& is_bad) {
  if (task.path == Path::kVector) {
    constexpr unsigned kN = vector_values(kForm, kOut);
    const std::uint32_t vectors = (task.values - task.head) / kN;
    if constexpr (kForm == Form::kPlanes) {
      decode_planes<kOut>(task, planes[task.planes], first, thread, vectors, is_bad);
    } else {
      NUMPACT_LOOP
      for (unsigned j = 0; j < kUnroll && vectors > 0; j += kVectorsInFlight<kForm>) {
        decode_vectors<kForm, kOut>(task, first + j * kThreads + thread, vectors);
      }
    }
    // The first block also decodes the values before and behind the vectors, one per thread.
    if (first != 0) return;
    const std::uint32_t i = thread < task.head ? thread : thread + vectors * kN;
    if (i < task.values) decode_one<kForm, kOut>(task, planes, i, is_bad);
    return;
  }
  NUMPACT_LOOP
  for (unsigned j = 0; j < kUnroll; ++j) {
    const std::uint32_t i = first + j * kThreads + thread;
    if (i < task.values) decode_one<kForm, kOut>(task, planes, i, is_bad);
  }
}

// The work of one thread of a block. Calls report(i) if it finds a code of task i past its
// dictionary.
template <Out kOut, class Report>
NUMPACT_HD void decode_block(const TaskTable& table, std::uint32_t block, std::uint32_t thread,
                             const Report& report) {
  const std::uint32_t index = task_of_block(table, block);
  const Task task = table.tasks[index];  // a copy, as stores might alias the table
  const std::uint32_t first = (block - table.first_block[index]) * kBlockSteps;
  bool is_bad = false;
  switch (task.form) {
    case Form::kHalf:
      decode_form<Form::kHalf, kOut>(task, nullptr, first, thread, is_bad);
      break;
    case Form::kBFloat:
      decode_form<Form::kBFloat, kOut>(task, nullptr, first, thread, is_bad);
      break;
    case Form::kFloat:
      decode_form<Form::kFloat, kOut>(task, nullptr, first, thread, is_bad);
      break;
    case Form::kSteps:
      decode_form<Form::kSteps, kOut>(task, nullptr, first, thread, is_bad);
      break;
    case Form::kRowSteps:
      decode_form<Form::kRowSteps, kOut>(task, nullptr, first, thread, is_bad);
      break;
    case Form::kDimSteps:
      decode_form<Form::kDimSteps, kOut>(task, nullptr, first, thread, is_bad);
      break;
    case Form::kDimNibbles:
      decode_form<Form::kDimNibbles, kOut>(task, nullptr, first, thread, is_bad);
      break;
    case Form::kPlanes:
      decode_form<Form::kPlanes, kOut>(task, table.planes, first, thread, is_bad);
      break;
    case Form::kRotated:  // decode_rotated
      break;
  }
  if (is_bad) report(index);
}

}  // namespace numpact::gpu
