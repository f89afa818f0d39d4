// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

namespace numpact::python {
namespace {

namespace nb = nanobind;

std::optional<std::uint64_t> known(std::uint64_t place) {
  if (place == Status::kNoOffset) return std::nullopt;
  return place;
}

[[noreturn]] void raise(ErrorKind kind, const std::string& what, std::uint64_t offset,
                        std::uint64_t chunk) {
  const nb::object make = nb::module_::import_("numpact._errors").attr("make_error");
  const nb::object error = make(static_cast<int>(kind), what, known(offset), known(chunk));
  PyErr_SetObject(reinterpret_cast<PyObject*>(error.type().ptr()), error.ptr());
  throw nb::python_error();
}

}  // namespace

void raise_if_error(const Status& status) {
  if (!status.ok()) raise(status.kind(), status.message(), status.offset(), status.chunk());
}

void raise_error(ErrorKind kind, const std::string& what) {
  raise(kind, what, Status::kNoOffset, Status::kNoOffset);
}

}  // namespace numpact::python
