// SPDX-License-Identifier: Apache-2.0
// The options of compress.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commands/common_options.hpp"
#include "commands/rounding_options.hpp"
#include "commands/source.hpp"
#include "formats/table.hpp"
#include "numpact/table_writer.hpp"

namespace numpact::cli {

struct CompressOptions {
  std::string input;
  std::string output;
  Overwrite overwrite;
  bool append = false;
  std::string schema;
  std::string others;
  std::vector<std::string> vectors;  // COLUMN=COMPRESSION
  std::string partition_by;          // names of columns
  bool verify = false;               // no effect: it is the default
  bool no_verify = false;
  unsigned threads = 0;
  SourceArgs source;
  EncodeArgs encode;
  RoundingArgs rounding;
  bool json = false;
  TrailerArgs trailer;
  CommonOptions common;
};

// The treatment of columns that Pco cannot hold.
enum class OtherPolicy : std::uint8_t {
  kKeepIfPossible,
  kKeep,
  kDrop,
  kError,
};

// They fail with a usage error.
OtherPolicy parse_others(const std::string& text);
// How columns of appended rows may differ from those of the folder.
table::SchemaChange parse_schema(const CompressOptions& options);

// How the vectors of each column are compressed, by COLUMN=COMPRESSION.
std::vector<table::Vectors> vectors_of(const std::vector<std::string>& args,
                                       std::span<const Column> columns, const std::string& file);

// Writes the file or the folder; of an open table instead of the input the folder.
void compress(const CompressOptions& options, TableInput* table = nullptr);

// Fails if the command has options that --partition-by excludes.
void refuse_undivided(const CLI::App& command);

void add_compress_options(CLI::App& command, CompressOptions& options);

}  // namespace numpact::cli
