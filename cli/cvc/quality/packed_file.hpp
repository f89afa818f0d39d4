// SPDX-License-Identifier: Apache-2.0
// Rows of an existing CVC file, to be compared with the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cvc/quality/packer.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cli {

// The type a column is read as: its own type if it holds uncompressed integers, else float32.
cvc::Dtype dtype_read_from(const cvc::Info& info, std::size_t column);

// The index of a column: the only one, or the one with this name or index. Fails with a list of the
// names.
std::size_t column_of(const cvc::Info& info, const std::string& place,
                      const std::optional<std::string>& requested);

// Reads an array of `dimension`, else fails. finish() fails if the file has other rows.
struct PackedFile {
  std::unique_ptr<cvc::quality::Decoded> decoded;
  std::string compression;  // as "int8", or "fp16+int8" if chunks differ
};
PackedFile open_packed(const std::string& path, const std::optional<std::string>& column,
                       std::uint64_t dimension);

}  // namespace numpact::cli
