// SPDX-License-Identifier: Apache-2.0
// Untrusted JSON, by the reader of the command: both refuse the same.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "json/json.hpp"

namespace nb = nanobind;

namespace numpact::python {

namespace json = internal::json;
namespace {

using json::Kind;

// A value and the object of Python that its text lies in.
class PythonJsonView {
 public:
  static std::optional<PythonJsonView> of(nb::bytes text, std::size_t max_values) {
    return made(text, json::parse_strict({text.c_str(), text.size()}, max_values));
  }

  std::optional<PythonJsonView> first() const { return made(text_, view_.first()); }
  std::optional<PythonJsonView> next() const { return made(text_, view_.next()); }
  std::optional<PythonJsonView> find(std::string_view name) const {
    return made(text_, view_.find(name));
  }
  const json::View& view() const { return view_; }

 private:
  PythonJsonView(nb::bytes text, json::View view) : text_(std::move(text)), view_(view) {}
  static std::optional<PythonJsonView> made(const nb::bytes& text,
                                            const std::optional<json::View>& view) {
    if (!view) return std::nullopt;
    return PythonJsonView(text, *view);
  }

  nb::bytes text_;
  json::View view_;
};

const char* kind_of(const PythonJsonView& value) {
  switch (value.view().kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kFalse:
    case Kind::kTrue:
      return "bool";
    case Kind::kInteger:
    case Kind::kFloat:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  return "";
}

// None if the value is not a string. Unpaired surrogates are kept.
nb::object string_of(const PythonJsonView& value) {
  if (!value.view().is(Kind::kString)) return nb::none();
  const std::string text = value.view().string();
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

// Whether it is a string of hexadecimal digits, two for each byte.
bool is_hex(const PythonJsonView& value) {
  if (!value.view().is(Kind::kString)) return false;
  const std::string text = value.view().string();
  return text.size() % 2 == 0 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

nb::object natural_of(const PythonJsonView& value) {
  const std::optional<std::uint64_t> number = value.view().unsigned_integer();
  return number ? nb::cast(*number) : nb::none();
}

}  // namespace

void bind_json_view(nb::module_& m) {
  nb::class_<PythonJsonView>(m, "JsonView")
      .def_prop_ro("kind", &kind_of)
      .def_prop_ro("size", [](const PythonJsonView& value) { return value.view().text().size(); })
      .def("first", &PythonJsonView::first)
      .def("next", &PythonJsonView::next)
      .def("find", &PythonJsonView::find, nb::arg("name"))
      .def("count", [](const PythonJsonView& value) { return value.view().count(); })
      .def("is_hex", &is_hex)
      .def("string", &string_of)
      .def("natural", &natural_of);
  m.def("json_view", &PythonJsonView::of, nb::arg("text"), nb::arg("max_values"));
}

}  // namespace numpact::python
