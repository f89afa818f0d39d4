// SPDX-License-Identifier: Apache-2.0
// Rows of CVC files into the memory of a GPU: their stored bytes are copied there and decoded by
// it. What comes out is bit for bit what cvc::Reader gives on the same machine.
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

// Rows in the memory of a device, which the caller owns: row r starts r * stride values after
// `data`. Aligned for the type; rows are decoded fastest where data is a multiple of 16 bytes and
// there are no gaps, or strides are multiples of 8 values. float32, float16 and bfloat16 can be had
// of all but integers that are stored as they are, which come in their own type.
struct DeviceRows {
  cvc::Dtype type = cvc::Dtype::kFloat32;
  void* data = nullptr;
  std::uint64_t count = 0;      // rows
  std::uint64_t dimension = 0;  // values in each: those of the column
  std::uint64_t stride = 0;     // values from row to row; 0: no gaps
};

// How stored bytes get to the device.
enum class Transfer : std::uint8_t {
  // Through buffers of the decoder's: while one is copied to the device the next one is filled.
  kPinned,
  // Straight from where the reader has them: the pages between the first byte and the last are
  // registered with the driver for the time of the call, so they must be in memory, as those of a
  // mapped file come to be. kUnavailable or kDevice where the driver does not take them. Bytes
  // that a RangeSource fetches go the other way all the same.
  kMapped,
};

struct CvcConfig {
  Transfer transfer = Transfer::kPinned;
  // As in cvc::ReadConfig: a chunk that is read whole, all columns of it, is checked against its
  // checksum; one of which a part is read only with `verify`. Checksums are the CPU's work.
  bool verify = false;
  // Who compares checksums and fills buffers, as in DecodeConfig.
  unsigned threads = 1;
  Executor* executor = nullptr;
};

// Rows of a slice, and the row of the output that the first one goes to.
struct SliceRows {
  const cvc::StoredSlice* slice = nullptr;
  cvc::RowRange rows;  // of the slice
  std::uint64_t out_row = 0;
};

// The same of a slice whose bytes are on the device.
struct ResidentRows {
  const cvc::StoredSlice* slice = nullptr;  // its `bytes` are not looked at but for their size
  // As long as those; multiples of 16 are read fastest. Of lossless slices up to 7 bytes behind
  // them are read, too, and up to 3 before.
  const void* bytes = nullptr;
  cvc::RowRange rows;
  std::uint64_t out_row = 0;
};

// Owns what decoding needs besides: two pinned buffers and memory of the device, taken at the first
// call and kept. For one device; not for two threads at once. What it has queued must be done
// before it is destroyed: the destructor waits for it.
//
// Errors are those of cvc::Reader, with their chunks (of slices: the index of the slice in the
// call), and those of the device: kUnavailable, kOutOfMemory, kDevice. kInvalidArgument for outputs
// that do not fit. What the output holds after an error is unspecified.
class CvcDecoder {
 public:
  // `buffer_bytes`: of each of the two buffers, here and on the device. They grow where a row takes
  // more.
  explicit CvcDecoder(int device = 0, std::size_t buffer_bytes = std::size_t{32} << 20);
  ~CvcDecoder();
  CvcDecoder(CvcDecoder&&) noexcept;
  CvcDecoder& operator=(CvcDecoder&&) noexcept;

  // Rows of the ranges, one after the other, as Reader::try_read does it with kRaise. Returns when
  // they are there. The queue is one of the decoder's device; the output is not written to before
  // what is queued there. Chunks of pco and integers that are stored as they are, are decoded by
  // the CPU and copied.
  Status try_read(const cvc::Reader& reader, std::span<const cvc::RowRange> ranges,
                  std::size_t column, const DeviceRows& out, const Queue& queue,
                  const CvcConfig& config = {}) noexcept;

  // Rows of slices that are at hand, of all compressions; of the config only the threads count.
  // Returns when they are there.
  Status try_decode(std::span<const SliceRows> slices, const DeviceRows& out, const Queue& queue,
                    const CvcConfig& config = {}) noexcept;

  // The same of slices whose bytes are on the device: one launch for all. Returns once it is
  // queued. Codes past their dictionaries, which lossless slices can have, try_finish tells of.
  // pco, and integers that are stored as they are: kInvalidArgument.
  Status try_decode_resident(std::span<const ResidentRows> slices, const DeviceRows& out,
                             const Queue& queue) noexcept;
  // Waits for all that was queued. kCorrupt with the index of a slice of try_decode_resident.
  Status try_finish() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact::cuda

#endif
