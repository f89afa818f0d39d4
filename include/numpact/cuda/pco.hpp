// SPDX-License-Identifier: Apache-2.0
// Pco files decoded on a GPU. docs/gpu.md says how, and what makes it fast: restart points
// (TrailerSpec::restarts), or chunks and pages of few numbers.
//
// The host reads and checks all metadata. What codes and offsets hold is checked on the device, so
// that no bytes can make it read or write elsewhere.
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

// Numbers in the memory of a device, aligned to their size.
struct DeviceNumbers {
  NumberType type = NumberType::kU8;
  void* data = nullptr;
  std::uint64_t count = 0;
};

// Decodes files from the host's memory: bytes are copied in parts, through pinned memory of its
// own, while the parts before are decoded. Keeps its memory from call to call: about four times
// `part_bytes`, half of it on the device. Not for two threads at once.
class PcoDecoder {
 public:
  static constexpr std::uint64_t kDefaultPartBytes = std::uint64_t{1} << 26;

  // For one device. Parts are of so many bytes of files and tables, or a chunk where that takes
  // more.
  explicit PcoDecoder(int device = 0, std::uint64_t part_bytes = kDefaultPartBytes) noexcept;
  ~PcoDecoder();
  PcoDecoder(PcoDecoder&&) noexcept;
  PcoDecoder& operator=(PcoDecoder&&) noexcept;

  // Decodes all numbers of a standalone file to out.data, in the order of the stream, and waits for
  // them. A trailer is used as config.trailer says, its checksums are compared on the host;
  // without one the file is walked first (threads of the config share that). `count` becomes how
  // many numbers there are. Errors: as numpact::try_decompress_into, kOutputTooSmall where
  // out.count is less than the file holds (nothing is decoded then); kUnavailable, kDevice,
  // kOutOfMemory (of the device, too). What `out` holds after an error is unspecified. Progress is
  // not reported.
  Status try_decompress_into(std::span<const std::byte> file, const DeviceNumbers& out,
                             std::uint64_t& count, void* stream = nullptr,
                             const DecodeConfig& config = {}) noexcept;
  // The same with an index that was built before.
  Status try_decompress_into(std::span<const std::byte> file, const ChunkIndex& index,
                             const DeviceNumbers& out, void* stream = nullptr,
                             const DecodeConfig& config = {}) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A file whose bytes and tables are on a device, to be decoded there any number of times. May be
// destroyed while a decoding is queued: its memory is given back after that.
class LoadedPco {
 public:
  LoadedPco() noexcept;
  ~LoadedPco();
  LoadedPco(LoadedPco&&) noexcept;
  LoadedPco& operator=(LoadedPco&&) noexcept;

  // Copies all that decoding needs, and waits for it. The bytes are then needed no more. Errors as
  // for a PcoDecoder.
  static Status try_load(std::span<const std::byte> file, const ChunkIndex& index, int device,
                         LoadedPco& loaded, const DecodeConfig& config = {}) noexcept;

  NumberType type() const noexcept;
  std::uint64_t count() const noexcept;
  // Memory of the device that this takes.
  std::uint64_t device_bytes() const noexcept;
  // Independent tasks that decoding is: pages, and parts of them between restart points.
  std::uint64_t tasks() const noexcept;

  // Queues the decoding of all numbers; `out` must have room for count() of type(). Not while
  // another decoding of the same object is queued on another stream.
  Status try_decode(const DeviceNumbers& out, void* stream = nullptr) noexcept;
  // Waits for what was queued, and says what the last decoding found: kCorrupt or kTruncated where
  // the numbers are not to be trusted.
  Status try_wait(void* stream = nullptr) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact::cuda

#endif
