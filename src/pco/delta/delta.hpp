// SPDX-License-Identifier: Apache-2.0
// The common interface of delta encodings. A delta encoding is a struct with
//   kTag, kFirstVersion           its number in the metadata; the first format version that has it
//   kForm, kHasOrder              its text in requests, "conv1=N", and whether that has an order
//   check_request(spec, type)     whether a request suits the number type
//   kHasWeights                   whether it predicts latents by weights, which are slow to fit and
//                                 to decode with
//   parse(reader, context, out)   reads and validates its parameters
//   write(writer)                 writes its parameters
//   payload_bits()                the parameters' size
//   state_n()                     latents of a variable that each page stores ahead of its deltas
//   encodes_secondary()           whether the secondary variable is encoded too
//   kMaxStateN                    bound of state_n()
//   kCanRestart                   whether decoding can restart within a page from such a state
//   State<L>                      what decoding of a variable keeps between the batches of a page:
//     start(delta, arena, max_n, state, bias)   begins a page of at most max_n latents with
//     `state`,
//                                 which was read from it; `bias` is added to all latents, by
//                                 Consecutive only
//     write(writer, bias)         writes the state of a page that would begin here
//     undo(batch)                 in place: turns deltas into latents; false: they are corrupt
// Stored deltas are centred: difference + MID, wrapping. Encoding adds MID; decoding subtracts it
// in the lower ends of the bins. deltas.hpp lists all delta encodings.
#pragma once

#include "base/arena.hpp"
#include "base/family.hpp"
#include "base/try.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "number/latent.hpp"
#include "numpact/encoding.hpp"
#include "pco/limits.hpp"
#include "pco/version.hpp"
#include "pco/wire.hpp"

namespace numpact::internal {

struct DeltaContext {
  unsigned primary_bits;  // width of the primary latents
};

// One batch of a variable, to be decoded in place.
template <Latent L>
struct DeltaBatch {
  L* latents;            // the stored deltas, not centred; becomes n latents
  std::size_t stored_n;  // deltas that the page stores
  std::size_t n;
  const std::uint32_t* lookbacks;  // of the delta variable, if there is one
  std::size_t lookback_n;
  bool is_summed;  // the last of the sums of Consecutive has been done by unpacking
};

}  // namespace numpact::internal
