// SPDX-License-Identifier: Apache-2.0
// Values that Parquet cannot hold as Arrow has them.
#ifndef NUMPACT_CLI_PARQUET_FIT_HPP
#define NUMPACT_CLI_PARQUET_FIT_HPP

#include <cstdint>
#include <span>
#include <string>

#include "table.hpp"

namespace numpact::cli {

// Parquet has no seconds, which become milliseconds, and no date64, which becomes days. Writers
// convert without a look at overflow and rest, so that is done here.
class ParquetFit {
 public:
  explicit ParquetFit(std::string file) : file_(std::move(file)) {}

  // The next rows. Throws Failure with column, row and value.
  void check(std::span<const Column> columns, std::span<const ColumnPiece> pieces);

 private:
  std::string file_;
  std::uint64_t rows_ = 0;
};

}  // namespace numpact::cli

#endif
