// SPDX-License-Identifier: Apache-2.0
// What the modes have in common. A mode is a struct with
//   kTag, kHasSecondary      its number in the metadata; whether it makes a second latent variable
//   parse(reader, context, out)   reads and validates its payload
//   write(writer, type)      the reverse
//   payload_bits(type, at)   the payload's size when it starts at bit `at` of the metadata
// and free functions join_* (latents to ordered latents, one batch) and split_* (the reverse, whole
// chunks). modes.hpp lists them all.
#ifndef NUMPACT_PCO_MODE_MODE_HPP
#define NUMPACT_PCO_MODE_MODE_HPP

#include "base/arena.hpp"
#include "base/try.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "number/latent.hpp"
#include "pco/version.hpp"

namespace numpact {

struct ModeContext {
  NumberType type;
  FormatVersion version;
  Arena& arena;  // owns what a mode's parameters point to
  // Of a page, where it is only a guess that this is metadata: a dictionary with more entries is
  // refused, and those of others are passed over. 0: no guess.
  std::uint64_t guessed_n = 0;
};

}  // namespace numpact

#endif
