// SPDX-License-Identifier: Apache-2.0
// Copies rows of CVC files to a file of a collection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/writer.hpp"

namespace numpact::cvc::internal {

class Copier {
 public:
  // `columns`: of the new file, with their compressions.
  Copier(Writer& to, std::span<const ColumnSpec> columns, std::uint64_t chunk_rows)
      : to_(to), columns_(columns), chunk_rows_(chunk_rows) {}

  // Adds all rows, sections and metadata of chunks. `order`: the columns of the file in the order
  // of the new one. Compares checksums. Chunks are copied as they are stored, except for
  // small ones whose values stay the same if they are encoded with the rows that follow, and those
  // of compressions that columns cannot have.
  Status copy(const Reader& from, std::span<const std::size_t> order);

 private:
  bool is_copied(const Info& info, std::size_t chunk) const;
  Status copy_chunk(const Reader& from, std::size_t chunk);
  Status append_chunk(const Reader& from, std::size_t chunk);
  Status set_metadata(const Chunk& chunk);

  Writer& to_;
  std::span<const ColumnSpec> columns_;
  std::span<const std::size_t> order_;
  std::uint64_t chunk_rows_;
};

}  // namespace numpact::cvc::internal
