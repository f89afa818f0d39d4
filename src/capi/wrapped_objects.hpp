// SPDX-License-Identifier: Apache-2.0
// The objects of the wrapped format that several files of this folder use.
#pragma once

#include "numpact/numpact.h"
#include "numpact/wrapped.hpp"

struct numpact_chunk_encoder {
  numpact::wrapped::ChunkEncoder encoder;
};

struct numpact_chunk_decoder {
  numpact::wrapped::ChunkDecoder decoder;
};

namespace numpact::internal::capi {

inline const wrapped::ChunkEncoder& part_of(const numpact_chunk_encoder* object) {
  return object->encoder;
}
inline const wrapped::ChunkDecoder& part_of(const numpact_chunk_decoder* object) {
  return object->decoder;
}

}  // namespace numpact::internal::capi
