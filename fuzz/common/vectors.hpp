// SPDX-License-Identifier: Apache-2.0
// Files of vectors as an input chooses them.
#pragma once

#include <vector>

#include "common/draw.hpp"
#include "common/target.hpp"
#include "numpact/cvc.hpp"
#include "numpact/pco.hpp"

namespace numpact::fuzz {

struct VectorFile {
  cvc::WriteConfig config;
  std::vector<NumberArray> numbers;  // of each column
  std::vector<cvc::Rows> columns;    // views of them
  std::vector<std::uint64_t> section_starts;
  Bytes bytes;
  std::uint64_t rows = 0;
};

// None where the choices contradict each other, which must be refused as such.
std::optional<VectorFile> draw_vectors(Draw& draw);

// Writes the rows from `first` on.
Status append(cvc::Writer& writer, const VectorFile& file, std::uint64_t first,
              std::uint64_t count);

// Makes the checksums of the records fit what the payloads now are, as far as they can be found.
void repair_checksums(Bytes& file);

}  // namespace numpact::fuzz
