// SPDX-License-Identifier: Apache-2.0
// Common to the functions of table.h.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "capi/capi.hpp"
#include "numpact/table.h"
#include "numpact/table.hpp"

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

// Copies a text as far as it fits, not ending within a character.
inline void give_text(const std::string& text, char* out, std::size_t capacity) {
  if (out == nullptr || capacity == 0) return;
  std::size_t size = std::min(text.size(), capacity - 1);
  while (size > 0 && size < text.size() && (text[size] & 0xc0) == 0x80) --size;
  std::memcpy(out, text.data(), size);
  out[size] = '\0';
}

}  // namespace numpact::internal::capi
