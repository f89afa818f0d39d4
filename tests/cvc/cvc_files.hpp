// SPDX-License-Identifier: Apache-2.0
// The CVC files of other writers, and the arrays in them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "numpact/cvc.hpp"
#include "support/bytes.hpp"

namespace numpact::testing {

// An array of an NPY file.
struct Array {
  std::string descr;  // NumPy's type descriptor, e.g. "<f4"
  std::vector<std::uint64_t> shape;
  Bytes bytes;  // in the byte order of memory

  std::uint64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  std::uint64_t dimension() const { return shape.size() < 2 ? 1 : shape[1]; }
  cvc::Dtype dtype() const;
  // Converts float32; other types are returned unchanged.
  void to_int32();
  cvc::Rows view() const { return {dtype(), bytes.data(), rows(), dimension()}; }
};

// Whether integer columns keep their type.
inline bool keeps_integers(cvc::Compression compression) {
  return compression == cvc::Compression::kNone || compression == cvc::Compression::kPco;
}

std::string cvc_path(const std::string& name);
Bytes cvc_bytes(const std::string& name);
// The array of a file, or of a column: NAME or NAME.COLUMN of arrays.npz.
bool cvc_has_array(const std::string& name);
Array cvc_array(const std::string& name);
// The input of the writer: NAME.input.npy if it exists, otherwise NAME.npy.
Array cvc_input(const std::string& name);

// Names, without the ending, of the .cvc files in a folder under the fixtures ("" or "bad");
// sorted.
std::vector<std::string> cvc_names(const std::string& folder);

// Whether a header is JSON by RFC 8259: other writers may write NaN and Infinity.
bool has_json_header(const cvc::Info& info);

// The name of the array of a column: NAME, or NAME.COLUMN in columnar files.
std::string column_array(const std::string& name, const cvc::Info& info, std::size_t column);

// Compares bit for bit; `any_nan`: all NaNs are equal.
::testing::AssertionResult same_values(ByteSpan got, ByteSpan expected, cvc::Dtype dtype,
                                       bool any_nan = false);

// Reads a column of a whole file in the type of its array.
Bytes read_column(const cvc::Reader& reader, std::size_t column, cvc::Dtype dtype,
                  const cvc::ReadConfig& config = {});

}  // namespace numpact::testing
