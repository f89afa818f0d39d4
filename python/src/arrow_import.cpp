// SPDX-License-Identifier: Apache-2.0
// Columns of numbers out of the capsules of Arrow's PyCapsule interface.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/bitmap.hpp"
#include "arrow/column_type.hpp"
#include "arrow/structures.hpp"
#include "arrow_abi.hpp"
#include "arrow_names.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "gil.hpp"

namespace numpact::python {
namespace {

namespace nb = nanobind;

using internal::arrow::fault_in;
using internal::arrow::Owned;

// A structure of the interface, moved out of its capsule.
template <class T>
Owned<T> taken(nb::handle capsule, const char* name) {
  auto* const source = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (source == nullptr) throw nb::python_error();
  if (source->release == nullptr) {
    raise_error(ErrorKind::kInvalidArgument, "the Arrow capsule was used before");
  }
  Owned<T> made(*source);
  source->release = nullptr;
  return made;
}

using ArrayPointer = std::shared_ptr<Owned<ArrowArray>>;

using internal::arrow::Storage;
using internal::arrow::storage_of;

nb::dlpack::dtype dtype_of(NumberType type) {
  using Code = nb::dlpack::dtype_code;
  const std::string_view name = name_of(type);
  const Code code = name[0] == 'u' ? Code::UInt : name[0] == 'i' ? Code::Int : Code::Float;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(type)), 1};
}

// How many of the bits [first, first + count) are 0.
std::int64_t zeros_in(const std::uint8_t* bits, std::int64_t first, std::int64_t count) {
  return static_cast<std::int64_t>(internal::arrow::count_zeros(
      bits, static_cast<std::size_t>(first), static_cast<std::size_t>(first + count)));
}

// ---- possible faults of a producer ----

void require(bool holds, const char* what) {
  if (!holds) raise_error(ErrorKind::kCorrupt, std::string("the Arrow array is broken: ") + what);
}

void check_array(const ArrowArray& array, std::int64_t buffer_n, std::int64_t child_n) {
  const char* const fault = fault_in(array, buffer_n, child_n);
  if (fault != nullptr) raise_error(ErrorKind::kCorrupt, fault);
  require(array.dictionary == nullptr, "a dictionary that its type lacks");
}

// The bitmap of an array, or null where it says that it has no nulls.
const std::uint8_t* validity_of(const ArrowArray& array) {
  return array.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(array.buffers[0]);
}

// Memory of numpact's own as an array.
nb::object byte_array(std::unique_ptr<std::uint8_t[]> bytes, std::size_t count) {
  std::uint8_t* const data = bytes.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(data, {count}, owner));
}

// A contiguous block of one column.
class ArrowBlock {
 public:
  ArrowBlock(ArrayPointer owner, const ArrowArray& column, Storage type, std::int64_t offset,
             std::int64_t length)
      : owner_(std::move(owner)), column_(&column), type_(type), offset_(offset), length_(length) {
    require(length == 0 || column.buffers[1] != nullptr, "numbers without a buffer");
  }

  std::int64_t length() const { return length_; }

  std::int64_t null_count() const {
    const auto* const bits = validity_of(*column_);
    return bits == nullptr ? 0 : zeros_in(bits, offset_, length_);
  }

  // The numbers, with undefined values for nulls; a view, except for booleans.
  nb::object values() const {
    const auto n = static_cast<std::size_t>(length_);
    if (type_.is_bits) return unpacked(static_cast<const std::uint8_t*>(column_->buffers[1]));
    if (n == 0) return empty();
    const std::size_t size = size_of(type_.type);
    const auto* const data = static_cast<const std::uint8_t*>(column_->buffers[1]) +
                             static_cast<std::size_t>(offset_) * size;
    auto* const keep = new ArrayPointer(owner_);
    const nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<ArrayPointer*>(p); });
    const std::size_t shape[] = {n};
    return nb::cast(
        nb::ndarray<nb::numpy, nb::ro>(data, 1, shape, owner, nullptr, dtype_of(type_.type)));
  }

  // 1 where there is a number, 0 for a null; None where there are no nulls.
  nb::object validity() const {
    const auto* const bits = validity_of(*column_);
    if (bits == nullptr) return nb::none();
    return unpacked(bits);
  }

 private:
  nb::object unpacked(const std::uint8_t* bits) const {
    auto bytes = std::make_unique<std::uint8_t[]>(static_cast<std::size_t>(length_) + 1);
    for (std::int64_t i = 0; i < length_; ++i)
      bytes[static_cast<std::size_t>(i)] =
          internal::arrow::bit_at(bits, static_cast<std::size_t>(offset_ + i));
    return byte_array(std::move(bytes), static_cast<std::size_t>(length_));
  }

  nb::object empty() const {
    static const std::uint64_t nothing = 0;
    const std::size_t shape[] = {0};
    return nb::cast(nb::ndarray<nb::numpy, nb::ro>(&nothing, 1, shape, nb::none(), nullptr,
                                                   dtype_of(type_.type)));
  }

  ArrayPointer owner_;
  const ArrowArray* column_;
  Storage type_;
  std::int64_t offset_;
  std::int64_t length_;
};

// The selected column of an array or stream, and its type.
struct ColumnPlan {
  bool is_child = false;  // the only column of a table
  std::string format;
  Storage type;
};

ColumnPlan plan(const ArrowSchema& schema) {
  ColumnPlan out;
  const ArrowSchema* column = &schema;
  require(schema.format != nullptr, "no format");
  if (std::strcmp(schema.format, "+s") == 0) {
    if (schema.n_children != 1) {
      raise_error(ErrorKind::kInvalidArgument,
                  "a table of " + std::to_string(schema.n_children) + " columns: choose one");
    }
    out.is_child = true;
    require(schema.children != nullptr && schema.children[0] != nullptr, "no child");
    column = schema.children[0];
    require(column->format != nullptr, "no format");
  }
  out.format = column->format;
  const std::optional<Storage> type =
      column->dictionary == nullptr ? storage_of(out.format) : std::nullopt;
  if (!type) {
    const std::string name = arrow_type_name(*column);
    raise_error(ErrorKind::kTypeMismatch,
                column->dictionary != nullptr
                    ? "an Arrow column of type " + name + " cannot be compressed: decode it first"
                    : "an Arrow column of type " + name + " is not of numbers");
  }
  out.type = *type;
  return out;
}

ArrowBlock make_block(const ArrayPointer& array, const ColumnPlan& plan) {
  const ArrowArray& outer = **array;
  if (!plan.is_child) {
    check_array(outer, 2, 0);
    return {array, outer, plan.type, outer.offset, outer.length};
  }
  check_array(outer, 1, 1);
  require(outer.children[0] != nullptr, "no child");
  const auto* const rows = validity_of(outer);
  if (rows != nullptr && zeros_in(rows, outer.offset, outer.length) > 0) {
    raise_error(ErrorKind::kInvalidArgument,
                "rows of the Arrow table are null: take its column out");
  }
  const ArrowArray& child = *outer.children[0];
  check_array(child, 2, 0);
  require(outer.offset + outer.length <= child.length, "a child that is too short");
  return {array, child, plan.type, child.offset + outer.offset, outer.length};
}

using Blocks = std::pair<std::string, std::vector<ArrowBlock>>;

Blocks import_array(nb::handle schema_capsule, nb::handle array_capsule) {
  const Owned<ArrowSchema> schema = taken<ArrowSchema>(schema_capsule, "arrow_schema");
  const auto array =
      std::make_shared<Owned<ArrowArray>>(taken<ArrowArray>(array_capsule, "arrow_array"));
  const ColumnPlan column = plan(*schema);
  std::vector<ArrowBlock> blocks;
  blocks.push_back(make_block(array, column));
  return {column.format, std::move(blocks)};
}

void check_stream(ArrowArrayStream& stream, int code) {
  if (code == 0) return;
  const char* const words = stream.get_last_error(&stream);
  raise_error(ErrorKind::kIo, std::string("the Arrow stream failed: ") +
                                  (words != nullptr ? words : std::strerror(code)));
}

// Producers take the GIL themselves where they need it, and may wait for threads that do.
template <class Call>
int without_gil(Call&& call) {
  const GilRelease release;
  return call();
}

Blocks import_stream(nb::handle capsule) {
  Owned<ArrowArrayStream> stream = taken<ArrowArrayStream>(capsule, "arrow_array_stream");
  Owned<ArrowSchema> schema;
  check_stream(*stream.get(),
               without_gil([&] { return stream->get_schema(stream.get(), schema.get()); }));
  const ColumnPlan column = plan(*schema);
  std::vector<ArrowBlock> blocks;
  while (true) {
    const auto array = std::make_shared<Owned<ArrowArray>>();
    check_stream(*stream.get(),
                 without_gil([&] { return stream->get_next(stream.get(), array->get()); }));
    if ((*array)->release == nullptr) break;
    blocks.push_back(make_block(array, column));
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return {column.format, std::move(blocks)};
}

}  // namespace

void bind_arrow_import(nb::module_& m) {
  nb::class_<ArrowBlock>(m, "ArrowBlock")
      .def_prop_ro("length", &ArrowBlock::length)
      .def_prop_ro("null_count", &ArrowBlock::null_count)
      .def("values", &ArrowBlock::values)
      .def("validity", &ArrowBlock::validity);
  // The number type behind a format, e.g. "i64" for "tsn:UTC"; None where there is none.
  m.def(
      "arrow_type",
      [](const std::string& format) -> nb::object {
        const std::optional<Storage> found = storage_of(format);
        return found ? nb::cast(std::string(name_of(found->type))) : nb::none();
      },
      nb::arg("format"));
  // The same as Arrow prints it.
  m.def(
      "arrow_name", [](const std::string& format) { return arrow_format_name(format); },
      nb::arg("format"));
  m.def(
      "import_arrow_array",
      [](nb::handle schema, nb::handle array) {
        Blocks blocks = import_array(schema, array);
        return nb::make_tuple(blocks.first, std::move(blocks.second));
      },
      nb::arg("schema"), nb::arg("array"));
  m.def(
      "import_arrow_stream",
      [](nb::handle stream) {
        Blocks blocks = import_stream(stream);
        return nb::make_tuple(blocks.first, std::move(blocks.second));
      },
      nb::arg("stream"));
}

}  // namespace numpact::python
