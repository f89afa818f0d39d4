// SPDX-License-Identifier: Apache-2.0
// Slices of CVC files as they are stored.
#include "cvc_stored.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "bindings.hpp"

namespace numpact::python {

namespace nb = nanobind;

namespace {

// Without a copy; keeps the slice alive.
nb::object bytes_of(nb::handle self) {
  static std::uint8_t nothing = 0;
  const std::span<const std::byte> bytes = nb::cast<const CvcSlice&>(self).stored.bytes;
  const void* const data = bytes.empty() ? static_cast<const void*>(&nothing) : bytes.data();
  using Array = nb::ndarray<nb::numpy, nb::ro, std::uint8_t>;
  return nb::cast(Array(const_cast<void*>(data), {bytes.size()}, self));
}

nb::list planes_of(const CvcSlice& self) {
  nb::list planes;
  if (self.stored.compression != cvc::Compression::kLossless) return planes;
  for (const cvc::StoredPlane& plane : self.stored.planes) {
    const nb::bytes dictionary(plane.dictionary.data(), plane.entries);
    planes.append(
        nb::make_tuple(plane.offset, plane.size, plane.width, plane.is_plain, dictionary));
  }
  return planes;
}

}  // namespace

void bind_cvc_stored(nb::module_& m) {
  nb::class_<CvcSlice>(m, "CvcSlice")
      .def_prop_ro("compression", [](const CvcSlice& s) { return name_of(s.stored.compression); })
      .def_prop_ro("dtype", [](const CvcSlice& s) { return name_of(s.stored.dtype); })
      .def_prop_ro("bytes", &bytes_of)
      .def_prop_ro("offset", [](const CvcSlice& s) { return s.stored.offset; })
      .def_prop_ro("first_row", [](const CvcSlice& s) { return s.stored.first_row; })
      .def_prop_ro("rows", [](const CvcSlice& s) { return s.stored.rows; })
      .def_prop_ro("dimension", [](const CvcSlice& s) { return s.stored.dimension; })
      .def_prop_ro("min", [](const CvcSlice& s) { return s.stored.min; })
      .def_prop_ro("scale", [](const CvcSlice& s) { return s.stored.scale; })
      .def_prop_ro("planes", &planes_of);
}

}  // namespace numpact::python
