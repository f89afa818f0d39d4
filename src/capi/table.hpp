// SPDX-License-Identifier: Apache-2.0
// Common to the functions of table.h.
#pragma once

#include <utility>
#include <vector>

#include "capi/words.hpp"
#include "numpact/table.h"
#include "numpact/table.hpp"
#include "numpact/table_reader.hpp"

struct numpact_table_manifest {
  // Exactly one is set.
  struct Entry {
    const numpact::table::Column* column = nullptr;
    const numpact::table::Other* other = nullptr;
  };

  explicit numpact_table_manifest(numpact::table::Manifest from) : manifest(std::move(from)) {
    entries.resize(manifest.columns.size() + manifest.others.size());
    for (const numpact::table::Other& other : manifest.others) {
      entries[static_cast<std::size_t>(other.position)].other = &other;
    }
    auto column = manifest.columns.begin();
    for (Entry& entry : entries) {
      if (entry.other == nullptr) entry.column = &*column++;
    }
  }

  numpact::table::Manifest manifest;
  std::vector<Entry> entries;  // in the order of the table
};

namespace numpact::internal::capi {

inline numpact_table_part given_part(const table::Part& part) {
  numpact_table_part made = {};
  made.file = part.file.c_str();
  made.rows = part.rows;
  made.file_size = part.bytes;
  made.block_count = part.ends.size();
  made.block_ends = part.ends.data();
  made.block_crcs = part.crc32.data();
  return made;
}

}  // namespace numpact::internal::capi
