// SPDX-License-Identifier: Apache-2.0
// Text and bytes whose values repeat, as indices of a dictionary: docs/format/table-folder.md says
// when. python/numpact/_tables/repeated.py decides the same, so that both write the same files.
#pragma once

#include <arrow/array/array_base.h>
#include <arrow/array/array_dict.h>
#include <arrow/type_fwd.h>

#include <cstddef>
#include <memory>
#include <string>

namespace numpact::cli {

// Metadata of the schema of a file whose values are indices, though its column has no dictionary.
inline constexpr const char* kEncodingKey = "numpact:encoding";
inline constexpr const char* kDictionaryEncoding = "dictionary";

// Whether values of a type are stored as indices if they repeat.
bool may_repeat(const arrow::DataType& type);

// Batches of a column, as indices of one dictionary; kept in memory, 2 bytes a row.
class RepeatedValues {
 public:
  RepeatedValues(std::shared_ptr<arrow::DataType> type, std::string place);

  // Adds a batch. False: there are too many different values, and nothing is added.
  bool add(const arrow::Array& array);
  std::size_t size() const { return indices_.size(); }
  // A batch with the dictionary of all. No batch is added after it.
  std::shared_ptr<arrow::Array> coded(std::size_t batch);

 private:
  std::shared_ptr<arrow::DataType> type_;
  std::string place_;
  std::unique_ptr<arrow::DictionaryUnifier> unifier_;
  std::shared_ptr<arrow::Array> values_;  // of all batches, once the first is taken
  std::int64_t value_count_ = 0;
  arrow::ArrayVector indices_;  // of each batch
};

}  // namespace numpact::cli
