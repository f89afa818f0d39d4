// SPDX-License-Identifier: Apache-2.0
// Vectors in files other than CVC: all columns of a file in blocks of rows, in types of CVC. The
// formats are those of formats/formats.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cvc/widener.hpp"
#include "formats/element.hpp"
#include "formats/table.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cli {

// Size of a block of rows; a block has at least one row. Larger blocks take more memory, smaller
// ones more calls.
inline constexpr std::size_t kRowBlockBytes = std::size_t{1} << 22;

struct VectorOptions {
  std::string from;                        // the format; empty: detected
  std::vector<std::string> columns;        // by name or index; empty: all that can be read
  std::string dtype;                       // raw: type of the numbers
  std::optional<std::uint64_t> dimension;  // raw: numbers in a row
};

// Reads columns of equal length, from first to last row.
//
// Numbers come in their own type if CVC files can be written from it. Wider ones stand for
// bfloat16 (float32), for 16-bit integers and uint32 (int32, int64) and for uint64 (int64; beyond
// its range is a failure).
class VectorInput {
 public:
  // `column_noun`: what the format calls its columns; empty: they have no names.
  VectorInput(std::unique_ptr<TableInput> table, std::string name, std::string_view column_noun,
              const VectorOptions& options);

  // For messages.
  const std::string& name() const { return name_; }
  // The selected columns, at least one, with the types that next() returns.
  const std::vector<Column>& columns() const { return columns_; }
  // The types that the columns have in the file.
  const std::vector<Element>& elements() const { return elements_; }
  // The bytes of a row of all columns in the file; of an impossible row, the maximum.
  std::uint64_t input_row_bytes() const;
  // Messages for the user about how the file is read.
  const std::vector<std::string>& notes() const { return notes_; }
  // The metadata of the file, an object of JSON; empty: none.
  std::string_view json_metadata() const { return table_->json_metadata(); }
  // True if columns have names (tables, tensors); false for a single array (NPY, raw).
  bool has_names() const { return table_->has_names(); }
  // The count of rows, if known in advance.
  std::optional<std::uint64_t> rows() const { return rows_; }
  // Returns the next rows of every column, the same number of each; none at the end. Valid until
  // the next call. Throws Failure.
  std::span<const cvc::Rows> next();

 private:
  // Reads the numbers of one column in blocks of any requested number of rows.
  class RowReader {
   public:
    RowReader(std::unique_ptr<NumberInput> numbers, const Column& column, std::string place);

    // `is_only`: there is no other column, so a block may have fewer rows than requested.
    cvc::Rows next(std::uint64_t rows, bool is_only);
    void set_block_rows(std::uint64_t rows) { numbers_->set_block_numbers(rows * dimension_); }
    const std::string& place() const { return place_; }

   private:
    cvc::Rows take(std::uint64_t numbers);
    cvc::Rows collect(std::uint64_t numbers);

    std::unique_ptr<NumberInput> numbers_;
    std::uint64_t dimension_;
    std::size_t size_;  // of a number, in bytes
    cvc::Dtype dtype_;
    Widener widener_;
    std::string place_;
    NumberView rest_;  // of the last block of numbers_
    std::vector<std::byte> buffer_;
  };

  void add_column(std::size_t index, bool is_requested);
  void take_rows(std::uint64_t rows, const std::string& name);

  std::unique_ptr<TableInput> table_;
  std::string name_;
  std::string_view noun_;
  std::vector<Column> columns_;
  std::vector<Element> elements_;
  std::vector<std::string> notes_;
  std::vector<RowReader> readers_;
  std::vector<cvc::Rows> blocks_;
  std::optional<std::uint64_t> rows_;
  std::uint64_t block_rows_ = 1;
};

// Opens a file, or standard input for "-".
std::unique_ptr<VectorInput> open_vectors(const std::string& path, const VectorOptions& options);

// Opens an output for columns of types of CVC. Chooses the format by name, or by the extension of
// the path if the name is empty.
std::unique_ptr<TableOutput> make_vectors(OutputFile& file, std::string_view to,
                                          const OutputPlan& plan);

// The bytes of a row of all columns; of an impossible row, the maximum.
std::uint64_t row_bytes(std::span<const Column> columns);

}  // namespace numpact::cli
