// SPDX-License-Identifier: Apache-2.0
// Collects the numbers of one CSV column and finds the narrowest type that keeps every digit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "csv/occurrence.hpp"
#include "numpact/types.hpp"
#include "text/literals.hpp"

namespace numpact::cli {

// Numbers in succession that became slots apart from the numbers before them: i64 up to the first
// float and doubles from there on, or numbers of the requested type. All are kept as they are
// written. Where a member is a Seen, it is the first number of that kind.
struct NumberRun {
  struct Seen {
    std::uint64_t line = 0;
    std::string_view text;
  };
  std::size_t first_float_slot = 0;  // the count of slots if there is none
  std::optional<Seen> first_float;
  std::optional<Seen> negative_integer;
  std::optional<Seen> beyond_i64;  // held by u64 slots; there is neither a negative nor a float
  std::optional<Seen> inexact_in_f64;
};

inline constexpr std::uint64_t kMaxI64 = std::numeric_limits<std::int64_t>::max();

// A number in the first bytes of a slot.
template <class T>
std::uint64_t slot_of(T number) {
  std::uint64_t slot = 0;
  std::memcpy(&slot, &number, sizeof(T));
  return slot;
}

// Whether a double holds the integer exactly.
bool is_exact_in_f64(std::uint64_t magnitude);

// Turns literals into 64-bit slots as they arrive, and slots into numbers at the end:
// - Without a requested type, slots hold integers (the bits of an i64 or a u64) up to the first
//   float, and doubles from there on. The type is i64, else u64, else f64.
// - With a requested type, slots hold numbers of that type. `is_exact`: no digits may be lost.
class NumberValues {
 public:
  NumberValues(char decimal, std::optional<NumberType> requested, bool is_exact)
      : decimal_(decimal), requested_(requested), is_exact_(is_exact) {}

  // Returns the slot of the next number. `literal` is an integer or a float.
  std::uint64_t add(const Literal& literal, std::uint64_t line);
  // Adds a run, the slots of which may change. Returns false, and adds nothing, if its numbers must
  // be added one by one.
  bool add_run(const NumberRun& run, std::span<std::uint64_t> slots);

  const std::optional<NumberType>& requested() const { return requested_; }

  // The following functions may be called after all numbers were added.
  NumberType type() const;
  // Why no type can store all numbers, with line and text; none if one can.
  std::optional<std::string> problem() const;
  // Messages for the user about numbers that are stored.
  std::vector<std::string> notes() const;
  // Converts slots `first`, `first` + 1, ... to numbers of the type.
  void convert(std::span<const std::uint64_t> slots, std::uint64_t first, std::byte* out) const;

 private:
  std::uint64_t add_integer(const Literal& literal, std::uint64_t line);
  std::uint64_t add_float(const Literal& literal, std::uint64_t line);
  std::uint64_t add_requested(const Literal& literal, std::uint64_t line);
  template <class T>
  std::uint64_t add_requested_integer(const Literal& literal, std::uint64_t line);
  template <class T>
  std::uint64_t add_requested_float(const Literal& literal, std::uint64_t line);
  void begin_floats();
  double as_double(std::uint64_t integer_slot) const;

  char decimal_;
  std::optional<NumberType> requested_;
  bool is_exact_;
  std::uint64_t count_ = 0;
  std::optional<std::uint64_t> first_float_slot_;
  bool integers_are_unsigned_ = false;  // integers in slots before the first float
  Occurrence floats_;                   // literals that are floats
  Occurrence negatives_;                // integers below 0
  Occurrence beyond_i64_;               // integers that only u64 can hold
  Occurrence beyond_u64_;               // integers that no type can hold
  Occurrence inexact_in_f64_;           // integers that f64 cannot hold exactly
  Occurrence inexact_;                  // integers that the requested type cannot hold exactly
  Occurrence out_of_range_;             // outside the range of the float type or the requested type
  Occurrence rounded_;                  // floats that lose digits
  Occurrence wrong_type_;               // not of the requested type
  Occurrence leading_zeros_;
  Occurrence plus_signs_;
};

}  // namespace numpact::cli
