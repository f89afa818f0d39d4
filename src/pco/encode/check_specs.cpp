// SPDX-License-Identifier: Apache-2.0
// Checks that a requested mode, delta encoding and version suit the number type.
#include <optional>

#include "base/family.hpp"
#include "base/try.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/modes/allowed.hpp"
#include "pco/encode/recipe.hpp"
#include "pco/levels.hpp"
#include "pco/limits.hpp"

namespace numpact::internal {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

// Asks the member of the family that the request names.
template <class Family, class Tag, class Spec>
Status check_request(std::optional<Tag> tag, const Spec& spec, NumberType type,
                     const FormatVersion& version, const char* missing) {
  if (!tag) return {};
  Status status = invalid("there is no such encoding");
  visit_member<Family>(*tag, [&](auto member) {
    using Member = typename decltype(member)::type;
    status = version < Member::kFirstVersion ? invalid(missing) : Member::check_request(spec, type);
  });
  return status;
}

}  // namespace

Status check_specs(NumberType type, const EncodeConfig& config) {
  if (!is_number_type(static_cast<std::uint8_t>(type))) {
    return invalid("there is no such number type");
  }
  if (!is_level(config.level)) return invalid("level must be from 0 to 12");
  if (!(config.decode_weight >= 0 && config.decode_weight <= kMaxDecodeWeight)) {
    return invalid("decode_weight must be from 0 to 128");
  }
  const unsigned restart_log = config.trailer.restart_log().value_or(TrailerSpec::kMinRestartLog);
  if (restart_log < kMinRestartLog || restart_log > kMaxRestartLog) {
    return invalid("restart points must be 2^8 to 2^24 numbers apart");
  }
  const FormatVersion version = FormatVersion::of(config.compatibility);
  if (!is_allowed(type, version)) return invalid("the format version has no such number type");
  const ModeSpec& mode = config.mode;
  const DeltaSpec& delta = config.delta;
  if (config.recipe != nullptr) {
    if (mode.mode() || delta.delta()) return invalid("a mode or a delta besides the recipe");
    return check_recipe(*config.recipe, type, version);
  }
  NUMPACT_TRY(check_request<AnyMode>(mode.mode(), mode, type, version,
                                     "the format version has no such mode"));
  return check_request<AnyDelta>(delta.delta(), delta, type, version,
                                 "the format version has no such delta encoding");
}

}  // namespace numpact::internal
