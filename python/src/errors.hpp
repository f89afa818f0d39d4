// SPDX-License-Identifier: Apache-2.0
// Errors of the library as Python exceptions (numpact/_errors.py).
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "numpact/error.hpp"

namespace numpact::python {

// The exception for an error, not thrown; None if there is none. Needs the GIL.
nanobind::object error_of(const Status& status);
// Throws the Python exception for an error. Needs the GIL.
void raise_if_error(const Status& status);
// With a place in front, such as a file's name.
void raise_if_error(const Status& status, const std::string& place);
// Throws one with words of its own.
[[noreturn]] void raise_error(ErrorKind kind, const std::string& what);

}  // namespace numpact::python
