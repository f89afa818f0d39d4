// SPDX-License-Identifier: Apache-2.0
// Common to the functions for vectors.
#pragma once

#include <utility>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/cvc.hpp"

struct numpact_cvc_reader : numpact::internal::capi::Object {
  numpact_cvc_reader(const numpact::internal::capi::CallersMemory& own, numpact::cvc::Reader made)
      : Object(own), reader(std::move(made)) {}
  numpact::cvc::Reader reader;
};

namespace numpact::internal::capi {

static_assert(NUMPACT_DTYPE_FLOAT32 == static_cast<int>(cvc::Dtype::kFloat32));
static_assert(NUMPACT_DTYPE_BFLOAT16 == static_cast<int>(cvc::Dtype::kBFloat16));
static_assert(NUMPACT_DTYPE_UINT8 == static_cast<int>(cvc::Dtype::kUInt8));

inline Status take_dtype(numpact_dtype given, cvc::Dtype& dtype) {
  dtype = static_cast<cvc::Dtype>(given);
  if (cvc::size_of(dtype) != 0) return {};
  return Status(
      ErrorKind::kInvalidArgument,
      "there is no such dtype: they are NUMPACT_DTYPE_FLOAT32 (0) to NUMPACT_DTYPE_UINT8 (7)");
}

// Null: none.
inline Status take_compression(const char* name, std::optional<cvc::Compression>& compression) {
  if (name == nullptr) return {};
  compression = cvc::compression_of_name(name);
  if (compression) return {};
  return Status(ErrorKind::kInvalidArgument,
                "there is no such compression: they are fp16, int8, lossless, none, bfloat16, "
                "int4, int8_row, int8_dim, pco, rot1, rot2, rot3 and rot4");
}

// `column`: a cvc::Column or cvc::ColumnSpec.
template <class Column>
Status give_column(const Column& column, cvc::Compression compression, numpact_cvc_column* to) {
  NUMPACT_TRY(check_struct(to));
  numpact_cvc_column made = {};
  made.name = column.name.c_str();
  made.compression = cvc::name_of(compression).data();
  made.dimension = column.dimension;
  made.dtype = static_cast<numpact_dtype>(column.dtype);
  give_struct(made, to);
  return {};
}

inline numpact_cvc_report report_of(const cvc::WriteReport& report) {
  numpact_cvc_report made = {};
  made.rows = report.rows;
  made.chunks = report.chunks;
  made.bytes = report.bytes;
  made.overflows = report.overflows;
  made.underflows = report.underflows;
  made.lost = report.lost;
  return made;
}

}  // namespace numpact::internal::capi
