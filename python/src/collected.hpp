// SPDX-License-Identifier: Apache-2.0
// Objects that keep others, for Python's collector of cycles.
#pragma once

#include <nanobind/nanobind.h>

namespace numpact::python {

// Shows the collector what an object keeps, by its traverse(). Nothing is cleared: threads may be
// reading, and a cycle also has an object of Python, whose attributes are.
template <class T>
int traverse_collected(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nanobind::inst_ready(self)) return 0;  // it is being made
  return nanobind::inst_ptr<T>(self)->traverse(visit, arg);
}

template <class T>
inline PyType_Slot kCollected[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&traverse_collected<T>)}, {0, nullptr}};

}  // namespace numpact::python
