// SPDX-License-Identifier: Apache-2.0
// Readers of tables (numpact/table_reader.hpp) for Python, and their errors.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config.hpp"
#include "gil.hpp"
#include "numpact/table_reader.hpp"

namespace numpact::python {

namespace nb = nanobind;

// What Python raised in a function that the library called on this thread.
std::exception_ptr& raised_by_python();

// Calls Python from a function of the library, on any thread. What it raises becomes a Status, and
// is raised again by TableReader::run().
template <class Call>
Status call_python(const Call& call) {
  const GilAcquire acquire;
  try {
    call();
    return {};
  } catch (...) {
    raised_by_python() = std::current_exception();
    return Status(ErrorKind::kIo, "a function of Python raised an error");
  }
}

// Raises the error of work with a table. `place`: of the folder, where the failure has only the
// names of files; else empty.
[[noreturn]] void raise_table_error(const Status& status, table::Failure failure,
                                    const std::string& place);

// Calls `work` with a Failure, without the GIL; raises its error, or what `progress` has found.
template <class Work>
void run_table_work(const Work& work, const PythonProgress* progress = nullptr,
                    const std::string& place = {}) {
  table::Failure failure;
  Status status;
  raised_by_python() = nullptr;
  {
    const GilRelease release;
    status = work(&failure);
  }
  if (progress != nullptr) progress->rethrow();
  if (!status.ok()) raise_table_error(status, std::move(failure), place);
}

// A Reader over a folder on disk, or over an object of Python: `open(name)` gives an object with
// `size` and `read_at(offset, size)`, or one with a buffer that is the whole file; `place` is how
// messages call the folder; `manifest_tuple()`, if there is one, gives the manifest, which is not
// read then. Immutable; threads may share it.
class TableReader {
 public:
  TableReader(nb::handle source, std::optional<std::uint64_t> max_memory);

  const table::Reader& reader() const { return *reader_; }
  nb::tuple manifest() const;
  void load(std::size_t column) const;
  // The bytes of a file on disk.
  nb::object file(const std::string& name, const std::string& column) const;
  // The texts of a column of them: where each begins in the bytes, with the end of the last one, as
  // (n + 1,) of uint64, and the bytes.
  nb::tuple texts(std::size_t column) const;
  // How messages call the file and the column of a column.
  std::string place_of(const table::Column& column) const;

  // As run_table_work().
  template <class Work>
  void run(const Work& work, const PythonProgress* progress = nullptr) const {
    // A reader of other files than a folder's knows their names only.
    run_table_work(work, progress, source_.is_valid() ? place_ : "");
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(source_.ptr());
    return 0;
  }

 private:
  nb::object source_;  // of Python; null: a folder on disk
  std::string place_;
  std::unique_ptr<const table::Reader> reader_;
};

}  // namespace numpact::python
