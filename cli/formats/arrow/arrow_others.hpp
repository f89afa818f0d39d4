// SPDX-License-Identifier: Apache-2.0
// Files of columns that Pco cannot hold, with Arrow.
#pragma once

#include <arrow/ipc/reader.h>
#include <arrow/type.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrow/ipc_sizes.hpp"
#include "formats/arrow/arrow_columns.hpp"
#include "formats/arrow/vector_file.hpp"
#include "formats/others.hpp"

namespace numpact::cli {

// Writes all arrays of a column.
OtherColumn write_arrays(const std::shared_ptr<arrow::Field>& field, const NextArrays& next,
                         ByteSink& file, const std::string& place,
                         std::optional<table::Vectors> vectors);

// Reads rows of a file of a folder, which is untrusted.
class ArrowOtherFile {
 public:
  // `limits`: of the values that are decoded; they do not count as output here.
  explicit ArrowOtherFile(const OtherFile& file, ValueLimitsRef limits = nullptr);

  const std::string& place() const { return place_; }
  const std::shared_ptr<arrow::Field>& field() const { return field_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t batches() const { return (rows_ + kOtherBatchRows - 1) / kOtherBatchRows; }
  std::shared_ptr<arrow::Array> batch(std::uint64_t index, DecodeUse use = DecodeUse::kAll) const;
  // The rows of one range, or those of them for which `kept` is not 0 if that is not empty.
  std::shared_ptr<arrow::Array> read(std::uint64_t first, std::uint64_t rows,
                                     std::span<const std::uint8_t> kept = {},
                                     DecodeUse use = DecodeUse::kAll) const;
  // Bytes of the dictionaries that values of its type refer to; 0 without limits.
  std::uint64_t dictionary_bytes() const { return is_coded_ ? 0 : dictionary_bytes_; }
  const ValueLimitsRef& limits() const { return limits_; }
  // The rows of a file of vectors; null: it is one of Arrow.
  const cvc::Reader* vectors() const { return vectors_ ? &vectors_->rows() : nullptr; }

 private:
  void open_arrow(const std::shared_ptr<arrow::io::RandomAccessFile>& source);
  std::shared_ptr<arrow::Array> read_vectors(std::uint64_t first, std::uint64_t rows,
                                             DecodeUse use) const;
  void check_batch(std::uint64_t index, DecodeUse use) const;
  std::uint64_t known_size(std::optional<std::uint64_t> bytes) const;
  // Decodes a batch, of which check_batch() was called.
  std::shared_ptr<arrow::Array> decoded(std::uint64_t index, DecodeUse use) const;

  std::string place_;
  ValueLimitsRef limits_;  // null: there are none, and sizes are not counted
  std::uint64_t rows_;
  std::optional<VectorFileReader> vectors_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;  // null of vectors
  std::shared_ptr<arrow::Field> field_;                        // of the values that are given
  bool is_coded_ = false;  // they are indices of a dictionary in the file
  std::optional<internal::arrow::IpcSizes> sizes_;
  std::uint64_t dictionary_bytes_ = 0;
  mutable bool has_kept_ = false;         // the dictionaries were passed to limits_
  mutable std::uint64_t read_bytes_ = 0;  // of the batches that the running read() has decoded
};

// Rows of a column in several files, which follow each other.
class ArrowOtherColumn {
 public:
  explicit ArrowOtherColumn(const OtherFiles& files, const ValueLimitsRef& limits = nullptr);

  const std::vector<ArrowOtherFile>& files() const { return files_; }
  const std::string& place() const { return files_[0].place(); }
  const std::shared_ptr<arrow::Field>& field() const { return files_[0].field(); }
  // As those of a file.
  std::shared_ptr<arrow::Array> read(std::uint64_t first, std::uint64_t rows,
                                     std::span<const std::uint8_t> kept = {},
                                     DecodeUse use = DecodeUse::kAll) const;
  std::uint64_t dictionary_bytes() const { return files_[0].dictionary_bytes(); }
  const ValueLimitsRef& limits() const { return files_[0].limits(); }

 private:
  std::vector<ArrowOtherFile> files_;
};

}  // namespace numpact::cli
