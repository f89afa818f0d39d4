// SPDX-License-Identifier: Apache-2.0
#include "ranges.hpp"

#include <nanobind/stl/optional.h>

#include <cstring>
#include <optional>
#include <utility>

#include "buffers.hpp"
#include "errors.hpp"
#include "gil.hpp"

namespace numpact::python {
namespace {

// Copies of at least this many bytes release the GIL.
constexpr std::size_t kLongCopyBytes = std::size_t{1} << 20;

void copy(std::span<const std::byte> bytes, std::span<std::byte> out) {
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
}

}  // namespace

PythonRanges::PythonRanges(nb::handle source) : read_at_(source.attr("read_at")) {
  const auto size = nb::cast<std::optional<std::uint64_t>>(source.attr("size"));
  if (size) size_ = *size;
}

Result<std::size_t> PythonRanges::read_at(std::uint64_t offset, std::span<std::byte> out) {
  const GilAcquire acquire;
  try {
    const nb::object given = read_at_(offset, out.size());
    const Bytes bytes(given);
    if (bytes.span().size() > out.size()) {
      return Status(ErrorKind::kIo, "the file gave more bytes than it was asked for");
    }
    const std::size_t got = bytes.span().size();
    if (got < kLongCopyBytes) {
      copy(bytes.span(), out);
    } else {
      const GilRelease release;
      copy(bytes.span(), out);
    }
    return got;
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
    // An error of numpact says itself what is wrong.
    if (raised.matches(nb::module_::import_("numpact._errors").attr("Error"))) throw;
    try {
      raise_if_error(status);
    } catch (const nb::python_error& error) {
      PyException_SetCause(error.value().ptr(), nb::borrow(raised.value()).release().ptr());
      throw;
    }
  }
}

}  // namespace numpact::python
