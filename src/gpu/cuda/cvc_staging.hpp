// SPDX-License-Identifier: Apache-2.0
// Bytes of slices on their way to the device, and the launches that decode them there.
#ifndef NUMPACT_GPU_CUDA_CVC_STAGING_HPP
#define NUMPACT_GPU_CUDA_CVC_STAGING_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "gpu/cuda/runtime.hpp"
#include "gpu/cvc/slice_tasks.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// Memory of the host that is registered with the driver as long as this lives.
class RegisteredMemory {
 public:
  RegisteredMemory() = default;
  ~RegisteredMemory();
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;

  Status take(std::span<const std::byte> bytes, int device) noexcept;

 private:
  void* data_ = nullptr;
};

// Where the bytes of slices come from.
enum class Source : std::uint8_t {
  kAny,         // memory that is copied to the pinned buffer first
  kRegistered,  // memory that the device can copy from
};

// Rows in pinned memory that are copied to the output as they are.
struct HostRows {
  void* out = nullptr;
  std::size_t pitch = 0;  // bytes from row to row of the output
  std::size_t width = 0;  // bytes of a row
  std::size_t rows = 0;
};

// Two slots, each a pinned buffer and as much memory of the device. One is filled while the other
// is copied and decoded.
class Staging {
 public:
  explicit Staging(std::size_t slot_bytes) : slot_bytes_(slot_bytes) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // The device must be current in all calls. Outputs are of one type until the next begin().
  Status begin(gpu::Out out, Source source, cudaStream_t stream, const TaskPool& pool);
  // Rows that there is no room for begin another launch. kLimitExceeded for rows that no task
  // can have.
  Status add(const gpu::RowsOfSlice& rows, const gpu::OutputPlace& out);
  // Calls fill(where), a Status, for rows.rows * rows.width bytes.
  template <class F>
  Status add_host_rows(const HostRows& rows, const F& fill) {
    std::byte* at = nullptr;
    NUMPACT_TRY(take_host_rows(rows, at));
    return fill(at);
  }
  std::size_t host_rows_room() const { return slot_bytes_; }
  Status add_resident(const gpu::RowsOfSlice& rows, const gpu::OutputPlace& out,
                      const std::byte* data);
  // Queues what was added.
  Status flush();
  // Waits for all that was queued; then kCorrupt where codes were past their dictionaries.
  Status wait();

 private:
  struct Slot {
    PinnedMemory pinned;
    DeviceMemory device;
    PinnedMemory answer;  // of the launch: a word
    Event copied;         // the pinned bytes are no longer needed
    Event done;
    bool is_queued = false;
    bool is_answered = false;  // the answer is looked at when it is done
    bool has_host_rows = false;
    gpu::TaskList list;
  };
  struct QueuedRows {
    HostRows rows;
    std::uint64_t at = 0;
  };

  Slot& slot() { return slots_[current_]; }
  Status acquire(std::size_t bytes);
  Status settle(Slot& slot);
  Status take_host_rows(const HostRows& rows, std::byte*& at);
  Status queue_slot(Slot& slot);
  Status queue_bytes(Slot& slot, std::uint64_t table, std::uint64_t end);
  void fill_pinned(std::byte* pinned) const;
  bool has_room(std::uint64_t bytes) const;

  std::size_t slot_bytes_;
  Slot slots_[2];
  std::size_t current_ = 0;
  bool is_open_ = false;  // the current slot is being filled
  std::uint64_t used_ = 0;
  std::vector<gpu::Copy> copies_;
  std::vector<std::shared_ptr<const void>> owners_;  // of what is copied
  std::vector<QueuedRows> host_rows_;
  gpu::Out out_ = gpu::Out::kFloat;
  Source source_ = Source::kAny;
  cudaStream_t stream_ = nullptr;
  cudaStream_t copying_ = nullptr;  // our own
  const TaskPool* pool_ = nullptr;
  Status first_;  // what was wrong with codes
};

}  // namespace numpact::cuda

#endif
