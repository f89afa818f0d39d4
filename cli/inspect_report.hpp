// SPDX-License-Identifier: Apache-2.0
// What is inside Pco files, for people and for programs.
#ifndef NUMPACT_CLI_INSPECT_REPORT_HPP
#define NUMPACT_CLI_INSPECT_REPORT_HPP

#include <string>
#include <vector>

#include "manifest.hpp"
#include "numpact/inspect.hpp"

namespace numpact::cli {

std::string info_report(const std::string& file, const FileInfo& info, bool bins);
std::string info_json(const FileInfo& info, bool bins);

// `files` in the order of the manifest's columns.
std::string table_report(const std::string& folder, const Manifest& manifest,
                         const std::vector<FileInfo>& files,
                         const std::vector<std::uint64_t>& null_bytes);
std::string table_json(const Manifest& manifest, const std::vector<FileInfo>& files, bool bins);

// How many of the chunks a report lists: of files of very many tiny chunks not all, so that its
// memory stays in proportion to the file. `bin_bytes`: for each bin and entry of a dictionary.
std::size_t listed_chunks(const FileInfo& info, std::uint64_t chunk_bytes, std::uint64_t bin_bytes);

// What most chunks have, with a '+' if others have something else; "-" for no chunks.
std::string common_mode(const FileInfo& info);
std::string common_delta(const FileInfo& info);

}  // namespace numpact::cli

#endif
