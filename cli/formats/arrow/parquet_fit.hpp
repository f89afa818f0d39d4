// SPDX-License-Identifier: Apache-2.0
// Finds values that Arrow can represent but Parquet cannot.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "formats/table.hpp"

namespace numpact::cli {

// Parquet has no seconds, which become milliseconds, and its date64 holds whole days only. Parquet
// writers convert without checking for overflow or remainders, so this class checks first.
class ParquetFit {
 public:
  explicit ParquetFit(std::string file) : file_(std::move(file)) {}

  // Checks the next rows. Throws a Failure that names column, row and value.
  void check(std::span<const Column> columns, std::span<const ColumnBlock> blocks);

 private:
  std::string file_;
  std::uint64_t rows_ = 0;
};

}  // namespace numpact::cli
