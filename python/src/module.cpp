// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "contexts.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "numpact/cpu.hpp"
#include "numpact/version.hpp"

namespace nb = nanobind;

namespace {

// An unknown or unsupported name is ignored, as by the command.
void use_requested_target() {
  const char* const requested = std::getenv("NUMPACT_TARGET");
  if (requested != nullptr) static_cast<void>(numpact::force_cpu_target(requested));
}

}  // namespace

NB_MODULE(_core, m) {
  namespace python = numpact::python;
  use_requested_target();
  python::prepare_for_fork();
  python::GilAcquire::prepare_for_fork();
  m.doc() = "The compiled part of numpact; use the package numpact instead.";
  m.attr("__version__") = std::to_string(NUMPACT_VERSION_MAJOR) + "." +
                          std::to_string(NUMPACT_VERSION_MINOR) + "." +
                          std::to_string(NUMPACT_VERSION_PATCH);
  python::bind_arrow_export(m);
  python::bind_arrow_import(m);
  python::bind_recipe(m);  // before the functions that take one
  python::bind_codec(m);
  python::bind_cvc_quality(m);
  python::bind_cvc_stored(m);
  python::bind_cvc_reader(m);
  python::bind_cvc_writer(m);
  python::bind_file_lock(m);
  python::bind_filter(m);
  python::bind_inspect(m);
  python::bind_json(m);
  python::bind_lossy(m);
  python::bind_table(m);
  python::bind_table_reader(m);
  python::bind_table_scan(m);
  python::bind_table_writer(m);
  python::bind_reader(m);
  python::bind_stream(m);
  python::bind_text_rows(m);
  python::bind_trailer(m);
  python::bind_wrapped(m);

  // Name, whether the processor has it, whether it is in use; best first.
  m.def("cpu_targets", [] {
    std::vector<std::tuple<std::string, bool, bool>> targets;
    for (const numpact::CpuTarget& target : numpact::cpu_targets()) {
      targets.emplace_back(target.name, target.supported, target.active);
    }
    return targets;
  });
  m.def(
      "force_cpu_target",
      [](std::string_view name) { python::raise_if_error(numpact::force_cpu_target(name)); },
      nb::arg("name"));
}
