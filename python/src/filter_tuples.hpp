// SPDX-License-Identifier: Apache-2.0
// Comparisons of filters as tuples of Python: (column, operator, values, join, other), where values
// are tuples (kind, content, has a time zone), and `other` is the name of a column or None.
#pragma once

#include <nanobind/nanobind.h>

#include "numpact/table_filter.hpp"

namespace numpact::python {

table::FilterComparison comparison_of(nanobind::handle given);
nanobind::tuple comparison_tuple(const table::FilterComparison& comparison);

}  // namespace numpact::python
