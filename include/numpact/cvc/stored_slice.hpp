// SPDX-License-Identifier: Apache-2.0
// The stored bytes of a column in a chunk, for decoders outside the library, such as a GPU.
#ifndef NUMPACT_CVC_STORED_SLICE_HPP
#define NUMPACT_CVC_STORED_SLICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "numpact/cvc/types.hpp"

namespace numpact::cvc {

// lossless: location and coding of one byte plane.
struct StoredPlane {
  std::uint64_t offset = 0;                    // of its packed codes in StoredSlice::bytes
  std::uint64_t size = 0;                      // in bytes
  unsigned width = 8;                          // bits per code, most significant first
  unsigned entries = 0;                        // of the dictionary; codes >= entries are corrupt
  bool is_plain = false;                       // codes are the bytes themselves
  std::array<std::uint8_t, 256> dictionary{};  // zero after its entries

  // Whether the width allows codes without an entry, which are not checked before decoding.
  bool may_be_corrupt() const noexcept { return entries < (1u << width); }
};

// Validated as for decoding, except for the codes of lossless planes and the pages of pco.
struct StoredSlice {
  Compression compression = Compression::kFp16;
  Dtype dtype = Dtype::kFloat32;     // of the column
  std::span<const std::byte> bytes;  // layout: docs/format/cvc.md
  // Keeps mapped or fetched bytes alive. Bytes that the caller gave to the reader must outlive the
  // slice.
  std::shared_ptr<const void> owner;
  std::uint64_t offset = 0;     // of the bytes in the file
  std::uint64_t first_row = 0;  // of the file
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  float min = 0;  // int8
  float scale = 0;
  std::array<StoredPlane, 4> planes;  // lossless; 0 is the least significant
};

}  // namespace numpact::cvc

#endif
