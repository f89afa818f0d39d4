// SPDX-License-Identifier: Apache-2.0
// The options of decompress.
#pragma once

#include <optional>
#include <string>

#include "commands/common_options.hpp"

namespace numpact::cli {

struct DecompressOptions {
  std::string input;
  std::string output;
  std::string to;
  std::optional<std::string> column;
  std::string columns;
  std::optional<std::string> where;
  std::string dtype;
  std::string range;
  std::string nulls = "keep";
  Overwrite overwrite;
  bool salvage = false;         // write intact numbers, report the others
  bool ignore_trailer = false;  // do not compare checksums
  bool verify_trailer = false;  // verify the trailer before using it for --range
  unsigned threads = 0;
  LimitArgs limits;
  CommonOptions common;
};

void add_decompress_options(CLI::App& command, DecompressOptions& options);
// Fails if some of them contradict each other.
void refuse_contradictions(const DecompressOptions& options);

}  // namespace numpact::cli
