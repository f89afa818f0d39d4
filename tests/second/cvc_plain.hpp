// SPDX-License-Identifier: Apache-2.0
// A second reader of CVC files: slow and simple, written from docs/format/cvc.md and pco.md alone.
#pragma once

#include <span>

#include "second/refusal.hpp"

namespace numpact::second {

struct CvcLimits {
  // Maximum bytes of values of all columns together; beyond it the outcome is Outcome::kLimit.
  std::uint64_t max_bytes = std::uint64_t{1} << 28;
};

// A column's values in one chunk, row by row, little-endian.
struct PlainSlice {
  std::uint64_t rows = 0;
  std::string dtype;  // type of the decoded values: "float32", or that of an integer or half column
  std::vector<std::byte> values;
};

struct PlainColumn {
  std::string name;  // empty in files of one array
  std::uint64_t dimension = 0;
  std::string dtype;               // type of the column in the header
  std::vector<PlainSlice> slices;  // one for each chunk
};

struct PlainSection {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// Everything that a file holds except metadata; no columns if it is refused.
struct PlainCvc {
  Refusal refusal{Outcome::kAccepted, {}};
  unsigned major = 0;  // 0 and 1: version 0.1
  unsigned minor = 0;
  std::uint64_t rows = 0;
  bool columnar = false;
  std::vector<PlainColumn> columns;
  std::vector<PlainSection> sections;
  bool accepted() const { return refusal.outcome == Outcome::kAccepted; }
};

PlainCvc decode_cvc(std::span<const std::byte> file, const CvcLimits& limits = {});

}  // namespace numpact::second
