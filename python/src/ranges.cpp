// SPDX-License-Identifier: Apache-2.0
#include "ranges.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "errors.hpp"
#include "gil.hpp"

namespace numpact::python {
namespace {

// PyBUF_WRITE, which the headers of the stable interface lack before 3.11.
constexpr int kWritable = 0x200;

// Memory as Python sees it, for as long as this object lives: what holds on to it, a traceback say,
// finds it released.
class View {
 public:
  explicit View(std::span<std::byte> bytes)
      : view_(
            nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(bytes.data()),
                                              static_cast<Py_ssize_t>(bytes.size()), kWritable))) {
    if (!view_.is_valid()) throw nb::python_error();
  }
  ~View() {
    try {
      view_.attr("release")();
    } catch (const nb::python_error&) {
      // Somebody made an array of it.
    }
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  nb::handle get() const { return view_; }

 private:
  nb::object view_;
};

}  // namespace

PythonRanges::PythonRanges(nb::handle source) : read_at_(source.attr("read_at")) {
  const auto size = nb::cast<std::optional<std::uint64_t>>(source.attr("size"));
  if (size) size_ = *size;
}

Status PythonRanges::read_at(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) {
  const GilAcquire acquire;
  try {
    const View view(out);
    got = nb::cast<std::size_t>(read_at_(offset, view.get()));
    return {};
  } catch (...) {
    const std::lock_guard lock(mutex_);
    raised_ = std::current_exception();
    return Status(ErrorKind::kIo, "reading failed");
  }
}

void PythonRanges::raise(const Status& status) {
  std::exception_ptr cause;
  {
    const std::lock_guard lock(mutex_);
    cause = std::exchange(raised_, nullptr);
  }
  if (status.kind() != ErrorKind::kIo || cause == nullptr) return raise_if_error(status);
  try {
    std::rethrow_exception(cause);
  } catch (const nb::python_error& raised) {
    if (!raised.matches(PyExc_Exception)) throw;
    try {
      raise_if_error(status);
    } catch (const nb::python_error& error) {
      PyException_SetCause(error.value().ptr(), nb::borrow(raised.value()).release().ptr());
      throw;
    }
  }
}

}  // namespace numpact::python
