// SPDX-License-Identifier: Apache-2.0
// General-purpose compressors that numpact bench compares with, applied to the bytes of the
// numbers. A compressor whose library was missing at build time is left out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace numpact::cli {

class ByteCodec {
 public:
  virtual ~ByteCodec() = default;

  virtual const char* title() const = 0;  // for reports
  virtual const char* key() const = 0;    // for JSON
  // False for a codec that only copies. compress() is then not called, and decompress() gets the
  // raw bytes.
  virtual bool compresses() const { return true; }
  // Maximum compressed size of `size` bytes; 0 if that is too much for one call.
  virtual std::size_t bound(std::size_t size) const = 0;
  // Both return the number of bytes written, and throw Failure.
  virtual std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> packed) = 0;
  virtual std::size_t decompress(std::span<const std::byte> packed, std::span<std::byte> raw) = 0;
};

// Returns zstd at level 3, LZ4, and memcpy.
std::vector<std::unique_ptr<ByteCodec>> byte_codecs();

}  // namespace numpact::cli
