// SPDX-License-Identifier: Apache-2.0
// Rows after compression and decompression: packed here, or read from an existing file.
#pragma once

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

// A compression that cannot take the values, and why.
class Unfit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Decodes the same rows as the original, chunk by chunk.
class Decoded {
 public:
  virtual ~Decoded() = default;
  // Starts the next chunk with rows of the original, contiguous. Throws Failure or Unfit.
  virtual void begin(const cvc::Rows& chunk) = 0;
  // Decodes rows of the chunk, counted from its first.
  virtual void read(const cvc::RowRange& rows, std::span<float> out) = 0;
  // To be called after the last chunk. Returns the size of the file in bytes.
  virtual std::uint64_t finish() = 0;
};

// The type a column is read as: its own type if it holds uncompressed integers, else float32.
cvc::Dtype dtype_read_from(const cvc::Info& info, std::size_t column);

// The index of a column: the only one, or the one with this name or index. Fails with a list of the
// names.
std::size_t column_of(const cvc::Info& info, const std::string& place,
                      const std::optional<std::string>& requested);

// Packs each chunk as a file of one array in memory, one at a time. The total size equals that of
// one file with all chunks. Throws Unfit if there are no such files.
std::unique_ptr<Decoded> pack_in_memory(cvc::Compression compression, std::uint64_t dimension,
                                        cvc::Rounding rounding = cvc::Rounding::kForSearch);

// Reads an array of `dimension`, else fails. finish() fails if the file has other rows.
struct PackedFile {
  std::unique_ptr<Decoded> decoded;
  std::string compression;  // as "int8", or "fp16+int8" if chunks differ
};
PackedFile open_packed(const std::string& path, const std::optional<std::string>& column,
                       std::uint64_t dimension);

}  // namespace numpact::cli
