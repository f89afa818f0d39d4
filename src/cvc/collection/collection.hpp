// SPDX-License-Identifier: Apache-2.0
// The index of a collection, and the names of its files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/internal.hpp"
#include "numpact/cvc/collection.hpp"
#include "table/reader/folder.hpp"

namespace numpact::cvc::internal {

using numpact::internal::Folder;

std::string collection_text(const CollectionIndex& index);

// Names of data files: "rows-NUMBER-TAG.cvc", where the tag has eight hexadecimal digits. The
// number counts files, for people; the tag makes that no other writer has the name, also without
// locks.
std::string file_name(std::uint64_t number, std::uint32_t tag);
// More than that of any file.
std::uint64_t next_number(const CollectionIndex& index);
// Whether a writer that was killed may have left a file of this name, if the index has none.
bool is_left_name(std::string_view name);

// "'vectors' (384 float32), 'id' (1 int64)", of columns or specs.
template <class Columns>
std::string text_of(const Columns& columns) {
  std::string text;
  for (const auto& column : columns) {
    if (!text.empty()) text += ", ";
    text += "'" + column.name + "' (" + std::to_string(column.dimension) + " ";
    text.append(name_of(column.dtype)).append(")");
  }
  return text;
}

// Reads the index of an open folder.
Status read_index(Folder& folder, const std::string& path, const DecodeLimits& limits,
                  CollectionIndex& index, Failure* failure);
// Opens a file, and checks that it is as the index says. With `checks_sum` reads all of it.
Status open_file(Folder& folder, const std::string& path, const CollectionFile& file,
                 const DecodeLimits& limits, bool checks_sum, std::vector<Reader>& readers,
                 Failure* failure);
// The header of such a file alone. Its records are not looked at: each is a page to map.
Status open_header(Folder& folder, const std::string& path, const CollectionFile& file, Info& info,
                   Failure* failure);

}  // namespace numpact::cvc::internal
