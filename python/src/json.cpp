// SPDX-License-Identifier: Apache-2.0
// JSON of untrusted files as values of Python, by the library's parser.
#include "json/json.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bindings.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace numpact::python {
namespace {

using internal::json::Kind;
using internal::json::View;

// Values of one text where the caller has no lower bound. An object of Python takes about 60 bytes,
// so those of the largest text take 4 GiB.
constexpr std::size_t kMaxValues = std::size_t{1} << 26;

nb::object taken(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

// Halves of surrogate pairs stay what they are, as with Python's own parser.
nb::object text_of(const View& view) {
  const std::string text = view.string();
  return taken(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

// Integers of more digits become floats: no field of our files takes them, and Python refuses to
// convert thousands of digits.
constexpr std::size_t kMaxDigits = 40;

nb::object integer_of(const View& view) {
  if (const std::optional<std::uint64_t> number = view.unsigned_integer()) return nb::int_(*number);
  if (view.text().size() > kMaxDigits) return nb::float_(view.number().value());
  return taken(PyLong_FromString(std::string(view.text()).c_str(), nullptr, 10));
}

// Recursion ends at kMaxStrictDepth levels.
nb::object value_of(const View& view) {
  switch (view.kind()) {
    case Kind::kNull:
      return nb::none();
    case Kind::kFalse:
    case Kind::kTrue:
      return nb::bool_(view.is(Kind::kTrue));
    case Kind::kInteger:
      return integer_of(view);
    case Kind::kFloat:
      return nb::float_(view.number().value());
    case Kind::kString:
      return text_of(view);
    case Kind::kArray: {
      nb::list made;
      for (auto item = view.first(); item; item = item->next()) made.append(value_of(*item));
      return made;
    }
    case Kind::kObject: {
      nb::dict made;
      for (auto name = view.first(); name; name = name->next()) {
        const nb::object key = text_of(*name);
        name = name->next();
        made[key] = value_of(*name);
      }
      return made;
    }
  }
  return nb::none();
}

nb::object json_value(nb::bytes text, const std::string& name, std::size_t max_values) {
  const std::optional<View> root =
      internal::json::parse_strict({text.c_str(), text.size()}, max_values);
  if (!root) {
    raise_error(ErrorKind::kCorrupt,
                name + ": no JSON in UTF-8 of at most " + std::to_string(max_values) +
                    " values and " + std::to_string(internal::json::kMaxStrictDepth) + " levels");
  }
  return value_of(*root);
}

}  // namespace

void bind_json(nb::module_& m) {
  m.def("json_value", &json_value, nb::arg("text"), nb::arg("name"),
        nb::arg("max_values") = kMaxValues);
}

}  // namespace numpact::python
