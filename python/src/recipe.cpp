// SPDX-License-Identifier: Apache-2.0
// Recipes: chosen from a sample, or read from text.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>
#include <string_view>

#include "bindings.hpp"
#include "buffers.hpp"
#include "config.hpp"
#include "numpact/encoding.hpp"
#include "numpact/pco.hpp"

namespace numpact::python {
namespace {

Recipe recipe_of_text(std::string_view text) {
  Recipe recipe;
  raise_if_error(parse_recipe(text).into(recipe));
  return recipe;
}

Recipe choose(const ConstArray& sample, unsigned level, const std::string& mode,
              const std::string& delta, nb::handle paging, std::string_view compat,
              float decode_weight) {
  const NumberView numbers = numbers_of(sample);
  EncodeConfig config = encode_config(level, mode, delta, paging);
  set_reading(config, compat, decode_weight);
  Recipe recipe;
  run(PythonProgress(), [&] { return choose_recipe(numbers, config).into(recipe); });
  return recipe;
}

}  // namespace

void bind_recipe(nb::module_& m) {
  nb::class_<Recipe>(m, "Recipe")
      .def_prop_ro("type", [](const Recipe& recipe) { return name_or_none(recipe.type); })
      .def_prop_ro("text", [](const Recipe& recipe) { return to_string(recipe); });
  m.def("parse_recipe", &recipe_of_text, nb::arg("text"));
  m.def("choose_recipe", &choose, nb::arg("sample"), nb::arg("level"), nb::arg("mode"),
        nb::arg("delta"), nb::arg("paging").none(), nb::arg("compat") = "4.1",
        nb::arg("decode_weight") = 0.0f);
}

}  // namespace numpact::python
