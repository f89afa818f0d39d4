// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cvc_staging.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "gpu/cuda/cvc_kernels.hpp"

namespace numpact::cuda {
namespace {

constexpr std::uint64_t kAlignment = 256;  // bytes; alignment of tables and host rows in a slot
// Bytes that a task copies to the pinned buffer at a time. Smaller portions balance threads better.
constexpr std::size_t kPortionBytes = std::size_t{1} << 20;

constexpr std::uint64_t aligned(std::uint64_t at) {
  return (at + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

// ---- slots ----

Staging::~Staging() {
  (void)wait();
  for (Slot& slot : slots_) slot.device.release();
  if (copying_ != nullptr) (void)status_of(cudaStreamDestroy(copying_));
}

Status Staging::begin(gpu::Out out, Source source, cudaStream_t stream, const TaskPool& pool) {
  out_ = out;
  source_ = source;
  stream_ = stream;
  pool_ = &pool;
  is_open_ = false;
  if (copying_ != nullptr) return {};
  return status_of(cudaStreamCreateWithFlags(&copying_, cudaStreamNonBlocking));
}

// Waits for the kernel of a slot and collects its result.
Status Staging::finish_slot(Slot& slot) {
  if (!slot.is_queued) return {};
  NUMPACT_TRY(slot.done.wait());
  slot.is_queued = false;
  std::uint32_t task = kNoneCorrupt;
  if (slot.is_answered) std::memcpy(&task, slot.answer.data(), sizeof task);
  slot.is_answered = false;
  if (task != kNoneCorrupt && first_.ok()) first_ = slot.list.corrupt(task);
  return {};
}

// Makes the other slot the current one, with at least `bytes` bytes, and waits until it may be
// filled.
Status Staging::acquire(std::size_t bytes) {
  current_ = 1 - current_;
  Slot& slot = this->slot();
  const std::size_t size = std::max(bytes, slot_bytes_);
  const bool grows = slot.pinned.size() < size || slot.device.size() < size;
  if (slot.is_queued && (slot.is_answered || slot.has_host_rows || grows)) {
    NUMPACT_TRY(finish_slot(slot));
  } else if (slot.is_queued) {
    NUMPACT_TRY(slot.copied.wait());
    NUMPACT_TRY(slot.done.make_wait(copying_));
  }
  NUMPACT_TRY(slot.pinned.take(size));
  NUMPACT_TRY(slot.answer.take(sizeof(std::uint32_t)));
  if (slot.device.size() < size) NUMPACT_TRY(slot.device.take(size, copying_));
  slot.list.clear();
  slot.has_host_rows = false;
  copies_.clear();
  owners_.clear();
  host_rows_.clear();
  used_ = 0;
  is_open_ = true;
  return {};
}

bool Staging::fits(std::uint64_t bytes) const {
  const Slot& slot = slots_[current_];
  const std::uint64_t needed = aligned(used_ + bytes) + slot.list.next_table_bytes() + kAlignment;
  // After a failed growth one of the buffers may be smaller.
  const std::size_t capacity = std::min(slot.device.size(), slot.pinned.size());
  return needed <= capacity && !slot.list.is_full();
}

Status Staging::add(const gpu::RowsOfSlice& rows, const gpu::OutputPlace& out) {
  using gpu::TaskList;
  const cvc::StoredSlice& slice = *rows.slice;
  // Bytes of a slot for the table and alignment.
  constexpr std::uint64_t kTableReserveBytes = 4096;
  const std::uint64_t capacity =
      slot_bytes_ > 2 * kTableReserveBytes ? slot_bytes_ - kTableReserveBytes : kTableReserveBytes;
  const std::uint64_t rows_per_task =
      std::max<std::uint64_t>(1, TaskList::rows_that_fit(slice, capacity));
  if (slice.dimension > gpu::kMaxTaskValues) {
    return Status(ErrorKind::kLimitExceeded, "rows of more than 2^28 values are not decoded here");
  }
  gpu::RowsOfSlice some = rows;
  gpu::OutputPlace place = out;
  const std::size_t size = gpu::out_bytes(out.type);
  for (std::uint64_t done = 0; done < rows.rows.count; done += some.rows.count) {
    some.rows = {rows.rows.first + done, std::min(rows_per_task, rows.rows.count - done)};
    const std::uint64_t bytes = TaskList::max_buffer_bytes(slice, some.rows.count);
    if (is_open_ && !(fits(bytes) && slot().list.takes(slice))) NUMPACT_TRY(flush());
    if (!is_open_) NUMPACT_TRY(acquire(static_cast<std::size_t>(bytes + kTableReserveBytes)));
    place.data = out.data + done * out.stride * size;
    slot().list.add(some, place, slot().device.data(), used_, copies_);
    owners_.push_back(slice.owner);
  }
  return {};
}

Status Staging::reserve_host_rows(const HostRows& rows, std::byte*& at) {
  const std::uint64_t bytes = std::uint64_t{rows.rows} * rows.width;
  if (is_open_ && !fits(bytes)) NUMPACT_TRY(flush());
  if (!is_open_) NUMPACT_TRY(acquire(static_cast<std::size_t>(bytes) + 4 * kAlignment));
  used_ = aligned(used_);
  at = slot().pinned.data() + used_;
  host_rows_.push_back({rows, used_});
  slot().has_host_rows = true;
  used_ += bytes;
  return {};
}

Status Staging::add_resident(const gpu::RowsOfSlice& rows, const gpu::OutputPlace& out,
                             const std::byte* data) {
  if (rows.slice->dimension > gpu::kMaxTaskValues) {
    return Status(ErrorKind::kLimitExceeded, "rows of more than 2^28 values are not decoded here");
  }
  const std::uint64_t max_rows =
      gpu::kMaxTaskValues / std::max<std::uint64_t>(1, rows.slice->dimension);
  gpu::RowsOfSlice some = rows;
  gpu::OutputPlace place = out;
  for (std::uint64_t done = 0; done < rows.rows.count; done += some.rows.count) {
    some.rows = {rows.rows.first + done, std::min(max_rows, rows.rows.count - done)};
    if (is_open_ && !(fits(0) && slot().list.takes(*rows.slice))) NUMPACT_TRY(flush());
    if (!is_open_) NUMPACT_TRY(acquire(0));
    place.data = out.data + done * out.stride * gpu::out_bytes(out.type);
    slot().list.add_resident(some, place, data);
  }
  return {};
}

// ---- queueing ----

void Staging::fill_pinned(std::byte* pinned) const {
  std::vector<gpu::Copy> portions;
  for (gpu::Copy copy : copies_) {
    while (!copy.from.empty()) {
      const std::size_t n = std::min(copy.from.size(), kPortionBytes);
      portions.push_back({copy.from.first(n), copy.to});
      copy = {copy.from.subspan(n), copy.to + n};
    }
  }
  pool_->run(portions.size(), [&](std::size_t i) {
    const gpu::Copy& copy = portions[i];
    std::memcpy(pinned + copy.to, copy.from.data(), copy.from.size());
  });
}

// Queues the copy of a slot's bytes: from the start, or from the table on if the bytes of slices
// are copied from registered memory.
Status Staging::queue_bytes(Slot& slot, std::uint64_t table, std::uint64_t end) {
  std::uint64_t first = 0;
  if (source_ == Source::kRegistered || copies_.empty()) {
    first = table;
    for (const gpu::Copy& copy : copies_) {
      NUMPACT_TRY(status_of(cudaMemcpyAsync(slot.device.data() + copy.to, copy.from.data(),
                                            copy.from.size(), cudaMemcpyHostToDevice, copying_)));
    }
  } else {
    fill_pinned(slot.pinned.data());
  }
  return status_of(cudaMemcpyAsync(slot.device.data() + first, slot.pinned.data() + first,
                                   end - first, cudaMemcpyHostToDevice, copying_));
}

Status Staging::flush() {
  if (!is_open_) return {};
  is_open_ = false;
  const Status status = queue_slot(slot());
  if (!status.ok()) {
    slot().is_answered = false;
    // Work that was queued before the error still uses the buffers.
    (void)status_of(cudaStreamSynchronize(copying_));
    (void)status_of(cudaStreamSynchronize(stream_));
  }
  return status;
}

Status Staging::queue_slot(Slot& slot) {
  if (!slot.list.is_empty()) {
    const std::uint64_t table = aligned(used_);
    const std::uint64_t answer = table + slot.list.table_bytes();
    slot.list.write_table(slot.pinned.data() + table);
    std::memcpy(slot.pinned.data() + answer, &kNoneCorrupt, sizeof kNoneCorrupt);
    const std::uint64_t end = answer + sizeof kNoneCorrupt;
    NUMPACT_TRY(queue_bytes(slot, table, end));
    NUMPACT_TRY(slot.copied.record(copying_));
    NUMPACT_TRY(slot.copied.make_wait(stream_));
    auto* const corrupt = reinterpret_cast<std::uint32_t*>(slot.device.data() + answer);
    NUMPACT_TRY(decode_tasks(slot.list.table_at(slot.device.data() + table), slot.list.blocks(),
                             out_, corrupt, stream_));
    if (slot.list.may_be_corrupt()) {
      NUMPACT_TRY(status_of(cudaMemcpyAsync(slot.answer.data(), corrupt, sizeof *corrupt,
                                            cudaMemcpyDeviceToHost, stream_)));
      slot.is_answered = true;
    }
  }
  for (const QueuedRows& queued : host_rows_) {
    const HostRows& rows = queued.rows;
    NUMPACT_TRY(status_of(cudaMemcpy2DAsync(rows.out, rows.pitch, slot.pinned.data() + queued.at,
                                            rows.width, rows.width, rows.rows,
                                            cudaMemcpyHostToDevice, stream_)));
  }
  NUMPACT_TRY(slot.done.record(stream_));
  slot.is_queued = true;
  return {};
}

Status Staging::wait() {
  is_open_ = false;
  Status status;
  for (Slot& slot : slots_) {
    const Status finished = finish_slot(slot);
    if (status.ok()) status = finished;
  }
  if (status.ok()) status = std::exchange(first_, Status());
  return status;
}

}  // namespace numpact::cuda
