// SPDX-License-Identifier: Apache-2.0
// The common interface of modes. A mode is a struct with
//   kTag, kFirstVersion      its number in the metadata; the first format version that has it
//   kForm, kParameter        its text in requests, "float-quant=K", and the kind of number in it
//   check_request(spec, type)     whether a request suits the number type
//   requested(spec, type)    the mode that was requested; not for Dict, which depends on the data
//   kHasSecondary            whether it has a secondary latent variable
//   kSplitsBits              whether both variables hold bits of the number itself; otherwise a
//                            secondary one holds corrections
//   parse(reader, context, out)   reads and validates its payload
//   write(writer, type)      writes its payload
//   parameter_bits(bits)     the payload's size for numbers of `bits` bits, without the entries of
//                            a dictionary
//   payload_bits(type, at)   the payload's size when it starts at bit `at` of the metadata
// With a secondary variable also
//   split(ordered, n, primary, secondary)   ordered latents of a chunk to latents
//   join(kind, primary, secondary, n)       latents of a batch to the bits of numbers, in `primary`
// and if unpacking of the secondary variable can join in registers (pco/finish.hpp)
//   kJoin                    the finish that does so
//   join_parameter<L>()      its parameter
//   joins_in_registers(primary, n)   whether it is exact for these primary latents
// modes.hpp lists all modes.
#pragma once

#include "base/arena.hpp"
#include "base/family.hpp"
#include "base/try.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "number/latent.hpp"
#include "numpact/encoding.hpp"
#include "pco/finish.hpp"
#include "pco/version.hpp"

namespace numpact::internal {

// The number in a request for a mode: "NAME", "NAME=INTEGER" or "NAME=FLOAT".
enum class ModeParameter { kNone, kInteger, kFloat };

struct ModeContext {
  NumberType type;
  FormatVersion version;
  Arena& arena;  // holds the arrays that the parameters of a mode point to
  // If not 0, the metadata are only guessed, for a page of this many numbers: dictionaries with
  // more entries are rejected, and the entries of others are skipped.
  std::uint64_t guessed_n = 0;
};

}  // namespace numpact::internal
