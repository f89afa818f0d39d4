// SPDX-License-Identifier: Apache-2.0
// Modes and delta encodings: their names, and requests for one. The text of a request is the same
// in C++, in Python and on the command line: "auto", "float-mult=0.01", "consecutive=2", ...
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact {

// How numbers are split into latents (docs/format/pco.md, "Modes"). The value is the tag in a file.
enum class Mode : std::uint8_t {
  kClassic = 0,
  kIntMult = 1,
  kFloatMult = 2,
  kFloatQuant = 3,
  kDict = 4,
};

// How latents are decorrelated (docs/format/pco.md, "Delta encodings"). The value is the tag.
enum class Delta : std::uint8_t { kNone = 0, kConsecutive = 1, kLookback = 2, kConv1 = 3 };

// "classic", "int-mult", "float-mult", ...; "none", "consecutive", ...; static strings.
NUMPACT_API const char* to_string(Mode mode) noexcept;
NUMPACT_API const char* to_string(Delta delta) noexcept;

// A request for a mode. The "try" forms fall back to classic where the mode saves nothing on the
// data. Encoding returns kInvalidArgument if the mode does not apply to the number type.
class ModeSpec {
 public:
  constexpr ModeSpec() = default;
  static constexpr ModeSpec automatic() { return {}; }
  static constexpr ModeSpec classic() { return {Mode::kClassic, 0}; }
  // Integers only; base >= 1 and within the type's unsigned range.
  static constexpr ModeSpec try_int_mult(std::uint64_t base) { return {Mode::kIntMult, base}; }
  // Floats only; base is finite and nonzero, also after rounding to the number type.
  static constexpr ModeSpec try_float_mult(double base) {
    return {Mode::kFloatMult, std::bit_cast<std::uint64_t>(base)};
  }
  // Floats only; 1 <= k <= stored mantissa bits (f16: 10, f32: 23, f64: 52).
  static constexpr ModeSpec try_float_quant(unsigned k) { return {Mode::kFloatQuant, k}; }
  static constexpr ModeSpec try_dict() { return {Mode::kDict, 0}; }
  // Any mode, with its parameter as an integer: the base, its bits if it is a double, or k.
  constexpr ModeSpec(Mode mode, std::uint64_t parameter)
      : is_automatic_(false), mode_(mode), parameter_(parameter) {}

  // None: the encoder chooses.
  constexpr std::optional<Mode> mode() const {
    return is_automatic_ ? std::nullopt : std::optional<Mode>(mode_);
  }
  constexpr std::uint64_t parameter() const { return parameter_; }
  friend constexpr bool operator==(const ModeSpec&, const ModeSpec&) = default;

 private:
  // Not std::optional: GCC reads the value of an empty one, which valgrind reports.
  bool is_automatic_ = true;
  Mode mode_ = Mode::kClassic;
  std::uint64_t parameter_ = 0;
};

// A request for a delta encoding.
class DeltaSpec {
 public:
  constexpr DeltaSpec() = default;
  static constexpr DeltaSpec automatic() { return {}; }
  static constexpr DeltaSpec none() { return {Delta::kNone, 0}; }
  // order 0..7; 0 is the same as none().
  static constexpr DeltaSpec try_consecutive(unsigned order) {
    return {Delta::kConsecutive, order};
  }
  static constexpr DeltaSpec try_lookback() { return {Delta::kLookback, 0}; }
  // order 1..32; number types of at most 32 bits.
  static constexpr DeltaSpec try_conv1(unsigned order) { return {Delta::kConv1, order}; }
  // Any delta encoding, with its order or 0.
  constexpr DeltaSpec(Delta delta, unsigned order)
      : is_automatic_(false), delta_(delta), order_(order) {}

  // None: the encoder chooses.
  constexpr std::optional<Delta> delta() const {
    return is_automatic_ ? std::nullopt : std::optional<Delta>(delta_);
  }
  constexpr unsigned order() const { return order_; }
  friend constexpr bool operator==(const DeltaSpec&, const DeltaSpec&) = default;

 private:
  bool is_automatic_ = true;  // as in ModeSpec
  Delta delta_ = Delta::kNone;
  unsigned order_ = 0;
};

// A mode and a delta encoding with all parameters, for many series of numbers like one sample:
// made by choose_recipe(), used by EncodeConfig::recipe, stored as text.
struct Recipe {
  NumberType type = NumberType::kU8;
  ModeSpec mode = ModeSpec::classic();  // not automatic; a dictionary is made for each series
  DeltaSpec delta = DeltaSpec::none();  // not automatic
  bool encodes_secondary = false;       // the delta applies to the secondary latents too
  // Parameters of conv1, as in Conv1Info; the first order() weights count.
  unsigned quantization = 0;
  std::int64_t bias = 0;
  std::array<std::int32_t, 32> weights{};
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// Reads a request or recipe. kInvalidArgument: none of the forms below, or a number that does not
// fit; offset() is then where it starts in a request. Whether a request suits a number type is
// checked when encoding.
NUMPACT_API Result<ModeSpec> parse_mode_spec(std::string_view text) noexcept;
NUMPACT_API Result<DeltaSpec> parse_delta_spec(std::string_view text) noexcept;
NUMPACT_API Result<Recipe> parse_recipe(std::string_view text) noexcept;
// The text that parses to the same; of a recipe e.g. "f64 float-mult=0.01 consecutive=1".
NUMPACT_API std::string to_string(const ModeSpec& spec);
NUMPACT_API std::string to_string(const DeltaSpec& spec);
NUMPACT_API std::string to_string(const Recipe& recipe);
// All forms, for help and messages: "auto", "classic", "int-mult=BASE", ...; static strings.
NUMPACT_API std::span<const char* const> mode_spec_forms() noexcept;
NUMPACT_API std::span<const char* const> delta_spec_forms() noexcept;

}  // namespace numpact
