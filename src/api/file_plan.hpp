// SPDX-License-Identifier: Apache-2.0
// A change of a file in place, as the steps that make it. Who owns the file carries them out.
//
// Readers see the old file until one byte, the type of the first new chunk, replaces its
// terminator. All that is written before, behind the terminator, and the trailer after it, is not
// part of a file, so that a crash at any moment leaves the old numbers or all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact {

struct FileStep {
  enum class Kind : std::uint8_t {
    kWrite = 1,  // bytes at an offset
    kResize,     // to `offset` bytes
    kSync,       // all before it is on the device before anything after it
  };
  Kind kind = Kind::kSync;
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes = {};
};

class FilePlan {
 public:
  FilePlan() = default;
  FilePlan(FilePlan&&) noexcept = default;
  FilePlan& operator=(FilePlan&&) noexcept = default;

  std::vector<FileStep> steps;
  // The step that makes the new numbers part of the file.
  std::size_t commit = 0;
  // After a step before that one has failed: give the old file its end and its trailer back.
  std::vector<FileStep> undo;
  std::uint64_t numbers = 0;  // of the file with the change
  // The requested trailer. The steps do not write it, since it needs the numbers of the whole file.
  TrailerSpec trailer;

  // Keeps bytes for the steps.
  std::span<const std::byte> keep(std::vector<std::byte> bytes);

 private:
  std::vector<std::vector<std::byte>> kept_;
};

// Writes a trailer. Its first byte is written last: one without it is known to be unfinished.
std::vector<FileStep> trailer_steps(std::uint64_t offset, std::span<const std::byte> bytes);

// Appends chunks with `numbers` to a standalone file; errors as append_in_place(). A trailer of the
// kind requested, by default of the kind that the file has, is continued.
Status plan_append(std::span<const std::byte> file, const NumberView& numbers,
                   const EncodeConfig& config, FilePlan& plan);

// Ends a file behind its last whole chunk; errors as repair_file(). An intact file has no steps.
Status plan_repair(std::span<const std::byte> file, FilePlan& plan);

}  // namespace numpact
