// SPDX-License-Identifier: Apache-2.0
// Checks that a requested mode, delta encoding and version suit the number type.
#include "number/float_traits.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/modes/allowed.hpp"
#include "pco/levels.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

Status check_mode(NumberType type, const ModeSpec& mode) {
  const bool is_float = kind_of(type) == NumberKind::kFloat;
  const unsigned bits = latent_bits(type);
  switch (mode.kind()) {
    case ModeSpec::Kind::kIntMult:
      if (is_float) return invalid("int-mult does not apply to floats");
      if (mode.int_base() == 0) return invalid("int-mult base must be at least 1");
      if (bits < 64 && mode.int_base() >> bits != 0) {
        return invalid("int-mult base does not fit the number type");
      }
      return {};
    case ModeSpec::Kind::kFloatMult:
      if (!is_float) return invalid("float-mult does not apply to integers");
      if (!FloatMult::of(mode.float_base(), type).is_valid(type)) {
        return invalid("float-mult base must be finite and not zero in the number type");
      }
      return {};
    case ModeSpec::Kind::kFloatQuant:
      if (!is_float) return invalid("float-quant does not apply to integers");
      if (mode.quant_k() == 0 || mode.quant_k() > mantissa_bits(bits)) {
        return invalid("float-quant k must be from 1 to the mantissa's stored bits");
      }
      return {};
    case ModeSpec::Kind::kAuto:
    case ModeSpec::Kind::kClassic:
    case ModeSpec::Kind::kDict:
      return {};
  }
  return invalid("unknown mode");
}

Status check_delta(NumberType type, const DeltaSpec& delta) {
  switch (delta.kind()) {
    case DeltaSpec::Kind::kConsecutive:
      if (delta.order() > kMaxConsecutiveOrder) {
        return invalid("consecutive order must be from 0 to 7");
      }
      return {};
    case DeltaSpec::Kind::kConv1:
      if (delta.order() == 0 || delta.order() > kMaxConv1Order) {
        return invalid("conv1 order must be from 1 to 32");
      }
      if (latent_bits(type) > 32) return invalid("conv1 does not apply to 64-bit numbers");
      return {};
    case DeltaSpec::Kind::kAuto:
    case DeltaSpec::Kind::kNone:
    case DeltaSpec::Kind::kLookback:
      return {};
  }
  return invalid("unknown delta encoding");
}

bool is_known(const ModeSpec& mode, const FormatVersion& version) {
  switch (mode.kind()) {
    case ModeSpec::Kind::kIntMult:
      return is_allowed(AnyMode(IntMult{}), version);
    case ModeSpec::Kind::kFloatMult:
      return is_allowed(AnyMode(FloatMult{}), version);
    case ModeSpec::Kind::kFloatQuant:
      return is_allowed(AnyMode(FloatQuant{}), version);
    case ModeSpec::Kind::kDict:
      return is_allowed(AnyMode(Dict{}), version);
    case ModeSpec::Kind::kAuto:
    case ModeSpec::Kind::kClassic:
      return true;
  }
  return true;
}

bool is_known(const DeltaSpec& delta, const FormatVersion& version) {
  switch (delta.kind()) {
    case DeltaSpec::Kind::kLookback:
      return is_allowed(AnyDelta(Lookback{}), version);
    case DeltaSpec::Kind::kConv1:
      return is_allowed(AnyDelta(Conv1{}), version);
    case DeltaSpec::Kind::kAuto:
    case DeltaSpec::Kind::kNone:
    case DeltaSpec::Kind::kConsecutive:
      return true;
  }
  return true;
}

}  // namespace

Status check_specs(NumberType type, const EncodeConfig& config) {
  if (!is_number_type(static_cast<std::uint8_t>(type))) {
    return invalid("there is no such number type");
  }
  if (!is_level(config.level)) return invalid("level must be from 0 to 12");
  const unsigned restart_log = config.trailer.restart_log().value_or(TrailerSpec::kMinRestartLog);
  if (restart_log < kMinRestartLog || restart_log > kMaxRestartLog) {
    return invalid("restart points must be 2^8 to 2^24 numbers apart");
  }
  const FormatVersion version = FormatVersion::of(config.compatibility);
  if (!is_allowed(type, version)) return invalid("the format version has no such number type");
  if (!is_known(config.mode, version)) return invalid("the format version has no such mode");
  if (!is_known(config.delta, version)) {
    return invalid("the format version has no such delta encoding");
  }
  const Status mode = check_mode(type, config.mode);
  return mode.ok() ? check_delta(type, config.delta) : mode;
}

}  // namespace numpact
