// SPDX-License-Identifier: Apache-2.0
// Files that several processes write.
#include "numpact/file_lock.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "config.hpp"

namespace numpact::python {
namespace {

// As Python's own functions raise it where the system has said why.
void raise_if_failed(const Status& status, const std::string& path) {
  if (status.kind() == ErrorKind::kIo && status.system_error() != 0) {
    errno = status.system_error();
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, nb::str(path.c_str()).ptr());
    throw nb::python_error();
  }
  raise_if_error(status, path);
}

class Lock {
 public:
  Lock(const std::string& path, std::optional<std::uint64_t> timeout_ms) {
    PythonProgress progress;
    Status status;
    {
      const GilRelease release;
      status = lock_.lock(path, lock_config(timeout_ms, progress));
    }
    progress.rethrow();
    raise_if_failed(status, path);
  }

  bool has_file() const { return lock_.has_file(); }
  std::string path() const { return lock_.path(); }
  void replace(const std::string& from) {
    const Status status = lock_.replace(from);
    raise_if_failed(status, lock_.path());
  }
  void release() { lock_.release(); }

 private:
  FileLock lock_;
};

void replace_file(const std::string& from, const std::string& path,
                  std::optional<std::uint64_t> timeout_ms) {
  PythonProgress progress;
  Status status;
  {
    const GilRelease release;
    status = numpact::replace_file(from, path, lock_config(timeout_ms, progress));
  }
  progress.rethrow();
  raise_if_failed(status, path);
}

void take_access(int descriptor, const std::string& path) {
  raise_if_error(numpact::take_access(descriptor, path), path);
}

}  // namespace

void bind_file_lock(nb::module_& m) {
  nb::class_<Lock>(m, "FileLock")
      .def(nb::init<const std::string&, std::optional<std::uint64_t>>(), nb::arg("path"),
           nb::arg("timeout_ms").none())
      .def_prop_ro("has_file", &Lock::has_file)
      .def_prop_ro("path", &Lock::path)
      .def("replace", &Lock::replace, nb::arg("source"))
      .def("release", &Lock::release);
  m.def("take_access", &take_access, nb::arg("descriptor"), nb::arg("path"));
  m.def("replace_file", &replace_file, nb::arg("source"), nb::arg("path"),
        nb::arg("timeout_ms").none());
}

}  // namespace numpact::python
