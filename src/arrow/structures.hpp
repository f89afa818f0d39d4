// SPDX-License-Identifier: Apache-2.0
// The structures of Arrow's C data interface. They are parameters here, since the C interface of
// numpact, a layer above, declares them.
#pragma once

#include <cstdint>
#include <utility>

#include "arrow/column_type.hpp"

namespace numpact::internal::arrow {

// A structure, which is released with this.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(const T& value) : value_(value) {}
  Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Owned() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  T* get() { return &value_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_{};
};

// Why an array does not have the buffers and children of its type; null: it has them. To be asked
// before they are read. Only the producer knows the sizes of the buffers.
template <class Array>
const char* fault_in(const Array& array, std::int64_t buffers, std::int64_t children) {
  const bool has_nulls = array.null_count > 0;
  return array.length < 0 || array.offset < 0 ? "the Arrow array has a negative length or offset"
         : array.length > kMaxRows || array.offset > kMaxRows - array.length
             ? "the Arrow array has a length out of range"
         : array.null_count < -1 || array.null_count > array.length
             ? "the Arrow array has a wrong count of nulls"
         : array.n_buffers != buffers || (buffers > 0 && array.buffers == nullptr)
             ? "the Arrow array has a wrong number of buffers"
         : array.n_children != children || (children > 0 && array.children == nullptr)
             ? "the Arrow array has a wrong number of children"
         : has_nulls && (buffers == 0 || array.buffers[0] == nullptr)
             ? "the Arrow array has nulls without a validity bitmap"
             : nullptr;
}

}  // namespace numpact::internal::arrow
