// SPDX-License-Identifier: Apache-2.0
// The table of compressions, and functions that work with all of them.
#pragma once

#include "base/internal.hpp"
#include "cvc/compression/codec.hpp"

namespace numpact::cvc::internal {

const Codec& codec_of(Compression compression);

// That of a column which is given none.
inline Compression default_compression(Dtype dtype) {
  const bool is_float =
      dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kFloat64;
  return is_float ? Compression::kFp16 : Compression::kNone;
}

// Whether values of a slice can be decoded as the type `out`.
bool can_decode(Compression compression, Dtype dtype, Dtype out);

inline Status prepare(const Encoded& encoded, Prepared& prepared) {
  return codec_of(encoded.compression).prepare(encoded, prepared);
}

// Decodes values [first, first + n) as a type that can_decode allows.
Status decode_values(const Prepared& prepared, std::uint64_t first, std::uint64_t n, Dtype out,
                     void* data);

}  // namespace numpact::cvc::internal
