// SPDX-License-Identifier: Apache-2.0
// Rows after compression and decompression.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "numpact/cvc/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc::quality {

// A compression that cannot take the values, and why.
class Unfit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The measurement is impossible.
class Failed : public std::runtime_error {
 public:
  // `place`: the vectors or the compression that the message is about.
  Failed(ErrorKind kind, std::string place, const std::string& message)
      : std::runtime_error(message), kind_(kind), place_(std::move(place)) {}

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& place() const noexcept { return place_; }

 private:
  ErrorKind kind_;
  std::string place_;
};

// Decodes the same rows as the original, chunk by chunk.
class Decoded {
 public:
  virtual ~Decoded() = default;
  // Starts the next chunk with rows of the original, contiguous. Throws Failed or Unfit.
  virtual void begin(const Rows& chunk) = 0;
  // Decodes rows of the chunk, counted from its first.
  virtual void read(const RowRange& rows, std::span<float> out) = 0;
  // To be called after the last chunk. Returns the size of the file in bytes.
  virtual std::uint64_t finish() = 0;
};

// Packs each chunk as a file of one array in memory, one at a time. The total size equals that of
// one file with all chunks. Throws Unfit if there are no such files.
std::unique_ptr<Decoded> pack_in_memory(Compression compression, std::uint64_t dimension,
                                        Rounding rounding = Rounding::kAutomatic);

}  // namespace numpact::cvc::quality
