// SPDX-License-Identifier: Apache-2.0
// Files of columns that Pco cannot hold, with Arrow.
#pragma once

#include <arrow/ipc/reader.h>
#include <arrow/type.h>

#include <memory>
#include <span>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/others.hpp"

namespace numpact::cli {

// Writes all arrays of a column. The caller commits the file.
OtherColumn write_arrays(const std::shared_ptr<arrow::Field>& field, const NextArrays& next,
                         OutputFile& file, const std::string& place);

// Reads rows of a file of a folder, which is untrusted.
class ArrowOtherFile {
 public:
  explicit ArrowOtherFile(const OtherFile& file);

  const std::shared_ptr<arrow::Field>& field() const { return field_; }
  std::uint64_t batches() const { return (rows_ + kOtherBatchRows - 1) / kOtherBatchRows; }
  std::shared_ptr<arrow::Array> batch(std::uint64_t index) const;
  // The rows of one range, or those of them for which `kept` is not 0 if that is not empty.
  std::shared_ptr<arrow::Array> read(std::uint64_t first, std::uint64_t rows,
                                     std::span<const std::uint8_t> kept = {}) const;

 private:
  std::string place_;
  std::uint64_t rows_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  std::shared_ptr<arrow::Field> field_;  // of the values that are given
  bool is_coded_ = false;                // they are indices of a dictionary in the file
};

}  // namespace numpact::cli
