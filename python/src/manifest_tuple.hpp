// SPDX-License-Identifier: Apache-2.0
// A manifest as tuples of Python.
#pragma once

#include <nanobind/nanobind.h>

#include "numpact/table.hpp"
#include "numpact/table_filter.hpp"

namespace numpact::python {

// (version, columns, others, skipped, metadata), with the fields of numpact/_remote/manifest.py.
nanobind::tuple manifest_tuple(table::Manifest manifest);
nanobind::tuple part_tuple(const table::Part& part);
// The other way round.
table::Manifest manifest_in(nanobind::handle tuple);
table::Column column_in(nanobind::handle tuple);
// The type of a column, from the third member of its tuple.
table::ColumnType column_type(nanobind::handle logical);

}  // namespace numpact::python
