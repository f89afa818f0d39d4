// SPDX-License-Identifier: Apache-2.0
// Python objects as bytes and numbers in memory, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "numpact/types.hpp"

namespace numpact::python {

namespace nb = nanobind;

using ConstArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using MutableArray = nb::ndarray<nb::c_contig, nb::device::cpu>;

// The bytes of any object with a contiguous buffer, which is held for as long as this lives: such
// an object cannot be resized or closed meanwhile. TypeMismatchError for other objects.
class Bytes {
 public:
  explicit Bytes(nb::handle source);
  // For an object of Python that keeps the bytes: if the source leads back to that object, which
  // is a cycle, Python's collector has to see the reference, by traverse().
  static Bytes kept(nb::handle source);
  std::span<const std::byte> span() const { return bytes_; }

  int traverse(visitproc visit, void* arg) const;

 private:
  nb::object owner_;
  ConstArray array_;
  std::span<const std::byte> bytes_;
};

// The numbers of an array, whatever its shape. Throws TypeError for types that Pco does not have.
NumberView numbers_of(const ConstArray& array);
MutableNumberView numbers_of(const MutableArray& array);

// InvalidArgumentError if decoding would overwrite its input.
void check_apart(std::span<const std::byte> source, const MutableNumberView& out);

// A type by its name ("f64", "float64"); throws TypeError.
NumberType type_by_name(std::string_view name);
// The other way; None for none.
nb::object name_or_none(std::optional<NumberType> type);

// A new one-dimensional NumPy array, not filled in. Numbers beyond Python's memory: MemoryError.
class NewArray {
 public:
  NewArray(NumberType type, std::size_t count);
  MutableNumberView view() const { return view_; }
  // The first `count` numbers of it.
  nb::object release(std::size_t count);

 private:
  nb::object array_;
  MutableNumberView view_;
};

// Memory that grows while numbers are decoded, and then is a NumPy array.
class GrowingArray {
 public:
  explicit GrowingArray(NumberType type) : type_(type) {}
  ~GrowingArray();
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;

  // As detail::GrowFunction; throws std::bad_alloc. Does not touch Python.
  static void* grow(void* self, std::size_t count, std::size_t expected);
  nb::object release();

 private:
  NumberType type_;
  void* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace numpact::python
