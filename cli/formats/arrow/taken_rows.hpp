// SPDX-License-Identifier: Apache-2.0
// Rows of values of any type by their numbers. Arrow takes none of views, nor of runs.
#pragma once

#include <arrow/array.h>
#include <arrow/chunked_array.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace numpact::cli {

class RowTaker {
 public:
  // Errors name `place`.
  RowTaker(std::shared_ptr<arrow::ChunkedArray> values, std::string place);

  // These rows, in this order.
  std::shared_ptr<arrow::ChunkedArray> take(std::span<const std::uint64_t> rows) const;

 private:
  std::shared_ptr<arrow::ChunkedArray> joined(std::span<const std::uint64_t> rows) const;

  std::shared_ptr<arrow::DataType> type_;
  std::shared_ptr<arrow::ChunkedArray> plain_;  // without views, if there is such a type
  std::string place_;
};

// The rows of an array whose byte in `kept` is not 0.
std::shared_ptr<arrow::Array> kept_rows(const std::shared_ptr<arrow::Array>& array,
                                        std::span<const std::uint8_t> kept,
                                        const std::string& place);

}  // namespace numpact::cli
