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

// Copies a text as far as it fits, not ending within a character.
inline void give_text(const std::string& text, char* out, std::size_t capacity) {
  if (out == nullptr || capacity == 0) return;
  std::size_t size = std::min(text.size(), capacity - 1);
  while (size > 0 && size < text.size() && (text[size] & 0xc0) == 0x80) --size;
  std::memcpy(out, text.data(), size);
  out[size] = '\0';
}

// Runs `call`, which takes a Failure, and gives its words to the caller.
template <class F>
Status with_words(char* why, std::size_t capacity, const F& call) {
  table::Failure failure;
  const Status status = call(&failure);
  if (!status.ok()) {
    give_text(failure.text.empty() ? status.message() : failure.message(), why, capacity);
  }
  return status;
}

// Each of a caller's structs, which may be smaller or larger than this library's.
template <class T, class F>
Status for_each_struct(const T* first, std::size_t count, const F& take) {
  if (count == 0) return {};
  NUMPACT_TRY(check_struct(first));
  const auto* at = reinterpret_cast<const unsigned char*>(first);
  const std::size_t size = first->struct_size;
  for (std::size_t i = 0; i < count; ++i, at += size) {
    T one = {};
    NUMPACT_TRY(take_struct(reinterpret_cast<const T*>(at), one));
    NUMPACT_TRY(take(one));
  }
  return {};
}

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
