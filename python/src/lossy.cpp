// SPDX-License-Identifier: Apache-2.0
// Rounds numbers within a bound (numpact/lossy.hpp).
#include "numpact/lossy.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "buffers.hpp"
#include "contexts.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "rounding.hpp"

namespace numpact::python {

RoundingSpec rounding_spec(std::string_view kind, double value,
                           const std::optional<ConstArray>& fill) {
  RoundingSpec spec = kind == "max_error"   ? RoundingSpec::max_error(value)
                      : kind == "keep_bits" ? RoundingSpec::keep_bits(static_cast<unsigned>(value))
                                            : RoundingSpec::decimals(static_cast<int>(value));
  return fill ? spec.with_fill(numbers_of(*fill)) : spec;
}

nb::tuple rounding_tuple(const RoundingReport& report) {
  return nb::make_tuple(report.count, report.changed, report.kept, report.max_error, report.step);
}

namespace {

nb::tuple round_numbers(const ConstArray& array, std::string_view kind, double value,
                        std::optional<ConstArray> fill, unsigned level) {
  const NumberView numbers = numbers_of(array);
  EncodeConfig config;
  config.level = level;
  auto made = Rounder::create(rounding_spec(kind, value, fill), numbers.type, config);
  raise_if_error(made.status());
  Rounder rounder = *std::move(made);
  NewArray out(numbers.type, numbers.count);
  Status status;
  {
    const GilRelease released;
    status = rounder.round(numbers, out.view());
  }
  raise_if_error(status);
  return nb::make_tuple(out.release(numbers.count), rounding_tuple(rounder.report()));
}

}  // namespace

void bind_lossy(nb::module_& m) {
  m.def("round_numbers", &round_numbers, nb::arg("array"), nb::arg("kind"), nb::arg("value"),
        nb::arg("fill").none(), nb::arg("level"));
}

}  // namespace numpact::python
