// SPDX-License-Identifier: Apache-2.0
// Converts between Arrow arrays and arrays of numbers. Only the files that use Arrow include this.
#pragma once

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include <functional>
#include <memory>
#include <string>

#include "failure.hpp"
#include "formats/table.hpp"
#include "io/files.hpp"

namespace numpact::cli {

// Throws a Failure for an error status. Errors of the operating system and unimplemented features
// are kFailure; all others mean that the input is corrupt.
void check_arrow(const arrow::Status& status, const std::string& place);

template <class T>
T take_arrow(arrow::Result<T> result, const std::string& place) {
  check_arrow(result.status(), place);
  return std::move(result).ValueUnsafe();
}

// Returns the next arrays of one column, null at the end.
using NextArrays = std::function<std::shared_ptr<arrow::ChunkedArray>()>;
// Returns an iterator over the arrays of a column, from the beginning.
using OpenArrays = std::function<NextArrays(std::size_t column)>;

// Describes all fields. For vectors, columns of lists are accepted too. Where the type does not
// state the list length, it is the length of the column's first list, which is read with `open`.
std::vector<Column> describe_fields(const arrow::Schema& schema, Purpose purpose,
                                    const OpenArrays& open, const std::string& file);
Metadata metadata_of(const std::shared_ptr<const arrow::KeyValueMetadata>& metadata);
std::shared_ptr<arrow::KeyValueMetadata> arrow_metadata_of(const Metadata& metadata);

// The Arrow type of a column's values, lists included.
std::shared_ptr<arrow::DataType> arrow_type_of(const Column& column);
std::shared_ptr<arrow::DataType> arrow_type_of(NumberType type);

// Opens the file for random access. A regular file is mapped; a stream is read to its end.
std::shared_ptr<arrow::io::RandomAccessFile> arrow_file(Input& input);

// `rows`: the row count, if known.
std::unique_ptr<NumberInput> read_arrays(NextArrays next, const Column& column,
                                         std::optional<std::uint64_t> rows, NullPolicy nulls,
                                         const std::string& file);

}  // namespace numpact::cli
