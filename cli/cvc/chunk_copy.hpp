// SPDX-License-Identifier: Apache-2.0
// Chunks from file to file: payloads are copied, and only those that are cut may be encoded again.
#ifndef NUMPACT_CLI_CVC_CHUNK_COPY_HPP
#define NUMPACT_CLI_CVC_CHUNK_COPY_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cvc/cvc_input.hpp"
#include "numpact/cvc/writer.hpp"
#include "progress_bar.hpp"

namespace numpact::cli {

// Of a file that holds these columns of another. The metadata is the other's.
cvc::WriteConfig config_like(const cvc::Info& info, std::span<const std::size_t> columns);

class ChunkCopier {
 public:
  ChunkCopier(cvc::Writer& writer, std::string output, ProgressBar& progress)
      : writer_(writer), output_(std::move(output)), progress_(progress) {}

  // Appends rows with their sections, clipped to the ranges, and what chunks have of metadata.
  // Every chunk is checked against its checksum first. Throws Failure.
  void copy(const CvcInput& input, std::span<const std::size_t> columns,
            std::span<const cvc::RowRange> ranges);
  // The same of all rows, chunks and sections without rows included.
  void copy_all(const CvcInput& input, std::span<const std::size_t> columns);

  // Chunks were cut whose codes cannot be, and so were rounded again.
  std::uint64_t rows_rounded_again() const { return rounded_again_; }

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
  std::uint64_t rows_ = 0;    // written
  std::uint64_t chunks_ = 0;  // written
  std::uint64_t rounded_again_ = 0;
  const CvcInput* checked_input_ = nullptr;
  std::size_t checked_chunk_ = 0;
};

}  // namespace numpact::cli

#endif
