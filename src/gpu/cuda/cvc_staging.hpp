// SPDX-License-Identifier: Apache-2.0
// Copies bytes of slices to the device and queues the kernels that decode them.
//
//   slice bytes --CPU--> pinned buffer --copying_--> device buffer --caller's stream--> output
//
// There are two slots (pinned and device buffer), so that one is filled by the CPU while the other
// is copied and decoded. What waits for what:
//   kernel of a slot (caller's stream)   waits for its copy       (event `copied`)
//   next copy to a slot (copying_)       waits for its kernel     (event `done`)
//   next filling of a slot (CPU)         waits for its copy, or for its kernel if results or host
//                                        rows are still in the slot
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "gpu/cuda/runtime.hpp"
#include "gpu/cvc/slice_tasks.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// How bytes of slices get to the device.
enum class Source : std::uint8_t {
  kAny,         // through the pinned buffer
  kRegistered,  // directly: they are in registered memory
};

// Rows that the CPU decodes to pinned memory and that are copied to the output.
struct HostRows {
  void* out = nullptr;
  std::size_t pitch = 0;  // bytes from row to row of the output
  std::size_t width = 0;  // bytes of a row
  std::size_t rows = 0;
};

// Collects tasks and queues them slot by slot. The device must be current in all calls.
class Staging {
 public:
  explicit Staging(std::size_t slot_bytes) : slot_bytes_(slot_bytes) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Starts a call. All outputs until the next begin() have the type `out`.
  Status begin(gpu::Out out, Source source, cudaStream_t stream, const TaskPool& pool);
  // Adds rows; queues the slot and continues with the other one if it is full. kLimitExceeded if a
  // row has more values than a task can have.
  Status add(const gpu::RowsOfSlice& rows, const gpu::OutputPlace& out);
  // Calls fill(address), which returns a Status and writes rows.rows * rows.width bytes.
  template <class F>
  Status add_host_rows(const HostRows& rows, const F& fill) {
    std::byte* at = nullptr;
    NUMPACT_TRY(reserve_host_rows(rows, at));
    return fill(at);
  }
  std::size_t host_rows_capacity() const { return slot_bytes_; }
  Status add_resident(const gpu::RowsOfSlice& rows, const gpu::OutputPlace& out,
                      const std::byte* data);
  // Queues everything that was added.
  Status flush();
  // Waits for everything that was queued. kCorrupt if codes were past their dictionaries.
  Status wait();

 private:
  struct Slot {
    PinnedMemory pinned;
    DeviceMemory device;
    PinnedMemory answer;  // result of the kernel: the lowest corrupt task
    Event copied;         // the copy from the pinned buffer is done
    Event done;           // all work on the slot is done
    bool is_queued = false;
    bool is_answered = false;  // `answer` is to be checked after `done`
    bool has_host_rows = false;
    gpu::TaskList list;
  };
  struct QueuedRows {
    HostRows rows;
    std::uint64_t at = 0;
  };

  Slot& slot() { return slots_[current_]; }
  Status acquire(std::size_t bytes);
  Status finish_slot(Slot& slot);
  Status reserve_host_rows(const HostRows& rows, std::byte*& at);
  Status queue_slot(Slot& slot);
  Status queue_bytes(Slot& slot, std::uint64_t table, std::uint64_t end);
  void fill_pinned(std::byte* pinned) const;
  bool fits(std::uint64_t bytes) const;

  std::size_t slot_bytes_;
  Slot slots_[2];
  std::size_t current_ = 0;
  bool is_open_ = false;  // the current slot is being filled
  std::uint64_t used_ = 0;
  std::vector<gpu::Copy> copies_;
  std::vector<std::shared_ptr<const void>> owners_;  // keep the copied bytes alive
  std::vector<QueuedRows> host_rows_;
  gpu::Out out_ = gpu::Out::kFloat;
  Source source_ = Source::kAny;
  cudaStream_t stream_ = nullptr;
  cudaStream_t copying_ = nullptr;  // own stream for copies
  const TaskPool* pool_ = nullptr;
  Status first_;  // first error of a kernel
};

}  // namespace numpact::cuda
