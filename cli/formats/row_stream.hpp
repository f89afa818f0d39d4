// SPDX-License-Identifier: Apache-2.0
// Reads rows of a fixed size in blocks. Sizes claimed by a header allocate nothing before the bytes
// arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files.hpp"

namespace numpact::cli {

// Returns a * b. Fails as corrupt if that exceeds the address space. `what`: as "shape".
std::uint64_t checked_bytes(std::uint64_t a, std::uint64_t b, const std::string& place,
                            const std::string& what);

class RowStream {
 public:
  // `rows`: none means up to the end of the input. `noun`: what errors call a row.
  RowStream(Input& input, std::uint64_t row_bytes, std::optional<std::uint64_t> rows,
            const char* noun)
      : input_(input), row_bytes_(row_bytes), rows_(rows), noun_(noun) {}

  // Returns at most `max_rows` whole rows, none at the end; valid until the next call. Fails if the
  // input is truncated.
  std::span<std::byte> next(std::uint64_t max_rows);
  std::uint64_t done() const { return done_; }

 private:
  Input& input_;
  std::uint64_t row_bytes_;
  std::optional<std::uint64_t> rows_;
  const char* noun_;
  std::uint64_t done_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace numpact::cli
