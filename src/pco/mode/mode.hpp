// SPDX-License-Identifier: Apache-2.0
// The common interface of modes. A mode is a struct with
//   kTag, kHasSecondary      its number in the metadata; whether it has a secondary latent variable
//   kSplitsBits              whether both variables hold bits of the number itself; otherwise a
//                            secondary one holds corrections
//   parse(reader, context, out)   reads and validates its payload
//   write(writer, type)      writes its payload
//   parameter_bits(bits)     the payload's size for numbers of `bits` bits, without the entries of
//   a
//                            dictionary
//   payload_bits(type, at)   the payload's size when it starts at bit `at` of the metadata
// and free functions join_* (latents of a batch to numbers) and split_* (ordered latents of a chunk
// to latents). modes.hpp lists all modes.
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
  Arena& arena;  // holds the arrays that the parameters of a mode point to
  // If not 0, the metadata are only guessed, for a page of this many numbers: dictionaries with
  // more entries are rejected, and the entries of others are skipped.
  std::uint64_t guessed_n = 0;
};

}  // namespace numpact

#endif
