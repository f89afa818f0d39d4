// SPDX-License-Identifier: Apache-2.0
// The file formats for vectors. Each one has a file of its own.
#ifndef NUMPACT_CLI_CVC_VECTOR_FORMATS_HPP
#define NUMPACT_CLI_CVC_VECTOR_FORMATS_HPP

#include <memory>
#include <span>
#include <string_view>

#include "cvc/vectors.hpp"
#include "io/files.hpp"

namespace numpact::cli {

using OpenVectors = std::unique_ptr<VectorInput>(std::unique_ptr<Input>, const VectorOptions&);
using MakeVectors = std::unique_ptr<VectorOutput>(OutputFile&, const VectorPlan&);

struct VectorFormat {
  std::string_view name;  // as --from and --to spell it
  std::string_view extensions[3];
  OpenVectors* open;
  MakeVectors* make;
};

std::span<const VectorFormat> vector_formats();

OpenVectors open_npy_vectors, open_raw_vectors, open_fvecs, open_bvecs, open_ivecs,
    open_safetensors, open_parquet_vectors, open_arrow_vectors, open_arrows_vectors;
MakeVectors make_npy_vectors, make_raw_vectors, make_fvecs, make_bvecs, make_ivecs,
    make_safetensors, make_parquet_vectors, make_arrow_vectors, make_arrows_vectors;

// Indices in `names` of the selected columns, in the order of the options; all columns if none is
// selected. Fails if a column does not exist or is ambiguous.
std::vector<std::size_t> choose_columns(std::span<const std::string> names,
                                        const VectorOptions& options, const std::string& file);
// Fails if columns are selected from a file without columns.
void refuse_columns(const VectorOptions& options, const std::string& file);
// Fails unless the plan has exactly one column.
const VectorColumn& only_column(const OutputFile& file, const VectorPlan& plan);

}  // namespace numpact::cli

#endif
