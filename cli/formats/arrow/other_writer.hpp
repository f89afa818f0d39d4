// SPDX-License-Identifier: Apache-2.0
// Writes the file of a column that Pco cannot hold: docs/format/table-folder.md.
#pragma once

#include <arrow/array/array_base.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/arrow/vector_file.hpp"
#include "formats/others.hpp"

namespace numpact::cli {

// The type of the values behind extension types.
const arrow::DataType& storage_type(const arrow::DataType& type);
// Whether values of the type refer to a dictionary, also inside of nested types.
bool has_dictionary(const arrow::DataType& type);

class ArrowOtherFile;

// Writes batches of kOtherBatchRows rows, or lists of numbers without nulls as vectors. A column
// with dictionaries is kept in memory up to close(), since a file has one dictionary for all
// batches. Errors name `place`.
class OtherFileWriter {
 public:
  // `vectors`: none: the file is one of Arrow.
  OtherFileWriter(std::shared_ptr<arrow::Field> field, ByteSink& file, std::string place,
                  std::optional<table::Vectors> vectors);

  // The type of the array is that of the field, but for the indices of a dictionary.
  void write(const std::shared_ptr<arrow::Array>& array);
  // Adds the rows of vectors, or returns false: the file is to be one of Arrow.
  bool copy(const cvc::Reader& rows);
  OtherColumn close();

 private:
  void add(const std::shared_ptr<arrow::Array>& array);
  void give_up_vectors();
  void end_vectors();
  void begin();
  void flush(bool is_end);
  arrow::ArrayVector take(std::int64_t rows);
  void write_batch(const arrow::ArrayVector& arrays);
  void unify();
  arrow::Result<arrow::ArrayVector> unified_as(const std::shared_ptr<arrow::DataType>& type) const;

  std::shared_ptr<arrow::Field> field_;
  std::shared_ptr<arrow::Schema> schema_;  // of the file, once it is begun
  std::string place_;
  bool is_whole_;  // only the last row decides the type
  ByteSink& file_;
  table::Vectors form_;
  std::unique_ptr<VectorFileWriter> vectors_;  // null: there are none, or nulls
  std::shared_ptr<arrow::io::OutputStream> sink_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  arrow::ArrayVector pending_;
  std::int64_t pending_rows_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace numpact::cli
