// SPDX-License-Identifier: Apache-2.0
// Calls of numpact._tables, which reads and writes tables with pyarrow. The command of the Python
// package uses it, since it does not link Arrow: there the program runs in the process of Python
// (module.cpp), without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/arrow/arrow_table.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"
#include "formats/value_limits.hpp"
#include "io/output_file.hpp"

namespace numpact::cli {

namespace nb = nanobind;

// Throws a Failure for an exception of Python. It names `place`, or the file that is at fault.
[[noreturn]] void fail_as_python(const nb::python_error& error, const std::string& place);

// Calls with the GIL.
template <class Call>
auto with_python(const std::string& place, Call&& call) {
  const nb::gil_scoped_acquire gil;
  try {
    return call();
  } catch (const nb::python_error& error) {
    fail_as_python(error, place);
  }
}

// An object of Python that is kept without the GIL.
class PythonObject {
 public:
  PythonObject() = default;
  explicit PythonObject(nb::object object) : object_(std::move(object)) {}
  PythonObject(PythonObject&&) = default;
  PythonObject& operator=(PythonObject&& other) noexcept {
    const nb::gil_scoped_acquire gil;
    object_ = std::move(other.object_);
    return *this;
  }
  ~PythonObject() {
    if (!object_.is_valid()) return;
    const nb::gil_scoped_acquire gil;
    object_.reset();
  }

  // These need the GIL.
  const nb::object& get() const { return object_; }
  template <class... Values>
  nb::object call(const char* name, Values&&... values) const {
    return object_.attr(name)(std::forward<Values>(values)...);
  }

 private:
  nb::object object_;
};

// A module of numpact._tables. Without pyarrow, the message says that `needs`, as "Parquet", needs
// it.
PythonObject tables_module(const char* name, const char* needs, const std::string& place);

// A file that functions of Python write: an argument of theirs. Errors of the file are thrown as
// they are by written().
class PythonSink {
 public:
  PythonSink(ByteSink& file, const std::string& place)
      : state_(std::make_shared<State>(State{&file, place, nullptr})) {}
  ~PythonSink() { state_->file = nullptr; }
  PythonSink(const PythonSink&) = delete;
  PythonSink& operator=(const PythonSink&) = delete;

  // Needs the GIL.
  nb::object function() const;
  // As with_python(), for calls that may write to the file.
  template <class Call>
  auto written(Call&& call) const {
    try {
      return with_python(state_->place, call);
    } catch (const Failure&) {
      if (state_->error) std::rethrow_exception(state_->error);
      throw;
    }
  }

 private:
  // Of the file, which Python may outlive: what is written to a file that is gone is dropped.
  struct State {
    ByteSink* file;
    std::string place;  // for messages
    std::exception_ptr error;
  };
  std::shared_ptr<State> state_;
};

// ---- values; all of these need the GIL ----

// Text that may hold bytes that are not UTF-8, which are replaced.
nb::object python_text(std::string_view text);
inline nb::bytes python_bytes(std::span<const std::byte> bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}
// The bytes of an object that has any; they stay as long as it does.
inline std::span<const std::byte> bytes_in(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}
// A copy of the bytes of an item of a tuple.
inline nb::bytes bytes_at(const nb::handle& tuple, int index) {
  const nb::object item = tuple[index];
  return nb::bytes(nb::handle(item));
}
nb::object limits_for_python(const ValueLimits& limits);
// Adds rows to a block: a tuple of texts, ends and validity.
void add_rows(const nb::handle& rows, TextBlock& block);
// Where functions of pyarrow find or leave a structure of Arrow's C data interface.
template <class T>
std::uintptr_t address_of(Owned<T>& value) {
  return reinterpret_cast<std::uintptr_t>(value.get());
}
// What writing a file of another column returns.
OtherColumn other_in(const nb::object& written);
nb::list metadata_for_python(const Metadata& metadata);
nb::dict file_for_python(const OtherFile& file);
nb::list files_for_python(const OtherFiles& files);

}  // namespace numpact::cli
