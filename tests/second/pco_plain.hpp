// SPDX-License-Identifier: Apache-2.0
// A second decoder of Pco: slow and simple, written from docs/format/pco.md alone. It shares no
// code with the library, so a mistake in either shows as a difference.
#pragma once

#include <span>

#include "second/refusal.hpp"

namespace numpact::second {

struct Version {
  unsigned major = 0;
  unsigned minor = 0;
};

// ---- numbers ----

enum class Family : std::uint8_t { kUnsigned, kSigned, kFloat };

struct NumberKind {
  Family family = Family::kUnsigned;
  unsigned bits = 0;
  bool is_float() const { return family == Family::kFloat; }
};
bool is_number_type(std::uint64_t byte);
// Refuses an unknown byte.
NumberKind kind_of_type(std::uint64_t byte);

// ---- chunk metadata ----

enum class Mode : std::uint8_t { kClassic, kIntMult, kFloatMult, kFloatQuant, kDict };
enum class Delta : std::uint8_t { kNone, kConsecutive, kLookback, kConv1 };

struct Bin {
  std::uint64_t weight = 0;
  std::uint64_t lower = 0;
  unsigned offset_bits = 0;
};

struct AnsState {
  std::size_t bin = 0;
  unsigned code_bits = 0;
  std::uint64_t base = 0;
};

// A latent variable of a chunk.
struct Variable {
  bool exists = false;
  bool delta_encoded = false;
  unsigned bits = 0;
  unsigned ans_size_log = 0;
  std::vector<Bin> bins;
  std::vector<AnsState> table;  // empty with fewer than two bins
};

struct ModeFields {
  Mode mode = Mode::kClassic;
  std::uint64_t base = 0;  // IntMult: the integer; FloatMult: its ordered latent
  unsigned k = 0;
  std::vector<std::uint64_t> dict;
};

struct DeltaFields {
  Delta delta = Delta::kNone;
  unsigned order = 0;  // Consecutive and Conv1
  unsigned window_n_log = 0;
  unsigned state_n_log = 0;
  unsigned quantization = 0;
  std::int64_t bias = 0;
  std::vector<std::int64_t> weights;
  bool secondary_uses_delta = false;
  std::size_t state_n() const {
    return delta == Delta::kLookback ? std::size_t{1} << state_n_log : order;
  }
};

// In the order of pages.
enum VariableIndex : std::size_t { kDeltaVariable, kPrimary, kSecondary, kVariableCount };

struct Chunk {
  NumberKind kind;
  ModeFields mode;
  DeltaFields delta;
  Variable variables[kVariableCount];
  std::size_t meta_bytes = 0;
};

// ---- public functions ----

struct PlainLimits {
  // Maximum numbers; beyond it the outcome is Outcome::kLimit. Memory is at most about 60 bytes per
  // number plus 32 times the input.
  std::uint64_t max_numbers = std::uint64_t{1} << 24;
};

// The contents of a file or a page. `numbers`: the bits of each number in the low bits of an
// element; empty if refused.
struct PlainNumbers {
  Refusal refusal{Outcome::kAccepted, {}};
  std::uint8_t type = 0;  // type byte of the format; 0 for a file without a type
  unsigned bits = 0;
  std::vector<std::uint64_t> numbers;
  std::size_t used = 0;  // bytes read, including the terminator
  bool accepted() const { return refusal.outcome == Outcome::kAccepted; }
};

PlainNumbers decode_pco(std::span<const std::byte> file, const PlainLimits& limits = {});

// The components of wrapped Pco; each function throws Refusal.
Version read_wrapped_header(std::span<const std::byte> bytes, std::size_t& used);
Chunk read_chunk_meta(std::span<const std::byte> bytes, Version version, std::uint8_t type);
std::vector<std::uint64_t> read_page(std::span<const std::byte> bytes, const Chunk& chunk,
                                     std::size_t n, std::size_t& used);

// Decodes one page of `n` numbers of a wrapped chunk, without exceptions. `used`: bytes of the
// page.
PlainNumbers decode_wrapped(std::span<const std::byte> meta, std::span<const std::byte> page,
                            Version version, std::uint8_t type, std::uint64_t n,
                            const PlainLimits& limits = {});

}  // namespace numpact::second
