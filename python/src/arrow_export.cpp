// SPDX-License-Identifier: Apache-2.0
// Numbers as the capsules of Arrow's PyCapsule interface.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <memory>
#include <string>

#include "arrow_abi.hpp"
#include "bindings.hpp"
#include "buffers.hpp"
#include "gil.hpp"

namespace numpact::python {
namespace {

struct SchemaOwner {
  std::string format;
};

// Keeps the memory of an exported array.
struct ArrayOwner {
  ConstArray values;
  ConstArray validity;
  const void* buffers[2] = {nullptr, nullptr};
};

void release_schema(ArrowSchema* schema) {
  delete static_cast<SchemaOwner*>(schema->private_data);
  schema->release = nullptr;
}

// May be called from any thread, with or without the GIL.
void release_array(ArrowArray* array) {
  auto* const owner = static_cast<ArrayOwner*>(array->private_data);
  array->release = nullptr;
  if (!Py_IsInitialized()) return;  // too late: the memory goes with the process
  const GilAcquire acquire;
  delete owner;
}

template <class T>
void delete_capsule(PyObject* capsule) {
  const char* const name = PyCapsule_GetName(capsule);
  auto* const value = static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  if (value->release != nullptr) value->release(value);
  delete value;
}

template <class T>
nb::object make_capsule(std::unique_ptr<T> value, const char* name) {
  PyObject* const capsule = PyCapsule_New(value.get(), name, &delete_capsule<T>);
  if (capsule == nullptr) {
    value->release(value.get());
    throw nb::python_error();
  }
  value.release();
  return nb::steal(capsule);
}

nb::object export_schema(const std::string& format, bool is_nullable) {
  auto schema = std::make_unique<ArrowSchema>();
  std::memset(schema.get(), 0, sizeof(ArrowSchema));
  auto owner = std::make_unique<SchemaOwner>(SchemaOwner{format});
  schema->format = owner->format.c_str();
  schema->name = "";
  schema->flags = is_nullable ? ARROW_FLAG_NULLABLE : 0;
  schema->release = &release_schema;
  schema->private_data = owner.release();
  return make_capsule(std::move(schema), "arrow_schema");
}

// `validity`: a bitmap, least bit first, or None. For format "b" the values are a bitmap as well.
nb::object export_array(const ConstArray& values, const nb::object& validity, std::int64_t length,
                        std::int64_t null_count) {
  auto owner = std::make_unique<ArrayOwner>();
  owner->values = values;
  if (!validity.is_none()) {
    owner->validity = nb::cast<ConstArray>(validity);
    owner->buffers[0] = owner->validity.data();
  }
  owner->buffers[1] = owner->values.data();
  auto array = std::make_unique<ArrowArray>();
  std::memset(array.get(), 0, sizeof(ArrowArray));
  array->length = length;
  array->null_count = null_count;
  array->n_buffers = 2;
  array->buffers = owner->buffers;
  array->release = &release_array;
  array->private_data = owner.release();
  return make_capsule(std::move(array), "arrow_array");
}

}  // namespace

void bind_arrow_export(nb::module_& m) {
  m.def("export_arrow_schema", &export_schema, nb::arg("format"), nb::arg("is_nullable"));
  m.def("export_arrow_array", &export_array, nb::arg("values"), nb::arg("validity").none(),
        nb::arg("length"), nb::arg("null_count"));
}

}  // namespace numpact::python
