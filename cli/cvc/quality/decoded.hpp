// SPDX-License-Identifier: Apache-2.0
// Rows after a compression: packed here, or in a file of before.
#ifndef NUMPACT_CLI_CVC_QUALITY_DECODED_HPP
#define NUMPACT_CLI_CVC_QUALITY_DECODED_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/writer.hpp"

namespace numpact::cli {

// A compression that does not take the values, and why.
class Unfit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Follows the original rows, chunk by chunk.
class Decoded {
 public:
  virtual ~Decoded() = default;
  // The next rows of the original, without gaps. Throws Failure or Unfit.
  virtual void begin(const cvc::Rows& chunk) = 0;
  // Rows of the chunk, counted from its first.
  virtual void read(const cvc::RowRange& rows, std::span<float> out) = 0;
  // After the last chunk: bytes of the file.
  virtual std::uint64_t finish() = 0;
};

// What a column is read as: its own type if it is one of integers that are kept as they are, else
// float32.
cvc::Dtype dtype_read_from(const cvc::Info& info, std::size_t column);

// The column of a file: the only one, or of this name or index. Fails with the names there are.
std::size_t column_of(const cvc::Info& info, const std::string& place,
                      const std::optional<std::string>& wanted);

// Packs each chunk as a file of one array, in memory, one at a time. Its bytes are those of the
// file of all chunks. Throws Unfit if there are no such files.
std::unique_ptr<Decoded> pack_in_memory(cvc::Compression compression, std::uint64_t dimension,
                                        cvc::Rounding rounding = cvc::Rounding::kForSearch);

// Of an array of `dimension`, else it fails. finish() fails if the file has other rows than came.
struct PackedFile {
  std::unique_ptr<Decoded> decoded;
  std::string compression;  // as "int8", or "fp16+int8" where chunks differ
};
PackedFile open_packed(const std::string& path, const std::optional<std::string>& column,
                       std::uint64_t dimension);

}  // namespace numpact::cli

#endif
