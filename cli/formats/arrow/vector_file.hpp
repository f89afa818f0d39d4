// SPDX-License-Identifier: Apache-2.0
// The CVC files of columns of fixed-size lists of numbers: docs/format/table-folder.md.
#pragma once

#include <arrow/array/array_base.h>
#include <arrow/io/interfaces.h>
#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <string>

#include "io/cleanup.hpp"
#include "numpact/error.hpp"
#include "numpact/table.hpp"

namespace numpact::cvc {
class CollectionWriter;
class Reader;
}  // namespace numpact::cvc

namespace numpact::cli {

// Whether CVC has a type for the values of lists of a type of Arrow, extensions included. A build
// without CVC has none.
bool can_be_vectors(const arrow::DataType& type);
// Whether a list, or a number in one, is null: CVC has none.
bool has_nulls(const arrow::Array& lists);

// A file that grows in a temporary folder, with memory for a chunk. Errors name `place`.
class VectorFileWriter {
 public:
  VectorFileWriter(const std::shared_ptr<arrow::Field>& field, table::Vectors vectors,
                   std::string place);
  ~VectorFileWriter();
  VectorFileWriter(const VectorFileWriter&) = delete;
  VectorFileWriter& operator=(const VectorFileWriter&) = delete;

  // Adds lists without nulls.
  void write(const arrow::Array& lists);
  // Adds the rows of a file: chunks stay as they are where values would change. Returns how many.
  std::uint64_t copy(const cvc::Reader& rows);
  // Completes the file, which exists as long as this object.
  const std::string& finish();

 private:
  std::string place_;
  std::unique_ptr<TemporaryPath> folder_;  // outlives the writer of a file in it
  std::string path_;
  std::unique_ptr<cvc::CollectionWriter> writer_;
};

// Reads rows of a file, which is untrusted.
class VectorFileReader {
 public:
  // `file`: gives bytes that are checked.
  VectorFileReader(std::shared_ptr<arrow::io::RandomAccessFile> file, std::uint64_t rows,
                   std::string place);
  ~VectorFileReader();
  VectorFileReader(VectorFileReader&&) noexcept;
  VectorFileReader& operator=(VectorFileReader&&) noexcept;

  const std::shared_ptr<arrow::Field>& field() const { return field_; }
  const cvc::Reader& rows() const { return *reader_; }
  std::uint64_t bytes_of(std::uint64_t rows) const;
  std::shared_ptr<arrow::Array> read(std::uint64_t first, std::uint64_t rows) const;

 private:
  class Source;
  void check_read(const Status& status) const;

  std::string place_;
  std::shared_ptr<Source> source_;
  std::unique_ptr<cvc::Reader> reader_;
  std::shared_ptr<arrow::Field> field_;
};

}  // namespace numpact::cli
