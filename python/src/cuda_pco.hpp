// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace numpact::python {

namespace nb = nanobind;

void bind_cuda_pco(nb::module_& m);

}  // namespace numpact::python
