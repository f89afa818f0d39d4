// SPDX-License-Identifier: Apache-2.0
// Decodes Pco files on a GPU (docs/gpu.md). Parallelism comes from restart points
// (TrailerSpec::restarts) or from small chunks and pages.
//
// The host reads and checks all metadata. The device checks codes and offsets, so that no input can
// cause an out-of-bounds access.
#ifndef NUMPACT_CUDA_PCO_HPP
#define NUMPACT_CUDA_PCO_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "numpact/config.hpp"
#include "numpact/cuda/device.hpp"
#include "numpact/error.hpp"
#include "numpact/random_access.hpp"
#include "numpact/types.hpp"

namespace numpact::cuda {

// Numbers in device memory, aligned to their size.
struct DeviceNumbers {
  NumberType type = NumberType::kU8;
  void* data = nullptr;
  std::uint64_t count = 0;
};

// Decodes files from host memory: parts are copied through the decoder's pinned memory while
// earlier parts are decoded. Keeps its memory between calls: about four times `part_bytes`, half of
// it on the device. One thread at a time.
class PcoDecoder {
 public:
  static constexpr std::uint64_t kDefaultPartBytes = std::uint64_t{1} << 26;

  // Bound to one device. `part_bytes`: bytes of file and tables per part; larger if a
  // chunk needs more.
  explicit PcoDecoder(int device = 0, std::uint64_t part_bytes = kDefaultPartBytes) noexcept;
  ~PcoDecoder();
  PcoDecoder(PcoDecoder&&) noexcept;
  PcoDecoder& operator=(PcoDecoder&&) noexcept;

  // Decodes all numbers of a standalone file to out.data, in stream order, and waits for them;
  // returns their count. A trailer is used as config.trailer says, and the host compares its
  // checksums; without one the file is walked first, with the config's threads. Errors: as
  // numpact::decompress_into, including kOutputTooSmall if out.count is less than the file
  // holds (nothing is decoded then); kUnavailable, kDevice, kOutOfMemory (also on the device).
  // After an error `out` is unspecified. Progress is not reported.
  Result<std::uint64_t> decompress_into(std::span<const std::byte> file, const DeviceNumbers& out,
                                        void* stream = nullptr,
                                        const DecodeConfig& config = {}) noexcept;
  // The same with an index built before.
  Status decompress_into(std::span<const std::byte> file, const ChunkIndex& index,
                         const DeviceNumbers& out, void* stream = nullptr,
                         const DecodeConfig& config = {}) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A file whose bytes and tables are in device memory, for repeated decoding. May be destroyed while
// a decode is queued: its memory is freed afterwards.
class LoadedPco {
 public:
  LoadedPco() noexcept;
  ~LoadedPco();
  LoadedPco(LoadedPco&&) noexcept;
  LoadedPco& operator=(LoadedPco&&) noexcept;

  // Copies all that decoding needs and waits; `file` may then be freed. Errors: as PcoDecoder.
  static Result<LoadedPco> load(std::span<const std::byte> file, const ChunkIndex& index,
                                int device, const DecodeConfig& config = {}) noexcept;

  NumberType type() const noexcept;
  std::uint64_t count() const noexcept;
  // Device memory in use.
  std::uint64_t device_bytes() const noexcept;
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
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact::cuda

#endif
