// SPDX-License-Identifier: Apache-2.0
// CVC files of every compression and odd shapes, and what the CPU reads of them.
#ifndef NUMPACT_TESTS_GPU_CVC_CASES_HPP
#define NUMPACT_TESTS_GPU_CVC_CASES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "numpact/cvc.hpp"
#include "support/bytes.hpp"

namespace numpact::testing {

// What columns are stored as.
struct Stored {
  cvc::Compression compression = cvc::Compression::kFp16;
  cvc::Dtype dtype = cvc::Dtype::kFloat32;  // kNone: of the column
};
inline constexpr Stored kStored[] = {{cvc::Compression::kFp16},
                                     {cvc::Compression::kBFloat16},
                                     {cvc::Compression::kInt8},
                                     {cvc::Compression::kInt8Row},
                                     {cvc::Compression::kInt8Dim},
                                     {cvc::Compression::kInt4},
                                     {cvc::Compression::kLossless},
                                     {cvc::Compression::kNone},
                                     {cvc::Compression::kNone, cvc::Dtype::kFloat16}};
std::string name_of(const Stored& stored);

inline constexpr cvc::Dtype kOutputs[] = {cvc::Dtype::kFloat32, cvc::Dtype::kFloat16,
                                          cvc::Dtype::kBFloat16};

// Random bits where those are kept, NaNs of every kind among them; else numbers of many sizes.
Bytes some_cvc_file(const Stored& stored, std::uint64_t rows, std::uint64_t dimension,
                    std::uint64_t chunk_rows);

// One chunk of int8 with all codes. JSON has no infinity of its own: any min and scale do.
Bytes cvc_file_of_codes(double min, double scale);

// One chunk of lossless values, the last of which has a code past its dictionary.
Bytes cvc_file_past_dictionary();

// Rows in memory, each byte 0xa5 before anything is written; `lead` values lie before them.
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

// All values, and everything between and around them.
bool same_rows(PoisonedRows& a, PoisonedRows& b);

}  // namespace numpact::testing

#endif
