// SPDX-License-Identifier: Apache-2.0
// Builds the tasks of a launch from rows of slices: the copies that their bytes need, and the table
// that the kernel reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "gpu/cvc/tasks.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::gpu {

// Whether tasks can decode a slice. They cannot decode pco, integers of `none`, and rotated rows
// with more than kMaxRotatedDimension values.
bool has_tasks(const cvc::StoredSlice& slice);

// The output of a task's first value, which is aligned for its type.
struct OutputPlace {
  std::byte* data = nullptr;
  Out type = Out::kFloat;
  std::uint64_t stride = 0;  // values from row to row; below 2^32 if there are several rows
};

// Rows of a slice. `chunk` is only used for errors.
struct RowsOfSlice {
  const cvc::StoredSlice* slice = nullptr;
  cvc::RowRange rows;
  std::uint64_t chunk = 0;
};

// Bytes to copy to offset `to` of a buffer on the device.
struct Copy {
  std::span<const std::byte> from;
  std::uint64_t to = 0;
};

// Collects the tasks of a launch.
class TaskList {
 public:
  // Upper bound of the buffer bytes that add() takes for rows.
  static std::uint64_t max_buffer_bytes(const cvc::StoredSlice& slice, std::uint64_t rows);
  // Number of rows that fit into a buffer of `buffer_bytes` bytes and into one task; may be 0.
  static std::uint64_t rows_that_fit(const cvc::StoredSlice& slice, std::uint64_t buffer_bytes);

  void clear();

  // Whether a task of the slice may be added: rotated ones have launches of their own.
  bool takes(const cvc::StoredSlice& slice) const;
  // Adds a task for at most rows_that_fit() rows. Their bytes must be copied to the buffer `base`
  // of the device (a multiple of 256); the copies are appended to `copies`. Buffer space is taken
  // from `used` on, which grows.
  void add(const RowsOfSlice& rows, const OutputPlace& out, const std::byte* base,
           std::uint64_t& used, std::vector<Copy>& copies);
  // The same for a slice whose bytes are already on the device, at `data`.
  void add_resident(const RowsOfSlice& rows, const OutputPlace& out, const std::byte* data);

  std::uint32_t blocks() const { return first_block_.back(); }
  // Whether no more tasks may be added, because blocks() could overflow.
  bool is_full() const { return first_block_.back() > (1u << 30); }
  bool is_empty() const { return tasks_.empty(); }
  // Whether some lossless codes may be past their dictionaries.
  bool may_be_corrupt() const { return may_be_corrupt_; }
  // The error of a task with such a code.
  Status corrupt(std::uint32_t task) const;
  // Upper bound of the table's bytes after another task is added.
  std::uint64_t next_table_bytes() const;

  // The size of the table, a multiple of 16; the table as bytes; and pointers to its parts if those
  // bytes are at `device`, a multiple of 16.
  std::uint64_t table_bytes() const;
  void write_table(std::byte* to) const;
  TaskTable table_at(const std::byte* device) const;

 private:
  struct Parts {
    const std::byte* codes = nullptr;
    const std::byte* mins = nullptr;
    const std::byte* scales = nullptr;
    Planes planes;
  };
  struct Origin {
    std::uint64_t chunk = 0;
    std::uint64_t offset = 0;
  };
  void add_task(const RowsOfSlice& rows, const OutputPlace& out, const Parts& parts);
  void push(const Task& task, const RowsOfSlice& rows, std::uint32_t blocks);

  std::vector<Task> tasks_;
  std::vector<Origin> origins_;
  std::vector<std::uint32_t> first_block_ = {0};
  std::vector<Planes> planes_;
  bool may_be_corrupt_ = false;
  std::uint32_t rotated_dimension_ = 0;
};

}  // namespace numpact::gpu
