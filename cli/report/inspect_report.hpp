// SPDX-License-Identifier: Apache-2.0
// Reports the contents of Pco files as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "numpact/inspect.hpp"
#include "pco/manifest.hpp"

namespace numpact::cli {

std::string info_report(const std::string& file, const FileInfo& info, bool bins);
std::string info_json(const FileInfo& info, bool bins);

// `files` has the order of the manifest's columns.
std::string table_report(const std::string& folder, const Manifest& manifest,
                         const std::vector<FileInfo>& files,
                         const std::vector<std::uint64_t>& null_bytes,
                         const std::vector<std::uint64_t>& other_bytes);
std::string table_json(const Manifest& manifest, const std::vector<FileInfo>& files, bool bins);

// Number of chunks to list in a report. Limited for files with very many tiny chunks, so that the
// memory of the report stays in proportion to the file. `bin_bytes`: report size per bin and
// dictionary entry.
std::size_t listed_chunks(const FileInfo& info, std::uint64_t chunk_bytes, std::uint64_t bin_bytes);

// The most frequent value among chunks, with a '+' if there are others; "-" for no chunks.
std::string common_mode(const FileInfo& info);
std::string common_delta(const FileInfo& info);

}  // namespace numpact::cli
