// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/repeated_values.hpp"

#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/arrow/arrow_columns.hpp"

namespace numpact::cli {
namespace {

// Values that indices of 16 bits number. Text with more of them is stored as it is.
constexpr std::int64_t kMaxRepeatedValues = std::int64_t{1} << 15;
// Rows for each different value of the first batch from which indices are used: below, the
// dictionary takes about as much as the text.
constexpr std::int64_t kMinRepeats = 4;

}  // namespace

bool may_repeat(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
      return true;
    default:
      return false;
  }
}

RepeatedValues::RepeatedValues(std::shared_ptr<arrow::DataType> type, std::string place)
    : type_(std::move(type)),
      place_(std::move(place)),
      unifier_(take_arrow(arrow::DictionaryUnifier::Make(type_), place_)) {}

bool RepeatedValues::add(const arrow::Array& array) {
  const arrow::Datum encoded = take_arrow(arrow::compute::DictionaryEncode(array.data()), place_);
  const auto coded = std::static_pointer_cast<arrow::DictionaryArray>(encoded.make_array());
  const arrow::Array& dictionary = *coded->dictionary();
  const std::int64_t max_values = array.length() / kMinRepeats;
  if (indices_.empty() && dictionary.length() > max_values) return false;
  std::shared_ptr<arrow::Buffer> places;  // of the values of this batch among all, as int32
  check_arrow(unifier_->Unify(dictionary, &places), place_);
  const auto* const place_of = reinterpret_cast<const std::int32_t*>(places->data());
  for (std::int64_t i = 0; i < dictionary.length(); ++i) {
    value_count_ = std::max<std::int64_t>(value_count_, place_of[i] + std::int64_t{1});
  }
  if (value_count_ > kMaxRepeatedValues) return false;
  const auto& given = static_cast<const arrow::Int32Array&>(*coded->indices());
  arrow::Int16Builder indices;
  check_arrow(indices.Reserve(given.length()), place_);
  for (std::int64_t row = 0; row < given.length(); ++row) {
    if (given.IsNull(row)) {
      indices.UnsafeAppendNull();
    } else {
      indices.UnsafeAppend(static_cast<std::int16_t>(place_of[given.Value(row)]));
    }
  }
  indices_.push_back(take_arrow(indices.Finish(), place_));
  return true;
}

std::shared_ptr<arrow::Array> RepeatedValues::coded(std::size_t batch) {
  if (values_ == nullptr) {
    std::shared_ptr<arrow::DataType> type;  // with indices that the count of values decides
    check_arrow(unifier_->GetResult(&type, &values_), place_);
  }
  const auto type = arrow::dictionary(arrow::int16(), type_);
  return take_arrow(arrow::DictionaryArray::FromArrays(type, indices_[batch], values_), place_);
}

}  // namespace numpact::cli
