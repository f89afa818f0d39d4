// SPDX-License-Identifier: Apache-2.0
// Functions that the sources of the second Pco decoder share.
#pragma once

#include "second/bit_reader.hpp"
#include "second/pco_plain.hpp"

namespace numpact::second {

using Latents = std::vector<std::uint64_t>;

inline std::uint64_t mask_of(unsigned bits) { return ~std::uint64_t{0} >> (64 - bits); }
inline std::uint64_t mid_of(unsigned bits) { return std::uint64_t{1} << (bits - 1); }

// ---- pco_numbers.cpp ----

// Stored mantissa bits of a float of `bits` bits.
unsigned mantissa_bits(unsigned bits);
std::uint64_t number_of_ordered(std::uint64_t ordered, NumberKind kind);
std::uint64_t ordered_of_float(std::uint64_t bits_of_float, unsigned bits);
// Floats are passed and returned as their bits.
std::uint64_t float_of_whole(std::uint64_t value, unsigned bits);
std::uint64_t product_of_floats(std::uint64_t a, std::uint64_t b, unsigned bits);
bool is_nan(std::uint64_t bits_of_float, unsigned bits);
bool is_finite(std::uint64_t bits_of_float, unsigned bits);

// ---- pco_bins.cpp ----

// Reads the bins of a variable, whose width is set, and makes its table.
void read_bins(BitReader& reader, Variable& variable);

// ---- pco_page.cpp ----

// The data of a variable in a page, before delta and mode are undone.
struct Stored {
  Latents state;  // delta state
  Latents latents;
};

// ---- pco_deltas.cpp ----

// Returns the page's `n` latents of a delta-encoded variable.
Latents undo_delta(const DeltaFields& delta, unsigned bits, const Stored& stored,
                   const Latents& lookbacks, std::size_t n);

// ---- pco_modes.cpp ----

void check_mode(const ModeFields& mode, NumberKind kind, Version version);
// Returns the bits of the numbers.
Latents undo_mode(const ModeFields& mode, NumberKind kind, const Latents& primary,
                  const Latents& secondary);

}  // namespace numpact::second
