// SPDX-License-Identifier: Apache-2.0
// Headers as text, byte for byte as the first writers of the format make them.
#ifndef NUMPACT_CVC_HEADER_HEADER_TEXT_HPP
#define NUMPACT_CVC_HEADER_HEADER_TEXT_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cvc/json/text.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/cvc/write_config.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

// A chunk that was written, or will be.
struct ChunkText {
  std::uint64_t rows = 0;
  std::uint64_t offset = 0;  // of the record, from the first one
  std::vector<Slice> slices;
  std::optional<std::string> metadata;  // in the version's style
};

struct SectionText {
  RowRange rows;
  std::string metadata;
};

struct HeaderContent {
  Version version = Version::kV10;
  bool is_paged = false;
  std::vector<Column> columns;  // one without a name: a file of one array
  std::vector<ChunkText> chunks;
  std::vector<SectionText> sections;
  bool has_sections = false;
  std::optional<std::string> metadata;

  json::Style style() const {
    return version == Version::kV01 ? json::Style::kOrdered : json::Style::kSorted;
  }
};

// All bytes before the first record, and where that starts: their number.
Status header_bytes(const HeaderContent& content, std::string& out);

}  // namespace numpact::cvc

#endif
