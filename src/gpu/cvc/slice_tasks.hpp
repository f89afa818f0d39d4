// SPDX-License-Identifier: Apache-2.0
// Slices as tasks: where the bytes of rows lie, or where they are to be put, and what is done to
// them there.
#ifndef NUMPACT_GPU_CVC_SLICE_TASKS_HPP
#define NUMPACT_GPU_CVC_SLICE_TASKS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cvc/tasks.hpp"
#include "numpact/cvc/stored_slice.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::gpu {

// Whether values can be had by tasks: those of pco cannot, nor integers that are stored as they
// are.
bool has_tasks(const cvc::StoredSlice& slice);

// Where a task's first value goes, in values that are aligned for their type.
struct OutputPlace {
  std::byte* data = nullptr;
  Out type = Out::kFloat;
  std::uint64_t stride = 0;  // values from row to row, below 2^32 where there are several
};

// Rows of a slice; `chunk` is for errors alone.
struct RowsOfSlice {
  const cvc::StoredSlice* slice = nullptr;
  cvc::RowRange rows;
  std::uint64_t chunk = 0;
};

// Bytes on their way to the device.
struct Copy {
  std::span<const std::byte> from;
  std::uint64_t to = 0;
};

// Collects the tasks of a launch.
class TaskList {
 public:
  // Room that rows take where their bytes are copied to; at most.
  static std::uint64_t room_of(const cvc::StoredSlice& slice, std::uint64_t rows);
  // How many rows fit into so much room, and into one task; 0: not one.
  static std::uint64_t rows_in(const cvc::StoredSlice& slice, std::uint64_t room);

  void clear();

  // Rows that rows_in allows, whose bytes are to be copied to `base`, of the device, from `used` on
  // (which grows): base is a multiple of 256. Copies are appended.
  void add(const RowsOfSlice& rows, const OutputPlace& out, const std::byte* base,
           std::uint64_t& used, std::vector<Copy>& copies);
  // The same of a slice whose bytes are at `data` already.
  void add_resident(const RowsOfSlice& rows, const OutputPlace& out, const std::byte* data);

  std::uint32_t blocks() const { return first_block_.back(); }
  // Past this, blocks() could not count.
  bool is_full() const { return first_block_.back() > (1u << 30); }
  bool is_empty() const { return tasks_.empty(); }
  // Lossless codes can be past their dictionaries.
  bool may_be_corrupt() const { return may_be_corrupt_; }
  // What is said of such a task.
  Status corrupt(std::uint32_t task) const;
  // What the table takes where one more is added; at most.
  std::uint64_t next_table_bytes() const;

  // The table as bytes, and where its parts are where the device has these at `device`. Both
  // multiples of 16.
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

  std::vector<Task> tasks_;
  std::vector<Origin> origins_;
  std::vector<std::uint32_t> first_block_ = {0};
  std::vector<Planes> planes_;
  bool may_be_corrupt_ = false;
};

}  // namespace numpact::gpu

#endif
