// SPDX-License-Identifier: Apache-2.0
// Copies chunks between files. Payloads are copied; only partial chunks may need encoding again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cvc/cvc_input.hpp"
#include "numpact/cvc/writer.hpp"
#include "report/progress_bar.hpp"

namespace numpact::cli {

// The configuration for a file that holds these columns of another file, with the metadata of the
// other.
cvc::WriteConfig config_like(const cvc::Info& info, std::span<const std::size_t> columns);

class ChunkCopier {
 public:
  ChunkCopier(cvc::Writer& writer, std::string output, ProgressBar& progress)
      : writer_(writer), output_(std::move(output)), progress_(progress) {}

  // Appends rows with their sections, clipped to the ranges, and the metadata of the chunks.
  // Verifies the checksum of every chunk first. Throws Failure.
  void copy(const CvcInput& input, std::span<const std::size_t> columns,
            std::span<const cvc::RowRange> ranges);
  // Same for all rows, including chunks and sections without rows.
  void copy_all(const CvcInput& input, std::span<const std::size_t> columns);

  // Rows of partial chunks whose codes could not be split, so that the values were rounded again.
  std::uint64_t rows_reencoded() const { return reencoded_; }

 private:
  void add_section(const cvc::Section& section, const cvc::RowRange& range);
  void copy_range(const CvcInput& input, std::span<const std::size_t> columns,
                  const cvc::RowRange& range);
  void check_chunk(const CvcInput& input, std::size_t chunk);
  void copy_chunk(const CvcInput& input, std::size_t chunk, std::span<const std::size_t> columns,
                  const cvc::RowRange& rows);
  void append_parts(const CvcInput& input, std::size_t chunk, std::span<const std::size_t> columns,
                    const cvc::RowRange& rows);
  void append(std::uint64_t rows, std::span<const cvc::Slice> slices,
              std::span<const std::byte> payload,
              std::optional<std::uint32_t> checksum = std::nullopt);

  cvc::Writer& writer_;
  std::string output_;
  ProgressBar& progress_;
  std::uint64_t rows_ = 0;    // rows written
  std::uint64_t chunks_ = 0;  // chunks written
  std::uint64_t reencoded_ = 0;
  const CvcInput* checked_input_ = nullptr;
  std::size_t checked_chunk_ = 0;
};

}  // namespace numpact::cli
