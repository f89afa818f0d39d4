// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/array_sizes.hpp"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_dict.h>
#include <arrow/extension_type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>

#include "formats/value_limits.hpp"

namespace numpact::cli {
namespace {

constexpr std::uint64_t kViewBytes = 16;

// Arrow does not tell the referenced part of all types; then it is the whole buffers.
std::uint64_t referenced_bytes(const arrow::ArrayData& data) {
  const auto found = arrow::util::ReferencedBufferSize(data);
  return static_cast<std::uint64_t>(found.ok() ? *found : arrow::util::TotalBufferSize(data));
}

// Of the dictionaries inside of nested types, as they count in referenced_bytes().
std::uint64_t bytes_of_dictionaries(const arrow::ArrayData& data) {
  std::uint64_t sum = data.dictionary == nullptr ? 0 : referenced_bytes(*data.dictionary);
  for (const auto& child : data.child_data) {
    sum = saturated_sum(sum, bytes_of_dictionaries(*child));
  }
  return sum;
}

bool is_view(const arrow::Array& array) {
  return array.type_id() == arrow::Type::STRING_VIEW || array.type_id() == arrow::Type::BINARY_VIEW;
}

std::uint64_t viewed_bytes(const arrow::Array& array, std::int64_t row) {
  return static_cast<const arrow::BinaryViewArray&>(array).GetView(row).size();
}

// The bytes of one value of a dictionary.
std::uint64_t value_bytes(const arrow::Array& values, std::int64_t row) {
  switch (values.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return static_cast<std::uint64_t>(
          static_cast<const arrow::BinaryArray&>(values).value_length(row));
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return static_cast<std::uint64_t>(
          static_cast<const arrow::LargeBinaryArray&>(values).value_length(row));
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return viewed_bytes(values, row);
    case arrow::Type::EXTENSION:
      return value_bytes(*static_cast<const arrow::ExtensionArray&>(values).storage(), row);
    default:
      // No value takes more than all of them.
      return arrow::is_fixed_width(values.type_id())
                 ? static_cast<std::uint64_t>(std::max(1, values.type()->byte_width()))
                 : referenced_bytes(*values.data());
  }
}

}  // namespace

std::uint64_t spread_bytes(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::EXTENSION) {
    return spread_bytes(*static_cast<const arrow::ExtensionArray&>(array).storage());
  }
  std::uint64_t sum = 0;
  if (array.type_id() == arrow::Type::DICTIONARY) {
    const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
    const arrow::Array& values = *coded.dictionary();
    for (std::int64_t row = 0; row < array.length(); ++row) {
      if (array.IsNull(row)) continue;
      sum = saturated_sum(sum, value_bytes(values, coded.GetValueIndex(row)));
    }
  } else if (is_view(array)) {
    for (std::int64_t row = 0; row < array.length(); ++row) {
      if (!array.IsNull(row)) sum = saturated_sum(sum, viewed_bytes(array, row));
    }
  }
  return sum;
}

std::uint64_t bytes_of_rows(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::EXTENSION) {
    return bytes_of_rows(*static_cast<const arrow::ExtensionArray&>(array).storage());
  }
  if (array.type_id() == arrow::Type::DICTIONARY) {
    return referenced_bytes(*static_cast<const arrow::DictionaryArray&>(array).indices()->data());
  }
  if (is_view(array)) {
    return saturated_sum(static_cast<std::uint64_t>(array.length()) * kViewBytes,
                         spread_bytes(array));
  }
  const std::uint64_t all = referenced_bytes(*array.data());
  return all - std::min(all, bytes_of_dictionaries(*array.data()));
}

}  // namespace numpact::cli
