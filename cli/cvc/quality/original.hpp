// SPDX-License-Identifier: Apache-2.0
// The vectors that compressions are measured on, from a CVC file or any other format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cvc/quality/report.hpp"
#include "cvc/vectors.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cli {

// Reads one column, from first to last row.
class Original {
 public:
  virtual ~Original() = default;
  const std::string& name() const { return name_; }
  cvc::Dtype dtype() const { return dtype_; }
  // The type in the file, which dtype() holds exactly.
  const cvc::quality::InputType& type() const { return type_; }
  std::uint64_t dimension() const { return dimension_; }  // at least 1
  // The count of rows, if known in advance.
  virtual std::optional<std::uint64_t> rows() const = 0;
  // Returns the next rows, none at the end; valid until the next call. Throws Failure.
  virtual cvc::Rows next() = 0;

 protected:
  std::string name_;
  cvc::Dtype dtype_ = cvc::Dtype::kFloat32;
  cvc::quality::InputType type_;
  std::uint64_t dimension_ = 0;
};

// If the file has several columns, the options must select one.
std::unique_ptr<Original> open_original(const std::string& path, const VectorOptions& options);

// Calls f with chunks of `chunk_rows` contiguous rows; the last may be shorter.
void for_chunks(Original& original, std::uint64_t chunk_rows,
                const std::function<void(const cvc::Rows&)>& f);

}  // namespace numpact::cli
