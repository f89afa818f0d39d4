// SPDX-License-Identifier: Apache-2.0
// CVC files of every compression and unusual shapes, and the values that the CPU reads from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numpact/cvc.hpp"
#include "support/bytes.hpp"

namespace numpact::testing {

// How a column is stored.
struct Stored {
  cvc::Compression compression = cvc::Compression::kFp16;
  cvc::Dtype dtype = cvc::Dtype::kFloat32;  // type of the column, for kNone
};
inline constexpr Stored kStored[] = {{cvc::Compression::kFp16},
                                     {cvc::Compression::kBFloat16},
                                     {cvc::Compression::kInt8},
                                     {cvc::Compression::kInt8Row},
                                     {cvc::Compression::kInt8Dim},
                                     {cvc::Compression::kInt4},
                                     {cvc::Compression::kLossless},
                                     {cvc::Compression::kRot1},
                                     {cvc::Compression::kRot2},
                                     {cvc::Compression::kRot3},
                                     {cvc::Compression::kRot4},
                                     {cvc::Compression::kNone},
                                     {cvc::Compression::kNone, cvc::Dtype::kFloat16}};
std::string name_of(const Stored& stored);
bool is_rotated(const Stored& stored);

inline constexpr cvc::Dtype kOutputs[] = {cvc::Dtype::kFloat32, cvc::Dtype::kFloat16,
                                          cvc::Dtype::kBFloat16};

// A file of random values: random bits, including all kinds of NaNs, if the compression keeps bits;
// otherwise numbers of many magnitudes.
Bytes some_cvc_file(const Stored& stored, std::uint64_t rows, std::uint64_t dimension,
                    std::uint64_t chunk_rows);

// A file with one chunk of int8 that has all codes, with any min and scale.
Bytes cvc_file_of_codes(double min, double scale);

// A file with one chunk of 40 rows of rot1 to rot4 with random codes, and scales and means of all
// kinds: tiny, huge, infinite, NaN.
Bytes cvc_file_of_odd_rotations(cvc::Compression compression, std::uint64_t dimension);

// A file with one chunk of lossless values, the last of which has a code past its dictionary.
Bytes cvc_file_past_dictionary();

// An output buffer for rows, filled with 0xa5; `lead` values precede the rows.
struct PoisonedRows {
  PoisonedRows(cvc::Dtype type, std::uint64_t count, std::uint64_t dimension, std::uint64_t stride,
               std::uint64_t lead);
  cvc::MutableRows rows() { return {dtype, data(), count, dimension, stride * size}; }
  std::byte* data() { return bytes.data() + 16 - bytes_to_16() + lead * size; }

  cvc::Dtype dtype;
  std::size_t size;
  std::uint64_t count;
  std::uint64_t dimension;
  std::uint64_t stride;  // values
  std::uint64_t lead;
  Bytes bytes;

 private:
  std::size_t bytes_to_16() const { return reinterpret_cast<std::uintptr_t>(bytes.data()) % 16; }
};

// Compares all values and all bytes between and around them.
bool same_rows(PoisonedRows& a, PoisonedRows& b);

}  // namespace numpact::testing
