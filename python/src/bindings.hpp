// SPDX-License-Identifier: Apache-2.0
// The functions by which each file adds to the module numpact._core.
#pragma once

#include <nanobind/nanobind.h>

namespace numpact::python {

void bind_arrow_export(nanobind::module_& m);
void bind_arrow_import(nanobind::module_& m);
void bind_codec(nanobind::module_& m);
void bind_cvc_quality(nanobind::module_& m);
void bind_cvc_reader(nanobind::module_& m);
void bind_cvc_stored(nanobind::module_& m);
void bind_cvc_writer(nanobind::module_& m);
void bind_file_lock(nanobind::module_& m);
void bind_filter(nanobind::module_& m);
void bind_inspect(nanobind::module_& m);
void bind_json(nanobind::module_& m);
void bind_lossy(nanobind::module_& m);
void bind_reader(nanobind::module_& m);
void bind_recipe(nanobind::module_& m);
void bind_stream(nanobind::module_& m);
void bind_table(nanobind::module_& m);
void bind_table_reader(nanobind::module_& m);
void bind_table_scan(nanobind::module_& m);
void bind_table_writer(nanobind::module_& m);
void bind_text_rows(nanobind::module_& m);
void bind_trailer(nanobind::module_& m);
void bind_wrapped(nanobind::module_& m);

}  // namespace numpact::python
