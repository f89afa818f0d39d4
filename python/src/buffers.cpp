// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

#include <nanobind/stl/string.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "errors.hpp"

namespace numpact::python {
namespace {

constexpr std::size_t kTypes = 12;  // their bytes in a file start at 1

// numpy.empty and NumPy's names of the number types. Looked up at the first use, since numpact can
// be imported without NumPy, and kept for good.
struct NumPy {
  nb::object empty;
  nb::object dtypes[kTypes];

  NumPy() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    empty = numpy.attr("empty");
    for (const NumberType type : kNumberTypes) {
      const char* const kind = kind_of(type) == NumberKind::kUnsigned ? "u"
                               : kind_of(type) == NumberKind::kSigned ? "i"
                                                                      : "f";
      const std::string name = kind + std::to_string(size_of(type));
      dtypes[static_cast<std::size_t>(type)] = numpy.attr("dtype")(name.c_str());
    }
  }
};

// Not the initializer of a static: a thread that waits for one would hold the GIL, which the import
// may let go of and need again.
const NumPy& numpy() {
  static std::atomic<const NumPy*> known{nullptr};
  const NumPy* instance = known.load(std::memory_order_acquire);
  if (instance == nullptr) {
    auto made = std::make_unique<const NumPy>();
    if (known.compare_exchange_strong(instance, made.get())) instance = made.release();
  }
  return *instance;
}

NumberType type_of(nb::dlpack::dtype dtype) {
  if (dtype.lanes == 1) {
    for (const NumberType type : kNumberTypes) {
      if (dtype.bits != size_of(type) * 8) continue;
      const auto code = static_cast<nb::dlpack::dtype_code>(dtype.code);
      if (code == nb::dlpack::dtype_code::UInt && kind_of(type) == NumberKind::kUnsigned)
        return type;
      if (code == nb::dlpack::dtype_code::Int && kind_of(type) == NumberKind::kSigned) return type;
      if (code == nb::dlpack::dtype_code::Float && kind_of(type) == NumberKind::kFloat) return type;
    }
  }
  throw nb::type_error("numbers of this type cannot be compressed");
}

nb::dlpack::dtype dlpack_of(NumberType type) {
  const auto code = kind_of(type) == NumberKind::kUnsigned ? nb::dlpack::dtype_code::UInt
                    : kind_of(type) == NumberKind::kSigned ? nb::dlpack::dtype_code::Int
                                                           : nb::dlpack::dtype_code::Float;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(size_of(type) * 8), 1};
}

}  // namespace

Bytes::Bytes(nb::handle source) {
  if (PyBytes_Check(source.ptr())) {
    owner_ = nb::borrow(source);
    bytes_ = {reinterpret_cast<const std::byte*>(PyBytes_AsString(source.ptr())),
              static_cast<std::size_t>(PyBytes_Size(source.ptr()))};
    return;
  }
  if (!nb::try_cast(source, array_)) {
    const bool is_text = PyUnicode_Check(source.ptr()) != 0;
    raise_error(ErrorKind::kTypeMismatch,
                "expected bytes or an object with a contiguous buffer, not " +
                    nb::cast<std::string>(source.type().attr("__name__")) +
                    (is_text ? ": numpact.open takes paths" : ""));
  }
  bytes_ = {static_cast<const std::byte*>(array_.data()), array_.nbytes()};
}

Bytes Bytes::kept(nb::handle source) {
  Bytes bytes(source);
  if (bytes.owner_) return bytes;
  // An array holds its source where the collector does not look; a view of memory shows it.
  const nb::object view = nb::steal(PyMemoryView_FromObject(source.ptr()));
  if (!view) {
    PyErr_Clear();  // not every array has one: those of NumPy's times, or of other libraries
    return bytes;
  }
  ConstArray same;
  if (nb::try_cast(view, same) && same.data() == bytes.array_.data() &&
      same.nbytes() == bytes.array_.nbytes()) {
    bytes.owner_ = view;
    bytes.array_ = ConstArray();
  }
  return bytes;
}

int Bytes::traverse(visitproc visit, void* arg) const {
  Py_VISIT(owner_.ptr());
  return 0;
}

void check_apart(std::span<const std::byte> source, const MutableNumberView& out) {
  const auto* const first = static_cast<const std::byte*>(out.data);
  const std::byte* const end = first + out.count * size_of(out.type);
  const std::less<> before;
  if (before(first, source.data() + source.size()) && before(source.data(), end)) {
    raise_error(ErrorKind::kInvalidArgument, "out overlaps the bytes that are decoded");
  }
}

NumberView numbers_of(const ConstArray& array) {
  return {type_of(array.dtype()), array.data(), array.size()};
}

MutableNumberView numbers_of(const MutableArray& array) {
  return {type_of(array.dtype()), array.data(), array.size()};
}

NumberType type_by_name(std::string_view name) {
  const std::optional<NumberType> type = number_type_of_name(name);
  if (!type) throw nb::type_error(("not a number type: " + std::string(name)).c_str());
  return *type;
}

nb::object name_or_none(std::optional<NumberType> type) {
  if (!type) return nb::none();
  return nb::str(name_of(*type).data(), name_of(*type).size());
}

NewArray::NewArray(NumberType type, std::size_t count)
    : array_(numpy().empty(count, numpy().dtypes[static_cast<std::size_t>(type)])) {
  view_ = {type, nb::cast<MutableArray>(array_).data(), count};
}

nb::object NewArray::release(std::size_t count) {
  if (count == view_.count) return std::move(array_);
  return nb::object(array_[nb::slice(count)]).attr("copy")();
}

GrowingArray::~GrowingArray() { std::free(data_); }

void* GrowingArray::grow(void* self, std::size_t count, std::size_t expected) {
  auto& array = *static_cast<GrowingArray*>(self);
  const std::size_t size = size_of(array.type_);
  const std::size_t needed = std::max(count, array.capacity_ == 0 ? expected : 0);
  if (needed > array.capacity_) {
    if (needed > SIZE_MAX / size) throw std::bad_alloc();
    void* const data = std::realloc(array.data_, needed * size);
    if (data == nullptr) throw std::bad_alloc();
    array.data_ = data;
    array.capacity_ = needed;
  }
  array.count_ = count;
  return array.data_;
}

nb::object GrowingArray::release() {
  if (count_ == 0) return NewArray(type_, 0).release(0);
  const std::size_t size = size_of(type_);
  if (count_ < capacity_) {
    if (void* const data = std::realloc(data_, count_ * size)) data_ = data;
  }
  const nb::capsule owner(data_, [](void* data) noexcept { std::free(data); });
  void* const data = std::exchange(data_, nullptr);
  const std::size_t shape[] = {count_};
  return nb::cast(nb::ndarray<nb::numpy>(data, 1, shape, owner, nullptr, dlpack_of(type_)));
}

}  // namespace numpact::python
