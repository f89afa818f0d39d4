// SPDX-License-Identifier: Apache-2.0
// Writing of headers, byte for byte like the format's first implementation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal.hpp"
#include "json/text.hpp"
#include "numpact/cvc/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc::internal {

// A chunk of the header.
struct ChunkText {
  std::uint64_t rows = 0;
  std::uint64_t offset = 0;  // offset of the record from the first record
  std::vector<Slice> slices;
  std::optional<std::string> metadata;  // formatted in the version's style
};

struct SectionText {
  RowRange rows;
  std::string metadata;
};

struct HeaderContent {
  Version version = Version::kV10;
  bool is_paged = false;
  std::vector<Column> columns;  // a file of one array has one column without a name
  std::vector<ChunkText> chunks;
  std::vector<SectionText> sections;
  bool has_sections = false;
  std::optional<std::string> metadata;

  json::Style style() const {
    return version == Version::kV01 ? json::Style::kOrdered : json::Style::kSorted;
  }
};

// Writes all bytes before the first record; their number is the offset of the first record.
Status header_bytes(const HeaderContent& content, std::string& out);

}  // namespace numpact::cvc::internal
