// SPDX-License-Identifier: Apache-2.0
// What the files that use Arrow share.
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
#include "formats/arrow/arrow_table.hpp"
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

// The fields of a schema, and such arrays, for ArrowSource.
ArrowFields exported(const arrow::Schema& schema, const std::string& file);
NextArray exported(NextArrays next, bool checks_values, std::string place);
std::shared_ptr<arrow::KeyValueMetadata> arrow_metadata_of(const Metadata& metadata);

// Opens the file for random access. A regular file is mapped; a stream is read to its end.
std::shared_ptr<arrow::io::RandomAccessFile> arrow_file(Input& input);

}  // namespace numpact::cli
