// SPDX-License-Identifier: Apache-2.0
// The numbers of one CSV column: finds the narrowest type that keeps every digit.
#ifndef NUMPACT_CLI_CSV_NUMBER_VALUES_HPP
#define NUMPACT_CLI_CSV_NUMBER_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csv/literal.hpp"
#include "csv/occurrence.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

// Turns literals into slots of 64 bits as they come, and slots into numbers once all have come:
// - Without a wanted type slots hold integers (the bits of an i64 or a u64) up to the first float,
//   and doubles from there on. The type is i64, else u64, else f64.
// - With a wanted type slots hold numbers of that type.
class NumberValues {
 public:
  NumberValues(char decimal, std::optional<NumberType> wanted)
      : decimal_(decimal), wanted_(wanted) {}

  // The slot of the next number. `literal` is an integer or a float.
  std::uint64_t add(const Literal& literal, std::uint64_t line);

  // These hold once all numbers were added.
  NumberType type() const;
  // Why no type keeps all numbers, with line and text; none if one does.
  std::optional<std::string> problem() const;
  // What a user should know about numbers that are kept.
  std::vector<std::string> notes() const;
  // Slots `first`, `first` + 1, ... as numbers of the type.
  void convert(std::span<const std::uint64_t> slots, std::uint64_t first, std::byte* out) const;

 private:
  std::uint64_t add_integer(const Literal& literal, std::uint64_t line);
  std::uint64_t add_float(const Literal& literal, std::uint64_t line);
  std::uint64_t add_wanted(const Literal& literal, std::uint64_t line);
  template <class T>
  std::uint64_t add_wanted_integer(const Literal& literal, std::uint64_t line);
  template <class T>
  std::uint64_t add_wanted_float(const Literal& literal, std::uint64_t line);
  void begin_floats();
  double as_double(std::uint64_t integer_slot) const;

  char decimal_;
  std::optional<NumberType> wanted_;
  std::uint64_t count_ = 0;
  std::optional<std::uint64_t> first_float_slot_;
  bool integers_are_unsigned_ = false;  // those in slots before the first float
  Occurrence floats_;                   // literals that are floats
  Occurrence negatives_;                // integers below 0
  Occurrence beyond_i64_;               // integers that only u64 holds
  Occurrence beyond_u64_;               // integers that no type holds
  Occurrence inexact_in_f64_;           // integers that f64 does not hold exactly
  Occurrence out_of_range_;             // of the float type, or of the wanted type
  Occurrence rounded_;                  // floats that lose digits
  Occurrence not_wanted_;               // not of the wanted type
  Occurrence leading_zeros_;
  Occurrence plus_signs_;
};

}  // namespace numpact::cli

#endif
