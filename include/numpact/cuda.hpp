// SPDX-License-Identifier: Apache-2.0
// Decodes Pco and CVC files on a GPU (docs/gpu.md): numpact::cuda, a separate library. CUDA errors
// become a Status: kUnavailable if there is no suitable device or driver, kOutOfMemory, or kDevice.
#pragma once

#include <memory>
#include <span>

#include "numpact/config.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/executor.hpp"
#include "numpact/random_access.hpp"

namespace numpact::cuda {

// A device, by CUDA's ordinal, and one of its streams (a cudaStream_t; null is the default stream).
// Calls that take a Queue return once the work is queued unless documented otherwise; memory passed
// to them must live until the work is done.
struct Queue {
  int device = 0;
  void* stream = nullptr;
};

// The number of devices. kUnavailable, with the reason, if there is no driver.
Result<int> device_count() noexcept;

// Owning device memory.
class DeviceBuffer {
 public:
  DeviceBuffer() noexcept = default;
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  // Aligned for any type, uninitialized. kOutOfMemory.
  static Result<DeviceBuffer> allocate(int device, std::size_t bytes) noexcept;

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  int device() const noexcept { return device_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  int device_ = 0;
};

// Registers host memory with the driver as long as it lives, so that devices copy from it without
// the processor (DMA). Memory that CUDA allocated for the host needs no registration.
class RegisteredMemory {
 public:
  RegisteredMemory() noexcept = default;
  ~RegisteredMemory();
  RegisteredMemory(RegisteredMemory&& other) noexcept;
  RegisteredMemory& operator=(RegisteredMemory&& other) noexcept;

  // Registers the pages of `bytes`, which become resident; that takes about as long as one copy of
  // them. kOutOfMemory, kUnavailable or kDevice if the driver refuses them.
  static Result<RegisteredMemory> take(std::span<const std::byte> bytes, int device = 0) noexcept;

 private:
  void* data_ = nullptr;
};

Status wait(const Queue& queue) noexcept;  // waits for all queued work

// Numbers in device memory, aligned to their size.
struct DeviceNumbers {
  NumberType type = NumberType::kU8;
  void* data = nullptr;
  std::uint64_t count = 0;
};

// One of the files of PcoDecoder::decompress_many.
struct PcoFile {
  std::span<const std::byte> bytes;
  const ChunkIndex* index = nullptr;  // of the file
  DeviceNumbers out;                  // for all numbers of the file
  Status status;                      // result
};

// Decodes files from host memory: parts are copied through the decoder's pinned memory while
// earlier parts are decoded and the next one is planned. Files in page-locked memory
// (RegisteredMemory, cudaMallocHost) the device copies from there, and it compares their checksums.
// Other checksums and copies use the threads or the executor of the config. Keeps its memory and
// threads between calls: up to 5 * `part_bytes` of pinned memory (256 MiB at most) and 10 *
// `part_bytes` on the device. One thread at a time.
class PcoDecoder {
 public:
  static constexpr std::uint64_t kDefaultPartBytes = std::uint64_t{1} << 24;

  // Bound to one device. `part_bytes`: of file and tables per part; more if a chunk needs more.
  explicit PcoDecoder(int device = 0, std::uint64_t part_bytes = kDefaultPartBytes) noexcept;

  // Decodes all numbers of a standalone file to out.data, in stream order, and waits for them;
  // returns their count. A trailer is used as config.trailer says; without one the file is walked
  // first, with the config's threads. Errors: as numpact::decompress_into (nothing is decoded after
  // kOutputTooSmall); kUnavailable, kDevice, kOutOfMemory (also on the device). After an error
  // `out` is unspecified. Progress is not reported.
  Result<std::uint64_t> decompress_into(std::span<const std::byte> file, const DeviceNumbers& out,
                                        void* stream = nullptr,
                                        const DecodeConfig& config = {}) noexcept;
  // The same with an index built before.
  Status decompress_into(std::span<const std::byte> file, const ChunkIndex& index,
                         const DeviceNumbers& out, void* stream = nullptr,
                         const DecodeConfig& config = {}) noexcept;
  // The same for several files, e.g. the columns of a table: parts of different files overlap, so
  // short files keep the device busy. A file with an error does not stop the others; each gets its
  // status. Returns the first error in the order of the files. Limits are those of one file.
  Status decompress_many(std::span<PcoFile> files, void* stream = nullptr,
                         const DecodeConfig& config = {}) noexcept;

 private:
  struct Impl;
  detail::Owned<Impl> impl_;
};

// A file whose bytes and tables are in device memory, for repeated decoding. May be destroyed while
// a decode is queued: its memory is freed afterwards.
class LoadedPco {
 public:
  LoadedPco() noexcept;

  // Copies all that decoding needs and waits; `file` may then be freed. Errors: as PcoDecoder.
  static Result<LoadedPco> load(std::span<const std::byte> file, const ChunkIndex& index,
                                int device, const DecodeConfig& config = {}) noexcept;

  NumberType type() const noexcept;
  std::uint64_t count() const noexcept;
  std::uint64_t device_bytes() const noexcept;  // device memory in use
  // The number of independent tasks: pages, and segments of pages between restart points.
  std::uint64_t tasks() const noexcept;

  // Queues the decoding of all numbers; `out` must hold count() numbers of type(). Not while a
  // decode of this object is queued on another stream.
  Status decode(const DeviceNumbers& out, void* stream = nullptr) noexcept;
  // Waits for queued work and returns the result of the last decode: kCorrupt or kTruncated if its
  // numbers are invalid.
  Status wait(void* stream = nullptr) noexcept;

 private:
  struct Impl;
  detail::Owned<Impl> impl_;
};

// Rows in device memory owned by the caller: row r starts r * stride values after `data`. Aligned
// for the type; fastest if data is a multiple of 16 bytes and rows have no gaps or strides are
// multiples of 8 values. float32, float16 and bfloat16 can be read from every column except
// integers stored uncompressed or as pco, which are read in their own type.
struct DeviceRows {
  cvc::Dtype type = cvc::Dtype::kFloat32;
  void* data = nullptr;
  std::uint64_t count = 0;      // rows
  std::uint64_t dimension = 0;  // values per row, as in the column
  std::uint64_t stride = 0;     // values from row to row; 0: no gaps
};

// How stored bytes are transferred to the device.
enum class Transfer : std::uint8_t {
  // Through the decoder's pinned buffers: one is filled while the other is copied.
  kPinned,
  // Directly from the reader's memory: the pages of the range are registered with the driver during
  // the call, so they must be resident, as pages of a mapped file become. kUnavailable or kDevice
  // if the driver refuses them. Bytes fetched from a RangeSource use kPinned.
  kMapped,
};

struct CvcConfig {
  Transfer transfer = Transfer::kPinned;
  // As in cvc::ReadConfig: chunks read whole, with all columns, are checked against their checksum;
  // chunks read in part only with `verify`. The CPU computes checksums.
  bool verify = false;
  unsigned threads = 1;  // for checksums and for filling buffers; as in DecodeConfig
  Executor* executor = nullptr;
};

// Rows of a slice, and the output row where the first one goes.
struct SliceRows {
  const cvc::StoredSlice* slice = nullptr;
  cvc::RowRange rows;  // of the slice
  std::uint64_t out_row = 0;
};

// The same for a slice whose bytes are in device memory.
struct ResidentRows {
  const cvc::StoredSlice* slice = nullptr;  // of its `bytes` only the size is used
  // The slice's bytes in device memory; read fastest at multiples of 16. For lossless slices up to
  // 7 bytes after and 3 bytes before them are read too.
  const void* bytes = nullptr;
  cvc::RowRange rows;
  std::uint64_t out_row = 0;
};

// Owns two pinned buffers and device memory, allocated at the first call and kept. Bound to one
// device; one thread at a time. The destructor waits for queued work. Errors: those of cvc::Reader
// with their chunk (for slices: the index of the slice in the call); kUnavailable, kOutOfMemory,
// kDevice; kInvalidArgument for outputs of the wrong shape. The output is then unspecified.
class CvcDecoder {
 public:
  // `buffer_bytes`: of each buffer, on the host and on the device; more if a row needs more.
  explicit CvcDecoder(int device = 0, std::size_t buffer_bytes = std::size_t{32} << 20);
  ~CvcDecoder();
  CvcDecoder(CvcDecoder&&) noexcept;
  CvcDecoder& operator=(CvcDecoder&&) noexcept;

  // Reads the rows of the ranges in order, as Reader::read with kRaise, and waits for them. The
  // queue belongs to the decoder's device; the output is written after the work already queued
  // there. Uncompressed integers are copied; the CPU decodes rot1 to rot4 of dimensions over 8,192.
  Status read(const cvc::Reader& reader, std::span<const cvc::RowRange> ranges, std::size_t column,
              const DeviceRows& out, const Queue& queue, const CvcConfig& config = {}) noexcept;

  // Decodes rows of slices in host memory, of any compression, and waits for them. Only the threads
  // of the config apply.
  Status decode(std::span<const SliceRows> slices, const DeviceRows& out, const Queue& queue,
                const CvcConfig& config = {}) noexcept;

  // The same for slices in device memory, in one launch; returns once it is queued. Lossless codes
  // without an entry are reported by finish. kInvalidArgument: pco, uncompressed integers, and rot1
  // to rot4 of dimensions over 8,192.
  Status decode_resident(std::span<const ResidentRows> slices, const DeviceRows& out,
                         const Queue& queue) noexcept;
  // Waits for queued work. kCorrupt with the index of a slice passed to decode_resident.
  Status finish() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact::cuda
