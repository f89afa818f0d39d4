// SPDX-License-Identifier: Apache-2.0
// The objects of the wrapped format that several files of this folder use.
#pragma once

#include <optional>

#include "capi/capi.hpp"
#include "numpact/numpact.h"
#include "numpact/wrapped.hpp"

// Their parts are made after them, in their memory.
struct numpact_chunk_encoder : numpact::internal::capi::Object {
  using Object::Object;
  std::optional<numpact::wrapped::ChunkEncoder> encoder;
};

struct numpact_chunk_decoder : numpact::internal::capi::Object {
  using Object::Object;
  std::optional<numpact::wrapped::ChunkDecoder> decoder;
};

namespace numpact::internal::capi {

inline const wrapped::ChunkEncoder& part_of(const numpact_chunk_encoder* object) {
  return *object->encoder;
}
inline const wrapped::ChunkDecoder& part_of(const numpact_chunk_decoder* object) {
  return *object->decoder;
}

}  // namespace numpact::internal::capi
