// SPDX-License-Identifier: Apache-2.0
// General compressors that numpact bench puts beside numpact, on the bytes of the numbers. Those
// whose library was not there when the program was built are left out.
#ifndef NUMPACT_CLI_BYTE_CODECS_HPP
#define NUMPACT_CLI_BYTE_CODECS_HPP

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace numpact::cli {

class ByteCodec {
 public:
  virtual ~ByteCodec() = default;

  virtual const char* title() const = 0;  // for people
  virtual const char* key() const = 0;    // for programs
  // False: copying only. There is no compress then, and `packed` of decompress is the raw bytes.
  virtual bool compresses() const { return true; }
  // The most bytes that compressing `size` can take; 0 where it is too much at once.
  virtual std::size_t bound(std::size_t size) const = 0;
  // Both give the bytes written, and throw Failure.
  virtual std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> packed) = 0;
  virtual std::size_t decompress(std::span<const std::byte> packed, std::span<std::byte> raw) = 0;
};

// zstd at level 3, LZ4, and memcpy.
std::vector<std::unique_ptr<ByteCodec>> byte_codecs();

}  // namespace numpact::cli

#endif
