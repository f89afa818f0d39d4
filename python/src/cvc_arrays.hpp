// SPDX-License-Identifier: Apache-2.0
// Arrays of vectors between Python and numpact::cvc.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "numpact/cvc.hpp"

namespace numpact::python {

namespace nb = nanobind;

using ConstRows = nb::ndarray<nb::ro, nb::device::cpu>;
using MutableRows = nb::ndarray<nb::device::cpu>;

// Arrays of two dimensions, or of one for scalars, whose rows are contiguous. Throws TypeError for
// others. bfloat16 comes as uint16 with `is_bfloat16`.
cvc::Rows rows_of(const ConstRows& array);
cvc::MutableRows rows_of(const MutableRows& array, bool is_bfloat16);

// A header as a dictionary; numpact/cvc/_info.py makes an object of it.
nb::dict info_dict(const cvc::Info& info);

}  // namespace numpact::python
