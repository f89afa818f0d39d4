// SPDX-License-Identifier: Apache-2.0
#include "cvc_arrays.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <string_view>

namespace numpact::python {
namespace {

cvc::Dtype dtype_of(nb::dlpack::dtype dtype) {
  using Code = nb::dlpack::dtype_code;
  if (dtype.lanes == 1) {
    const auto code = static_cast<Code>(dtype.code);
    if (code == Code::Float && dtype.bits == 16) return cvc::Dtype::kFloat16;
    if (code == Code::Float && dtype.bits == 32) return cvc::Dtype::kFloat32;
    if (code == Code::Float && dtype.bits == 64) return cvc::Dtype::kFloat64;
    if (code == Code::Bfloat && dtype.bits == 16) return cvc::Dtype::kBFloat16;
    if (code == Code::Int && dtype.bits == 8) return cvc::Dtype::kInt8;
    if (code == Code::Int && dtype.bits == 32) return cvc::Dtype::kInt32;
    if (code == Code::Int && dtype.bits == 64) return cvc::Dtype::kInt64;
    if (code == Code::UInt && dtype.bits == 8) return cvc::Dtype::kUInt8;
  }
  throw nb::type_error("vectors of this type cannot be stored");
}

struct Shape {
  std::uint64_t count = 0;
  std::uint64_t dimension = 1;
  std::size_t stride = 0;
};

template <class Array>
Shape shape_of(const Array& array) {
  if (array.ndim() != 1 && array.ndim() != 2) {
    throw nb::type_error("expected an array of two dimensions, or of one for scalars");
  }
  Shape shape;
  shape.count = array.shape(0);
  if (array.ndim() == 2) shape.dimension = array.shape(1);
  const bool is_empty = shape.count == 0 || shape.dimension == 0;
  const bool is_tight = array.ndim() == 1 || shape.dimension <= 1 || array.stride(1) == 1;
  if (is_empty) return shape;
  if (!is_tight) throw nb::type_error("the values of a row must be contiguous");
  // A stride of 0 would mean rows without gaps.
  if (shape.count > 1 && array.stride(0) <= 0) {
    throw nb::type_error("rows must come one after the other, and not overlap");
  }
  if (shape.count > 1) {
    shape.stride = static_cast<std::size_t>(array.stride(0)) * array.itemsize();
  }
  return shape;
}

nb::object text_or_none(std::optional<std::string_view> text) {
  if (!text) return nb::none();
  return nb::str(text->data(), text->size());
}

nb::object known(std::uint64_t value) {
  if (value == cvc::Chunk::kUnknown) return nb::none();
  return nb::int_(value);
}

nb::str text(std::string_view name) { return nb::str(name.data(), name.size()); }

}  // namespace

cvc::Rows rows_of(const ConstRows& array) {
  const Shape shape = shape_of(array);
  return {dtype_of(array.dtype()), array.data(), shape.count, shape.dimension, shape.stride};
}

cvc::MutableRows rows_of(const MutableRows& array, bool is_bfloat16) {
  const Shape shape = shape_of(array);
  const cvc::Dtype dtype =
      is_bfloat16 && array.itemsize() == 2 ? cvc::Dtype::kBFloat16 : dtype_of(array.dtype());
  return {dtype, array.data(), shape.count, shape.dimension, shape.stride};
}

nb::dict info_dict(const cvc::Info& info) {
  nb::list columns;
  for (const cvc::Column& column : info.columns) {
    columns.append(nb::make_tuple(text(column.name), column.dimension, text(name_of(column.dtype)),
                                  text(name_of(column.compression)), column.is_vector));
  }
  nb::list chunks;
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    const cvc::Chunk& chunk = info.chunks[i];
    nb::list slices;
    for (std::size_t c = 0; c < info.columns.size(); ++c) {
      const cvc::Slice& slice = info.slice(i, c);
      slices.append(nb::make_tuple(text(name_of(slice.compression)), slice.min, slice.scale,
                                   slice.offset, known(slice.size)));
    }
    chunks.append(nb::make_tuple(chunk.first_row, chunk.rows, known(chunk.offset),
                                 known(chunk.payload_bytes), text_or_none(chunk.metadata), slices));
  }
  nb::list sections;
  for (const cvc::Section& section : info.sections) {
    sections.append(nb::make_tuple(section.rows.first, section.rows.count, text(section.metadata)));
  }
  nb::dict out;
  out["version"] = nb::make_tuple(info.major, info.minor);
  out["is_columnar"] = info.is_columnar;
  out["is_paged"] = info.is_paged;
  out["rows"] = info.rows;
  out["columns"] = columns;
  out["chunks"] = chunks;
  out["sections"] = sections;
  out["metadata"] = text_or_none(info.metadata);
  out["header"] = info.header ? nb::object(text(*info.header)) : nb::object(nb::none());
  out["header_bytes"] = info.header_bytes;
  out["record_head_bytes"] = info.record_head_bytes();
  return out;
}

}  // namespace numpact::python
