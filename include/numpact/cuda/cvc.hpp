// SPDX-License-Identifier: Apache-2.0
// Decodes rows of CVC files into GPU memory: stored bytes are copied to the device and decoded
// there. Results are bit-identical to cvc::Reader on the same machine.
#ifndef NUMPACT_CUDA_CVC_HPP
#define NUMPACT_CUDA_CVC_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "numpact/cuda/device.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/stored_slice.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"
#include "numpact/executor.hpp"

namespace numpact::cuda {

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
  // Used for checksums and for filling buffers; as in DecodeConfig.
  unsigned threads = 1;
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
// device; one thread at a time. The destructor waits for queued work.
//
// Errors: those of cvc::Reader with their chunk (for slices: the index of the slice in the call);
// kUnavailable, kOutOfMemory, kDevice; kInvalidArgument for outputs of the wrong shape. After an
// error the output is unspecified.
class CvcDecoder {
 public:
  // `buffer_bytes`: size of each of the two buffers, on the host and on the device. They grow if a
  // row needs more.
  explicit CvcDecoder(int device = 0, std::size_t buffer_bytes = std::size_t{32} << 20);
  ~CvcDecoder();
  CvcDecoder(CvcDecoder&&) noexcept;
  CvcDecoder& operator=(CvcDecoder&&) noexcept;

  // Reads the rows of the ranges in order, as Reader::read with kRaise, and waits for them. The
  // queue belongs to the decoder's device; the output is written after the work already queued
  // there. The CPU decodes pco chunks and uncompressed integers, which are then copied.
  Status read(const cvc::Reader& reader, std::span<const cvc::RowRange> ranges, std::size_t column,
              const DeviceRows& out, const Queue& queue, const CvcConfig& config = {}) noexcept;

  // Decodes rows of slices in host memory, of any compression, and waits for them. Only the threads
  // of the config apply.
  Status decode(std::span<const SliceRows> slices, const DeviceRows& out, const Queue& queue,
                const CvcConfig& config = {}) noexcept;

  // The same for slices in device memory, in one launch; returns once it is queued. Lossless codes
  // out of their dictionary are reported by finish. kInvalidArgument: pco and uncompressed
  // integers.
  Status decode_resident(std::span<const ResidentRows> slices, const DeviceRows& out,
                         const Queue& queue) noexcept;
  // Waits for queued work. kCorrupt with the index of a slice passed to decode_resident.
  Status finish() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact::cuda

#endif
