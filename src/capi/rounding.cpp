// SPDX-License-Identifier: Apache-2.0
// Rounding within a bound.
#include "capi/rounding.hpp"

#include "base/try.hpp"
#include "capi/capi.hpp"

namespace numpact::internal::capi {

Status take_rounding(const numpact_rounding* from, NumberType type,
                     std::optional<RoundingSpec>& spec) {
  NUMPACT_TRY(check_given(from));
  numpact_rounding given;
  numpact_rounding_init(&given);
  NUMPACT_TRY(take_struct(from, given));
  switch (given.kind) {
    case NUMPACT_ROUND_MAX_ERROR:
      spec = RoundingSpec::max_error(given.max_error);
      break;
    case NUMPACT_ROUND_KEEP_BITS:
      if (given.digits < 0) {
        return Status(ErrorKind::kInvalidArgument, "the count of bits is negative");
      }
      spec = RoundingSpec::keep_bits(static_cast<unsigned>(given.digits));
      break;
    case NUMPACT_ROUND_DECIMALS:
      spec = RoundingSpec::decimals(given.digits);
      break;
    default:
      return Status(ErrorKind::kInvalidArgument,
                    "there is no such kind of rounding: they are NUMPACT_ROUND_MAX_ERROR (0), "
                    "_KEEP_BITS and _DECIMALS (2)");
  }
  if (given.fill != nullptr) spec = spec->with_fill(NumberView(type, given.fill, 1));
  return {};
}

void give_report(const RoundingReport& from, numpact_rounding_report* to) {
  numpact_rounding_report made = {};
  made.count = from.count;
  made.changed = from.changed;
  made.kept = from.kept;
  made.max_error = from.max_error;
  made.step = from.step;
  give_struct(made, to);
}

}  // namespace numpact::internal::capi

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

void numpact_rounding_init(numpact_rounding* rounding) {
  *rounding = {};
  rounding->struct_size = sizeof *rounding;
}

numpact_status numpact_round(numpact_type type, const void* numbers, size_t count,
                             const numpact_rounding* rounding,
                             const numpact_encode_options* options, void* out,
                             numpact_rounding_report* report, numpact_error* error) {
  return run(error, [&]() -> Status {
    if (report != nullptr) NUMPACT_TRY(check_struct(report));
    NumberView view;
    NUMPACT_TRY(make_view(type, numbers, count, view));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(nullptr, options, config));
    std::optional<RoundingSpec> spec;
    NUMPACT_TRY(take_rounding(rounding, view.type, spec));
    auto rounder = Rounder::create(*spec, view.type, config);
    NUMPACT_TRY(rounder.status());
    NUMPACT_TRY(rounder->round(view, {view.type, out, count}));
    if (report != nullptr) give_report(rounder->report(), report);
    return {};
  });
}

}  // extern "C"
