// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/taken_rows.hpp"

#include <arrow/array/array_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>

#include <utility>
#include <vector>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/arrow_output.hpp"

namespace numpact::cli {
namespace {

using TypeRef = std::shared_ptr<arrow::DataType>;
using FieldRef = std::shared_ptr<arrow::Field>;

TypeRef without_views(const TypeRef& type);

FieldRef without_views(const FieldRef& field) {
  return field->WithType(without_views(field->type()));
}

// The type with offsets instead of views. Each level of a type that is read has its own field, of
// which Arrow's reader limits the depth.
TypeRef without_views(const TypeRef& type) {
  switch (type->id()) {
    case arrow::Type::STRING_VIEW:
      return arrow::large_utf8();
    case arrow::Type::BINARY_VIEW:
      return arrow::large_binary();
    case arrow::Type::LIST:
      return arrow::list(without_views(type->field(0)));
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(without_views(type->field(0)));
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto size = static_cast<const arrow::FixedSizeListType&>(*type).list_size();
      return arrow::fixed_size_list(without_views(type->field(0)), size);
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(without_views(map.key_field()),
                                              without_views(map.item_field()), map.keys_sorted());
    }
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (const FieldRef& field : type->fields()) fields.push_back(without_views(field));
      return arrow::struct_(fields);
    }
    default:
      return type;
  }
}

}  // namespace

RowTaker::RowTaker(std::shared_ptr<arrow::ChunkedArray> values, std::string place)
    : type_(values->type()), plain_(std::move(values)), place_(std::move(place)) {
  const TypeRef plain = without_views(type_);
  if (plain->Equals(*type_)) return;
  auto cast = arrow::compute::Cast(plain_, plain);
  if (cast.status().IsNotImplemented()) return;
  plain_ = take_arrow(std::move(cast), place_).chunked_array();
}

std::shared_ptr<arrow::ChunkedArray> RowTaker::take(std::span<const std::uint64_t> rows) const {
  const auto order = std::make_shared<arrow::UInt64Array>(
      static_cast<std::int64_t>(rows.size()), arrow::Buffer::Wrap(rows.data(), rows.size()));
  auto taken = arrow::compute::Take(plain_, order);
  const auto found = taken.status().IsNotImplemented()
                         ? joined(rows)
                         : take_arrow(std::move(taken), place_).chunked_array();
  if (found->type()->Equals(*type_)) return found;
  return take_arrow(arrow::compute::Cast(found, type_), place_).chunked_array();
}

// Slices of neighbouring rows, which Arrow joins for every type.
std::shared_ptr<arrow::ChunkedArray> RowTaker::joined(std::span<const std::uint64_t> rows) const {
  arrow::ArrayVector slices;
  for (std::size_t at = 0; at < rows.size();) {
    std::size_t end = at + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    const auto slice =
        plain_->Slice(static_cast<std::int64_t>(rows[at]), static_cast<std::int64_t>(end - at));
    slices.insert(slices.end(), slice->chunks().begin(), slice->chunks().end());
    at = end;
  }
  if (slices.empty()) return plain_->Slice(0, 0);
  return std::make_shared<arrow::ChunkedArray>(take_arrow(arrow::Concatenate(slices), place_));
}

std::shared_ptr<arrow::Array> kept_rows(const std::shared_ptr<arrow::Array>& array,
                                        std::span<const std::uint8_t> kept,
                                        const std::string& place) {
  const auto mask = arrow::MakeArray(
      arrow::ArrayData::Make(arrow::boolean(), static_cast<std::int64_t>(kept.size()),
                             {nullptr, validity_bits(kept, place)}, 0));
  auto filtered = arrow::compute::Filter(array, mask);
  if (!filtered.status().IsNotImplemented()) {
    return take_arrow(std::move(filtered), place).make_array();
  }
  std::vector<std::uint64_t> rows;
  for (std::size_t row = 0; row < kept.size(); ++row) {
    if (kept[row] != 0) rows.push_back(row);
  }
  if (rows.empty()) return array->Slice(0, 0);
  const auto found = RowTaker(std::make_shared<arrow::ChunkedArray>(array), place).take(rows);
  if (found->num_chunks() == 1) return found->chunk(0);
  return take_arrow(arrow::Concatenate(found->chunks()), place);
}

}  // namespace numpact::cli
