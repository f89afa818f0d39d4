// SPDX-License-Identifier: Apache-2.0
// Python objects as sources of ranges of bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <mutex>

#include "numpact/file_access.hpp"

namespace numpact::python {

namespace nb = nanobind;

// An object with `size` and read_at(offset, size), see numpact/cvc/_sources.py. Made and destroyed
// while the GIL is held; reads on any thread, with the GIL for no longer than each takes. Python
// gets none of the library's memory: its results are copied.
class PythonRanges final : public RangeSource {
 public:
  explicit PythonRanges(nb::handle source);

  std::uint64_t size() const noexcept override { return size_; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override;

  // Raises the error of a call that failed; what Python raised becomes its cause, or is raised
  // itself if it is not an Exception (KeyboardInterrupt, say). Needs the GIL.
  void raise(const Status& status);

  // For Python's collector: the source may refer to the owner of this.
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(read_at_.ptr());
    return 0;
  }

 private:
  nb::object read_at_;
  std::uint64_t size_ = kUnknownSize;
  std::mutex mutex_;
  std::exception_ptr raised_;
};

}  // namespace numpact::python
