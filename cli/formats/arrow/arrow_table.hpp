// SPDX-License-Identifier: Apache-2.0
// Columns of tables of Arrow, which come over its C data interface: of the native command from
// Arrow's C++ library, of that of the Python package from pyarrow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrow/structures.hpp"
#include "formats/table.hpp"
#include "numpact/numpact.h"

namespace numpact::cli {

using internal::arrow::Owned;

struct ArrowField {
  std::string name;  // that of the schema ends at a zero byte
  std::string type;  // as Arrow prints it
  bool is_extension = false;
};

struct ArrowFields {
  Owned<ArrowSchema> schema;  // a child for each field
  std::vector<ArrowField> fields;
};

// Returns the next array of a column, of the type that the schema says; released at the end.
using NextArray = std::function<Owned<ArrowArray>()>;

struct ArrayOptions {
  std::uint64_t rows = kBlockNumbers;  // at most in an array, of formats that make them
  TimeUnit int96_unit = TimeUnit::kNano;
  bool checks_values = false;
};

// A file of Arrow or Parquet, which is untrusted. All functions throw a Failure.
class ArrowSource {
 public:
  virtual ~ArrowSource() = default;
  virtual ArrowFields fields() = 0;
  // The row count, if known.
  virtual std::optional<std::uint64_t> rows() const = 0;
  // The arrays of a column from the first on. Arrow has checked that their buffers have the sizes
  // that the length and the last offset need; with `checks_values` that all offsets, views and
  // indices refer to what exists, too, and that texts are UTF-8.
  virtual NextArray arrays(std::size_t column, const ArrayOptions& options) = 0;
  // Whether timestamps are Parquet's old ones of 96 bits.
  virtual bool is_int96(std::size_t /*column*/) const { return false; }
  // As TableInput::write_other().
  virtual OtherColumn write_other(std::size_t column, ByteSink& file,
                                  std::optional<table::Vectors> vectors) = 0;
  // As TableInput::select().
  virtual void select(std::span<const std::uint64_t> /*rows*/) {}
};

// The table of a source. `file`: for messages.
std::unique_ptr<TableInput> table_of(std::unique_ptr<ArrowSource> source, const std::string& file,
                                     Purpose purpose);

}  // namespace numpact::cli
