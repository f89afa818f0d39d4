// SPDX-License-Identifier: Apache-2.0
// The bytes of a chunk's column as they are stored, for decoders that run elsewhere: on a GPU, say.
#ifndef NUMPACT_CVC_STORED_SLICE_HPP
#define NUMPACT_CVC_STORED_SLICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "numpact/cvc/types.hpp"

namespace numpact::cvc {

// lossless: where a byte plane is, and what its codes mean.
struct StoredPlane {
  std::uint64_t offset = 0;                    // of its packed codes in StoredSlice::bytes
  std::uint64_t size = 0;                      // bytes of them
  unsigned width = 8;                          // bits of a code, most significant bit first
  unsigned entries = 0;                        // of the dictionary; codes from here on are corrupt
  bool is_plain = false;                       // codes are the bytes themselves
  std::array<std::uint8_t, 256> dictionary{};  // zeros behind its entries

  // Whether codes can be written that have no entry: they are not looked at before decoding.
  bool may_be_corrupt() const noexcept { return entries < (1u << width); }
};

// Checked as decoding checks it, but for the codes of lossless planes and the pages of pco.
struct StoredSlice {
  Compression compression = Compression::kFp16;
  Dtype dtype = Dtype::kFloat32;     // of the column
  std::span<const std::byte> bytes;  // docs/format/cvc.md has their layout
  // Keeps the bytes alive, which may be those of a mapped file or fetched ones. Where a reader was
  // given its bytes they must outlive the slice all the same.
  std::shared_ptr<const void> owner;
  std::uint64_t offset = 0;     // of the bytes in the file
  std::uint64_t first_row = 0;  // of the file
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  float min = 0;  // int8
  float scale = 0;
  std::array<StoredPlane, 4> planes;  // lossless; 0 the least significant
};

}  // namespace numpact::cvc

#endif
