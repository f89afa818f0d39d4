// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string_view>

namespace numpact::python {
namespace {

namespace nb = nanobind;

std::optional<std::uint64_t> known(std::uint64_t place) {
  if (place == Status::kNoOffset) return std::nullopt;
  return place;
}

// The library names a limit as its own struct does, Python has another name for one of them.
std::string message_of(const Status& status) {
  constexpr std::string_view kOwn = "max_output_bytes";
  std::string text = status.message();
  const std::size_t at = text.find(kOwn);
  if (at != std::string::npos) text.replace(at, kOwn.size(), "max_output");
  return text;
}

nb::object make_error(ErrorKind kind, const std::string& what, std::uint64_t offset,
                      std::uint64_t chunk) {
  const nb::object make = nb::module_::import_("numpact._errors").attr("make_error");
  return make(static_cast<int>(kind), what, known(offset), known(chunk));
}

[[noreturn]] void raise(const nb::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(error.type().ptr()), error.ptr());
  throw nb::python_error();
}

}  // namespace

nb::object error_of(const Status& status) {
  if (status.ok()) return nb::none();
  return make_error(status.kind(), message_of(status), status.offset(), status.chunk());
}

void raise_if_error(const Status& status, const std::string& place) {
  if (status.ok()) return;
  raise(make_error(status.kind(), place + ": " + message_of(status), status.offset(),
                   status.chunk()));
}

void raise_if_error(const Status& status) {
  if (!status.ok()) raise(error_of(status));
}

void raise_error(ErrorKind kind, const std::string& what) {
  raise(make_error(kind, what, Status::kNoOffset, Status::kNoOffset));
}

}  // namespace numpact::python
