// SPDX-License-Identifier: Apache-2.0
#ifndef NUMPACT_PYTHON_CUDA_PCO_HPP
#define NUMPACT_PYTHON_CUDA_PCO_HPP

#include <nanobind/nanobind.h>

namespace numpact::python {

namespace nb = nanobind;

void bind_cuda_pco(nb::module_& m);

}  // namespace numpact::python

#endif
