// SPDX-License-Identifier: Apache-2.0
// How many bytes the batches of an Arrow IPC file take once they are decoded, from their messages.
#pragma once

#include <arrow/io/interfaces.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace numpact::cli {

// Reads the messages of an untrusted file, but of their buffers no more than the first 8 bytes of
// each: with compression they hold the length of the buffer that Arrow allocates. Uncompressed
// buffers count, too. Sums that exceed 64 bits are their maximum.
class IpcSizes {
 public:
  // Throws a Failure that names `place` if the footer cannot be read.
  IpcSizes(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string place);

  // Of all dictionaries together.
  std::uint64_t dictionaries() const;
  // Of the values of a batch, without dictionaries.
  std::uint64_t batch(std::size_t index) const;

 private:
  struct Block {
    std::uint64_t offset;
    std::uint64_t metadata_bytes;
  };

  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t bytes) const;
  std::uint64_t block_bytes(const Block& block) const;
  [[noreturn]] void refuse() const;

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string place_;
  std::uint64_t file_bytes_ = 0;
  std::vector<Block> dictionaries_;
  std::vector<Block> batches_;
};

}  // namespace numpact::cli
