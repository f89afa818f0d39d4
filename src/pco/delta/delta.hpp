// SPDX-License-Identifier: Apache-2.0
// The common interface of delta encodings. A delta encoding is a struct with
//   kTag                          its number in the metadata
//   kHasWeights                   whether it predicts latents by weights, which are slow to fit and
//                                 to decode with
//   parse(reader, context, out)   reads and validates its parameters
//   write(writer)                 writes its parameters
//   payload_bits()                the parameters' size
//   state_n()                     latents of a variable that each page stores ahead of its deltas
//   encodes_secondary()           whether the secondary variable is encoded too
// Stored deltas are centred: difference + MID, wrapping. Encoding adds MID; decoding subtracts it
// in the lower ends of the bins. deltas.hpp lists all delta encodings.
#ifndef NUMPACT_PCO_DELTA_DELTA_HPP
#define NUMPACT_PCO_DELTA_DELTA_HPP

#include "base/arena.hpp"
#include "base/try.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "number/latent.hpp"
#include "pco/limits.hpp"
#include "pco/wire.hpp"

namespace numpact {

struct DeltaContext {
  unsigned primary_bits;  // width of the primary latents
};

}  // namespace numpact

#endif
