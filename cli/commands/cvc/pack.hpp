// SPDX-License-Identifier: Apache-2.0
// What the commands pack and append share.
#pragma once

#include <string>

#include "commands/common_options.hpp"
#include "cvc/vectors.hpp"
#include "numpact/cvc/collection.hpp"

namespace numpact::cli {

struct PackOptions {
  std::string input;
  std::string folder;  // rows are added to it
  std::string output;
  std::string compression;
  std::string chunk_rows;
  std::string version;
  std::string metadata;
  std::string dimension;
  bool paged = false;
  bool allow_nonfinite = false;
  std::string rounding = "auto";
  Overwrite overwrite;
  unsigned threads = 0;
  VectorOptions source;
  CommonOptions common;
};

// Replaces the names of library settings with the command's options.
std::string with_pack_option_names(std::string text);
// Throws Failure.
void check_collection(const Status& status, const table::Failure& failure);
// Prints what values have lost, also with --quiet.
void print_losses(const std::string& output, const cvc::WriteReport& report);

// Whether rows are appended from a CVC file, or from a folder of them.
bool is_cvc(const std::string& path);
// Adds the rows of such a file to the folder.
void append_cvc(const PackOptions& options);

}  // namespace numpact::cli
