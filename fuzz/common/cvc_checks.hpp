// SPDX-License-Identifier: Apache-2.0
// Every way through a file of vectors must give the same, whatever its bytes are.
#pragma once

#include "common/draw.hpp"
#include "common/target.hpp"
#include "numpact/cvc.hpp"

namespace numpact::fuzz {

cvc::ReadConfig tight_read_config();

// A type that a column can be had in.
cvc::Dtype draw_dtype(Draw& draw, const cvc::Column& column);
// Whether all of the column is so little that it can be read for a test.
bool is_small(const cvc::Info& info, std::size_t column);

// All of a column, of a reader.
struct ColumnValues {
  Status status;
  Bytes bytes;
};
ColumnValues read_column(const cvc::Reader& reader, std::size_t column, cvc::Dtype dtype,
                         const cvc::ReadConfig& config = tight_read_config());

// Ranges, single rows, chunks and sections of a column that can be read as a whole are slices of
// that; also where the file is read by ranges of bytes.
void check_parts(ByteSpan file, const cvc::Reader& reader, std::size_t column, Draw& draw);

// Calls all functions that read; the draw decides their options.
void check_vectors(ByteSpan file, Draw& draw);

}  // namespace numpact::fuzz
